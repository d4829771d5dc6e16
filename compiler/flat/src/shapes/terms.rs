//! Names for what code computes: two equal terms have equal values.
//!
//! A term is an int as a sum of symbols, a constant, or a symbol.  What a symbol is says its
//! [`Kind`], and equal kinds are one symbol, so that equality is a comparison of numbers.  Vectors
//! and scalars are assigned once; so an element of a vector at one position has one name in a whole
//! function.
//!
//! Terms in lanes speak of *the* lane: its position in each of the spaces that it is nested in.
//! What is said of it holds for every lane.
//!
//! # Ints that wrap
//!
//! A sum in a term is equal to the int that it stands for when both wrap, which is enough for
//! equality.  For *less* a sum must be *exact*: equal to the int as a whole number.  Symbols are
//! (each is some int).  Sizes are lengths, counts and positions: not negative, and no larger than
//! the longest vector.  A vector's length leaves room for adding a number below 2^20 even with
//! narrow ints (`Widths::max_length`), and 64 bits are never used up by counting what exists.  So
//! a size plus or minus a small number, and the difference of two, are exact; a sum of two is not.

use super::facts::{Facts, Source};
use super::linear::{Linear, Symbol};
use crate::ir::{Space, Value};
use base::IdMap;
use prim::{Const, ScalarOp, Widths};
use rustc_hash::FxHashMap;

/// What an operand is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// An int.
    Int(Linear),
    /// A constant that is no int.
    Const(Const),
    /// Something else that is no int.
    Other(Symbol),
}

/// What a symbol stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// A scalar of the function.
    Value(Value),
    /// The number of lanes of a space.
    Lanes(Space),
    /// The lane's position in a space.
    Position(Space),
    /// Its index in its segment, where that is not the position.
    Index(Space),
    /// An element of a vector.
    Element(Value, Linear),
    /// The result of an operation that is no sum.
    Op(ScalarOp, Vec<Term>),
    /// The int that a sum is when it wraps.
    Wrapped(Linear),
    /// What a loop or a call gives; each is different from all others.
    Unknown(u32),
}

/// How deep conditions are looked into.
const DEEPEST: u32 = 16;

/// Which lane a term speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lane {
    /// None: it is the same for all.
    None,
    /// Only the position in this space.
    At(Space),
    /// More than that.
    Other,
}

impl Lane {
    fn and(self, other: Lane) -> Lane {
        match (self, other) {
            (Lane::None, lane) | (lane, Lane::None) => lane,
            (Lane::At(a), Lane::At(b)) if a == b => self,
            _ => Lane::Other,
        }
    }
}

/// A symbol's entry.
#[derive(Debug)]
struct Entry {
    kind: Kind,
    lane: Lane,
}

/// Symbols, and what is known of them.
#[derive(Debug, Default)]
pub struct Terms {
    entries: IdMap<Symbol, Entry>,
    ids: FxHashMap<Kind, Symbol>,
    unknowns: u32,
    /// What is known.
    pub facts: Facts,
}

impl Term {
    /// An int that is known.
    pub(crate) fn int(n: i64) -> Term {
        Term::Int(Linear::constant(n))
    }
    /// A constant.
    pub(crate) fn constant(constant: Const) -> Term {
        match constant {
            Const::I64(n) => Term::int(n),
            other => Term::Const(other),
        }
    }
    /// The sum, if it is an int.
    pub(crate) fn linear(&self) -> Option<&Linear> {
        match self {
            Term::Int(sum) => Some(sum),
            Term::Const(_) | Term::Other(_) => None,
        }
    }
}

impl Terms {
    /// What a symbol stands for.
    pub fn kind(&self, symbol: Symbol) -> &Kind {
        &self.entries[symbol].kind
    }

    /// Which lane a symbol speaks of.
    pub(crate) fn lane(&self, symbol: Symbol) -> Lane {
        self.entries[symbol].lane
    }

    /// Which lane a term speaks of.
    pub(crate) fn lane_of(&self, term: &Term) -> Lane {
        match term {
            Term::Int(sum) => self.lane_of_sum(sum),
            Term::Const(_) => Lane::None,
            Term::Other(symbol) => self.lane(*symbol),
        }
    }

    /// Which lane a sum speaks of.
    pub(crate) fn lane_of_sum(&self, sum: &Linear) -> Lane {
        sum.terms.iter().fold(Lane::None, |lane, term| lane.and(self.lane(term.0)))
    }

