//! The layouts of nest functions: which components their parameters and results become.

use nest::{Function, Type};
use prim::{Component, Role, Signature};

/// The layout of a function of the root, where sequences are views.
pub(crate) fn signature(function: &Function) -> Signature {
    let mut params = Layout::default();
    for &param in &function.params {
        params.add(&function.values[param].ty, 0);
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
