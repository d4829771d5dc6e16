//! What results of functions are, in terms of their arguments.
//!
//! A summary says of each result that is an int which sum of parameters and constants it is, if it
//! is one.  Functions that call each other are looked at in rounds.  At first no call is known to
//! end, and of two arms the one that ends says what a result is; then the functions are looked at
//! again with what was found, and what does not come out again is dropped, until nothing changes.
//! What stays is true by induction on the depth of calls: a call that ends has made only calls that
//! end, whose results are what the summaries say.

use super::Shapes;
use super::linear::Linear;
use super::terms::{Kind, Term, Terms};
use crate::ir::{Function, Program, Value};

/// What is known of the results of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Summary {
    /// No call of it is known to end.
    Endless,
    /// What each result is.
    Ends(Vec<Option<Sum>>),
}

/// A sum of parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    /// Numbers of parameters, and what they are multiplied by.
    pub params: Vec<(usize, i64)>,
    /// What is added.
    pub constant: i64,
}

/// Rounds before everything is dropped.
const ROUNDS: usize = 8;

/// The summaries of all functions of a program.
pub fn summaries(program: &Program) -> Vec<Summary> {
    let mut known = vec![Summary::Endless; program.funcs.len()];
    for _ in 0..ROUNDS {
        let mut changed = false;
        for (n, function) in program.funcs.values().enumerate() {
            let found = summary(function, &known);
            let next = merge(&known[n], found);
            changed |= next != known[n];
            known[n] = next;
        }
        if !changed {
            return known;
        }
    }
    let nothing = |f: &Function| Summary::Ends(vec![None; f.body.yields.len()]);
    program.funcs.values().map(nothing).collect()
}

/// What a function gives if calls give what is known.
fn summary(function: &Function, known: &[Summary]) -> Summary {
    let shapes = Shapes::with(function, Some(known));
    let Some(yields) = &shapes.yields else { return Summary::Endless };
    let param = |value: Value| function.params.iter().position(|&p| p == value);
    let sums = yields.iter().zip(&function.body.yields).map(|(term, operand)| {
        let scalar = operand.value().is_none_or(|v| {
            let info = function.values[v];
            info.domain == crate::ir::Domain::Scalar && info.ty == prim::Ty::I64
        });
        if scalar { of_params(term, &shapes.terms, &param) } else { None }
    });
    Summary::Ends(sums.collect())
}

fn of_params(term: &Term, terms: &Terms, param: &impl Fn(Value) -> Option<usize>) -> Option<Sum> {
    let Term::Int(sum) = term else { return None };
    let params = sum.terms.iter().map(|&(symbol, times)| match terms.kind(symbol) {
        Kind::Value(value) => Some((param(*value)?, times)),
        _ => None,
    });
    let mut params: Vec<(usize, i64)> = params.collect::<Option<_>>()?;
    params.sort_unstable();
    Some(Sum { params, constant: sum.constant })
}

/// What was known, less what was not found again.
fn merge(known: &Summary, found: Summary) -> Summary {
    match (known, found) {
        (Summary::Endless, found) => found,
        // What ended with less known ends.
        (known, Summary::Endless) => known.clone(),
        (Summary::Ends(known), Summary::Ends(found)) => Summary::Ends(
            known.iter().zip(found).map(|(k, f)| if *k == f { f } else { None }).collect(),
        ),
    }
}

impl Summary {
    /// Whether calls may end.
    pub(crate) fn ends(&self) -> bool {
        match self {
            Summary::Endless => false,
            Summary::Ends(_) => true,
        }
    }
}

/// A result of a call with these arguments; vectors are none.
pub(super) fn apply(summary: &Summary, result: usize, args: &[Option<Linear>]) -> Option<Linear> {
    let Summary::Ends(results) = summary else { return None };
    let sum = results.get(result)?.as_ref()?;
    let mut total = Linear::constant(sum.constant);
    for &(param, times) in &sum.params {
        total = total.plus_times(args.get(param)?.as_ref()?, times);
    }
    Some(total)
}
