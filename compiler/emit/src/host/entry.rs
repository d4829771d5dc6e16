//! Entries: functions that take and give what C has, around the plan that does the work.

use super::names;
use super::shape::{Named, Part, Role};
use super::steps::Host;
use super::{Component, Entry, Library};
use crate::shared::Writer;
use crate::shared::names::comment;
use crate::shared::types::{self, field};
use plan::{Arg, Func, Place};
use prim::{Ty, Widths};

/// An entry with the names of its function, parameters and results.
pub(super) struct Call<'a> {
    pub(super) entry: &'a Entry,
    pub(super) func: Func,
    pub(super) name: String,
    /// The same function with results in the caller's memory; none where results have no elements.
    pub(super) into: Option<String>,
    pub(super) params: Vec<Named>,
    pub(super) result: Named,
}

impl<'a> Call<'a> {
    /// All entries of a library.
    pub(super) fn all(library: &'a Library<'_>) -> Vec<Call<'a>> {
        let own = library.entries.iter().map(|entry| entry.name.as_str());
        let own = names::entries(library.name, own);
        let mut taken = own.clone();
        let own = own.into_iter();
        let call = |((entry, &func), name): ((&'a Entry, &Func), String)| {
            let result = Named::new(&entry.result, "result");
            let params = entry.params.iter().map(|(name, shape)| (name.as_str(), shape));
            let params = names::parameters(params, &result);
            let vectors = result.parts().iter().any(Part::is_vector);
            let into = vectors.then(|| names::variant(&name, "into", &mut taken));
            Call { entry, func, name, into, params, result }
        };
        library.entries.iter().zip(&library.plan.entries).zip(own).map(call).collect()
    }
    /// The parameters that it reads.
    pub(super) fn inputs(&self) -> Vec<Part> {
        self.params.iter().flat_map(Named::parts).collect()
    }
    /// Those that it sets.
    pub(super) fn outputs(&self) -> Vec<Part> {
        self.result.parts()
    }
    /// `int dotproduct(...)`.
    pub(super) fn head(&self) -> String {
        format!("int {}({})", self.name, self.declared(Part::output))
    }
    /// The same for the function with results in the caller's memory.
    pub(super) fn head_into(&self) -> Option<String> {
        let name = self.into.as_ref()?;
        Some(format!("int {name}({})", self.declared(Part::output_into)))
    }
    /// All parameters, with results that are declared like this.
    fn declared(&self, output: fn(&Part) -> String) -> String {
        let key = self.entry.key.map(|_| "int64_t seed".to_owned());
        let inputs = self.inputs().iter().map(Part::input).collect::<Vec<_>>();
        let outputs = self.outputs().iter().map(output).collect::<Vec<_>>();
        key.into_iter().chain(inputs).chain(outputs).collect::<Vec<String>>().join(", ")
    }
    /// The names of all parameters.
    fn names(&self, into: bool) -> Vec<String> {
        let key = self.entry.key.map(|_| "seed".to_owned());
        let inputs = self.inputs().into_iter().map(|part| part.name);
        let outputs = self.outputs().into_iter().flat_map(|part| {
            let room = (into && part.is_vector()).then(|| part.room());
            std::iter::once(part.name).chain(room)
        });
        key.into_iter().chain(inputs).chain(outputs).collect()
    }
}

/// The functions that callers see, and those that implement them.
pub(super) fn definition(host: &mut Host<'_, '_>, call: &Call<'_>) -> String {
    let mut out = Writer::default();
    out.line(format!("/* {} : {} */", comment(&call.entry.name), comment(&call.entry.ty)));
    let own = format!("{}_call", call.name);
    function(host, call, &own, (&call.name, &call.head(), false), &mut out);
    if let (Some(name), Some(head)) = (&call.into, call.head_into()) {
        out.blank();
        function(host, call, &format!("{own}_into"), (name, &head, true), &mut out);
    }
    out.finish()
}

/// One of them: its name and head, and whether results go into the caller's memory.
fn function(
    host: &mut Host<'_, '_>,
    call: &Call<'_>,
    own: &str,
    (name, head, into): (&str, &str, bool),
    out: &mut Writer,
) {
    let inside = head.replacen(&format!("int {name}("), "", 1);
    out.open(format!("static void {own}(nesl_call *call, {inside}"));
    let args = arguments(host, call, out);
    let results = run(host, call, args, out);
    give(call, &results, into, out);
    out.close("");
    out.blank();
    let names = call.names(into).join(", ");
    out.open(head);
    host.target.guarded(out, &format!("{own}(&call, {names});"));
    out.close("");
}

