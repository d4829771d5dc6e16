//! Libraries in C: one file that any compiler of C11 with the extensions of GCC takes.

use super::entry::Call;
use super::manifest::manifest;
use super::prune::prune;
use super::steps::Host;
use super::target::{Machine, Target};
use super::{Functions, HEADING, Library, Standalone, example, functions, header, sites, sources};
use crate::c::{SORT_RUNTIME, kernel};
use crate::shared::stmt::Shared;
use crate::shared::{Facts, Sites, Writer, function, names};
use ::kernel::{Body, KernelId};
use base::Id;
use kernel::KernelFacts;
use std::collections::{BTreeMap, BTreeSet};

/// What every library begins with: the headers, and choices of the compiler.
const PRELUDE: &str = include_str!("rts/prelude.h");

/// The run time of kernels, and of the host.
const KERNELS: [&str; 9] = [
    include_str!("../c/rts/team.h"),
    include_str!("../c/rts/run.h"),
    include_str!("../shared/rts/math.h"),
    include_str!("../shared/rts/elementary.h"),
    include_str!("../c/rts/fold.h"),
    include_str!("../c/rts/pack.h"),
    include_str!("../c/rts/octets.h"),
    include_str!("../c/rts/past.h"),
    include_str!("../shared/rts/decimal.h"),
];
const HOST: [&str; 2] = [include_str!("rts/failures.h"), include_str!("rts/host.h")];

/// Checks as kernels make them, and as those do that stop at the first that fails.
const CHECKS: &str = include_str!("rts/checks.h");

/// Prints a library as C.
pub fn c(library: &Library<'_>) -> Standalone {
    let facts = Facts::new(library.kernels);
    let mut shared = Shared {
        program: library.kernels,
        facts: &facts,
        files: Some(library.files),
        count: false,
        sites: Sites::default(),
        wraps: true,
        linkage: "static ",
    };
    let mut texts: BTreeMap<KernelId, (String, KernelFacts)> = BTreeMap::new();
    for id in launched(library) {
        texts.insert(id, kernel::definition(&mut shared, id));
    }
    let failing: BTreeSet<KernelId> =
        texts.iter().filter(|(_, (_, facts))| facts.fails).map(|(&id, _)| id).collect();
    let target =
        Target { machine: Machine::Cpu(failing.clone()), sources: sources::sources(library) };
    let calls = Call::all(library);
    let mut host = Host {
        shared: &mut shared,
        plan: library.plan,
        target: &target,
        recursive: BTreeSet::new(),
    };
    let functions = functions(&mut host, &calls);
    let recursive = !host.recursive.is_empty();

    let roots = texts.keys().flat_map(|&id| kernel::called(&library.kernels.kernels[id]));
    let scalars = facts.closure(&roots.chain(functions.calls.iter().copied()).collect::<Vec<_>>());
    let host_lanes = facts.closure(&functions.calls).iter().any(|&f| facts.functions[f].lane);
    let parts = Parts {
        name: library.name,
        twice: !failing.is_empty() || host_lanes,
        scalars: &scalars,
        failing: &failing,
    };
    let checked = scalar_functions(&mut shared, &scalars);
    let (checked, others) = parts.kernels(checked, &texts, &target);
    let own = parts.own(&others, &functions);
    let used = format!("{CHECKS}{checked}{own}");

    let deep = recursive || scalars.iter().any(|&f| facts.functions[f].recursive);
    let tables = sites::tables(library, &shared.sites.finish());
    let sorts =
        texts.keys().any(|&id| matches!(library.kernels.kernels[id].body, Body::Sort { .. }));
    let runtime = prune(PRELUDE, &runtime(&tables, deep, sorts), &used);
    let example = library.example.zip(calls.first());
    Standalone {
        source: parts.whole(library.source, &runtime, &checked, &own),
        header: header::header(library, &calls, true),
        manifest: manifest(library, &calls, true),
        main: example.map(|(example, call)| example::main(library, call, example)),
    }
}

/// The kernels that the host comes to launch.
pub(super) fn launched(library: &Library<'_>) -> Vec<KernelId> {
    let launched = plan::routines::host_clusters(library.plan);
    launched.iter().map(|id| KernelId::new(id.index())).collect()
}

/// Scalar functions, declared before the first.
pub(super) fn scalar_functions(shared: &mut Shared<'_>, ids: &[scalar::Func]) -> String {
    let mut text = String::new();
    for &id in ids {
        text += &function::declaration(shared, id);
    }
    for &id in ids {
        text += &format!("\n{}", function::definition(shared, id));
    }
    text
}

/// The parts of the run time, in order.
fn runtime(tables: &str, deep: bool, sorts: bool) -> Vec<&str> {
    let mut parts = KERNELS.to_vec();
    if sorts {
        parts.extend(SORT_RUNTIME);
    }
    let stack = if deep { include_str!("rts/stack.h") } else { include_str!("rts/flat.h") };
    parts.extend([include_str!("rts/messages.h"), tables, stack]);
    parts.extend(HOST);
    parts
}

