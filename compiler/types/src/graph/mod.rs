//! The types of the form being checked: a graph whose nodes are types, with variables that become
//! other nodes.
//!
//! A type is a node, so equal parts are shared and copying one costs nothing.  Every function type
//! carries an effect variable besides its argument and result ([`effect`]); a datatype carries one
//! for each function type in its fields.  One graph serves one form, or one group of mutually
//! recursive functions, and is then thrown away; what stays is a [`Poly`] for each name.
//!
//! ```text
//! x => x + 1      n5: Fun(n0, e1, n0)    n0: int    e1: pure
//! ```
//!
//! Invariant: the element type of a sequence contains no function (LANGUAGE 5.4).  Variables in it
//! have class [`Class::Data`] or a smaller one, so that the rule is checked at each use of a
//! polymorphic function without further ado.

mod effect;
mod origin;
mod poly;
mod resolve;
mod unify;

pub(crate) use effect::{Cause, Conflict, Eff, Effects, Reason};
pub(crate) use origin::Origin;
pub(crate) use poly::Poly;
pub(crate) use resolve::Resolver;

use crate::ty::{Base, Class, Data, Meet, TyVar, Type};
use base::{Id, IdMap, define_id};
use std::sync::Arc;

define_id!(Ty, "n", "A type of the form being checked.");

/// What a type is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Node {
    /// Not known yet; one of these.
    Var(Class),
    /// The same as another.
    Link(Ty),
    /// A type in which an error was reported; it fits everything.
    Error,
    Base(Base),
    Seq(Ty),
    Pair(Ty, Ty),
    Fun(Ty, Eff, Ty),
    Data(Data, Arc<[Ty]>, Arc<[Eff]>),
}

/// What the checker knows of a datatype besides [`crate::tree::Datatype`].
#[derive(Clone, Debug)]
pub(crate) struct DataInfo {
    /// As shown.
    pub(crate) name: String,
    /// Whether the fields contain a function whatever the arguments are.
    pub(crate) functions: bool,
    /// Which arguments occur in the fields; the others are phantoms.
    pub(crate) held: Vec<bool>,
    /// The type of the constructor: fields -> datatype.
    pub(crate) constructor: Poly,
}

/// Why two types cannot be one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Clash {
    /// They are built differently, or a class forbids it.
    Different,
    /// A function where none may be.
    Functions,
    /// A type would contain itself.
    Infinite,
}

/// The types of one form.
pub(crate) struct Graph<'a> {
    nodes: IdMap<Ty, Node>,
    /// The effects of its function types.
    pub(crate) effects: Effects,
    datas: &'a IdMap<Data, DataInfo>,
    /// Nodes changed by the unification at hand, to be restored if it fails.
    trail: Vec<(Ty, Node)>,
    /// Where its variables became what they are.
    origins: origin::Origins,
    unifying: bool,
    /// When a walk last saw a node: walks visit shared parts once.
    seen: Vec<u32>,
    walk: u32,
    /// Nodes known to contain no function, whatever their variables become.
    plain: Vec<bool>,
}

