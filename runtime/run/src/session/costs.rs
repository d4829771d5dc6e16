//! What a program cost by the cost model of the language: in all, per function and per line.
//!
//! The interpreter's account knows ids and bytes; here they get names and lines, and the order in
//! which people want them, the most costly first.  The own works of all functions add up to the
//! work of all evaluations, and so do those of all lines.

use super::{Interpreted, Session};
use base::{FileId, Span};
use interp::Cost;
use interp::account::Owner;
use prim::Primitive;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What was evaluated, and what it cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Costs {
    /// Everything together; what is evaluated in turn adds its depths.
    pub all: Cost,
    /// Each form or call, in order.
    pub forms: Vec<FormCost>,
    /// Each function, the most costly first.
    pub functions: Vec<FunctionCost>,
    /// Each line, the most costly first.
    pub lines: Vec<LineCost>,
}

/// A form or call that has been evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormCost {
    /// `it`, a pattern, or the function that was called.
    pub name: String,
    /// Where it stands; nowhere if a function of the library was called from outside.
    pub line: Option<(FileId, usize)>,
    /// What it cost.
    pub cost: Cost,
}

/// Whose function it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FunctionKind {
    /// Forms, outside of functions.
    Forms,
    /// One of the program.
    Program,
    /// One of the library.
    Library,
}

/// What the calls of a function cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCost {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub kind: FunctionKind,
    /// Where it is defined, if in the program.
    pub line: Option<(FileId, usize)>,
    /// How often it was called; how many forms there were.
    pub calls: u64,
    /// Work of its own text.
    pub own_work: u64,
    /// Work with everything that it calls.
    pub work: u64,
    /// The largest depth of one call.
    pub depth: u64,
}

/// What the expressions that start on a line cost.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineCost {
    /// The line; none for what a library function costs that was called from outside.
    pub line: Option<(FileId, usize)>,
    /// Their work, without that of functions of the program that they call.
    pub own_work: u64,
    /// Work with everything that is called there, and in an apply-to-each that begins there.
    pub work: u64,
    /// The largest depth, of the same, in one evaluation of the function, form or lane that the
    /// line stands in.
    pub depth: u64,
}

impl Session {
    /// What was evaluated since counts started anew; nothing unless [`super::Options::account`]
    /// asks for it.
    pub fn costs(&self) -> Costs {
        let Interpreted { forms, account } = &self.report().interpreted;
        let mut all = Cost::default();
        let forms = forms.iter().map(|(name, span, cost)| {
            all.add(cost.work, cost.depth);
            FormCost { name: name.clone(), line: self.user_line(*span), cost: *cost }
        });
        let forms: Vec<FormCost> = forms.collect();
        // Of functions of the library that were called from outside the calls are all there is.
        let outside = forms.iter().filter(|form| form.line.is_none());
        let outside = outside.fold((0, 0), |(work, depth), FormCost { cost, .. }| {
            (work + cost.work, depth.max(cost.depth))
        });
        let mut own: BTreeMap<Owner, u64> = BTreeMap::new();
        let mut lines: BTreeMap<Option<(FileId, usize)>, u64> = BTreeMap::new();
        for (&(owner, file, start), &work) in &account.works {
            *own.entry(owner).or_default() += work;
            *lines.entry(self.user_line(Span::new(file, start, start))).or_default() += work;
        }
        let functions = account.calls.iter().map(|(&owner, calls)| FunctionCost {
            calls: calls.count,
            own_work: own.get(&owner).copied().unwrap_or(0),
            work: calls.work,
            depth: calls.depth,
            ..self.function_of(owner)
        });
        let mut functions: Vec<FunctionCost> = functions.collect();
        functions.sort_by_key(|function| Reverse((function.own_work, function.work)));
        let lines = lines.into_iter().map(|(line, own_work)| {
            let (work, depth) = match line {
                Some(line) => {
                    account.lines.get(&line).map_or((0, 0), |cost| (cost.work, cost.depth))
                }
                None => outside,
            };
            LineCost { line, own_work, work, depth }
        });
        let mut lines: Vec<LineCost> = lines.collect();
        lines.sort_by_key(|line| Reverse(line.own_work));
        Costs { all, forms, functions, lines }
    }

    /// An owner's name and place; nothing is counted.
    fn function_of(&self, owner: Owner) -> FunctionCost {
        let (name, kind, line) = match owner {
            Owner::Form => ("top level".to_owned(), FunctionKind::Forms, None),
            Owner::Primitive(prim) => {
                (Primitive::of(prim).name.to_owned(), FunctionKind::Library, None)
            }
            Owner::Function(global) => {
                let definition = &self.checker.program.globals[global];
                let line = self.user_line(definition.span);
                if definition.library && line.is_some() {
                    // It fills in the optional parameters of a call from outside.
                    return self.function_of(Owner::Form);
                }
                let kind = match definition.library {
                    true => FunctionKind::Library,
                    false => FunctionKind::Program,
                };
                (definition.name.clone(), kind, line)
            }
        };
        FunctionCost { name, kind, line, calls: 0, own_work: 0, work: 0, depth: 0 }
    }

    /// The line where a span starts, if that is in a text of the user's.
    fn user_line(&self, span: Span) -> Option<(FileId, usize)> {
        let user = !self.files.file(span.file).library;
        user.then(|| (span.file, self.files.line_column(span.file, span.start).0))
    }
}
