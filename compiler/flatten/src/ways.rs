//! Arguments that look into several pools.
//!
//! Where no argument chooses, each sequence brings a pool of its own.  Else a call gives its pools
//! once, with numbers, and each sequence names those into which it looks.  A function has a twin
//! for each way in which its arguments look into pools, so that it knows which of them share some:
//!
//! ```text
//! last(v, w, k) = ... last((if odd(k) then v else w), w, k - 1)
//!
//! from outside   v in a pool, w in a pool
//! from inside    v in pool 0 or 1, w in pool 1         from there on the same
//! ```
//!
//! A function that is called with more and more pools would have no end of twins.  So the pools of
//! a call are few, and so are the ways of calling a function.  One for which they would be too many
//! is called with heaps ([`crate::op::heap`]).

mod outside;

use crate::context::Context;
use crate::op::heap::{Heap, elements};
use crate::origin::{Path, Step};
use crate::rep::{Pool, Rep, Scalar, Segments};
use crate::settle::Layout;
use base::Id;
use flat::{Domain, Function, Operand, Space, Value, ValueInfo};
use nest::{Func, Type};
use prim::{Component, Role, Ty};
use std::collections::BTreeSet;

/// Most pools that the arguments of a call have if some look into several.
const MOST_POOLS: usize = 8;

/// Most ways in which the arguments of a function look into pools.
pub(crate) const MOST_WAYS: usize = 12;

/// How a value, or the elements of a pool, look into pools: each sequence into those with these
/// numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Way {
    Scalar,
    Tuple(Vec<Way>),
    Seq(Vec<usize>),
}

/// How the arguments of a call look into pools, and these into each other.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Ways {
    args: Vec<Way>,
    pools: Vec<Way>,
    /// In a function with heaps: the numbers of the pools of each, of which the last is the heap
    /// itself.
    heaps: Vec<Vec<usize>>,
    /// At the root of a recursion with heaps: the numbers of the pools that it was given, by the
    /// types of elements.  Each sequence looks into these, or into a pool of its own.
    outside: Vec<Vec<usize>>,
}

/// The elements of a pool, whose sequences look into pools with numbers.
enum Content {
    Scalar(Value, Ty),
    Tuple(Vec<Content>),
    Seq { starts: Value, lens: Value, choices: Option<Value>, behind: Vec<usize> },
}

/// The pools of a call, by number; each as it was found first.
#[derive(Default)]
struct Table {
    found: Vec<Pool>,
    contents: Vec<Option<Content>>,
    /// Whether segments are numbered already, so that nothing needs to be done with each.
    as_they_are: bool,
}

/// Arguments, each for the lanes of a space, whose sequences look into pools with numbers.
pub(crate) struct Numbered {
    args: Vec<(Rep, Way, Space)>,
    table: Table,
    pub(crate) ways: Ways,
}

/// What a call hands on, or what a function is given.
pub(crate) struct Handed {
    /// The arguments as views, whose pools are those that the callee is given.
    pub(crate) args: Vec<Rep>,
    /// How they look into pools, if pools have numbers.
    pub(crate) ways: Option<Ways>,
    /// The pools, by their numbers.
    pub(crate) pools: Vec<Pool>,
}

impl Context<'_, '_> {
    /// The components of arguments, each for the lanes of a space.
    pub(crate) fn hand_on(
        &mut self,
        func: Func,
        args: &[(Rep, Space)],
        out: &mut Vec<Operand>,
    ) -> Handed {
        let copying = self.flattener.copying[func.index()];
        if copying && let Some(handed) = self.hand_on_heaps(func, args, out) {
            return handed;
        }
        if !copying
            && (self.flattener.origins.mixes(func) || args.iter().any(|(arg, _)| chooses(arg)))
            && let Some(handed) = self.hand_on_pools(func, args, out)
        {
            return handed;
        }
        let mut plain = |(arg, space): &(Rep, Space)| {
            self.within(*space, |cx| {
                let arg = cx.plain(arg);
                cx.components(&arg, out);
                arg
            })
        };
        Handed { args: args.iter().map(&mut plain).collect(), ways: None, pools: Vec::new() }
    }

