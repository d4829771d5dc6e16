//! Names that forms bind, and the parts of values that they stand for.

use types::tree::{Form, FormKind, Global, Local, Pattern, PatternKind, Program};
use value::{Columns, Shape};

/// The names that a form binds.
pub(super) fn binds(form: &Form) -> &[(Local, Global)] {
    match &form.kind {
        FormKind::Evaluate { binds, .. } => binds,
        FormKind::Defined(_) | FormKind::Command(..) => &[],
    }
}

/// What values of a top-level name look like.
pub(super) fn shape_of(program: &Program, global: Global) -> Shape {
    Shape::of(&program.globals[global].scheme.ty, &[], &program.datas)
}

/// Binds the names of a pattern to the parts of a value.
pub(super) fn bind(pattern: &Pattern, columns: &Columns, name: &mut impl FnMut(Local, &Columns)) {
    match (&pattern.kind, columns) {
        (PatternKind::Wildcard, _) => {}
        (PatternKind::Local(local), _) => name(*local, columns),
        // A datatype is its fields.
        (PatternKind::Construct(_, fields), _) => bind(fields, columns, name),
        (PatternKind::Pair(first, rest), Columns::Tuple(parts)) => {
            let (head, tail) = parts.split_first().unwrap_or_else(|| unreachable!("no parts"));
            bind(first, head, name);
            match tail {
                [last] => bind(rest, last, name),
                _ => bind(rest, &Columns::Tuple(tail.to_vec()), name),
            }
        }
        (PatternKind::Pair(..), Columns::Scalar(_) | Columns::Seq { .. }) => {
            unreachable!("a pair has parts")
        }
    }
}
