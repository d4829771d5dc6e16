//! Making two types one (Robinson, "A machine-oriented logic based on the resolution principle"),
//! with classes that intersect and effects that merge.

use super::origin::Change;
use super::{Clash, Graph, Node, Ty};
use crate::ty::{Class, Meet};

impl Graph<'_> {
    /// Makes two types one.  If they cannot be, both stay as they were.
    pub(crate) fn unify(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        self.unifying = true;
        self.origins.begin();
        let result = self.join(a, b);
        self.unifying = false;
        if result.is_err() {
            for (ty, node) in std::mem::take(&mut self.trail).into_iter().rev() {
                self.set(ty, node);
            }
        }
        self.trail.clear();
        self.origins.end(result.is_ok());
        result
    }

    fn join(&mut self, a: Ty, b: Ty) -> Result<(), Clash> {
        let parts = (a, b);
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        match (self.nodes[a].clone(), self.nodes[b].clone()) {
            (Node::Error, _) | (_, Node::Error) => Ok(()),
            (Node::Var(x), Node::Var(y)) => {
                self.join_variables(a, x, b, y);
                Ok(())
            }
            (Node::Var(class), _) => {
                self.origins.note(a, Change::Bound(parts.1));
                self.bind(a, class, b).inspect_err(|_| self.origins.clash(parts))
            }
            (_, Node::Var(class)) => {
                self.origins.note(b, Change::Bound(parts.0));
                self.bind(b, class, a).inspect_err(|_| self.origins.clash(parts))
            }
            (Node::Base(x), Node::Base(y)) if x == y => Ok(()),
            (Node::Seq(x), Node::Seq(y)) => self.join(x, y),
            (Node::Pair(x, y), Node::Pair(v, w)) => {
                self.join(x, v)?;
                self.join(y, w)
            }
            (Node::Fun(x, e, y), Node::Fun(v, f, w)) => {
                self.join(x, v)?;
                self.effects.merge(e, f);
                self.join(y, w)
            }
            (Node::Data(d, xs, es), Node::Data(c, ys, fs)) if d == c => {
                for (&e, &f) in es.iter().zip(fs.iter()) {
                    self.effects.merge(e, f);
                }
                xs.iter().zip(ys.iter()).try_for_each(|(&x, &y)| self.join(x, y))
            }
            _ => {
                self.origins.clash(parts);
                Err(Clash::Different)
            }
        }
    }

    fn join_variables(&mut self, a: Ty, x: Class, b: Ty, y: Class) {
        // The younger variable gives way, so that links stay short.
        let (old, young) = if a < b { (a, b) } else { (b, a) };
        let before = if a < b { x } else { y };
        match x.meet(y) {
            Meet::Class(class) => {
                self.set(old, Node::Var(class));
                if class != before {
                    self.origins.note(old, Change::Narrowed);
                }
            }
            Meet::Base(base) => {
                self.set(old, Node::Base(base));
                self.origins.note(old, Change::Narrowed);
            }
        }
        self.set(young, Node::Link(old));
        self.origins.note(young, Change::Joined(old));
    }

    fn bind(&mut self, var: Ty, class: Class, ty: Ty) -> Result<(), Clash> {
        match (class, &self.nodes[ty]) {
            (_, Node::Base(base)) if !class.contains(*base) => return Err(Clash::Different),
            (_, Node::Base(_)) | (Class::Any, _) => {}
            (Class::Data, _) => self.require_plain(ty)?,
            (_, Node::Fun(..)) => return Err(Clash::Different),
            _ => return Err(Clash::Different),
        }
        self.walk += 1;
        if self.contains(ty, var) {
            return Err(Clash::Infinite);
        }
        self.set(var, Node::Link(ty));
        Ok(())
    }

    /// Whether a variable occurs in a type.
    fn contains(&mut self, ty: Ty, var: Ty) -> bool {
        let ty = self.find(ty);
        if ty == var {
            return true;
        }
        if matches!(self.nodes[ty], Node::Var(_) | Node::Base(_)) || !self.first_visit(ty) {
            return false;
        }
        match self.nodes[ty].clone() {
            Node::Seq(t) => self.contains(t, var),
            Node::Pair(a, b) | Node::Fun(a, _, b) => self.contains(a, var) || self.contains(b, var),
            Node::Data(_, args, _) => args.iter().any(|&t| self.contains(t, var)),
            Node::Var(_) | Node::Base(_) | Node::Error | Node::Link(_) => false,
        }
    }
}