    /// The components of arguments and then of all their pools, unless these are too many.
    fn hand_on_pools(
        &mut self,
        func: Func,
        args: &[(Rep, Space)],
        out: &mut Vec<Operand>,
    ) -> Option<Handed> {
        // Pools that the function was given itself keep their order: what comes from below and
        // looks into them has their numbers, which would be written anew at each depth.
        let found = self.given.clone();
        let contents = found.iter().map(|_| None).collect();
        let mut table = Table { found, contents, as_they_are: false };
        let mut numbered = Vec::new();
        for (arg, space) in args {
            let (arg, way) = self.within(*space, |cx| cx.numbered(arg, &mut table));
            numbered.push((arg, way, *space));
        }
        table.leave_out_others(&mut numbered);
        let ways = table.ways(&numbered, Vec::new());
        if !self.flattener.may_call(func, &ways) {
            return None;
        }
        Some(self.hand_on_table(Numbered { args: numbered, table, ways }, out))
    }

    /// Arguments whose sequences are views of the pools of heaps, each of all of its own or of
    /// those that are given.
    pub(crate) fn numbered_in_heaps(
        &mut self,
        func: Func,
        args: Vec<(Rep, Space)>,
        tys: &[&Type],
        heaps: &[Heap],
    ) -> Numbered {
        let mut table = Table { as_they_are: true, ..Table::default() };
        let numbers: Vec<Vec<usize>> = heaps
            .iter()
            .map(|heap| heap.pools().iter().map(|pool| self.number(pool, &mut table)).collect())
            .collect();
        let args = args.into_iter().zip(tys).enumerate();
        let args = args.map(|(n, ((arg, space), ty))| {
            let mut passed = Vec::new();
            self.flattener.origins.passed(func, n, ty, &mut passed);
            let way = Way::in_heaps(ty, heaps, &numbers, &mut passed.into_iter());
            (arg, way, space)
        });
        let args: Vec<_> = args.collect();
        let ways = table.ways(&args, numbers.clone());
        Numbered { args, table, ways }
    }

    /// The components of arguments, and then of all their pools.
    pub(crate) fn hand_on_table(&mut self, handed: Numbered, out: &mut Vec<Operand>) -> Handed {
        let Numbered { args, table, ways } = handed;
        let mut done = Vec::new();
        for (arg, way, space) in &args {
            self.within(*space, |cx| cx.own_components(arg, out));
            done.push(table.with_pools(arg, way));
        }
        for content in table.contents.iter().flatten() {
            content.components(out);
        }
        let pools = (0..table.contents.len()).map(|n| table.pool(n)).collect();
        Handed { args: done, ways: Some(ways), pools }
    }

    /// The components of a value but its pools.
    fn own_components(&mut self, rep: &Rep, out: &mut Vec<Operand>) {
        match rep {
            Rep::Scalar(s) => out.push(self.component(*s)),
            Rep::Tuple(parts) => parts.iter().for_each(|part| self.own_components(part, out)),
            Rep::View { start, len, pool } => {
                out.extend([*start, *len].map(|s| self.component(s)));
                if let Pool::Chosen(number, _) = pool {
                    out.push(self.component(*number));
                }
            }
            Rep::Lanes { .. } => unreachable!("sequences are views here"),
        }
    }

