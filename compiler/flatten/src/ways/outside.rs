//! Arguments of the root in a recursion with heaps.
//!
//! Where lanes run one by one, or there are none, what a recursion makes is chosen by reference,
//! and no heap is needed ([`crate::op::heap`]).  Each sequence looks into the pools that the
//! recursion was given from outside, whose numbers stay what they are, or into one of its own: so
//! it can be handed up as start and length if it was given.  These ways of looking into pools are
//! the same at each depth.

use super::{Handed, Numbered, Table, Way, Ways, to_be_said};
use crate::context::Context;
use crate::op::heap::elements;
use crate::rep::{Pool, Rep, Scalar};
use flat::{Function, Operand};
use nest::{Func, Type};

/// What sequences of the root look into, of a recursion with heaps.
struct Outside<'g> {
    /// The pools that the recursion was given, by the types of elements, and their numbers.
    given: &'g [(Type, Vec<Pool>)],
    numbers: &'g [Vec<usize>],
    /// Whether each of the next sequences looks into these alone.
    passed: std::vec::IntoIter<bool>,
}

impl Outside<'_> {
    /// The given pools with elements of a type, and their numbers.
    fn given(&self, element: &Type) -> (Vec<Pool>, Vec<usize>) {
        let of_type = self.given.iter().zip(self.numbers).find(|((ty, _), _)| ty == element);
        of_type
            .map_or_else(Default::default, |((_, pools), numbers)| (pools.clone(), numbers.clone()))
    }
}

impl Context<'_, '_> {
    /// The components of arguments at the root, by reference, where the heaps of a recursion are
    /// not needed, and what it was given is handed up.
    pub(crate) fn hand_on_outside(
        &mut self,
        func: Func,
        args: &[Rep],
        out: &mut Vec<Operand>,
    ) -> Option<Handed> {
        let same = self.flattener.analysis.recursion[func] == self.recursion;
        if self.outside.is_empty() || !same || !self.flattener.origins.hands_up_given(func) {
            return None;
        }
        let callee = &self.flattener.nest.funcs[func];
        let tys: Vec<&Type> = callee.params.iter().map(|&p| &callee.values[p].ty).collect();
        let elements = elements(&tys);
        if !elements.iter().all(|ty| ty.is_flat()) {
            return None;
        }
        let given = |ty: &&Type| {
            let known = self.outside.iter().find(|(element, _)| element == *ty);
            ((*ty).clone(), known.map(|(_, pools)| pools.clone()).unwrap_or_default())
        };
        let given: Vec<(Type, Vec<Pool>)> = elements.iter().map(given).collect();
        let handed = self.numbered_outside(func, args, &tys, &given);
        Some(self.hand_on_table(handed, out))
    }

    /// Arguments of the root, each of which looks into the pools that the recursion was given, or
    /// into one of its own, by reference.
    fn numbered_outside(
        &mut self,
        func: Func,
        args: &[Rep],
        tys: &[&Type],
        given: &[(Type, Vec<Pool>)],
    ) -> Numbered {
        let mut table = Table::default();
        let numbers: Vec<Vec<usize>> = given
            .iter()
            .map(|(_, pools)| pools.iter().map(|pool| self.number(pool, &mut table)).collect())
            .collect();
        let mut numbered = Vec::new();
        for (n, (arg, ty)) in args.iter().zip(tys).enumerate() {
            let mut passed = Vec::new();
            self.flattener.origins.passed(func, n, ty, &mut passed);
            let mut looking = Outside { given, numbers: &numbers, passed: passed.into_iter() };
            let (arg, way) = self.looking_outside(arg, ty, &mut looking, &mut table);
            numbered.push((arg, way, Function::root()));
        }
        let ways = Ways { outside: numbers, ..table.ways(&numbered, Vec::new()) };
        Numbered { args: numbered, table, ways }
    }

    fn looking_outside(
        &mut self,
        rep: &Rep,
        ty: &Type,
        looking: &mut Outside<'_>,
        table: &mut Table,
    ) -> (Rep, Way) {
        match (rep, ty) {
            (Rep::Scalar(_), _) => (rep.clone(), Way::Scalar),
            (Rep::Tuple(parts), Type::Tuple(tys)) => {
                let parts = parts.iter().zip(tys);
                let parts = parts.map(|(part, ty)| self.looking_outside(part, ty, looking, table));
                let (parts, ways) = parts.unzip();
                (Rep::Tuple(parts), Way::Tuple(ways))
            }
            (Rep::Lanes { .. } | Rep::View { .. }, Type::Seq(element)) => {
                let (start, len, pool) = self.as_view(rep);
                let (given, mut behind) = looking.given(element);
                let passed = looking.passed.next() == Some(true) && !given.is_empty();
                let choice = if passed {
                    self.number_among(&pool, &given)
                } else {
                    let (choice, made) = self.given_or_made(&pool, &given, element);
                    behind.push(self.new_number(&made, table));
                    choice
                };
                let pool = to_be_said((behind.len() > 1).then_some(choice));
                (Rep::View { start, len, pool }, Way::Seq(behind))
            }
            _ => unreachable!("{rep:?} of {ty:?}"),
        }
    }

    /// Which of the given pools it is that a sequence of the root looks into, or that it is another
    /// one, and this.
    fn given_or_made(&mut self, pool: &Pool, given: &[Pool], element: &Type) -> (Scalar, Pool) {
        let (choice, pools) = self.ways_of(pool);
        let place = |pool: &Pool| given.iter().position(|known| known == pool);
        let others: Vec<Pool> = pools.iter().filter(|&p| place(p).is_none()).cloned().collect();
        let made = if others.is_empty() {
            self.empty_pool(element)
        } else {
            let place = |pool: &Pool| others.iter().position(|known| known == pool).unwrap_or(0);
            let places: Vec<usize> = pools.iter().map(place).collect();
            let number = self.renumbered(choice, &places);
            self.one_pool(number, &others)
        };
        let places = pools.iter().map(|pool| place(pool).unwrap_or(given.len()));
        let places: Vec<usize> = places.collect();
        (self.renumbered(choice, &places), made)
    }

    /// The number of a pool that nothing else looks into.
    fn new_number(&mut self, pool: &Pool, table: &mut Table) -> usize {
        let content = self.content(pool, table);
        table.found.push(pool.clone());
        table.contents.push(Some(content));
        table.contents.len() - 1
    }
}
