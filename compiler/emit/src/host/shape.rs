//! Arguments and results of entries: what they are called and in which order they come.
//!
//! A value is handed over as its columns.  A tuple is its parts; a sequence is the columns of its
//! elements, then its length; a sequence in it gives offsets in place of the length:
//!
//! ```text
//! x: int                   int64_t x
//! v: [float]               const double *v, int64_t v_length
//! p: [(float, bool)]       const double *p_0, const bool *p_1, int64_t p_length
//! m: [[float]]             const double *m, const int64_t *m_offsets, int64_t m_length
//! ```

use prim::Ty;

/// What a value consists of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// A scalar.
    Scalar(Ty),
    /// Several values.
    Tuple(Vec<Shape>),
    /// A sequence.
    Seq(Box<Shape>),
    /// A datatype: its name, and its fields as one value.
    Data(String, Box<Shape>),
}

/// A parameter or result of the function in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) role: Role,
}

/// What a part is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// One scalar.
    Scalar(Ty),
    /// Elements.
    Elements(Ty),
    /// Where the sequences inside a sequence start, and the end.
    Offsets,
    /// The number of elements of a sequence.
    Length,
}

/// The names of the parts of a value, as trees that follow its shape.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Named {
    /// A scalar, or elements.
    Scalar(Ty, String),
    /// In order.
    Tuple(Vec<Named>),
    /// What is inside, and the length or the offsets.
    Seq(Box<Named>, String),
    /// The fields of a datatype.
    Data(String, Box<Named>),
}

impl Named {
    /// Names for a value that is called `name`.
    pub(super) fn new(shape: &Shape, name: &str) -> Named {
        Named::at(shape, name, 0)
    }
    fn at(shape: &Shape, name: &str, depth: usize) -> Named {
        match shape {
            Shape::Scalar(ty) => Named::Scalar(*ty, name.to_owned()),
            Shape::Tuple(parts) => {
                let part = |(i, part)| Named::at(part, &format!("{name}_{i}"), depth);
                Named::Tuple(parts.iter().enumerate().map(part).collect())
            }
            Shape::Data(of, fields) => {
                Named::Data(of.clone(), Box::new(Named::at(fields, name, depth)))
            }
            Shape::Seq(element) => {
                let measure = match depth {
                    0 => format!("{name}_length"),
                    1 => format!("{name}_offsets"),
                    _ => format!("{name}_offsets{depth}"),
                };
                Named::Seq(Box::new(Named::at(element, name, depth + 1)), measure)
            }
        }
    }
    /// All parts in the order of the function in C.
    pub(super) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        self.add_parts(false, &mut parts);
        parts
    }
    fn add_parts(&self, inside: bool, out: &mut Vec<Part>) {
        match self {
            Named::Scalar(ty, name) => {
                let role = if inside { Role::Elements(*ty) } else { Role::Scalar(*ty) };
                out.push(Part { name: name.clone(), role });
            }
            Named::Tuple(parts) => parts.iter().for_each(|part| part.add_parts(inside, out)),
            Named::Data(_, fields) => fields.add_parts(inside, out),
            Named::Seq(element, measure) => {
                element.add_parts(true, out);
                let role = if inside { Role::Offsets } else { Role::Length };
                out.push(Part { name: measure.clone(), role });
            }
        }
    }
}

/// The type of a scalar for callers.
pub(super) fn public(ty: Ty) -> &'static str {
    match ty {
        Ty::I64 => "int64_t",
        Ty::F64 => "double",
        Ty::Bool => "bool",
        Ty::Char => "char",
    }
}

impl Part {
    /// The declaration as a parameter that is read.
    pub(super) fn input(&self) -> String {
        let name = &self.name;
        match self.role {
            Role::Scalar(ty) => format!("{} {name}", public(ty)),
            Role::Elements(ty) => format!("const {} *{name}", public(ty)),
            Role::Offsets => format!("const int64_t *{name}"),
            Role::Length => format!("int64_t {name}"),
        }
    }
    /// The declaration as a parameter that is set.
    pub(super) fn output(&self) -> String {
        let name = &self.name;
        match self.role {
            Role::Scalar(ty) => format!("{} *{name}", public(ty)),
            Role::Elements(ty) => format!("{} **{name}", public(ty)),
            Role::Offsets => format!("int64_t **{name}"),
            Role::Length => format!("int64_t *{name}"),
        }
    }
    /// The declaration as a parameter that is set, or, of a vector, filled.
    pub(super) fn output_into(&self) -> String {
        if !self.is_vector() {
            return self.output();
        }
        format!("{}, int64_t *{}", self.variable(), self.room())
    }
    /// Returns true if the part is a vector.
    pub(super) fn is_vector(&self) -> bool {
        matches!(self.role, Role::Elements(_) | Role::Offsets)
    }
    /// The parameter that says for how many elements the caller has memory.
    pub(super) fn room(&self) -> String {
        format!("{}_room", self.name)
    }
    /// The declaration as a variable that a result is put into.
    pub(super) fn variable(&self) -> String {
        let name = &self.name;
        match self.role {
            Role::Scalar(ty) => format!("{} {name}", public(ty)),
            Role::Elements(ty) => format!("{} *{name}", public(ty)),
            Role::Offsets => format!("int64_t *{name}"),
            Role::Length => format!("int64_t {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_nested_sequences() {
        let seq = |shape| Shape::Seq(Box::new(shape));
        let inner = seq(Shape::Tuple(vec![Shape::Scalar(Ty::F64), seq(Shape::Scalar(Ty::Char))]));
        let shape = Shape::Tuple(vec![seq(inner), Shape::Scalar(Ty::Bool)]);
        let parts = Named::new(&shape, "a").parts();
        let inputs: Vec<String> = parts.iter().map(Part::input).collect();
        let expected = [
            "const double *a_0_0",
            "const char *a_0_1",
            "const int64_t *a_0_1_offsets2",
            "const int64_t *a_0_offsets",
            "int64_t a_0_length",
            "bool a_1",
        ];
        assert_eq!(inputs, expected);
        assert_eq!(parts[0].output(), "double **a_0_0");
        assert_eq!(parts[4].variable(), "int64_t a_0_length");
    }
}