    /// A value as views that choose among pools by their numbers, in order.
    fn numbered(&mut self, rep: &Rep, table: &mut Table) -> (Rep, Way) {
        match rep {
            Rep::Scalar(_) => (rep.clone(), Way::Scalar),
            Rep::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.numbered(part, table));
                let (parts, ways) = parts.unzip();
                (Rep::Tuple(parts), Way::Tuple(ways))
            }
            Rep::Lanes { .. } | Rep::View { .. } => {
                let (start, len, pool) = self.as_view(rep);
                let (number, behind) = self.numbers(&pool, table);
                let pool = to_be_said((behind.len() > 1).then_some(number));
                (Rep::View { start, len, pool }, Way::Seq(behind))
            }
        }
    }

    /// The numbers of the pools that a pool may be, in order, and which of them it is.
    fn numbers(&mut self, pool: &Pool, table: &mut Table) -> (Scalar, Vec<usize>) {
        let (choice, pools) = self.ways_of(pool);
        let numbers: Vec<usize> = pools.iter().map(|pool| self.number(pool, table)).collect();
        let mut behind = numbers.clone();
        behind.sort_unstable();
        behind.dedup();
        let places = numbers.iter().map(|n| behind.binary_search(n).unwrap_or_default());
        let places: Vec<usize> = places.collect();
        (self.renumbered(choice, &places), behind)
    }

    /// The number of a pool.
    fn number(&mut self, pool: &Pool, table: &mut Table) -> usize {
        let known = table.found.iter().position(|found| found == pool);
        let number = known.unwrap_or(table.found.len());
        if known.is_none() {
            table.found.push(pool.clone());
            table.contents.push(None);
        } else if table.contents[number].is_some() {
            return number;
        }
        let content = self.content(pool, table);
        table.contents[number] = Some(content);
        number
    }

    fn content(&mut self, pool: &Pool, table: &mut Table) -> Content {
        match pool {
            Pool::Scalar(value, ty) => Content::Scalar(*value, *ty),
            Pool::Tuple(parts) => {
                Content::Tuple(parts.iter().map(|part| self.content(part, table)).collect())
            }
            Pool::Seq(segments, inner) => {
                let (starts, lens) = self.as_starts(*segments, inner);
                let (choices, behind) = self.numbers_behind(starts, inner, table);
                Content::Seq { starts, lens, choices, behind }
            }
            Pool::Chosen(..) | Pool::Among(..) => unreachable!("{pool:?} is part of a view"),
        }
    }

    /// The numbers of the pools behind segments, and which of them is behind each.
    fn numbers_behind(
        &mut self,
        starts: Value,
        inner: &Pool,
        table: &mut Table,
    ) -> (Option<Value>, Vec<usize>) {
        if let Domain::Lanes(space) = self.values[starts].domain
            && !table.as_they_are
        {
            return self.within(space, |cx| {
                let (number, behind) = cx.numbers(&inner.behind(space), table);
                ((behind.len() > 1).then(|| cx.vector(number, space)), behind)
            });
        }
        // Numbers stay what they are, be it that two of them mean one pool.
        match inner {
            Pool::Among(choices, pools) => {
                let firsts: Vec<Pool> = pools.iter().map(|pool| self.first_name(pool)).collect();
                let numbers = firsts.iter().map(|pool| self.number(pool, table)).collect();
                (Some(*choices), numbers)
            }
            inner => {
                let first = self.first_name(inner);
                (None, vec![self.number(&first, table)])
            }
        }
    }
}

/// A pool, or one of several, that [`Table::with_pools`] says when all are there.
fn to_be_said(number: Option<Scalar>) -> Pool {
    number.map_or(Pool::Tuple(Vec::new()), |number| Pool::Chosen(number, Vec::new()))
}

impl Table {
    /// Leaves out pools into which none of these arguments looks; the others keep their order.
    fn leave_out_others(&mut self, args: &mut [(Rep, Way, Space)]) {
        let used: Vec<usize> =
            (0..self.contents.len()).filter(|&n| self.contents[n].is_some()).collect();
        let number = |n: &mut usize| *n = used.binary_search(n).unwrap_or_default();
        self.found = used.iter().map(|&n| self.found[n].clone()).collect();
        self.contents.retain(Option::is_some);
        args.iter_mut().for_each(|(_, way, _)| way.each_number(&number));
        self.contents.iter_mut().flatten().for_each(|content| content.each_number(&number));
    }

    /// How arguments look into these pools.
    fn ways(&self, args: &[(Rep, Way, Space)], heaps: Vec<Vec<usize>>) -> Ways {
        Ways {
            args: args.iter().map(|(_, way, _)| way.clone()).collect(),
            pools: self.contents.iter().flatten().map(Content::way).collect(),
            heaps,
            outside: Vec::new(),
        }
    }

    /// The pool with a number, as the callee is given it.
    fn pool(&self, number: usize) -> Pool {
        let content = self.contents[number].as_ref();
        self.of(content.unwrap_or_else(|| unreachable!("pool {number} is inside itself")))
    }

