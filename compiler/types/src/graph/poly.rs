//! Polymorphic types: what remains of a graph when a name has been checked, and how each use gets
//! its own copy.

use super::effect::{Cause, Reason, Summary};
use super::{Eff, Graph, Node, Ty};
use crate::ty::{Class, Meet, Scheme, TyVar, Type};
use base::{Id, Span};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A type with quantified variables and effects: a small graph of its own.  Nodes come before those
/// that use them; the first ones are the variables.
#[derive(Clone, Debug)]
pub(crate) struct Poly {
    nodes: Vec<Node>,
    root: usize,
    effects: Vec<Summary>,
    /// The same type as the typed program keeps it.
    pub(crate) scheme: Scheme,
}

/// A use of a polymorphic type.
pub(crate) struct Instance {
    /// The type.
    pub(crate) ty: Ty,
    /// What its variables stand for here.
    pub(crate) vars: Vec<Ty>,
}

impl Graph<'_> {
    /// A copy of a polymorphic type with new variables, for a use of `name` at `span`.
    pub(crate) fn instantiate(&mut self, poly: &Poly, name: &str, span: Span) -> Instance {
        let first = self.instantiate_effects(poly, name, span);
        let effect = |e: Eff| Eff::new(first + e.index());
        let mut map: Vec<Ty> = Vec::with_capacity(poly.nodes.len());
        for node in &poly.nodes {
            let at = |t: Ty| map[t.index()];
            let ty = match node {
                Node::Base(b) => self.base(*b),
                Node::Var(class) => self.var(*class),
                Node::Seq(t) => self.push(Node::Seq(at(*t))),
                Node::Pair(a, b) => self.pair(at(*a), at(*b)),
                Node::Fun(a, e, r) => self.fun(at(*a), effect(*e), at(*r)),
                Node::Data(d, args, effects) => {
                    let args: Arc<[Ty]> = args.iter().map(|&t| at(t)).collect();
                    let effects: Arc<[Eff]> = effects.iter().map(|&e| effect(e)).collect();
                    self.push(Node::Data(*d, args, effects))
                }
                Node::Link(_) | Node::Error => self.error(),
            };
            map.push(ty);
        }
        let vars = map[..poly.scheme.classes.len()].to_vec();
        Instance { ty: map[poly.root], vars }
    }

    /// Copies the effects; gives the number of the first.
    fn instantiate_effects(&mut self, poly: &Poly, name: &str, span: Span) -> usize {
        let ids: Vec<Eff> = poly.effects.iter().map(|_| self.effects.fresh()).collect();
        for (&id, summary) in ids.iter().zip(&poly.effects) {
            if summary.effectful {
                self.effects.mark(id, Cause { span, reason: Reason::Uses(name.to_string()) });
            }
            if summary.forbidden {
                let reason = Reason::AppliesInEach(name.to_string());
                self.effects.forbid(id, Cause { span, reason });
            }
            for &to in &summary.flows {
                self.effects.flow(id, ids[to]);
            }
        }
        ids.first().map_or(0, |e| e.index())
    }

    /// The type `root` with these variables quantified.  All its other variables are gone: the
    /// caller quantifies every variable of the type.
    pub(crate) fn generalise(&mut self, root: Ty, vars: &[Ty]) -> Poly {
        let mut build = Build::default();
        for &var in vars {
            // A parameter of a datatype may have become a base type: then nothing depends on it.
            let (class, free) = match self.view(var) {
                Node::Var(class) => (class, true),
                _ => (Class::Any, false),
            };
            let var = self.find(var);
            if free {
                build.known.insert(var, build.nodes.len());
            }
            build.nodes.push(Node::Var(class));
            build.classes.push(class);
        }
        let id = self.copy_out(root, &mut build);
        let effects = self.effects.summarise(&build.effects);
        let scheme = Scheme { classes: build.classes, ty: written(&build.nodes, id) };
        Poly { nodes: build.nodes, root: id, effects, scheme }
    }

    fn copy_out(&mut self, ty: Ty, build: &mut Build) -> usize {
        let ty = self.find(ty);
        if let Some(&id) = build.known.get(&ty) {
            return id;
        }
        let node = match self.nodes[ty].clone() {
            Node::Seq(t) => Node::Seq(Ty::new(self.copy_out(t, build))),
            Node::Pair(a, b) => {
                let a = self.copy_out(a, build);
                Node::Pair(Ty::new(a), Ty::new(self.copy_out(b, build)))
            }
            Node::Fun(a, e, r) => {
                let a = Ty::new(self.copy_out(a, build));
                let e = self.copy_effect(e, build);
                Node::Fun(a, e, Ty::new(self.copy_out(r, build)))
            }
            Node::Data(d, args, effects) => {
                let args = args.iter().map(|&t| Ty::new(self.copy_out(t, build))).collect();
                let effects = effects.iter().map(|&e| self.copy_effect(e, build)).collect();
                Node::Data(d, args, effects)
            }
            node => node,
        };
        build.nodes.push(node);
        let id = build.nodes.len() - 1;
        build.known.insert(ty, id);
        id
    }

    fn copy_effect(&mut self, effect: Eff, build: &mut Build) -> Eff {
        let root = self.effects.root(effect);
        let effects = &mut build.effects;
        let index = effects.iter().position(|&e| e == root).unwrap_or_else(|| {
            effects.push(root);
            effects.len() - 1
        });
        Eff::new(index)
    }
}

