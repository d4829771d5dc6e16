//! The printer of libraries that run by themselves: kernels, and the host that launches them.
//!
//! A plan is the program of the host.  A session interprets it; here each of its functions becomes
//! a function of C ([`steps`]), an entry gets one more that takes and gives what C has ([`entry`]),
//! and all of it stands in one text with the kernels and what they use of the run time
//! ([`prune`]).  Nothing of ours is needed to compile or to run it.
//!
//! Kernels that can fail are there twice: a check that fails sets a flag, and then the kernel runs
//! again in a form that stops at the first.  The text includes itself for that.

mod c;
mod cuda;
mod entry;
mod example;
mod header;
mod manifest;
mod names;
mod prune;
mod shape;
mod sites;
mod sources;
mod steps;
mod target;

pub use c::c;
pub use cuda::cuda;
pub use example::Example;
pub use manifest::{Described, DescribedPart, Function, Manifest};
pub use names::identifier;
pub use shape::Shape;

use crate::shared::facts::walk;
use base::Files;
use entry::Call;
use plan::{Func, Program, Step};
use prim::{Const, Ty};
use scalar::Stmt;
use std::collections::BTreeSet;
use steps::Host;

/// What is to be printed.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    /// Its name, an identifier: that of its files, and what its functions begin with.
    pub name: &'a str,
    /// The file that it is made from, for messages.
    pub source: &'a str,
    /// The texts.
    pub files: &'a Files,
    /// What the host does.
    pub plan: &'a Program,
    /// What it launches.
    pub kernels: &'a ::kernel::Program,
    /// The entries of the plan, in order.
    pub entries: &'a [Entry],
    /// A program that calls the first entry.
    pub example: Option<&'a Example>,
}

/// How an entry is called.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// As in the source.
    pub name: String,
    /// Its type as shown.
    pub ty: String,
    /// Its parameters.
    pub params: Vec<(String, Shape)>,
    /// What comes after them: values of the top level, column by column.
    pub hidden: Vec<Component>,
    /// If it draws random numbers: the number of the form whose numbers they are.
    pub key: Option<i64>,
    /// Its result.
    pub result: Shape,
}

/// What a scalar or a vector of a value holds.
#[derive(Clone, PartialEq, Debug)]
pub enum Component {
    /// A scalar.
    Scalar(Const),
    /// A vector.
    Vector(Ty, Vec<Const>),
}

/// What stands above the functions of the host.
const HEADING: &str =
    "/* ---- the host ------------------------------------------------------------ */";

/// The texts of a library.
#[derive(Clone, Debug)]
pub struct Standalone {
    /// The library.
    pub source: String,
    /// What callers include.
    pub header: String,
    /// The program that calls it, if there is to be one.
    pub main: Option<String>,
    /// Its functions as data.
    pub manifest: Manifest,
}

/// The functions of the host, in an order in which the small come before what calls them.
struct Functions {
    /// Declarations of those that recursion needs early.
    declarations: String,
    /// All of them, entries last.
    text: String,
    /// Scalar functions that they call.
    calls: Vec<scalar::Func>,
}

/// Prints plans and entries.
fn functions(host: &mut Host<'_, '_>, calls: &[Call<'_>]) -> Functions {
    let plan = host.plan;
    let (order, recursive) = order(plan);
    host.recursive = recursive;
    let mut functions =
        Functions { declarations: String::new(), text: String::new(), calls: Vec::new() };
    for &func in &order {
        if host.recursive.contains(&func) {
            functions.declarations += &format!("{};\n", steps::head(plan, func));
        }
        functions.text += &steps::definition(host, func);
        functions.text.push('\n');
        plan::routines::walk(&plan.funcs[func].body, &mut |step| {
            if let Step::Eval { code, .. } = step {
                walk(&code.body, &mut |stmt| {
                    if let Stmt::Call(call) = stmt {
                        functions.calls.push(call.func);
                    }
                });
            }
        });
    }
    for call in calls {
        functions.text += &entry::definition(host, call);
        functions.text.push('\n');
    }
    functions
}

/// The plans that entries come to run, callees first, and those of them that recurse.
fn order(plan: &Program) -> (Vec<Func>, BTreeSet<Func>) {
    let callees = |func: Func| {
        let mut callees = Vec::new();
        plan::routines::walk(&plan.funcs[func].body, &mut |step| {
            if let Step::Call { func, .. } = step {
                callees.push(*func);
            }
        });
        callees
    };
    // A stack of our own: whether the callees of a function were put on it before.
    let mut open: Vec<(Func, bool)> = plan.entries.iter().rev().map(|&f| (f, false)).collect();
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    while let Some((func, done)) = open.pop() {
        if done {
            order.push(func);
        } else if seen.insert(func) {
            open.push((func, true));
            open.extend(callees(func).into_iter().rev().map(|f| (f, false)));
        }
    }
    let reaches = |from: Func| {
        let (mut open, mut found) = (callees(from), BTreeSet::new());
        while let Some(func) = open.pop() {
            if found.insert(func) {
                open.extend(callees(func));
            }
        }
        found
    };
    let recursive = order.iter().copied().filter(|&f| reaches(f).contains(&f)).collect();
    (order, recursive)
}