    fn of(&self, content: &Content) -> Pool {
        match content {
            Content::Scalar(value, ty) => Pool::Scalar(*value, *ty),
            Content::Tuple(parts) => Pool::Tuple(parts.iter().map(|part| self.of(part)).collect()),
            Content::Seq { starts, lens, choices, behind } => {
                let mut pools: Vec<Pool> = behind.iter().map(|&n| self.pool(n)).collect();
                let inner = match choices {
                    Some(choices) => Pool::Among(*choices, pools),
                    None => pools.swap_remove(0),
                };
                Pool::Seq(Segments::View(*starts, *lens), Box::new(inner))
            }
        }
    }

    /// A value with these pools behind its sequences.
    fn with_pools(&self, rep: &Rep, way: &Way) -> Rep {
        match (rep, way) {
            (Rep::Tuple(parts), Way::Tuple(ways)) => {
                let parts = parts.iter().zip(ways);
                Rep::Tuple(parts.map(|(part, way)| self.with_pools(part, way)).collect())
            }
            (Rep::View { start, len, pool }, Way::Seq(behind)) => {
                let mut pools: Vec<Pool> = behind.iter().map(|&n| self.pool(n)).collect();
                let pool = match pool {
                    Pool::Chosen(number, _) => Pool::Chosen(*number, pools),
                    _ => pools.swap_remove(0),
                };
                Rep::View { start: *start, len: *len, pool }
            }
            (rep, _) => rep.clone(),
        }
    }
}

impl Content {
    fn each_number(&mut self, change: &impl Fn(&mut usize)) {
        match self {
            Content::Scalar(..) => {}
            Content::Tuple(parts) => parts.iter_mut().for_each(|part| part.each_number(change)),
            Content::Seq { behind, .. } => behind.iter_mut().for_each(change),
        }
    }

    fn way(&self) -> Way {
        match self {
            Content::Scalar(..) => Way::Scalar,
            Content::Tuple(parts) => Way::Tuple(parts.iter().map(Content::way).collect()),
            Content::Seq { behind, .. } => Way::Seq(behind.clone()),
        }
    }

    fn components(&self, out: &mut Vec<Operand>) {
        match self {
            Content::Scalar(value, _) => out.push(Operand::Value(*value)),
            Content::Tuple(parts) => parts.iter().for_each(|part| part.components(out)),
            Content::Seq { starts, lens, choices, .. } => {
                let values = [*starts, *lens].into_iter().chain(*choices);
                out.extend(values.map(Operand::Value));
            }
        }
    }
}

/// Whether a sequence in a value looks into one of several pools.
fn chooses(rep: &Rep) -> bool {
    fn among(pool: &Pool) -> bool {
        match pool {
            Pool::Scalar(..) => false,
            Pool::Tuple(parts) => parts.iter().any(among),
            Pool::Seq(_, inner) => among(inner),
            Pool::Chosen(..) | Pool::Among(..) => true,
        }
    }
    match rep {
        Rep::Scalar(_) => false,
        Rep::Tuple(parts) => parts.iter().any(chooses),
        Rep::Lanes { elem, .. } => chooses(elem),
        Rep::View { pool, .. } => among(pool),
    }
}

impl Context<'_, '_> {
    /// Parameters of these types, each for the lanes of a space, that look into pools in such ways.
    pub(crate) fn declare_ways(
        &mut self,
        params: &[(&Type, Space)],
        ways: &Ways,
        out: &mut Vec<Value>,
    ) -> Vec<Rep> {
        let given = params.iter().zip(&ways.args);
        let given = given.map(|((ty, space), way)| self.declare_own(ty, *space, way, out));
        let given: Vec<Rep> = given.collect();
        let all: Vec<&Type> = params.iter().map(|(ty, _)| *ty).collect();
        let tys = ways.types(&all);
        let mut table = Table::default();
        for (ty, way) in tys.iter().zip(&ways.pools) {
            let content = self.declare_content(ty, way, out);
            table.contents.push(Some(content));
        }
        self.given = (0..ways.pools.len()).map(|n| table.pool(n)).collect();
        for numbers in &ways.heaps {
            let mut given: Vec<Pool> = numbers.iter().map(|&n| table.pool(n)).collect();
            let element = numbers.last().map(|&n| tys[n].clone());
            if let (Some(element), Some(made)) = (element, given.pop()) {
                self.heaps.push(Heap { element, given, made });
            }
        }
        for (numbers, element) in ways.outside.iter().zip(elements(&all)) {
            let given = numbers.iter().map(|&n| self.given[n].clone()).collect();
            self.outside.push((element.clone(), given));
        }
        given.iter().zip(&ways.args).map(|(rep, way)| table.with_pools(rep, way)).collect()
    }