/// Makes the arguments of the plan, and gives their names.
fn arguments(host: &Host<'_, '_>, call: &Call<'_>, out: &mut Writer) -> Vec<String> {
    let mut args = Vec::new();
    for param in &call.params {
        argument(param, out, &mut args);
    }
    for (n, component) in call.entry.hidden.iter().enumerate() {
        args.push(match component {
            Component::Scalar(c) => host.shared.constant(*c, true),
            Component::Vector(ty, consts) => {
                let (name, count) = (format!("value{n}"), consts.len());
                let list: Vec<String> =
                    consts.iter().map(|&c| host.shared.constant(c, false)).collect();
                let list = if list.is_empty() { "0".to_owned() } else { list.join(", ") };
                out.line(format!(
                    "static const {} {name}[] = {{{list}}};",
                    host.shared.element(*ty)
                ));
                format!("nesl_lend(call, {name}, {count}, sizeof *{name})")
            }
        });
    }
    if let Some(form) = call.entry.key {
        args.push(format!("nesl_mix(seed, {form})"));
    }
    let function = &host.plan.funcs[call.func];
    debug_assert_eq!(args.len(), function.params.len(), "{} has other parameters", call.name);
    args
}

/// The components of one parameter: those of a sequence are its length, then those of its elements.
fn argument(param: &Named, out: &mut Writer, args: &mut Vec<String>) {
    match param {
        Named::Scalar(ty, name) => args.push(match ty {
            Ty::Char => format!("(uint8_t){name}"),
            _ => name.clone(),
        }),
        Named::Tuple(parts) => parts.iter().for_each(|part| argument(part, out, args)),
        Named::Data(_, fields) => argument(fields, out, args),
        Named::Seq(element, length) => {
            out.line(format!("nesl_check_length(\"{length}\", {length});"));
            args.push(length.clone());
            pool(element, length, out, args);
        }
    }
}

fn pool(elements: &Named, count: &str, out: &mut Writer, args: &mut Vec<String>) {
    match elements {
        Named::Scalar(_, name) => {
            out.line(format!("nesl_check_there(\"{name}\", {name}, {count});"));
            args.push(format!("nesl_lend(call, {name}, {count}, sizeof *{name})"));
        }
        Named::Tuple(parts) => parts.iter().for_each(|part| pool(part, count, out, args)),
        Named::Data(_, fields) => pool(fields, count, out, args),
        Named::Seq(element, offsets) => {
            let total = format!("{offsets}_last");
            let check = format!("nesl_check_offsets(\"{offsets}\", {offsets}, {count})");
            out.line(format!("const int64_t {total} = {check};"));
            args.push(format!("nesl_lend(call, {offsets}, {count} + 1, sizeof *{offsets})"));
            pool(element, &total, out, args);
        }
    }
}

/// A result of the plan.
enum Got {
    Scalar(String),
    Buffer(String),
}

/// Runs the plan; gives its results.
fn run(host: &Host<'_, '_>, call: &Call<'_>, args: Vec<String>, out: &mut Writer) -> Vec<Got> {
    let function = &host.plan.funcs[call.func];
    let mut actuals = vec!["call".to_owned()];
    for (arg, param) in args.into_iter().zip(&function.params) {
        // Buffers are made in the order of the parameters.
        let Place::Buffer(buffer) = param else {
            actuals.push(arg);
            continue;
        };
        out.line(format!("nesl_buffer *arg_{buffer} = {arg};"));
        actuals.push(format!("arg_{buffer}"));
    }
    let mut results = Vec::new();
    for (i, value) in function.body.yields.iter().enumerate() {
        let name = format!("got{i}");
        let (text, got) = match value {
            Arg::Slot(slot) => {
                (host.shared.local(function.slots[*slot]), Got::Scalar(name.clone()))
            }
            Arg::Const(c) => (host.shared.local(c.ty()), Got::Scalar(name.clone())),
            Arg::Buffer(_) | Arg::Past(..) => ("nesl_buffer *", Got::Buffer(name.clone())),
        };
        let space = if text.ends_with('*') { "" } else { " " };
        out.line(format!("{text}{space}{name};"));
        actuals.push(format!("&{name}"));
        results.push(got);
    }
    let name = names::plan_function(host.plan, call.func);
    out.line(format!("{name}({});", actuals.join(", ")));
    if host.target.has_device() {
        out.line("nesl_wait(call);");
    }
    results
}

/// Hands the results over: all that can fail comes first.
fn give(call: &Call<'_>, results: &[Got], into: bool, out: &mut Writer) {
    let (mut last, mut copies) = (Vec::new(), Vec::new());
    let copies_into = into.then_some(&mut copies);
    let mut taker = Taker { results: results.iter(), out, last: &mut last, copies: copies_into };
    taker.value(&call.result);
    copy(&copies, out);
    for line in last {
        out.line(line);
    }
}

