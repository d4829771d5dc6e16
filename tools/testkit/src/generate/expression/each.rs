//! Apply-to-eaches.

use super::super::maker::{Maker, Var};
use super::super::tree::{Each, Exp, Kind};
use super::super::ty::Ty;

impl Maker {
    /// An apply-to-each.
    pub(super) fn each(&mut self, ty: &Ty, size: usize) -> Exp {
        let Some(element) = ty.element() else { return self.leaf(ty) };
        let sizes = self.share(size, 3);
        // Without a body, the first source has the wanted type.
        let bare = self.random.chance(15);
        let source_ty = if bare { ty.clone() } else { self.source_type() };
        let first = self.exp(&source_ty, sizes[0].max(1));
        let more = if self.random.chance(35) { 1 + self.random.below(2) } else { 0 };
        let before = self.scope.len();
        let mut wrapped = None;
        let first = match (&first.kind, more) {
            (Kind::Name(_), _) | (_, 0) => first,
            _ => {
                let name = self.fresh("v");
                self.scope.push(Var { name: name.clone(), ty: source_ty.clone() });
                wrapped = Some((name.clone(), first));
                Exp::name(source_ty.clone(), name)
            }
        };
        let mut sources = vec![first.clone()];
        for _ in 0..more {
            sources.push(self.source_like(&first, sizes[0] / 2));
        }
        let (mut generators, mut bound) = (Vec::new(), Vec::new());
        for source in sources {
            let Some(item) = source.ty.element().cloned() else { unreachable!("a source") };
            let name = match &source.kind {
                Kind::Name(name) if self.random.chance(30) => Some(name.clone()),
                _ => None,
            };
            // The names of one apply-to-each must differ.
            match name.filter(|name| bound.iter().all(|v: &Var| v.name != *name)) {
                Some(name) => {
                    bound.push(Var { name, ty: item });
                    generators.push((None, source));
                }
                None => {
                    let (pattern, vars) = self.pattern(&item);
                    bound.extend(vars);
                    generators.push((Some(pattern), source));
                }
            }
        }
        let tested = self.random.chance(if bare { 90 } else { 30 });
        let serial = self.random.chance(4);
        let (test, body) = self.with(bound, |maker| {
            let test = tested.then(|| maker.exp(&Ty::Bool, (sizes[1] / 2).clamp(2, 8)));
            (test, (!bare).then(|| maker.exp(element, sizes[2].max(2))))
        });
        self.scope.truncate(before);
        let each = Each { serial, body, generators, test };
        let each = Exp::new(ty.clone(), Kind::Each(Box::new(each)));
        match wrapped {
            Some(binding) => Exp::new(ty.clone(), Kind::Let(vec![binding], Box::new(each))),
            None => each,
        }
    }

    /// The type of a source: often that of a sequence in scope.
    fn source_type(&mut self) -> Ty {
        let names = self.visible(|t| t.element().is_some());
        if !names.is_empty() && self.random.chance(55) {
            return self.random.pick(&names).ty.clone();
        }
        let depth = self.some_depth();
        self.ty(depth).seq()
    }

    /// Another source, as long as the first one, which is a name.
    fn source_like(&mut self, first: &Exp, size: usize) -> Exp {
        let Some(element) = first.ty.element().cloned() else { unreachable!("a source") };
        let whole = |text| (first.ty.clone(), text);
        let mut ways: Vec<(Ty, &'static str)> = vec![
            (Ty::Int.seq(), "index(#$0)"),
            whole("reverse($0)"),
            whole("rotate($0, 1)"),
            (Ty::Bool.seq(), "mark_duplicates($0)"),
            (Ty::Int.seq().seq(), "dist([1, 2], #$0)"),
        ];
        if element.in_class('n') {
            ways.push(whole("plus_scan($0)"));
        }
        if element.in_class('o') {
            ways.push((Ty::Int.seq(), "rank($0)"));
            ways.push(whole("sort($0)"));
        }
        if self.risky && self.random.chance(15) {
            return self.exp(&first.ty, size.max(1));
        }
        if self.random.chance(30) {
            let depth = self.random.below(3);
            let body_ty = self.ty(depth);
            let (pattern, vars) = self.pattern(&element);
            let body = self.with(vars, |maker| maker.exp(&body_ty, size.max(2)));
            let generators = vec![(Some(pattern), first.clone())];
            let each = Each { serial: false, body: Some(body), generators, test: None };
            return Exp::new(body_ty.seq(), Kind::Each(Box::new(each)));
        }
        let (ty, text) = self.random.pick(&ways).clone();
        Exp::new(ty, Kind::Template(text, vec![first.clone()]))
    }
}