    /// The symbol of a kind.
    pub(crate) fn symbol(&mut self, kind: Kind) -> Symbol {
        if let Some(&known) = self.ids.get(&kind) {
            return known;
        }
        let lane = match &kind {
            Kind::Value(_) | Kind::Lanes(_) => Lane::None,
            Kind::Position(space) => Lane::At(*space),
            Kind::Index(_) | Kind::Unknown(_) => Lane::Other,
            Kind::Element(_, sum) | Kind::Wrapped(sum) => self.lane_of_sum(sum),
            Kind::Op(_, args) => args.iter().fold(Lane::None, |lane, a| lane.and(self.lane_of(a))),
        };
        let symbol = self.entries.push(Entry { kind: kind.clone(), lane });
        self.ids.insert(kind, symbol);
        symbol
    }

    /// The sum that is a symbol of this kind.
    pub(crate) fn named(&mut self, kind: Kind) -> Linear {
        Linear::symbol(self.symbol(kind))
    }

    /// A symbol for what nothing is known of.
    pub(crate) fn unknown(&mut self) -> Symbol {
        self.unknowns += 1;
        self.symbol(Kind::Unknown(self.unknowns))
    }

    /// A sum, or a symbol for it if it is long.
    pub(crate) fn kept_short(&mut self, sum: Linear) -> Linear {
        if sum.is_small() { sum } else { self.named(Kind::Wrapped(sum)) }
    }

    /// The int of a sum as a whole number.
    pub(crate) fn exact(&mut self, sum: &Linear) -> Linear {
        if self.is_exact(sum) { sum.clone() } else { self.named(Kind::Wrapped(sum.clone())) }
    }

    fn is_exact(&self, sum: &Linear) -> bool {
        const ROOM: i64 = 1 << 19;
        if sum.as_constant().is_some_and(|n| (-ROOM..=ROOM).contains(&n))
            || sum.as_symbol().is_some()
        {
            return true;
        }
        let facts = &self.facts;
        let (mut more, mut less) = (None, None);
        for &(symbol, times) in &sum.terms {
            let place = if times > 0 { &mut more } else { &mut less };
            if times.abs() != 1 || place.is_some() || !facts.is_not_negative(symbol) {
                return false;
            }
            *place = Some(symbol);
        }
        let sized = |symbol: Option<Symbol>| symbol.is_none_or(|s| facts.is_sized(s));
        let high = if sized(more) { ROOM } else { 0 };
        let low = if sized(less) { -ROOM } else { 0 };
        (low..=high).contains(&sum.constant)
    }

    /// Whether an int is never negative, by what is known.
    pub(crate) fn is_not_negative(&mut self, sum: &Linear) -> bool {
        let exact = self.exact(sum);
        self.facts.prove(&exact, Source::Known)
    }

    /// Whether one int is at most another.
    pub(crate) fn at_most(&mut self, a: &Linear, b: &Linear, with: Source) -> bool {
        let (a, b) = (self.exact(a), self.exact(b));
        self.facts.prove(&b.minus(&a), with)
    }

    /// Whether one int is less than another.
    pub(crate) fn less(&mut self, a: &Linear, b: &Linear, with: Source) -> bool {
        let (a, b) = (self.exact(a), self.exact(b));
        self.facts.prove(&b.minus(&a).plus_constant(-1), with)
    }

    /// Returns true if the check of a length is known to hold: `left` is the longest length minus
    /// the checked one.
    ///
    /// The longest length is a constant, and `left` subtracts only sizes from it, so nothing wraps.
    /// The check holds if the sum of these sizes is at most the size of some space.
    pub(crate) fn is_length(&self, left: &Linear) -> bool {
        let longest = |widths: &Widths| {
            let above = left.constant.checked_sub(widths.max_length())?;
            (0..1 << 20).contains(&above).then_some(widths.max_length())
        };
        let Some(longest) = [Widths::WIDE, Widths::NARROW].iter().find_map(longest) else {
            return false;
        };
        let length = left.plus_constant(-longest).times(-1);
        let sizes = |&(symbol, times): &(Symbol, i64)| times > 0 && self.facts.is_sized(symbol);
        length.terms.iter().all(sizes)
            && self
                .facts
                .sizes_above(&length)
                .any(|size| self.facts.prove(&Linear::symbol(size).minus(&length), Source::Known))
    }

    /// Whether a bool is known.
    pub(crate) fn decide(&mut self, cond: &Term, with: Source) -> Option<bool> {
        self.decide_at(cond, with, DEEPEST)
    }

    fn decide_at(&mut self, cond: &Term, with: Source, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        let symbol = match cond {
            Term::Const(Const::Bool(known)) => return Some(*known),
            Term::Const(_) | Term::Int(_) => return None,
            Term::Other(symbol) => *symbol,
        };
        let Kind::Op(op, args) = self.kind(symbol).clone() else { return None };
        match (op, args.as_slice()) {
            (ScalarOp::Not, [a]) => Some(!self.decide_at(a, with, depth)?),
            (ScalarOp::And | ScalarOp::Or, [a, b]) => {
                let (a, b) = (self.decide_at(a, with, depth), self.decide_at(b, with, depth));
                let deciding = op == ScalarOp::Or;
                match (a, b) {
                    (Some(known), _) | (_, Some(known)) if known == deciding => Some(deciding),
                    (Some(_), Some(_)) => Some(!deciding),
                    _ => None,
                }
            }
            (_, [Term::Int(a), Term::Int(b)]) => self.compare(op, a, b, with),
            _ => None,
        }
    }

