//! Sums over rows of which elements are looked up, eight lanes at a time (`rts/octets.h`).
//!
//! ```c
//! nesl_octet_float sum1_x17 = {0};
//! for (int64_t at1 = x5; at1 < x6; at1 += 8) {
//!   const uint8_t lanes1 = nesl_octet_lanes(x6 - at1);
//!   nesl_ahead(&a0[at1]);
//!   const nesl_octet x9 = nesl_octet_load(&a0[at1], lanes1);
//!   const uint8_t x12 = nesl_octet_within(x9, a1, lanes1);
//!   NESL_REQUIRE_OR_LEAVE(state.fault, x12 == lanes1, 0, 0, 0);
//!   const nesl_octet_float x14 = (nesl_octet_float)nesl_octet_look(a2, x9, x12);
//!   ...
//!   sum1_x17 += x16;
//! }
//! x17 = x17 + nesl_octet_sum_float(sum1_x17);
//! ```
//!
//! What the elements of a row are put through may be arithmetic on words of 8 bytes; ints of 4
//! bytes may be what is looked for.  A kernel has another function for it, `k0_octets`, which runs
//! tiles whose rows are long enough on average, and look into vectors that are near: decision 23
//! tells what was measured.

use super::loops::{COUNTER, Range};
use super::stmt::Body;
use crate::shared::facts::atom_ty;
use crate::shared::{Expr, Level, op};
use base::{Site, Span};
use kernel::Body::Tiles;
use kernel::{Arg, Block, Carry, Kernel, Operand, Stmt};
use prim::{Const, Monoid, ScalarOp, Ty, Width, Widths};
use scalar::{Atom, Op, Var};
use std::collections::{HashMap, HashSet};

/// A loop that can be printed this way.
pub(super) struct Gathered {
    /// How long the vectors are in which elements are looked up.
    lengths: Vec<Operand>,
    steps: Vec<Step>,
    sums: Vec<Sum>,
}

/// What happens to eight lanes.
pub(super) enum Step {
    /// What is the same in all lanes.
    Same(scalar::Stmt<Arg>),
    /// Elements side by side, one for each of the row.
    Load(Var, Arg, Place),
    /// Elements at indices, in lanes that met the check with this mask.
    Look(Var, Arg, [Var; 2]),
    /// An operation on each lane.
    Apply(Var, ScalarOp, Vec<Operand>),
    /// Indices must be from 0 to before the end; the variable is the mask of those that are.
    Check(Var, Test, Site, Span),
}

/// How far a position is from that in the row: what is added, and whether it is taken away instead.
type Place = Vec<(Operand, bool)>;

/// That an index is from 0 to before an end.
#[derive(Clone, Copy)]
pub(super) struct Test {
    index: Var,
    end: Operand,
}

/// A sum over the row.
struct Sum {
    carry: Var,
    ty: Ty,
    /// What is added up, and whether it is 0 in lanes that are outside of the row.
    of: Var,
    clear: bool,
}

/// What is known of the variables of the loop.
pub(super) struct Search<'b> {
    kernel: &'b Kernel,
    widths: Widths,
    /// What differs from lane to lane: all that the loop defines, until more is known.
    pub(super) own: HashSet<Var>,
    /// Positions that go with the one in the row.
    places: HashMap<Var, Place>,
    /// Vectors, and whether they are 0 in lanes that are outside of the row.
    vectors: HashMap<Var, bool>,
    /// `index >= 0`.
    low: HashMap<Var, Var>,
    /// `index < end`.
    high: HashMap<Var, Test>,
    /// Both.
    tests: HashMap<Var, Test>,
    /// Tests that are made: masks of the lanes that meet them.
    checked: HashSet<Var>,
    /// Indices that are harmless where they are outside, and their tests.
    mended: HashMap<Var, [Var; 2]>,
    /// Sums with what an iteration adds, and that.
    added: HashMap<Var, [Var; 2]>,
    pub(super) steps: Vec<Step>,
    lengths: Vec<Operand>,
}

