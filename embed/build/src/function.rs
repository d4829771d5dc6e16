//! One function: what it hands to C, and what it makes of what C gives.
//!
//! The parameters of C are the leaves of the arguments and of the result, each in the order of
//! [`emit::host::Described::shape`].  Names of ours begin with `__`, which no name of NESL does.

use crate::types::{self, Sequence, scalar};
use emit::host::{Function, Shape};
use prim::Ty;
use std::fmt::Write;

/// The parts of a function's text.
#[derive(Default)]
struct Body {
    /// The types of the parameters of C.
    types: Vec<String>,
    /// The arguments that they are given.
    given: Vec<String>,
    /// The statements before the call.
    before: Vec<String>,
    /// The statements after it.
    after: Vec<String>,
    /// The number of results of C so far.
    results: usize,
}

/// The text of a function of this name, for these names of its parameters.
pub(crate) fn text(function: &Function, name: &str, params: &[String], file: &str) -> String {
    let mut body = Body::default();
    let mut declared = Vec::new();
    let mut names = params.iter();
    if function.seed
        && let Some(seed) = names.next()
    {
        declared.push(format!("{seed}: i64"));
        body.hand("i64".to_owned(), seed.clone());
    }
    for (param, own) in function.params.iter().zip(names) {
        declared.push(format!("{own}: {}", types::argument(&param.shape)));
        body.argument(&param.shape, own, own);
    }
    let result = body.result(&function.result.shape);
    let mut out = String::new();
    let mut line = |text: &str| {
        // A `String` can always be written to.
        let _ = writeln!(out, "{text}");
    };
    line(&format!("/// `{} : {}`", function.name, function.ty));
    line("///\n/// # Errors\n///");
    line(&format!("/// If it fails, with the place in `{file}`, or needs too much memory."));
    line("#[allow(unsafe_code, dead_code, unused_variables, non_snake_case)]");
    line("#[allow(clippy::all, clippy::pedantic)]");
    let ty = types::result(&function.result.shape);
    line(&format!("pub fn {name}({}) -> Result<{ty}, ::nesl_data::Error> {{", declared.join(", ")));
    line("    unsafe extern \"C\" {");
    line(&format!("        #[link_name = \"{}\"]", function.symbol));
    let types = body.types.iter().enumerate().map(|(n, ty)| format!("__{n}: {ty}"));
    let types = types.collect::<Vec<_>>().join(", ");
    line(&format!("        fn __call({types}) -> ::core::ffi::c_int;\n    }}"));
    body.before.iter().for_each(|text| line(&format!("    {text}")));
    line(
        "    // SAFETY: it reads as many elements as there are, and sets all results if it gives 0.",
    );
    line("    unsafe {");
    line(&format!("        let __code = __call({});", body.given.join(", ")));
    line("        if __code != 0 {\n            return Err(__failed(__code));\n        }");
    body.after.iter().for_each(|text| line(&format!("        {text}")));
    line(&format!("        Ok({result})\n    }}\n}}"));
    out
}

impl Body {
    fn hand(&mut self, ty: String, value: String) {
        self.types.push(ty);
        self.given.push(value);
    }
    fn pointer(&mut self, ty: &str, vector: &str) {
        self.hand(format!("*const {ty}"), format!("{vector}.as_ptr()"));
    }

