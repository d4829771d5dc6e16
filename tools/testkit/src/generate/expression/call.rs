//! Calls.

use super::super::function::Fuel;
use super::super::maker::{Callable, Maker};
use super::super::tree::{Exp, Kind};
use super::super::ty::{Ty, matches, substitute};

impl Maker {
    /// The functions that may be called here.
    pub(super) fn usable(&mut self) -> Vec<Callable> {
        let (recursive, scalar) = (self.inside == 0 || self.random.chance(15), self.scalar);
        let fits = |ty: &Ty| !scalar || (ty.depth() == 0 && !ty.has_function());
        let usable = |c: &&Callable| (recursive || !c.recursive) && c.params.iter().all(fits);
        self.callables.iter().filter(usable).cloned().collect()
    }

    /// A call of a function of the program or of a bound function value.
    pub(super) fn call(&mut self, ty: &Ty, size: usize) -> Exp {
        if let Some(call) = self.call_of_bound(ty, size) {
            return call;
        }
        let mut known = self.usable();
        known.retain(|callable| matches(&callable.result, ty, &mut Vec::new()));
        let callee = if !known.is_empty() && self.random.chance(70) {
            self.random.pick(&known).clone()
        } else if self.has_room() {
            self.new_function(ty)
        } else {
            return self.library(ty, size);
        };
        self.call_of(&callee, ty, size).unwrap_or_else(|| self.library(ty, size))
    }

    /// A call of a function value that has a name here.
    fn call_of_bound(&mut self, ty: &Ty, size: usize) -> Option<Exp> {
        let bound = self.visible(|t| matches!(t, Ty::Fun(_, to) if **to == *ty));
        if !bound.is_empty() && self.random.chance(60) {
            let function = self.random.pick(&bound).clone();
            let Ty::Fun(from, _) = &function.ty else { unreachable!("a function") };
            let args = vec![self.exp(from, size - 1)];
            return Some(Exp::new(ty.clone(), Kind::Call(function.name, args, Vec::new())));
        }
        let makes = |t: &Ty| matches!(t, Ty::Fun(_, to) if **to == *ty);
        let bound = self.visible(|t| matches!(t, Ty::Fun(_, to) if makes(to)));
        if bound.is_empty() || !self.random.chance(60) {
            return None;
        }
        let function = self.random.pick(&bound).clone();
        let Ty::Fun(first, to) = function.ty else { unreachable!("a function") };
        let Ty::Fun(second, _) = &*to else { unreachable!("a function") };
        let arg = self.exp(&first, size / 2);
        let inner = Kind::Call(function.name, vec![arg], Vec::new());
        let parts = vec![Exp::new(Ty::clone(&to), inner), self.exp(second, size / 2)];
        Some(Exp::new(ty.clone(), Kind::Template("($0)($1)", parts)))
    }

    /// A call from outside the function; none if its arguments would nest too deeply.
    fn call_of(&mut self, callee: &Callable, ty: &Ty, size: usize) -> Option<Exp> {
        let mut known = Vec::new();
        matches(&callee.result, ty, &mut known);
        let optional = callee.optional.iter().map(|optional| &optional.ty);
        let types: Vec<Ty> = callee.params.iter().chain(optional).cloned().collect();
        let types = self.instances(&types, &mut known)?;
        let types = &types[..callee.params.len()];
        let sizes = self.share(size, types.len());
        let mut args: Vec<Exp> =
            types.iter().zip(sizes).map(|(param, size)| self.exp(param, size)).collect();
        let bound = match callee.fuel {
            Some(_) if self.inside > 0 => Some("mod($0, 4)"),
            Some(Fuel::Little) => Some("mod($0, 5)"),
            Some(Fuel::Much) => Some(*self.random.pick(&["mod($0, 7)", "mod($0 * 37, 60)"])),
            None => None,
        };
        if let Some(text) = bound {
            let count = args.remove(0);
            args.insert(0, Exp::new(Ty::Int, Kind::Template(text, vec![count])));
        }
        let named = self.named(callee, &known, size / 3);
        if let (true, Some(Kind::Tuple(_))) = (named.is_empty(), args.last().map(|arg| &arg.kind))
            && callee.optional.is_empty()
            && self.random.chance(30)
            && let Some(Kind::Tuple(parts)) = args.pop().map(|arg| arg.kind)
        {
            // More arguments than parameters: the last parameter takes the rest.
            args.extend(parts);
        }
        Some(Exp::new(ty.clone(), Kind::Call(callee.name.clone(), args, named)))
    }

    /// The optional arguments of a call: all, some or none, in any order.
    pub(in super::super) fn named(
        &mut self,
        callee: &Callable,
        known: &[(char, Ty)],
        size: usize,
    ) -> Vec<(String, Exp)> {
        let mut named = Vec::new();
        for optional in &callee.optional {
            let ty = substitute(&optional.ty, known);
            if ty == optional.default && self.random.chance(50) {
                continue;
            }
            let arg = self.exp(&ty, size.max(1));
            let at = self.random.below(named.len() + 1);
            named.insert(at, (optional.name.clone(), arg));
        }
        named
    }
}