impl Body<'_, '_, Arg> {
    /// The loop, if it adds up elements of a row and looks up some of them.
    pub(super) fn gathered(
        &self,
        range: Range,
        carried: &[Carry],
        body: &Block,
    ) -> Option<Gathered> {
        let Tiles { tile: [_, first, end], .. } = &self.kernel?.body else { return None };
        let tile = [range.from, range.to] == [Atom::Var(*first), Atom::Var(*end)];
        if self.octets.is_none() || tile || carried.is_empty() {
            return None;
        }
        let mut search = Search::new(self.kernel?, self.shared.widths(), range.index, body);
        search.own.extend(carried.iter().map(|carry| carry.var));
        for stmt in body {
            match stmt {
                Stmt::Positions(_) => {}
                Stmt::Scalar(stmt) => search.stmt(stmt, carried)?,
                _ => return None,
            }
        }
        let sums = carried.iter().map(|carry| search.sum(carry)).collect::<Option<_>>()?;
        let Search { lengths, steps, .. } = search;
        (!lengths.is_empty()).then_some(Gathered { lengths, steps, sums })
    }

    /// Prints such a loop.
    pub(super) fn in_octets(&mut self, [from, to]: [&str; 2], rows: &Gathered) {
        let n = self.fresh("");
        let (at, lanes) = (format!("at{n}"), format!("lanes{n}"));
        let lengths: Vec<String> = rows.lengths.iter().map(|&length| self.text(length)).collect();
        if let Some(all) = &mut self.octets {
            all.extend(lengths);
        }
        for sum in &rows.sums {
            let (name, octet) = (sum.carry, octet(sum.ty));
            self.out.line(format!("{octet} sum{n}_{name} = {{0}};"));
        }
        self.out.open(format!("for ({COUNTER} {at} = {from}; {at} < {to}; {at} += 8)"));
        self.out.line(format!("const uint8_t {lanes} = nesl_octet_lanes({to} - {at});"));
        for step in &rows.steps {
            self.octet(step, &at, &lanes, true);
        }
        for sum in &rows.sums {
            let (ty, mut of) = (octet(sum.ty), sum.of.to_string());
            if !sum.clear {
                of = format!("({ty})nesl_octet_keep((nesl_octet){of}, {lanes})");
            }
            self.out.line(format!("sum{n}_{} += {of};", sum.carry));
        }
        self.out.close("");
        for sum in &rows.sums {
            let call = if sum.ty == Ty::F64 { "nesl_octet_sum_float" } else { "nesl_octet_sum" };
            let name = sum.carry;
            self.out.line(format!("{name} = {name} + {call}(sum{n}_{name});"));
        }
    }

    /// Prints a step of the lanes from a position on; `once`: what is loaded is not needed again.
    pub(super) fn octet(&mut self, step: &Step, at: &str, lanes: &str, once: bool) {
        let ty = |b: &Self, var: Var| octet(b.vars[var]);
        match step {
            Step::Same(stmt) => self.stmt(stmt),
            Step::Load(var, from, place) => {
                let mut place_text = at.to_owned();
                for &(operand, minus) in place {
                    let sign = if minus { "-" } else { "+" };
                    place_text += &format!(" {sign} {}", self.atom(operand).at(Level::Product));
                }
                let place = format!("&{from}[{place_text}]");
                if once {
                    self.out.line(format!("nesl_ahead({place});"));
                }
                let load = if self.element_size(*from) == 4 { "widen" } else { "load" };
                let value = format!("nesl_octet_{load}({place}, {lanes})");
                self.vector(*var, &value);
            }
            Step::Look(var, from, [index, within]) => {
                self.vector(*var, &format!("nesl_octet_look({from}, {index}, {within})"));
            }
            Step::Apply(var, ScalarOp::ToFloat, args) => {
                let of = self.text(args[0]);
                self.out
                    .line(format!("const {} {var} = nesl_octet_to_float({of});", ty(self, *var)));
            }
            Step::Apply(var, op, args) => {
                let operand = |b: &mut Self, &atom: &Operand| op::Operand {
                    ty: b.ty(atom),
                    value: None,
                    expr: b.atom(atom),
                };
                let args: Vec<op::Operand> = args.iter().map(|atom| operand(self, atom)).collect();
                let value = op::apply(self.shared.widths(), *op, &args).text;
                self.out.line(format!("const {} {var} = {value};", ty(self, *var)));
            }
            Step::Check(var, Test { index, end }, site, span) => {
                let end = self.text(*end);
                let within = format!("nesl_octet_within({index}, {end}, {lanes})");
                self.out.line(format!("const uint8_t {var} = {within};"));
                let all = Expr::primary(format!("{var} == {lanes}"));
                self.require(&all, *site, *span, ["0", "0"].map(str::to_owned));
            }
        }
    }

