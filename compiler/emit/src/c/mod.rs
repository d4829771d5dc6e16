//! The printer of C for CPUs.
//!
//! A program becomes a few translation units of about equal size, so that they compile in parallel.
//! Each holds the parts of the run-time system it needs (`rts/*.h`, real files that C tools can
//! read), the scalar functions that its kernels reach, and the kernels.  The text is the same for
//! the normal build and for diagnosis (`-DNESL_DIAGNOSE`).

mod copy;
mod gathered;
mod huge;
pub(crate) mod kernel;
mod lanes;
mod loops;
mod masked;
mod names;
mod pack;
mod partition;
mod past;
mod routine;
mod scan;
mod sort;

pub use kernel::KernelFacts;
pub(crate) use sort::RUNTIME as SORT_RUNTIME;

use crate::shared::alike::Code;
use crate::shared::units::{MANY, Piece, is_decimal, needs_decimal, split, widths};
use crate::shared::{Facts, Sites, alike, function, stmt, types};
use ::kernel::{Kernel, KernelId, Program};
use base::{Files, Id, IdMap, Site, Span};
use scalar::{Func, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// What a user may choose about the text.
#[derive(Clone, Copy, Default)]
pub struct COptions<'a> {
    /// At most how many translation units; at least one is made.
    pub units: usize,
    /// Source texts, whose lines then appear as comments.
    pub files: Option<&'a Files>,
    /// The plan that the kernels are of: its routines are printed, and no kernel that it cannot
    /// come to launch.
    pub plan: Option<&'a plan::Program>,
    /// Whether kernels count the elements that they read and write.
    pub count: bool,
}

/// The text of a program.
#[derive(Clone, Debug)]
pub struct CText {
    /// Translation units, each complete in itself.
    pub units: Vec<String>,
    /// Whether they are so many kernels that the compiler takes seconds if it does all it can.
    pub hurried: bool,
    /// Facts about the kernels: those of the clusters, then two for each routine.
    pub kernels: IdMap<KernelId, KernelFacts>,
    /// Whose functions do what those do that can be launched.
    pub code: Code,
    /// The table of fault sites: a report names a row, as [`Code::site`] says.
    pub sites: Vec<(Site, Span)>,
}

/// Kernels smaller than this in sum are not worth a translation unit of their own.
const SMALL: usize = 8000;

/// Prints a program as C.
pub fn c(program: &Program, options: &COptions<'_>) -> CText {
    let facts = Facts::new(program);
    let mut shared = stmt::Shared {
        program,
        facts: &facts,
        files: options.files,
        count: options.count,
        sites: Sites::default(),
        wraps: true,
        linkage: "",
    };
    let functions: IdMap<Func, Piece> = program
        .scalars
        .ids()
        .map(|id| Piece {
            declaration: function::declaration(&shared, id),
            text: function::definition(&mut shared, id),
        })
        .collect();
    let mut kernels = IdMap::new();
    let mut texts: BTreeMap<KernelId, String> = BTreeMap::new();
    let launched = options.plan.map(plan::routines::host_clusters);
    let can_run = |id: KernelId| launched.as_ref().is_none_or(|l| l.contains(&Id::new(id.index())));
    for id in program.kernels.ids() {
        let (text, facts) = kernel::definition(&mut shared, id);
        if can_run(id) {
            texts.insert(id, text);
        }
        kernels.push(facts);
    }
    let mut code = alike::unite(&mut texts);
    let routines = options.plan.and_then(|plan| routines(&mut shared, plan, &mut kernels));
    code.add(kernels.ids().skip(program.kernels.len()));
    let sizes = texts.iter().map(|(&id, text)| (id, size(&program.kernels[id], text))).collect();
    let beside = routines.as_ref().map_or(0, |r| r.text.len());
    let mut units: Vec<String> = split(&sizes, options.units.max(1), SMALL, beside)
        .into_iter()
        .map(|ids| {
            let bodies: Vec<&Kernel> = ids.iter().map(|&id| &program.kernels[id]).collect();
            let own = ids.iter().map(|id| texts[id].as_str()).collect();
            unit(
                program,
                &facts,
                &functions,
                &Text { bodies, calls: Vec::new(), decimal: false, calls_memmove: true, own },
            )
        })
        .collect();
    if let Some(Routines { text, calls, decimal }) = &routines {
        let bodies: Vec<&Kernel> = program.serial.values().collect();
        let mut own = vec![include_str!("rts/lanes.h"), include_str!("rts/offers.h")];
        if text.contains("nesl_parting") {
            own.push(include_str!("rts/parting.h"));
        }
        own.push(text.as_str());
        let calls = calls.clone();
        let text = Text { bodies, calls, decimal: *decimal, calls_memmove: false, own };
        units.push(unit(program, &facts, &functions, &text));
    }
    let hurried = code.len() > MANY;
    CText { units, hurried, kernels, code, sites: shared.sites.finish() }
}

/// All routines of a program.
struct Routines {
    text: String,
    /// Scalar functions that their own steps call.
    calls: Vec<Func>,
    /// Whether these steps compute decimal digits.
    decimal: bool,
}

