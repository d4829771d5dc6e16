//! The printer of C for CPUs.
//!
//! A program becomes a few translation units of about equal size, so that they compile in parallel.
//! Each holds the parts of the run-time system it needs (`rts/*.h`, real files that C tools can
//! read), the scalar functions that its kernels reach, and the kernels.  The text is the same for
//! the normal build and for diagnosis (`-DNESL_DIAGNOSE`).

mod expr;
mod function;
mod kernel;
mod loops;
mod names;
mod sort;
mod stmt;
mod types;

pub use kernel::KernelFacts;

use crate::shared::{Facts, Sites};
use ::kernel::{KernelId, Program};
use base::{Files, IdMap, Site, Span};
use prim::ScalarOp;
use scalar::{Func, Op, Stmt};

/// What a user may choose about the text.
#[derive(Clone, Copy, Default)]
pub struct COptions<'a> {
    /// At most how many translation units; at least one is made.
    pub units: usize,
    /// Source texts, whose lines then appear as comments.
    pub files: Option<&'a Files>,
    /// Whether kernels count the elements that they read and write.
    pub count: bool,
}

/// The text of a program.
#[derive(Clone, Debug)]
pub struct CText {
    /// Translation units, each complete in itself.
    pub units: Vec<String>,
    /// Facts about the kernels.
    pub kernels: IdMap<KernelId, KernelFacts>,
    /// The table of fault sites: a report names a row.
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
    let mut texts: IdMap<KernelId, String> = IdMap::new();
    for id in program.kernels.ids() {
        let (text, facts) = kernel::definition(&mut shared, id);
        texts.push(text);
        kernels.push(facts);
    }
    let units = split(&texts, options.units.max(1))
        .into_iter()
        .map(|ids| unit(program, &facts, &functions, &texts, &ids))
        .collect();
    CText { units, kernels, sites: shared.sites.finish() }
}

/// A scalar function.
struct Piece {
    declaration: String,
    text: String,
}

/// Kernels for each unit: the largest first, each to the unit that is smallest so far.
fn split(texts: &IdMap<KernelId, String>, most: usize) -> Vec<Vec<KernelId>> {
    let total: usize = texts.values().map(String::len).sum();
    let count = (total / SMALL).clamp(1, most);
    let mut order: Vec<KernelId> = texts.ids().collect();
    order.sort_by_key(|&id| std::cmp::Reverse(texts[id].len()));
    let mut units = vec![(0, Vec::new()); count];
    for id in order {
        if let Some((size, ids)) = units.iter_mut().min_by_key(|unit| unit.0) {
            *size += texts[id].len();
            ids.push(id);
        }
    }
    for (_, ids) in &mut units {
        ids.sort();
    }
    units.into_iter().map(|(_, ids)| ids).collect()
}

fn unit(
    program: &Program,
    facts: &Facts,
    functions: &IdMap<Func, Piece>,
    texts: &IdMap<KernelId, String>,
    ids: &[KernelId],
) -> String {
    let roots: Vec<Func> =
        ids.iter().flat_map(|&id| kernel::called(&program.kernels[id])).collect();
    let used = facts.closure(&roots);
    let mut text = String::from("/* Kernels of a NESL program. */\n\n");
    for part in runtime(program, &used, ids) {
        text.push_str(part);
        text.push('\n');
    }
    for &id in &used {
        text.push_str(&functions[id].declaration);
    }
    for &id in &used {
        text.push('\n');
        text.push_str(&functions[id].text);
    }
    for &id in ids {
        text.push('\n');
        text.push_str(&texts[id]);
    }
    text
}

/// The parts of the run-time system that a unit needs.
fn runtime(program: &Program, functions: &[Func], ids: &[KernelId]) -> Vec<&'static str> {
    let mut parts = vec![
        include_str!("rts/team.h"),
        include_str!("rts/run.h"),
        include_str!("rts/math.h"),
        include_str!("rts/pack.h"),
    ];
    let mut decimal = false;
    for &id in functions {
        let body = &program.scalars[id].code.body;
        crate::shared::facts::walk(body, &mut |stmt| decimal |= is_decimal(stmt));
    }
    for &id in ids {
        if let ::kernel::Body::Tiles { body, finish, .. } = &program.kernels[id].body {
            kernel::walk(body, &mut |stmt| decimal |= is_decimal(stmt));
            kernel::walk(finish, &mut |stmt| decimal |= is_decimal(stmt));
        }
    }
    if decimal {
        parts.push(include_str!("rts/decimal.h"));
    }
    if ids.iter().any(|&id| matches!(program.kernels[id].body, ::kernel::Body::Sort { .. })) {
        parts.extend(sort::RUNTIME);
    }
    parts
}

fn is_decimal<R>(stmt: &Stmt<R>) -> bool {
    let decimal = |op: &ScalarOp| matches!(op, ScalarOp::Digits | ScalarOp::Exponent);
    matches!(stmt, Stmt::Let(_, Op::Scalar(op, ..)) if decimal(op))
}
