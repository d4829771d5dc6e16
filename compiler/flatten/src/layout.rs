//! The layouts of nest functions: which components their parameters and results become.

use crate::origin::Lying;
use crate::scalars::scalar_types;
use crate::twin::TwinKey;
use nest::{Function, Type};
use prim::{Component, Role, Signature};

/// The layout of a twin of the root, where sequences are views, whose result lies there.
pub(crate) fn signature(function: &Function, twin: &TwinKey, lying: &Lying) -> Signature {
    let ty = &function.values[function.body.result].ty;
    let mut params = match &twin.ways {
        Some(ways) => ways.components(),
        None => {
            let mut params = Layout::default();
            for &param in &function.params {
                params.add(&function.values[param].ty, &Lying::Own, 0);
            }
            params.components
        }
    };
    if twin.placed {
        let mut tys = Vec::new();
        scalar_types(ty.element(), &mut tys);
        let into: Vec<Component> =
            tys.iter().map(|_| Component { level: 0, role: Role::Into }).collect();
        let item = Component { level: 0, role: Role::Item };
        params.extend([item; 2]);
        params.extend(&into);
        return Signature { params, results: into };
    }
    let mut results = Layout::default();
    results.add(ty, lying, 0);
    Signature { params, results: results.components }
}

/// The components found so far.
#[derive(Default)]
struct Layout {
    components: Vec<Component>,
    /// The level opened last.
    last: usize,
}

impl Layout {
    fn add(&mut self, ty: &Type, lying: &Lying, level: usize) {
        match ty {
            Type::Scalar(_) => self.items(1, level),
            Type::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.add(part, lying.part(n), level);
                }
            }
            Type::Seq(element) => match lying.seq() {
                // Start, length and number, which are numbers where the pools are an argument's.
                (given, None) => self.items(if given.len() > 1 { 3 } else { 2 }, level),
                (given, Some(own)) => {
                    self.last += 1;
                    let child = self.last;
                    let bounds = [Role::Start(child), Role::Len(child)];
                    self.components.extend(bounds.map(|role| Component { level, role }));
                    self.items(if given.is_empty() { 0 } else { 3 }, level);
                    self.add(element, own, child);
                }
            },
        }
    }

    fn items(&mut self, count: usize, level: usize) {
        let item = Component { level, role: Role::Item };
        self.components.extend(std::iter::repeat_n(item, count));
    }
}