/// The routines of a plan, if it has any; adds what is to be known of their kernels.
fn routines(
    shared: &mut stmt::Shared<'_>,
    plan: &plan::Program,
    kernels: &mut IdMap<KernelId, KernelFacts>,
) -> Option<Routines> {
    if plan.routines.is_empty() {
        return None;
    }
    let (mut text, mut calls, mut decimal) = (String::new(), Vec::new(), false);
    let ids: Vec<KernelId> = shared.program.serial.keys().copied().collect();
    let functions = plan::routines::serial_functions(plan);
    let launches = launches(plan, &functions);
    let homes = functions.iter().filter_map(|&func| plan::home::home(plan, func));
    let homes: BTreeSet<KernelId> =
        homes.map(|home| KernelId::new(home.partition.index())).collect();
    for id in ids {
        let places = launches.get(&id).copied().unwrap_or(0);
        text.push_str(&kernel::serial(shared, id, places, homes.contains(&id)));
    }
    for &func in &functions {
        text.push_str(&routine::declaration(shared, plan, func));
    }
    for &func in &functions {
        text.push('\n');
        text.push_str(&routine::definition(shared, plan, func));
        plan::routines::walk(&plan.funcs[func].body, &mut |step| {
            if let plan::Step::Eval { code, .. } = step {
                crate::shared::facts::walk(&code.body, &mut |stmt| {
                    decimal |= is_decimal(stmt);
                    if let Stmt::Call(call) = stmt {
                        calls.push(call.func);
                    }
                });
            }
        });
    }
    for (id, lanes) in plan.routines.iter() {
        let signature = plan.funcs[lanes.root].signature.as_ref();
        let row =
            routine::Row::new(signature.unwrap_or_else(|| unreachable!("{id} has no layout")));
        let [run, gather] = plan::routines::kernels(plan, id).map(KernelId::new);
        for (text_of, facts) in
            [lanes::run(plan, *lanes, &row, run), lanes::gather(plan, *lanes, &row, gather)]
        {
            text.push('\n');
            text.push_str(&text_of);
            kernels.push(facts);
        }
    }
    Some(Routines { text, calls, decimal })
}

/// In how many places of some functions each kernel is launched.
fn launches(plan: &plan::Program, functions: &[plan::Func]) -> BTreeMap<KernelId, usize> {
    let mut launches = BTreeMap::new();
    for &func in functions {
        plan::routines::walk(&plan.funcs[func].body, &mut |step| {
            if let plan::Step::Launch { cluster, .. } = step {
                *launches.entry(KernelId::new(cluster.index())).or_default() += 1;
            }
        });
    }
    launches
}

/// What a kernel takes to compile, in bytes of text.
fn size(kernel: &Kernel, text: &str) -> usize {
    // Two calls, but of functions that the run-time system has for each type of keys.
    const SORT: usize = 15_000;
    match kernel.body {
        ::kernel::Body::Sort { .. } => SORT,
        _ => text.len(),
    }
}

/// What makes up a translation unit.
struct Text<'a> {
    /// Kernels that it holds in one form or another.
    bodies: Vec<&'a Kernel>,
    /// Scalar functions that are called beside those that the kernels call.
    calls: Vec<Func>,
    /// Whether decimal digits are computed beside those that the kernels compute.
    decimal: bool,
    /// Whether loops that copy may become calls of the C library.
    calls_memmove: bool,
    /// The kernels' text.
    own: Vec<&'a str>,
}

fn unit(
    program: &Program,
    facts: &Facts,
    functions: &IdMap<Func, Piece>,
    content: &Text<'_>,
) -> String {
    let mut roots: Vec<Func> = content.bodies.iter().flat_map(|k| kernel::called(k)).collect();
    roots.extend(&content.calls);
    let used = facts.closure(&roots);
    let mut text = String::from("/* Kernels of a NESL program. */\n\n");
    if !content.calls_memmove {
        // Lanes are short: loops that copy a few words must not become calls of memcpy, and much is
        // gained by the passes that loops do without.  What is compiled quickly stays so.
        text.push_str(
            "#ifdef __OPTIMIZE__\n#pragma GCC optimize(\"O2,no-tree-loop-distribute-patterns\")\n#endif\n\n",
        );
    }
    text.push_str(&widths(program));
    for part in runtime(program, &used, content) {
        text.push_str(part);
        text.push('\n');
    }
    for &id in &used {
        text.push_str(&functions[id].declaration);
    }
    for &id in &used {
        text.push('\n');
        huge::push(&mut text, &functions[id].text);
    }
    for own in &content.own {
        text.push('\n');
        huge::push(&mut text, own);
    }
    text
}

/// The parts of the run-time system that a unit needs.
fn runtime(program: &Program, functions: &[Func], content: &Text<'_>) -> Vec<&'static str> {
    let kernels = &content.bodies;
    let mut parts = vec![
        include_str!("rts/team.h"),
        include_str!("rts/run.h"),
        include_str!("rts/faults.h"),
        include_str!("../shared/rts/math.h"),
        include_str!("../shared/rts/elementary.h"),
        include_str!("rts/fold.h"),
        include_str!("rts/pack.h"),
        include_str!("rts/octets.h"),
        include_str!("rts/past.h"),
    ];
    if content.decimal || needs_decimal(program, functions, kernels) {
        parts.push(include_str!("../shared/rts/decimal.h"));
    }
    if kernels.iter().any(|k| matches!(k.body, ::kernel::Body::Sort { .. })) {
        parts.extend(sort::RUNTIME);
    }
    parts
}
