//! The layouts of nest functions: which components their parameters and results become.

use crate::scalars::scalar_types;
use nest::{Function, Type};
use prim::{Component, Role, Signature};

/// The layout of a function of the root, where sequences are views; of one that is given the place
/// of its result if it is `placed`.
pub(crate) fn signature(function: &Function, placed: bool) -> Signature {
    let mut params = Layout::default();
    for &param in &function.params {
        params.add(&function.values[param].ty, 0);
    }
    if placed {
        let mut tys = Vec::new();
        scalar_types(function.values[function.body.result].ty.element(), &mut tys);
        let into: Vec<Component> =
            tys.iter().map(|_| Component { level: 0, role: Role::Into }).collect();
        let item = Component { level: 0, role: Role::Item };
        params.components.extend([item; 2]);
        params.components.extend(&into);
        return Signature { params: params.components, results: into };
    }
    let mut results = Layout::default();
    results.add(&function.values[function.body.result].ty, 0);
    Signature { params: params.components, results: results.components }
}

/// The components found so far.
#[derive(Default)]
struct Layout {
    components: Vec<Component>,
    /// The level opened last.
    last: usize,
}

impl Layout {
    fn add(&mut self, ty: &Type, level: usize) {
        let mut push = |role| self.components.push(Component { level, role });
        match ty {
            Type::Scalar(_) => push(Role::Item),
            Type::Tuple(parts) => parts.iter().for_each(|part| self.add(part, level)),
            Type::Seq(element) => {
                self.last += 1;
                let child = self.last;
                push(Role::Start(child));
                push(Role::Len(child));
                self.add(element, child);
            }
        }
    }
}
