//! The layouts of nest functions: which components their parameters and results become.

use crate::origin::Origin;
use crate::scalars::scalar_types;
use nest::{Function, Type};
use prim::{Component, Role, Signature};

/// The layout of a function of the root, where sequences are views, whose result is of this origin;
/// of one that is given the place of its result if it is `placed`.
pub(crate) fn signature(function: &Function, origin: &Origin, placed: bool) -> Signature {
    let mut params = Layout::default();
    for &param in &function.params {
        params.add(&function.values[param].ty, None, 0);
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
    results.add(&function.values[function.body.result].ty, Some(origin), 0);
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
    /// A value of an origin; parameters have none.
    fn add(&mut self, ty: &Type, origin: Option<&Origin>, level: usize) {
        let mut push = |role| self.components.push(Component { level, role });
        match (ty, origin) {
            (Type::Scalar(_), _) => push(Role::Item),
            (Type::Tuple(parts), Some(Origin::Tuple(origins))) => {
                for (part, origin) in parts.iter().zip(origins) {
                    self.add(part, Some(origin), level);
                }
            }
            (Type::Tuple(parts), _) => parts.iter().for_each(|part| self.add(part, None, level)),
            // Start and length, which are numbers where the pool is an argument's.
            (Type::Seq(_), Some(Origin::Given(_))) => [Role::Item; 2].into_iter().for_each(push),
            (Type::Seq(element), origin) => {
                let element_origin = match origin {
                    Some(Origin::Own(element)) => Some(&**element),
                    _ => None,
                };
                self.last += 1;
                let child = self.last;
                push(Role::Start(child));
                push(Role::Len(child));
                self.add(element, element_origin, child);
            }
        }
    }
}
