//! Expressions of a wanted type, from the outside in.
//!
//! A size is spent on the way: an expression of size 1 is a leaf, a larger one divides what is left
//! among its parts.  Names in scope are chosen from all levels, so bodies of apply-to-eaches use
//! variables of the lanes around them.

mod call;
mod each;
mod leaf;
mod pattern;
mod rows;
mod value;

use super::maker::{Maker, construct};
use super::tree::{Exp, Kind};
use super::ty::Ty;

impl Maker {
    /// An expression of this type.
    pub(super) fn exp(&mut self, ty: &Ty, size: usize) -> Exp {
        if let Ty::Fun(from, to) = ty {
            return self.function_value(from, to, size);
        }
        if size <= 1 || (self.scalar && ty.depth() > 0) {
            return self.leaf(ty);
        }
        if self.scalar && self.random.chance(12) {
            return self.read(ty, size);
        }
        let seq = ty.element().is_some();
        let tuple = usize::from(matches!(ty, Ty::Tuple(_) | Ty::Data(_)));
        let leaf = if size > 5 { 3 } else { 10 };
        let (each, list) = if seq { (34, 8) } else { (0, 0) };
        let weights = [leaf, 30, each, 9, 9, 12, list, 30 * tuple, 3];
        match self.random.weighted(&weights) {
            0 => self.leaf(ty),
            1 => self.library(ty, size),
            2 => self.each(ty, size),
            3 => self.choice(ty, size),
            4 => self.bound(ty, size),
            5 => self.call(ty, size),
            6 => self.sequence(ty, size),
            7 => self.parts(ty, size),
            _ => self.applied(ty, size),
        }
    }

    /// `if`: the arms may hold bulk work.
    pub(super) fn choice(&mut self, ty: &Ty, size: usize) -> Exp {
        let sizes = self.share(size, 3);
        let parts =
            [self.exp(&Ty::Bool, sizes[0].min(6)), self.exp(ty, sizes[1]), self.exp(ty, sizes[2])];
        Exp::new(ty.clone(), Kind::If(Box::new(parts)))
    }

    /// A sequence written out.
    fn sequence(&mut self, ty: &Ty, size: usize) -> Exp {
        let Some(element) = ty.element() else { return self.leaf(ty) };
        let count = *self.random.pick(&[0, 1, 1, 2, 2, 3, 4]);
        let sizes = self.share(size, count);
        let parts = sizes.iter().map(|&size| self.exp(element, size)).collect();
        Exp::new(ty.clone(), Kind::Seq(parts))
    }

    /// A tuple or datatype written out.
    fn parts(&mut self, ty: &Ty, size: usize) -> Exp {
        match ty {
            Ty::Tuple(parts) => {
                let sizes = self.share(size, parts.len());
                let parts = parts.iter().zip(sizes).map(|(p, size)| self.exp(p, size)).collect();
                Exp::new(ty.clone(), Kind::Tuple(parts))
            }
            Ty::Data(data) => {
                let fields = self.exp(&data.fields, size - 1);
                construct(ty, fields)
            }
            _ => self.leaf(ty),
        }
    }
}