/// A [`Poly`] being made.
#[derive(Default)]
struct Build {
    nodes: Vec<Node>,
    known: FxHashMap<Ty, usize>,
    effects: Vec<Eff>,
    classes: Vec<Class>,
}

/// The type of the node `root`, effects dropped.
fn written(nodes: &[Node], root: usize) -> Type {
    let mut types: Vec<Type> = Vec::with_capacity(nodes.len());
    for (i, node) in nodes.iter().enumerate() {
        let at = |t: &Ty| types[t.index()].clone();
        types.push(match node {
            Node::Base(b) => Type::Base(*b),
            Node::Var(_) | Node::Link(_) | Node::Error => Type::Var(TyVar::new(i)),
            Node::Seq(t) => Type::Seq(Arc::new(at(t))),
            Node::Pair(a, b) => Type::Pair(Arc::new(at(a)), Arc::new(at(b))),
            Node::Fun(a, _, r) => Type::Fun(Arc::new(at(a)), Arc::new(at(r))),
            Node::Data(d, args, _) => Type::Data(*d, args.iter().map(at).collect()),
        });
    }
    types.swap_remove(root)
}

impl Poly {
    /// Restricts all its variables to a class.
    pub(crate) fn restrict(&mut self, class: Class) {
        for (node, own) in self.nodes.iter_mut().zip(&mut self.scheme.classes) {
            if let Meet::Class(both) = own.meet(class) {
                (*node, *own) = (Node::Var(both), both);
            }
        }
    }
    /// States that calling it has an effect.
    pub(crate) fn make_effectful(&mut self) {
        if let Node::Fun(_, effect, _) = self.nodes[self.root] {
            self.effects[effect.index()].effectful = true;
        }
    }
    /// States that functions among its parameters may be called wherever it is called, and in
    /// lanes, so that they must not have effects: what a declaration has to assume.
    pub(crate) fn assume_calls(&mut self) {
        let mut own = Vec::new();
        let mut at = self.root;
        while let Node::Fun(_, effect, result) = &self.nodes[at] {
            own.push(effect.index());
            at = result.index();
        }
        for (i, summary) in self.effects.iter_mut().enumerate() {
            if !own.contains(&i) {
                summary.forbidden = true;
                summary.flows.extend(&own);
            }
        }
    }
    /// Whether calling it has an effect, at once or after all arguments of a curried function.
    pub(crate) fn effectful(&self) -> bool {
        let mut at = self.root;
        while let Node::Fun(_, effect, result) = &self.nodes[at] {
            if self.effects[effect.index()].effectful {
                return true;
            }
            at = result.index();
        }
        false
    }
    /// Returns true if types, classes and effects are equal.
    pub(crate) fn is_same(&self, other: &Poly) -> bool {
        self.scheme.classes == other.scheme.classes
            && self.effects == other.effects
            && self.is_same_at(Ty::new(self.root), other, Ty::new(other.root))
    }
    /// Nodes may be shared in one of them, and stand there twice in the other.
    fn is_same_at(&self, at: Ty, other: &Poly, there: Ty) -> bool {
        let same = |(a, b): (&Ty, &Ty)| self.is_same_at(*a, other, *b);
        match (&self.nodes[at.index()], &other.nodes[there.index()]) {
            (Node::Base(a), Node::Base(b)) => a == b,
            (Node::Var(a), Node::Var(b)) => a == b && at == there,
            (Node::Seq(a), Node::Seq(b)) => same((a, b)),
            (Node::Pair(a, b), Node::Pair(c, d)) => same((a, c)) && same((b, d)),
            (Node::Fun(a, e, b), Node::Fun(c, f, d)) => e == f && same((a, c)) && same((b, d)),
            (Node::Data(a, args, effects), Node::Data(b, others, theirs)) => {
                a == b && effects == theirs && args.iter().zip(others.iter()).all(same)
            }
            _ => false,
        }
    }
    /// The same type up to the names of variables.
    pub(crate) fn same_type(&self, old: &Poly) -> bool {
        let shown = |s: Scheme| (s.classes.iter().map(|c| c.name()).collect::<Vec<_>>(), s.ty);
        shown(self.scheme.canonical()) == shown(old.scheme.canonical())
    }
    /// Returns true if its values contain functions, whose calls may have effects.
    pub(crate) fn has_effects(&self) -> bool {
        !self.effects.is_empty()
    }
    /// Returns true if any effect differs from the default, of which nothing is known.
    pub(crate) fn any_effect(&self) -> bool {
        self.effects.iter().any(|effect| *effect != Summary::default())
    }
    /// The same type without effects.
    pub(crate) fn without_effects(&self) -> Poly {
        Poly { effects: vec![Summary::default(); self.effects.len()], ..self.clone() }
    }
    /// Takes over the effects of another of the same type; says whether that changed any.
    pub(crate) fn take_effects(&mut self, other: Poly) -> bool {
        let changed = self.effects != other.effects;
        // Functions that share an effect there may have had one each here.
        let mut nodes = other.nodes;
        let own = self.scheme.classes.len();
        nodes[..own].clone_from_slice(&self.nodes[..own]);
        (self.nodes, self.root, self.effects) = (nodes, other.root, other.effects);
        changed
    }
}