    /// New values for the components of a parameter but its pools.
    fn declare_own(&mut self, ty: &Type, space: Space, way: &Way, out: &mut Vec<Value>) -> Rep {
        let mut item = |cx: &mut Self, ty| {
            let value = cx.value_over(space, ty);
            out.push(value);
            Scalar::Value(value, space)
        };
        match (ty, way) {
            (Type::Scalar(ty), _) => Rep::Scalar(item(self, *ty)),
            (Type::Tuple(parts), Way::Tuple(ways)) => {
                let parts = parts.iter().zip(ways);
                let parts = parts.map(|(ty, way)| self.declare_own(ty, space, way, out));
                Rep::Tuple(parts.collect())
            }
            (Type::Seq(_), Way::Seq(behind)) => {
                let (start, len) = (item(self, Ty::I64), item(self, Ty::I64));
                let number = (behind.len() > 1).then(|| item(self, Ty::I64));
                Rep::View { start, len, pool: to_be_said(number) }
            }
            _ => unreachable!("{way:?} of {ty:?}"),
        }
    }

    /// New values for the elements of a pool.
    fn declare_content(&mut self, ty: &Type, way: &Way, out: &mut Vec<Value>) -> Content {
        let mut vector = |cx: &mut Self, ty| {
            let value = cx.values.push(ValueInfo { ty, domain: Domain::Pool });
            out.push(value);
            value
        };
        match (ty, way) {
            (Type::Scalar(ty), _) => Content::Scalar(vector(self, *ty), *ty),
            (Type::Tuple(parts), Way::Tuple(ways)) => {
                let parts = parts.iter().zip(ways);
                let parts = parts.map(|(ty, way)| self.declare_content(ty, way, out));
                Content::Tuple(parts.collect())
            }
            (Type::Seq(_), Way::Seq(behind)) => {
                let (starts, lens) = (vector(self, Ty::I64), vector(self, Ty::I64));
                let choices = (behind.len() > 1).then(|| vector(self, Ty::I64));
                Content::Seq { starts, lens, choices, behind: behind.clone() }
            }
            _ => unreachable!("{way:?} of {ty:?}"),
        }
    }

    /// Parameters of these types, each for the lanes of a space, with a pool for each sequence.
    pub(crate) fn declare_plain(
        &mut self,
        params: &[(&Type, Space)],
        layout: Layout,
        out: &mut Vec<Value>,
    ) -> Vec<Rep> {
        let declare = |&(ty, space): &(&Type, Space)| {
            if space == Function::root() {
                return self.declare(ty, space, layout, out);
            }
            let pool = self.declare_arm(ty, space, out);
            self.within(space, |cx| cx.lane_values(&pool))
        };
        params.iter().map(declare).collect()
    }
}

impl Ways {
    /// Whether there are more pools than a call may have.
    pub(crate) fn are_many(&self) -> bool {
        fn is_long(way: &Way) -> bool {
            match way {
                Way::Scalar => false,
                Way::Tuple(ways) => ways.iter().any(is_long),
                Way::Seq(behind) => behind.len() > MOST_POOLS,
            }
        }
        self.pools.len() > MOST_POOLS || self.pools.iter().any(is_long)
    }