impl<'a> Graph<'a> {
    /// A graph with the base types.
    pub(crate) fn new(datas: &'a IdMap<Data, DataInfo>) -> Graph<'a> {
        Graph {
            nodes: Base::ALL.into_iter().map(Node::Base).collect(),
            effects: Effects::default(),
            datas,
            trail: Vec::new(),
            origins: origin::Origins::default(),
            unifying: false,
            seen: Vec::new(),
            walk: 0,
            plain: Vec::new(),
        }
    }

    /// A base type.
    pub(crate) fn base(&self, base: Base) -> Ty {
        Ty::new(base as usize)
    }
    /// A new variable.
    pub(crate) fn var(&mut self, class: Class) -> Ty {
        self.nodes.push(Node::Var(class))
    }
    /// A type that fits everything.
    pub(crate) fn error(&mut self) -> Ty {
        self.nodes.push(Node::Error)
    }
    /// `(a, b)`.
    pub(crate) fn pair(&mut self, a: Ty, b: Ty) -> Ty {
        self.nodes.push(Node::Pair(a, b))
    }
    /// `a -> r` with an effect.
    pub(crate) fn fun(&mut self, a: Ty, effect: Eff, r: Ty) -> Ty {
        self.nodes.push(Node::Fun(a, effect, r))
    }
    /// `[t]`, if `t` may be an element.
    pub(crate) fn seq(&mut self, element: Ty) -> Result<Ty, Clash> {
        self.require_plain(element)?;
        Ok(self.nodes.push(Node::Seq(element)))
    }
    /// A datatype at these arguments and effects.
    pub(crate) fn data(&mut self, data: Data, args: Vec<Ty>, effects: Vec<Eff>) -> Ty {
        self.nodes.push(Node::Data(data, args.into(), effects.into()))
    }
    /// A node as it is, for [`Poly`].
    fn push(&mut self, node: Node) -> Ty {
        self.nodes.push(node)
    }

    /// The node that stands for a type, links followed.
    pub(crate) fn find(&mut self, ty: Ty) -> Ty {
        let mut root = ty;
        while let Node::Link(next) = self.nodes[root] {
            root = next;
        }
        let mut at = ty;
        while let Node::Link(next) = self.nodes[at] {
            if next == root {
                break;
            }
            self.set(at, Node::Link(root));
            at = next;
        }
        root
    }
    /// What a type is now; never a link.
    pub(crate) fn view(&mut self, ty: Ty) -> Node {
        let root = self.find(ty);
        self.nodes[root].clone()
    }
    fn set(&mut self, ty: Ty, node: Node) {
        let old = std::mem::replace(&mut self.nodes[ty], node);
        if self.unifying {
            self.trail.push((ty, old));
        }
    }

    /// Restricts a type to those without functions.
    pub(crate) fn require_plain(&mut self, ty: Ty) -> Result<(), Clash> {
        let ty = self.find(ty);
        if self.plain.get(ty.index()).copied().unwrap_or(false) {
            return Ok(());
        }
        match self.nodes[ty].clone() {
            Node::Var(class) => match class.meet(Class::Data) {
                Meet::Class(c) if c == class => {}
                Meet::Class(c) => self.set(ty, Node::Var(c)),
                Meet::Base(b) => self.set(ty, Node::Base(b)),
            },
            Node::Pair(a, b) => {
                self.require_plain(a)?;
                self.require_plain(b)?;
            }
            Node::Fun(..) => return Err(Clash::Functions),
            Node::Data(data, args, _) => {
                let datas = self.datas;
                if datas[data].functions {
                    return Err(Clash::Functions);
                }
                for (arg, held) in args.iter().zip(&datas[data].held) {
                    if *held {
                        self.require_plain(*arg)?;
                    }
                }
            }
            Node::Base(_) | Node::Seq(_) | Node::Error | Node::Link(_) => {}
        }
        // A failed unification may take back what was required here; then the form has an error
        // anyway, and the mark is only about what was already reported.
        self.plain.resize(self.nodes.len().max(self.plain.len()), false);
        self.plain[ty.index()] = !matches!(self.nodes[ty], Node::Var(_));
        Ok(())
    }

    /// The variables in some types, in the order of first appearance.
    pub(crate) fn variables(&mut self, types: &[Ty]) -> Vec<Ty> {
        self.walk += 1;
        let mut found = Vec::new();
        for &ty in types {
            self.walk_variables(ty, true, &mut found);
        }
        found
    }
    /// The variables outside function types.
    pub(crate) fn outer_variables(&mut self, ty: Ty) -> Vec<Ty> {
        self.walk += 1;
        let mut found = Vec::new();
        self.walk_variables(ty, false, &mut found);
        found
    }
    fn walk_variables(&mut self, ty: Ty, functions: bool, found: &mut Vec<Ty>) {
        let ty = self.find(ty);
        if !self.first_visit(ty) {
            return;
        }
        match self.nodes[ty].clone() {
            Node::Var(_) => found.push(ty),
            Node::Base(_) | Node::Error | Node::Link(_) => {}
            Node::Seq(t) => self.walk_variables(t, functions, found),
            Node::Pair(a, b) => {
                self.walk_variables(a, functions, found);
                self.walk_variables(b, functions, found);
            }
            Node::Fun(a, _, r) if functions => {
                self.walk_variables(a, functions, found);
                self.walk_variables(r, functions, found);
            }
            Node::Fun(..) => {}
            Node::Data(_, args, _) => {
                args.iter().for_each(|&t| self.walk_variables(t, functions, found));
            }
        }
    }
    /// Whether the walk at hand has not seen this node yet.
    fn first_visit(&mut self, ty: Ty) -> bool {
        if self.seen.len() <= ty.index() {
            self.seen.resize(self.nodes.len(), 0);
        }
        std::mem::replace(&mut self.seen[ty.index()], self.walk) != self.walk
    }
}

/// The placeholder for a type of the form being checked in the typed tree, replaced by
/// [`Resolver`] at the end.
pub(crate) fn placeholder(ty: Ty) -> Type {
    Type::Var(TyVar::new(ty.index()))
}

/// The type behind a placeholder.
pub(crate) fn placed(ty: &Type) -> Ty {
    match ty {
        Type::Var(v) => Ty::new(v.index()),
        other => unreachable!("{other:?} is no placeholder"),
    }
}