/// What the parts of a text have to know of each other.
struct Parts<'p> {
    name: &'p str,
    /// Whether the text includes itself, for forms that stop at the first check that fails.
    twice: bool,
    scalars: &'p [scalar::Func],
    failing: &'p BTreeSet<KernelId>,
}

impl Parts<'_> {
    /// What has two forms, and kernels that have one.
    fn kernels(
        &self,
        mut checked: String,
        texts: &BTreeMap<KernelId, (String, KernelFacts)>,
        target: &Target,
    ) -> (String, String) {
        let mut others = String::new();
        for (id, (text, _)) in texts {
            let text = described(target, *id, text);
            // How a launch is cut needs no second form.
            let (plan, rest) = text.split_once("\n}\n\n").unwrap_or((&text, ""));
            if self.failing.contains(id) {
                let (comment, plan) = plan.split_once('\n').unwrap_or(("", plan));
                checked += &format!("\n{comment}\n{rest}");
                others += &format!("\n{plan}\n}}\n");
            } else {
                others += &format!("\n{text}");
            }
        }
        (checked, others)
    }

    /// What is there once: kernels, the host, and the second inclusion between them.
    fn own(&self, others: &str, functions: &Functions) -> String {
        let name = self.name;
        let mut own = Writer::default();
        if self.twice {
            own.line("#ifndef NESL_DIAGNOSE");
        }
        own.lines(others);
        if self.twice {
            own.blank();
            again(name, self.scalars, self.failing, &mut own);
        }
        own.blank();
        own.line(HEADING);
        own.blank();
        if !self.twice && functions.text.contains("NESL_REQUIRE") {
            own.lines(checks().1);
            own.blank();
        }
        if !functions.declarations.is_empty() {
            own.lines(&functions.declarations);
            own.blank();
        }
        own.lines(&functions.text);
        own.line(format!("const char *{name}_message(void) {{ return nesl_said; }}"));
        own.blank();
        own.lines(&memory(name));
        own.blank();
        own.line(format!("void {name}_threads(int count) {{ nesl_wanted_cores = count; }}"));
        if self.twice {
            own.blank();
            own.line("#endif");
        }
        own.finish()
    }

    /// All of it.
    fn whole(&self, source: &str, runtime: &str, checked: &str, own: &str) -> String {
        let name = self.name;
        let mut text = format!("/* {}, by `nesl build`.\n *\n", names::comment(source));
        text += &format!(" * cc -O2 -fopenmp -c {name}.c, or without -fopenmp for one core. */\n");
        if self.twice {
            text += "#ifndef NESL_DIAGNOSE\n\n";
        }
        text += &format!("{PRELUDE}#include \"{name}.h\"\n\n{runtime}\n");
        let (speed, stop) = checks();
        text += speed;
        if self.twice {
            text += &format!("\n#else\n\n{stop}\n#endif\n");
        }
        text += &format!("\n{checked}{own}");
        single_blanks(text)
    }
}

/// The functions with which callers free results and choose where memory comes from.
pub(super) fn memory(name: &str) -> String {
    let head = header::allocator(name);
    format!(
        "void {name}_free(void *result) {{\n  if (result) nesl_deallocate(result);\n}}\n\n\
         {head} {{\n  \
         nesl_allocate = allocate ? allocate : aligned_alloc;\n  \
         nesl_deallocate = deallocate ? deallocate : free;\n}}\n"
    )
}

/// The same text with one empty line where there were several.
pub(super) fn single_blanks(mut text: String) -> String {
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text
}

/// What a check is: the form for speed, and the one that stops.
fn checks() -> (&'static str, &'static str) {
    let at = CHECKS.rfind("/* ").unwrap_or_else(|| unreachable!("two forms"));
    CHECKS.split_at(at)
}

/// A kernel under a comment that says what it does.
pub(super) fn described(target: &Target, id: KernelId, text: &str) -> String {
    let body = text.split_once("*/\n\n").map_or(text, |(_, body)| body);
    match target.sources.get(&id) {
        Some(source) => format!("/* {id}: {source} */\n{body}"),
        None => format!("/* {id} */\n{body}"),
    }
}

/// The text once more under other names, for what stops at the first check that fails.
fn again(name: &str, scalars: &[scalar::Func], failing: &BTreeSet<KernelId>, out: &mut Writer) {
    out.line("/* ---- once more: as kernels are run to find out which check failed --------- */");
    out.blank();
    out.line("#define NESL_DIAGNOSE");
    for &func in scalars {
        let (own, results) = (names::function(func), names::results(func));
        out.line(format!("#define {own} {own}_diagnosis"));
        out.line(format!("#define {results} {own}_diagnosis_results"));
    }
    let mut kernels = Vec::new();
    for &id in failing {
        kernels.extend(["", "_tile", "_finish"].map(|part| format!("{id}{part}")));
    }
    for kernel in &kernels {
        let (id, part) = kernel
            .split_once('_')
            .map_or((kernel.as_str(), String::new()), |(a, b)| (a, format!("_{b}")));
        out.line(format!("#define {kernel} {id}{part}_diagnosis"));
    }
    out.line(format!("#include \"{name}.c\""));
    for kernel in &kernels {
        out.line(format!("#undef {kernel}"));
    }
}