    fn compare(&mut self, op: ScalarOp, a: &Linear, b: &Linear, with: Source) -> Option<bool> {
        let known = |yes: bool, no: bool| if yes { Some(true) } else { no.then_some(false) };
        match op {
            ScalarOp::Lt => {
                let yes = self.less(a, b, with);
                known(yes, !yes && self.at_most(b, a, with))
            }
            ScalarOp::Gt => self.compare(ScalarOp::Lt, b, a, with),
            ScalarOp::Ge => Some(!self.compare(ScalarOp::Lt, a, b, with)?),
            ScalarOp::Le => Some(!self.compare(ScalarOp::Lt, b, a, with)?),
            ScalarOp::Eq => {
                let (up, down) = (self.at_most(a, b, with), self.at_most(b, a, with));
                let yes = a == b || (up && down);
                known(yes, !yes && (self.less(a, b, with) || self.less(b, a, with)))
            }
            ScalarOp::Ne => Some(!self.compare(ScalarOp::Eq, a, b, with)?),
            _ => None,
        }
    }

    /// Notes that a bool is T, or F.
    pub(crate) fn assume(&mut self, cond: &Term, truth: bool, source: Source) {
        self.assume_at(cond, truth, source, DEEPEST);
    }

    fn assume_at(&mut self, cond: &Term, truth: bool, source: Source, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Term::Other(symbol) = cond else { return };
        let Kind::Op(op, args) = self.kind(*symbol).clone() else { return };
        match (op, args.as_slice()) {
            (ScalarOp::Not, [a]) => self.assume_at(a, !truth, source, depth),
            (ScalarOp::And | ScalarOp::Or, [a, b]) if truth == (op == ScalarOp::And) => {
                self.assume_at(a, truth, source, depth);
                self.assume_at(b, truth, source, depth);
            }
            (_, [Term::Int(a), Term::Int(b)]) => {
                let (a, b) = (self.exact(a), self.exact(b));
                let (up, down) = (b.minus(&a), a.minus(&b));
                let facts = &mut self.facts;
                match (op, truth) {
                    (ScalarOp::Lt, true) | (ScalarOp::Ge, false) => {
                        facts.add(up.plus_constant(-1), source);
                    }
                    (ScalarOp::Gt, true) | (ScalarOp::Le, false) => {
                        facts.add(down.plus_constant(-1), source);
                    }
                    (ScalarOp::Le, true) | (ScalarOp::Gt, false) => facts.add(up, source),
                    (ScalarOp::Ge, true) | (ScalarOp::Lt, false) => facts.add(down, source),
                    (ScalarOp::Eq, true) | (ScalarOp::Ne, false) => {
                        facts.add(up, source);
                        facts.add(down, source);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// Whether an int is known to be a size here.
    pub(crate) fn is_size(&self, term: &Term) -> bool {
        let Term::Int(sum) = term else { return false };
        match (sum.as_symbol(), sum.as_constant()) {
            (Some(symbol), _) => self.facts.is_not_negative(symbol) && self.facts.is_sized(symbol),
            (_, Some(n)) => (0..=1 << 16).contains(&n),
            _ => false,
        }
    }

    /// The result of an operation, by what it is.
    pub(crate) fn op(&mut self, op: ScalarOp, args: &[Term]) -> Term {
        let constants: Option<Vec<Const>> = args.iter().map(as_const).collect();
        if let Some(known) = constants.and_then(|c| prim::eval::fold(op, &c)) {
            return Term::constant(known);
        }
        let sum = match (op, args) {
            (ScalarOp::Add, [Term::Int(a), Term::Int(b)]) => Some(a.plus(b)),
            (ScalarOp::Sub, [Term::Int(a), Term::Int(b)]) => Some(a.minus(b)),
            (ScalarOp::Neg, [Term::Int(a)]) => Some(a.times(-1)),
            (ScalarOp::Mul, [Term::Int(a), Term::Int(b)]) => {
                match (a.as_constant(), b.as_constant()) {
                    (Some(n), _) => Some(b.times(n)),
                    (_, Some(n)) => Some(a.times(n)),
                    (None, None) => None,
                }
            }
            (ScalarOp::Min, [Term::Int(a), Term::Int(b)]) => {
                self.ordered(a, b).map(|(least, _)| least.clone())
            }
            (ScalarOp::Max, [Term::Int(a), Term::Int(b)]) => {
                self.ordered(a, b).map(|(_, most)| most.clone())
            }
            (ScalarOp::Select, [c, a, b]) => {
                let chosen = match self.decide(c, Source::Known) {
                    Some(true) => Some(a),
                    Some(false) => Some(b),
                    None if a == b => Some(a),
                    None => None,
                };
                if let Some(chosen) = chosen {
                    return chosen.clone();
                }
                None
            }
            _ => None,
        };
        if let Some(sum) = sum {
            return Term::Int(self.kept_short(sum));
        }
        let int = is_int(op, args);
        let symbol = self.symbol(Kind::Op(op, args.to_vec()));
        if !int {
            return Term::Other(symbol);
        }
        self.describe(symbol, op, args);
        Term::Int(Linear::symbol(symbol))
    }

    /// Notes what the result of an operation says of itself, if that is not noted.
    pub(crate) fn describe(&mut self, symbol: Symbol, op: ScalarOp, args: &[Term]) {
        if self.facts.describe(symbol) {
            self.describe_op(symbol, op, args);
        }
    }

    /// The smaller and the larger of two ints.
    fn ordered<'a>(&mut self, a: &'a Linear, b: &'a Linear) -> Option<(&'a Linear, &'a Linear)> {
        if self.at_most(a, b, Source::Known) {
            Some((a, b))
        } else if self.at_most(b, a, Source::Known) {
            Some((b, a))
        } else {
            None
        }
    }

    /// What the result of an operation says of itself.
    fn describe_op(&mut self, symbol: Symbol, op: ScalarOp, args: &[Term]) {
        let result = Linear::symbol(symbol);
        match (op, args) {
            (ScalarOp::Btoi, _) => {
                self.facts.size(symbol);
                self.facts.add(Linear::constant(1).minus(&result), Source::Known);
            }
            (ScalarOp::Div, [Term::Int(a), Term::Int(b)]) => {
                let Some(n) = b.as_constant().filter(|n| (1..=1 << 20).contains(n)) else { return };
                if !self.is_not_negative(a) {
                    return;
                }
                // n * (a / n) <= a < n * (a / n) + n
                self.facts.positive_or_zero(symbol);
                let rest = self.exact(a).plus_times(&result, -n);
                self.facts.add(Linear::constant(n - 1).minus(&rest), Source::Known);
                self.facts.add(rest, Source::Known);
            }
            (ScalarOp::Rem | ScalarOp::Mod, [Term::Int(a), Term::Int(b)]) => {
                let Some(n) = b.as_constant().filter(|n| (1..=1 << 20).contains(n)) else { return };
                if !self.is_not_negative(a) {
                    return;
                }
                self.facts.size_here(symbol);
                self.facts.add(Linear::constant(n - 1).minus(&result), Source::Known);
            }
            (ScalarOp::Min, [Term::Int(a), Term::Int(b)]) => {
                if self.is_not_negative(a) && self.is_not_negative(b) {
                    self.facts.positive_or_zero(symbol);
                }
                for other in [a, b] {
                    let other = self.exact(other);
                    if other.as_symbol().is_some_and(|s| self.facts.is_sized(s))
                        && self.facts.is_not_negative(symbol)
                    {
                        self.facts.size_here(symbol);
                    }
                    self.facts.add(other.minus(&result), Source::Known);
                }
            }
            (ScalarOp::Max, [Term::Int(a), Term::Int(b)]) => {
                if self.is_not_negative(a) || self.is_not_negative(b) {
                    self.facts.positive_or_zero(symbol);
                }
                for other in [a, b] {
                    let other = self.exact(other);
                    self.facts.add(result.minus(&other), Source::Known);
                }
            }
            (ScalarOp::Select, [_, Term::Int(a), Term::Int(b)])
                if self.is_not_negative(a) && self.is_not_negative(b) =>
            {
                self.facts.positive_or_zero(symbol);
            }
            _ => {}
        }
    }
}

fn as_const(term: &Term) -> Option<Const> {
    match term {
        Term::Int(sum) => sum.as_constant().map(Const::I64),
        Term::Const(constant) => Some(*constant),
        Term::Other(_) => None,
    }
}

/// Whether an operation on such operands gives an int.
fn is_int(op: ScalarOp, args: &[Term]) -> bool {
    use ScalarOp as O;
    let first = || matches!(args.first(), Some(Term::Int(_)));
    match op {
        O::Select => matches!(args.get(1), Some(Term::Int(_))),
        O::Eq | O::Ne | O::Lt | O::Le | O::Gt | O::Ge | O::ToFloat | O::UnitFloat | O::CodeChar => {
            false
        }
        O::Trunc
        | O::Floor
        | O::Ceil
        | O::Round
        | O::FloatBits
        | O::Digits
        | O::DigitsAbove
        | O::Exponent
        | O::Btoi
        | O::CharCode => true,
        _ => first(),
    }
}
