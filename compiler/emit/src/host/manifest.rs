//! The functions of a library as data, for programs that call it by what a file says.
//!
//! The header says the same to compilers of C.  A part is a parameter of C: a value has as many as
//! its shape needs, in the order in which the function takes them.

use super::entry::Call;
use super::shape::{Named, Part, Role, public};
use super::sites::words;
use super::{Library, Shape};
use prim::Ty;

/// A library as callers see it.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The names of what functions return, from 0 on.
    pub codes: Vec<&'static str>,
    /// The functions that all libraries have, each with its word.
    pub symbols: Vec<(&'static str, String)>,
    /// The functions of the source.
    pub functions: Vec<Function>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// As in the source.
    pub name: String,
    /// Its type as shown.
    pub ty: String,
    /// Its name in C.
    pub symbol: String,
    /// The same function with results in the caller's memory, if there is one.
    pub into: Option<String>,
    /// True if a seed comes before all parameters.
    pub seed: bool,
    /// Its parameters, as in the source.
    pub params: Vec<Described>,
    /// Its result.
    pub result: Described,
}

/// A parameter or a result.
#[derive(Clone, Debug)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: String,
    /// Its parts; the parameters of C come in the order of its leaves, each sequence's
    /// length or offsets behind its elements.
    pub shape: Shape,
    /// The parameters of C that it has.
    pub parts: Vec<DescribedPart>,
}

/// A parameter of C.
#[derive(Clone, Debug)]
pub struct DescribedPart {
    /// Its name.
    pub name: String,
    /// `scalar`, `elements`, `offsets` or `length`.
    pub role: &'static str,
    /// The type of a number in it.
    pub element: &'static str,
    /// The declaration in C.
    pub declaration: String,
    /// The name of the room of the function with results in the caller's memory, if it has one.
    pub room: Option<String>,
}

/// Describes a library; on `cores`, callers choose how many of them work.
pub(super) fn manifest(library: &Library<'_>, calls: &[Call<'_>], cores: bool) -> Manifest {
    let name = library.name;
    let common = ["message", "free", "allocator"].into_iter().chain(cores.then_some("threads"));
    Manifest {
        codes: words(),
        symbols: common.map(|word| (word, format!("{name}_{word}"))).collect(),
        functions: calls.iter().map(function).collect(),
    }
}

fn function(call: &Call<'_>) -> Function {
    let entry = call.entry;
    let params = entry.params.iter().zip(&call.params);
    let param = |((name, shape), named): (&(String, Shape), &Named)| Described {
        name: name.clone(),
        ty: shown(shape),
        shape: shape.clone(),
        parts: named.parts().iter().map(|part| described(part, part.input(), None)).collect(),
    };
    let result = |part: &Part| {
        let room = (call.into.is_some() && part.is_vector()).then(|| part.room());
        described(part, part.output(), room)
    };
    Function {
        name: entry.name.clone(),
        ty: entry.ty.clone(),
        symbol: call.name.clone(),
        into: call.into.clone(),
        seed: entry.key.is_some(),
        params: params.map(param).collect(),
        result: Described {
            name: "result".to_owned(),
            ty: shown(&entry.result),
            shape: entry.result.clone(),
            parts: call.outputs().iter().map(result).collect(),
        },
    }
}

fn described(part: &Part, declaration: String, room: Option<String>) -> DescribedPart {
    let (role, ty) = match part.role {
        Role::Scalar(ty) => ("scalar", ty),
        Role::Elements(ty) => ("elements", ty),
        Role::Offsets => ("offsets", Ty::I64),
        Role::Length => ("length", Ty::I64),
    };
    DescribedPart { name: part.name.clone(), role, element: public(ty), declaration, room }
}

/// A type as NESL writes it.
fn shown(shape: &Shape) -> String {
    match shape {
        Shape::Scalar(Ty::I64) => "int".to_owned(),
        Shape::Scalar(Ty::F64) => "float".to_owned(),
        Shape::Scalar(Ty::Bool) => "bool".to_owned(),
        Shape::Scalar(Ty::Char) => "char".to_owned(),
        Shape::Tuple(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(", "))
        }
        Shape::Seq(element) => format!("[{}]", shown(element)),
        Shape::Data(name, _) => name.clone(),
    }
}