/// Copies results into the caller's memory.  If it is too small, the call sets all rooms to the
/// numbers of elements that it needs, and fails.
fn copy(copies: &[Copied], out: &mut Writer) {
    for Copied { name, count } in copies {
        out.line(format!("const int64_t nesl_count_{name} = {count};"));
        out.line(format!("const bool nesl_fits_{name} = nesl_count_{name} <= *{name}_room;"));
        out.line(format!("*{name}_room = nesl_count_{name};"));
    }
    for Copied { name, .. } in copies {
        let refuse = "\"too little room for so many elements: \"";
        out.line(format!(
            "if (!nesl_fits_{name}) nesl_refuse(\"{name}\", {refuse}, nesl_count_{name});"
        ));
    }
    for Copied { name, .. } in copies {
        let bytes = format!("nesl_bytes(nesl_count_{name}, sizeof *{name})");
        out.line(format!("if (nesl_count_{name} > 0) memcpy({name}, {name}_out->p, {bytes});"));
    }
}

/// A result that is copied into the caller's memory: the name of its part, and how many elements
/// it has.
struct Copied {
    name: String,
    count: String,
}

struct Taker<'r, 'o> {
    results: std::slice::Iter<'r, Got>,
    out: &'o mut Writer,
    /// Lines that come after everything else.
    last: &'o mut Vec<String>,
    /// The results that are copied into the caller's memory; none if the library allocates them.
    copies: Option<&'o mut Vec<Copied>>,
}

impl Taker<'_, '_> {
    fn scalar(&mut self) -> String {
        match self.results.next() {
            Some(Got::Scalar(name)) => name.clone(),
            Some(Got::Buffer(_)) | None => unreachable!("a scalar among the results"),
        }
    }
    fn buffer(&mut self) -> String {
        match self.results.next() {
            Some(Got::Buffer(name)) => name.clone(),
            Some(Got::Scalar(_)) | None => unreachable!("a buffer among the results"),
        }
    }
    /// Gives a vector to the caller: its memory, or its elements.
    fn hand_over(&mut self, name: &str, cast: &str, count: String) {
        match &mut self.copies {
            Some(copies) => copies.push(Copied { name: name.to_owned(), count }),
            None => self.last.push(format!("*{name} = ({cast})nesl_release({name}_out);")),
        }
    }
    fn value(&mut self, named: &Named) {
        match named {
            Named::Scalar(ty, name) => {
                let value = self.scalar();
                let value = if *ty == Ty::Char { format!("(char){value}") } else { value };
                self.last.push(format!("*{name} = {value};"));
            }
            Named::Tuple(parts) => parts.iter().for_each(|part| self.value(part)),
            Named::Data(_, fields) => self.value(fields),
            Named::Seq(element, length) => {
                let (start, len) = (self.scalar(), self.scalar());
                let lanes = format!("{length}_lanes");
                let list = format!("{{1, &{start}, &{len}, {len}}}");
                self.out.line(format!("const nesl_stretches {lanes} = {list};"));
                self.last.push(format!("*{length} = {len};"));
                self.elements(element, &lanes);
            }
        }
    }
    fn elements(&mut self, named: &Named, lanes: &str) {
        match named {
            Named::Scalar(ty, name) => {
                let from = self.buffer();
                let ty = types::element(Widths::WIDE, *ty);
                let gathered = format!("nesl_gather(call, {from}, {lanes}, sizeof({ty}))");
                self.out.line(format!("nesl_result *{name}_out = {gathered};"));
                let public = Part { name: name.clone(), role: role(named) }.variable();
                let cast = public.trim_end_matches(name.as_str()).to_owned();
                self.hand_over(name, &cast, format!("{lanes}.total"));
            }
            Named::Tuple(parts) => parts.iter().for_each(|part| self.elements(part, lanes)),
            Named::Data(_, fields) => self.elements(fields, lanes),
            Named::Seq(element, offsets) => {
                let (starts, lens) = (self.buffer(), self.buffer());
                for (from, what) in [(starts, "starts"), (lens, "lengths")] {
                    let gathered = format!("nesl_gather(call, {from}, {lanes}, sizeof(int64_t))");
                    let line = format!("nesl_result *{offsets}_{what} = {gathered};");
                    self.out.line(line);
                }
                let inner = format!("{offsets}_lanes");
                let int = field(Ty::I64);
                let lengths = format!("{offsets}_lengths->{int}");
                let made = format!("nesl_offsets(call, {lengths}, {lanes}.total)");
                self.out.line(format!("nesl_result *{offsets}_out = {made};"));
                let list = format!(
                    "{{{lanes}.total, {offsets}_starts->{int}, {lengths}, \
                     {offsets}_out->{int}[{lanes}.total]}}"
                );
                self.out.line(format!("const nesl_stretches {inner} = {list};"));
                self.hand_over(offsets, "int64_t *", format!("{lanes}.total + 1"));
                self.elements(element, &inner);
            }
        }
    }
}

fn role(named: &Named) -> Role {
    match named {
        Named::Scalar(ty, _) => Role::Elements(*ty),
        Named::Tuple(_) | Named::Seq(..) | Named::Data(..) => unreachable!("elements are scalars"),
    }
}