    /// The types of the elements of the pools, behind parameters of these types.
    fn types<'t>(&self, params: &[&'t Type]) -> Vec<&'t Type> {
        fn note<'t>(ty: &'t Type, way: &Way, tys: &mut [Option<&'t Type>], new: &mut Vec<usize>) {
            match (ty, way) {
                (Type::Tuple(parts), Way::Tuple(ways)) => {
                    parts.iter().zip(ways).for_each(|(ty, way)| note(ty, way, tys, new));
                }
                (Type::Seq(element), Way::Seq(behind)) => {
                    let unknown = behind.iter().filter(|&&n| tys[n].is_none());
                    new.extend(unknown);
                    behind.iter().for_each(|&n| tys[n] = Some(element));
                }
                _ => {}
            }
        }
        let (mut tys, mut new) = (vec![None; self.pools.len()], Vec::new());
        params.iter().zip(&self.args).for_each(|(ty, way)| note(ty, way, &mut tys, &mut new));
        // Nothing that is given need look into a heap.
        for (numbers, element) in self.heaps.iter().zip(elements(params)) {
            numbers.iter().for_each(|&n| tys[n] = Some(element));
        }
        while let Some(n) = new.pop() {
            if let Some(ty) = tys[n] {
                note(ty, &self.pools[n], &mut tys, &mut new);
            }
        }
        let known = |(n, ty): (usize, Option<&'t Type>)| {
            ty.unwrap_or_else(|| unreachable!("nothing looks into pool {n} of {self:?}"))
        };
        tys.into_iter().enumerate().map(known).collect()
    }

    /// The numbers of the pools behind the sequence at a place in the arguments.
    pub(crate) fn behind(&self, path: &Path) -> Vec<usize> {
        let mut ways = vec![&self.args[path.param()]];
        for step in path.steps() {
            ways = match step {
                Step::Part(n) => ways.iter().map(|way| way.part(*n)).collect(),
                Step::Elements => {
                    let numbers: BTreeSet<usize> =
                        ways.iter().flat_map(|way| way.numbers()).copied().collect();
                    numbers.into_iter().map(|n| &self.pools[n]).collect()
                }
            };
        }
        ways.iter().flat_map(|way| way.numbers()).copied().collect()
    }

    /// The components of parameters that look into pools in such ways, for one lane.
    pub(crate) fn components(&self) -> Vec<Component> {
        let mut components = Vec::new();
        self.args.iter().for_each(|way| way.components(0, &mut components));
        for (n, way) in self.pools.iter().enumerate() {
            way.components(n + 1, &mut components);
        }
        components
    }
}

impl Way {
    /// How a value of this type looks into heaps: each sequence into all pools of its own, or into
    /// all but the heap itself if it is only passed on.
    fn in_heaps(
        ty: &Type,
        heaps: &[Heap],
        numbers: &[Vec<usize>],
        passed: &mut impl Iterator<Item = bool>,
    ) -> Way {
        match ty {
            Type::Scalar(_) => Way::Scalar,
            Type::Tuple(parts) => {
                let part = |ty| Way::in_heaps(ty, heaps, numbers, passed);
                Way::Tuple(parts.iter().map(part).collect())
            }
            Type::Seq(element) => {
                let own = heaps.iter().position(|heap| heap.element == **element);
                let mut own = own.map(|n| numbers[n].clone()).unwrap_or_default();
                if passed.next() == Some(true) && own.len() > 1 {
                    own.pop();
                }
                Way::Seq(own)
            }
        }
    }

    fn part(&self, n: usize) -> &Way {
        match self {
            Way::Tuple(ways) => &ways[n],
            Way::Scalar | Way::Seq(_) => unreachable!("{self:?} is no tuple"),
        }
    }

    fn numbers(&self) -> &[usize] {
        match self {
            Way::Seq(behind) => behind,
            Way::Scalar | Way::Tuple(_) => unreachable!("{self:?} is no sequence"),
        }
    }

    fn each_number(&mut self, change: &impl Fn(&mut usize)) {
        match self {
            Way::Scalar => {}
            Way::Tuple(ways) => ways.iter_mut().for_each(|way| way.each_number(change)),
            Way::Seq(behind) => behind.iter_mut().for_each(change),
        }
    }

    fn components(&self, level: usize, out: &mut Vec<Component>) {
        let mut push = |role| out.push(Component { level, role });
        match self {
            Way::Scalar => push(Role::Item),
            Way::Tuple(ways) => ways.iter().for_each(|way| way.components(level, out)),
            Way::Seq(behind) => {
                push(Role::Start(behind[0] + 1));
                push(Role::Len(behind[0] + 1));
                if behind.len() > 1 {
                    push(Role::Item);
                }
            }
        }
    }
}