    /// Hands over an argument that `path` stands for, of the parameter `name`.
    fn argument(&mut self, shape: &Shape, path: &str, name: &str) {
        match shape {
            Shape::Scalar(Ty::Char) => {
                let ty = "::core::ffi::c_char";
                self.hand(ty.to_owned(), format!("{path} as {ty}"));
            }
            Shape::Scalar(ty) => self.hand(scalar(*ty).to_owned(), path.to_owned()),
            Shape::Data(_, fields) => self.argument(fields, path, name),
            Shape::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.argument(part, &format!("{path}.{n}"), name);
                }
            }
            Shape::Seq(element) => {
                let length = self.sequence(element, path, name);
                self.hand("i64".to_owned(), length);
            }
        }
    }

    /// Hands over the elements of an argument; gives their number.
    fn sequence(&mut self, element: &Shape, path: &str, name: &str) -> String {
        match Sequence::of(element) {
            Sequence::Scalars(ty) => self.pointer(scalar(ty), path),
            Sequence::Nested => self.columns(element, path),
            Sequence::Tuples(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    let (own, ty) = (format!("__part{}", self.before.len()), types::element(part));
                    let copied = format!("{path}.iter().map(|__it| __it.{n}).collect()");
                    self.before.push(format!("let {own}: Vec<{ty}> = {copied};"));
                    self.pointer(&ty, &own);
                }
            }
            Sequence::Columns => {
                let own = format!("__count{}", self.before.len());
                let ty = types::element(element);
                let count = format!("::nesl_data::ahead::count::<{ty}>({name:?}, {path})?");
                self.before.push(format!("let {own} = {count};"));
                self.columns(element, path);
                return own;
            }
        }
        format!("{path}.len() as i64")
    }

    /// Hands over the vectors of many elements.
    fn columns(&mut self, element: &Shape, path: &str) {
        match element {
            Shape::Scalar(ty) => self.pointer(scalar(*ty), path),
            Shape::Data(_, fields) => self.columns(fields, path),
            Shape::Tuple(parts) => {
                for (n, part) in parts.iter().enumerate() {
                    self.columns(part, &format!("{path}.{n}"));
                }
            }
            Shape::Seq(of) => {
                self.columns(of, &format!("{path}.elements()"));
                self.pointer("i64", &format!("{path}.offsets()"));
            }
        }
    }

    /// Takes a result; gives the expression of its value.
    fn result(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Scalar(ty) => self.out(scalar(*ty)),
            Shape::Data(_, fields) => self.result(fields),
            Shape::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.result(part)).collect();
                types::tuple(parts.into_iter())
            }
            Shape::Seq(element) => {
                let count = format!("__r{}", self.results + leaves(element));
                let Sequence::Tuples(parts) = Sequence::of(element) else {
                    let value = self.vectors(element, &count);
                    self.out("i64");
                    return value;
                };
                let parts = parts.iter().map(|part| self.vector(&types::element(part)));
                let parts: Vec<String> = parts.collect();
                self.out("i64");
                let slices = parts.iter().map(|part| format!("{part}.slice({count})"));
                let slices = types::tuple(slices);
                self.after.push(format!("let __slices = {slices};"));
                let parts = (0..parts.len()).map(|n| format!("__slices.{n}[__i]"));
                let value = types::tuple(parts);
                format!("(0..{count} as usize).map(|__i| {value}).collect()")
            }
        }
    }

    /// Takes the vectors of many elements; gives the expression of their value.
    fn vectors(&mut self, element: &Shape, count: &str) -> String {
        match element {
            Shape::Scalar(ty) => format!("{}.slice({count}).to_vec()", self.vector(scalar(*ty))),
            Shape::Data(_, fields) => self.vectors(fields, count),
            Shape::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.vectors(part, count));
                types::tuple(parts.collect::<Vec<_>>().into_iter())
            }
            Shape::Seq(of) => {
                let vector = self.results + leaves(of);
                let offsets = format!("__offsets{vector}");
                self.after.push(format!("let {offsets} = __r{vector}.slice({count} + 1);"));
                let elements = self.vectors(of, &format!("::nesl_data::ahead::end({offsets})"));
                self.vector("i64");
                let ty = types::element(of);
                format!("::nesl_data::ahead::nested::<{ty}>({offsets}, {elements})")
            }
        }
    }

    /// A scalar that C sets.
    fn out(&mut self, ty: &str) -> String {
        let name = self.next();
        self.before.push(format!("let mut {name}: {ty} = Default::default();"));
        self.hand(format!("*mut {ty}"), format!("&mut {name}"));
        name
    }

    /// A vector that C sets.
    fn vector(&mut self, ty: &str) -> String {
        let name = self.next();
        self.before.push(format!("let mut {name} = ::nesl_data::ahead::Out::<{ty}>::new(__free);"));
        self.hand(format!("*mut *mut {ty}"), format!("&mut {name}.address"));
        name
    }

    fn next(&mut self) -> String {
        self.results += 1;
        format!("__r{}", self.results - 1)
    }
}

/// The number of parameters of C for the elements of a sequence.
fn leaves(shape: &Shape) -> usize {
    match shape {
        Shape::Scalar(_) => 1,
        Shape::Data(_, fields) => leaves(fields),
        Shape::Tuple(parts) => parts.iter().map(leaves).sum(),
        Shape::Seq(element) => leaves(element) + 1,
    }
}