    /// Declares a vector, given its words.
    fn vector(&mut self, var: Var, words: &str) {
        let cast = if self.vars[var] == Ty::F64 { "(nesl_octet_float)" } else { "" };
        self.out.line(format!("const {} {var} = {cast}{words};", octet(self.vars[var])));
    }
}

impl<'b> Search<'b> {
    pub(super) fn new(kernel: &'b Kernel, widths: Widths, index: Var, body: &Block) -> Search<'b> {
        let mut own = HashSet::from([index]);
        super::kernel::walk(body, &mut |stmt| own.extend(stmt.results()));
        Search {
            kernel,
            widths,
            own,
            places: HashMap::from([(index, Place::new())]),
            vectors: HashMap::new(),
            low: HashMap::new(),
            high: HashMap::new(),
            tests: HashMap::new(),
            checked: HashSet::new(),
            mended: HashMap::new(),
            added: HashMap::new(),
            steps: Vec::new(),
            lengths: Vec::new(),
        }
    }

    /// Takes a statement in; none if lanes cannot do it at once.  What only says where a lane is
    /// stays unknown, which does no harm where nobody asks.
    pub(super) fn stmt(&mut self, stmt: &scalar::Stmt<Arg>, carried: &[Carry]) -> Option<()> {
        match stmt {
            scalar::Stmt::Let(var, _) if stmt.atoms().iter().all(|&atom| self.is_same(atom)) => {
                self.own.remove(var);
                self.steps.push(Step::Same(stmt.clone()));
            }
            scalar::Stmt::Let(var, Op::Read(from, Atom::Var(at))) => self.read(*var, *from, *at),
            scalar::Stmt::Let(var, Op::Scalar(op, args, _)) => self.apply(*var, *op, args, carried),
            scalar::Stmt::Require { site, cond: Atom::Var(cond), span, .. } => {
                let test = *self.tests.get(cond)?;
                self.checked.insert(*cond);
                self.steps.push(Step::Check(*cond, test, *site, *span));
            }
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, var: Var, from: Arg, at: Var) {
        let ty = self.kernel.args[from].ty;
        let place = self.places.get(&at).filter(|_| self.is_word(ty) || ty == Ty::I64);
        if let Some(place) = place {
            self.steps.push(Step::Load(var, from, place.clone()));
            self.vectors.insert(var, true);
        } else if let Some(&[index, test]) = self.mended.get(&at).filter(|_| self.is_word(ty)) {
            self.steps.push(Step::Look(var, from, [index, test]));
            self.vectors.insert(var, true);
            self.lengths.push(self.tests[&test].end);
        }
    }

    /// What is added to a carried value, if it becomes no more than the sum of both.
    pub(super) fn summand(&self, carry: &Carry) -> Option<Var> {
        let Atom::Var(next) = carry.next else { return None };
        let &[to, of] = self.added.get(&next)?;
        let plain = carry.monoid == Some(Monoid::Add) && carry.restart.is_none();
        let fits = self.is_word(self.kernel.vars[to]) && self.is_vector(of);
        (plain && to == carry.var && fits).then_some(of)
    }

    /// Whether values have 8 bytes.
    fn is_word(&self, ty: Ty) -> bool {
        match ty {
            Ty::I64 => self.widths.int == Width::W64,
            Ty::F64 => self.widths.float == Width::W64,
            Ty::Bool | Ty::Char => false,
        }
    }

    fn apply(&mut self, var: Var, op: ScalarOp, args: &[Operand], carried: &[Carry]) {
        use ScalarOp as O;
        let zero = Atom::Const(Const::I64(0));
        match (op, args) {
            (O::Add, &[Atom::Var(at), by] | &[by, Atom::Var(at)])
                if self.places.contains_key(&at) && self.is_same(by) =>
            {
                self.shift(var, at, (by, false));
            }
            (O::Sub, &[Atom::Var(at), by]) if self.places.contains_key(&at) && self.is_same(by) => {
                self.shift(var, at, (by, true));
            }
            (O::Ge, &[Atom::Var(index), low]) if low == zero && self.is_vector(index) => {
                self.low.insert(var, index);
            }
            (O::Lt, &[Atom::Var(index), end]) if self.is_vector(index) && self.is_same(end) => {
                self.high.insert(var, Test { index, end });
            }
            (O::And, [Atom::Var(low), Atom::Var(high)]) => {
                if let (Some(&index), Some(&test)) = (self.low.get(low), self.high.get(high))
                    && index == test.index
                {
                    self.tests.insert(var, test);
                }
            }
            (O::Select, &[Atom::Var(cond), Atom::Var(index), other]) => {
                let test = self.tests.get(&cond).filter(|_| self.checked.contains(&cond));
                // The function that chooses among both ways must know how long the vector is.
                if let Some(test) = test
                    && matches!(test.end, Atom::Outer(..))
                    && [Atom::Var(test.index), zero] == [Atom::Var(index), other]
                {
                    self.mended.insert(var, [index, cond]);
                }
            }
            (O::Add, &[Atom::Var(a), Atom::Var(b)])
                if carried.iter().any(|c| c.var == a) && self.is_vector(b) =>
            {
                self.added.insert(var, [a, b]);
            }
            (O::Fma, &[a, b, Atom::Var(sum)]) if carried.iter().any(|c| c.var == sum) => {
                self.on_lanes(var, O::Mul, &[a, b]);
                self.added.insert(var, [sum, var]);
            }
            _ => self.on_lanes(var, op, args),
        }
    }

    fn shift(&mut self, var: Var, at: Var, by: (Operand, bool)) {
        let mut place = self.places[&at].clone();
        place.push(by);
        self.places.insert(var, place);
    }

    /// An operation on vectors, and on what is the same in all lanes.
    fn on_lanes(&mut self, var: Var, op: ScalarOp, args: &[Operand]) {
        use ScalarOp as O;
        let known = |&atom: &Operand| match atom {
            Atom::Var(v) => self.is_vector(v) || self.is_same(atom),
            _ => true,
        };
        let clear =
            |&atom: &Operand| matches!(atom, Atom::Var(v) if self.vectors.get(&v) == Some(&true));
        let any = args.iter().any(|atom| matches!(atom, Atom::Var(v) if self.is_vector(*v)));
        let Some(ty) = args.first().and_then(|&a| atom_ty(a, &self.kernel.vars)) else { return };
        let plain = match op {
            O::Add | O::Sub | O::Mul => self.is_word(ty),
            O::Div => ty == Ty::F64 && self.is_word(ty),
            O::ToFloat => self.is_word(Ty::F64),
            _ => false,
        };
        if plain && any && args.iter().all(known) {
            let clear = op != O::Div && args.iter().all(clear);
            self.vectors.insert(var, clear);
            self.steps.push(Step::Apply(var, op, args.to_vec()));
        }
    }

    fn is_vector(&self, var: Var) -> bool {
        self.vectors.contains_key(&var)
    }

    /// Whether a value is the same in all lanes.
    fn is_same(&self, atom: Operand) -> bool {
        !matches!(atom, Atom::Var(v) if self.own.contains(&v))
    }

    fn sum(&self, carry: &Carry) -> Option<Sum> {
        let of = self.summand(carry).filter(|_| !carry.chained)?;
        let (ty, clear) = (self.kernel.vars[carry.var], *self.vectors.get(&of)?);
        Some(Sum { carry: carry.var, ty, of, clear })
    }
}

/// The type of eight values.
pub(super) fn octet(ty: Ty) -> &'static str {
    if ty == Ty::F64 { "nesl_octet_float" } else { "nesl_octet" }
}
