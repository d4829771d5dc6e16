//! Libraries in C: one file that any compiler of C11 with the extensions of GCC takes.

use super::entry::Call;
use super::prune::prune;
use super::steps::Host;
use super::target::{Machine, Target};
use super::{Library, Standalone, example, functions, header, sites, sources};
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
const KERNELS: [&str; 6] = [
    include_str!("../c/rts/team.h"),
    include_str!("../c/rts/run.h"),
    include_str!("../shared/rts/math.h"),
    include_str!("../c/rts/pack.h"),
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
    let launched = plan::routines::host_clusters(library.plan);
    let ids: Vec<KernelId> = launched.iter().map(|id| KernelId::new(id.index())).collect();
    let mut texts: BTreeMap<KernelId, (String, KernelFacts)> = BTreeMap::new();
    for &id in &ids {
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
    let called = facts.closure(&functions.calls);

    // Scalar functions, and which of them are there twice.
    let mut roots: Vec<scalar::Func> =
        ids.iter().flat_map(|&id| kernel::called(&library.kernels.kernels[id])).collect();
    roots.extend(&functions.calls);
    let scalars = facts.closure(&roots);
    let deep = recursive || scalars.iter().any(|&f| facts.functions[f].recursive);
    let twice = !failing.is_empty() || called.iter().any(|&f| facts.functions[f].lane);
    let mut checked = Writer::default();
    for &id in &scalars {
        checked.lines(&function::declaration(&shared, id));
    }
    for &id in &scalars {
        checked.blank();
        checked.lines(&function::definition(&mut shared, id));
    }
    let mut others = Writer::default();
    for (id, (text, _)) in &texts {
        let text = described(&target, *id, text);
        // How a launch is cut needs no second form.
        let (plan, rest) = text.split_once("\n}\n\n").unwrap_or((&text, ""));
        if failing.contains(id) {
            checked.blank();
            let (comment, plan) = plan.split_once('\n').unwrap_or(("", plan));
            checked.lines(&format!("{comment}\n{rest}"));
            others.lines(&format!("\n{plan}\n}}\n"));
        } else {
            others.lines(&format!("\n{text}"));
        }
    }

    let name = library.name;
    let mut own = Writer::default();
    if twice {
        own.line("#ifndef NESL_DIAGNOSE");
    }
    own.append(&others);
    if twice {
        own.blank();
        again(name, &scalars, &failing, &mut own);
    }
    own.blank();
    own.line("/* ---- the host -------------------------------------------------------------------------- */");
    own.blank();
    if !functions.declarations.is_empty() {
        own.lines(&functions.declarations);
        own.blank();
    }
    own.lines(&functions.text);
    own.line(format!("const char *{name}_message(void) {{ return nesl_said; }}"));
    own.blank();
    own.line(format!("void {name}_free(void *result) {{ free(result); }}"));
    if twice {
        own.blank();
        own.line("#endif");
    }
    let (checked, own) = (checked.finish(), own.finish());

    let tables = sites::tables(library, &shared.sites.finish());
    let stack = if deep { include_str!("rts/stack.h") } else { include_str!("rts/flat.h") };
    let mut parts = KERNELS.to_vec();
    let sorts = |id: &KernelId| matches!(library.kernels.kernels[*id].body, Body::Sort { .. });
    if ids.iter().any(sorts) {
        parts.extend(SORT_RUNTIME);
    }
    parts.extend([include_str!("rts/messages.h"), tables.as_str(), stack]);
    parts.extend(HOST);
    let runtime = prune(PRELUDE, &parts, &format!("{CHECKS}{checked}{own}"));
    let mut text = format!("/* {}, by `nesl build`.\n *\n", names::comment(library.source));
    text += &format!(" * cc -O2 -fopenmp -c {name}.c, or without -fopenmp for one core. */\n");
    if twice {
        text += "#ifndef NESL_DIAGNOSE\n\n";
    }
    let include = format!("#include \"{name}.h\"\n\n");
    for part in [PRELUDE, &include, &runtime, "\n"] {
        text += part;
    }
    if twice || format!("{checked}{own}").contains("NESL_REQUIRE") {
        text += &checks(twice);
    }
    text += &checked;
    text += &own;
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    let first = calls.first();
    let main = library.example.zip(first).map(|(e, call)| example::main(library, call, e));
    Standalone { source: text, header: header::header(library, &calls), main }
}

/// What a check is: the form for speed, and, in a text that includes itself, the other.
fn checks(twice: bool) -> String {
    let (speed, stop) = CHECKS.split_once("\n/* ").unwrap_or_else(|| unreachable!("two forms"));
    let stop = format!("/* {stop}");
    if twice { format!("{speed}\n#else\n\n{stop}\n#endif\n\n") } else { format!("{stop}\n") }
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
    out.line("/* ---- the kernels once more, as they are run to find out which check failed -------------- */");
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
