//! Programs: the functions of one text.

use crate::error::Error;
use crate::function::Function;
use crate::session::Shared;
use crate::typed::{Signature, TypedFunction};
use base::{Diagnostic, Files, Kind};
use run::session::Definitions;
use std::fmt;
use std::sync::Arc;

/// The functions of a text.
#[derive(Clone)]
pub struct Program {
    shared: Arc<Shared>,
    definitions: Arc<Definitions>,
    /// The warnings about the text, as the command prints them.
    warnings: Arc<[String]>,
}

impl Program {
    pub(crate) fn compile(shared: &Arc<Shared>, name: &str, text: &[u8]) -> Result<Self, Error> {
        let mut session = shared.lock()?;
        let defined = session.define(name, text);
        let definitions = defined.map_err(|errors| Error::of(&errors, &session.files))?;
        let render = |warning: &Diagnostic| warning.render(&session.files, false);
        let warnings = definitions.warnings.iter().map(render).collect();
        drop(session);
        let (shared, definitions) = (Arc::clone(shared), Arc::new(definitions));
        Ok(Program { shared, definitions, warnings })
    }

    /// A function by its name, of which case is ignored.
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let Some(callable) = self.definitions.function(name) else {
            let names: Vec<&str> = self.functions().collect();
            let error = Diagnostic::new(Kind::Undefined, format!("there is no function `{name}`"))
                .note(format!("the program has: {}", names.join(", ")));
            return Err(Error::of(&[error], &Files::new()));
        };
        Ok(Function::new(&self.shared, callable))
    }

    /// A function at Rust's types, compiled now: `program.get::<fn(&[f64]) -> f64>("total")`.
    ///
    /// | Rust | NESL |
    /// |---|---|
    /// | `i64`, `f64`, `bool`, `u8`, or a reference to one | `int`, `float`, `bool`, `char` |
    /// | `&[T]` or `&Vec<T>` of these, results `Vec<T>` | `[T]` |
    /// | `&[(A, B)]`, `&Vec<(A, B)>`, results `Vec<(A, B)>` | `[(A, B)]`, copied |
    /// | `&Nested<T>`, results [`Nested<T>`](crate::Nested) | `[[T]]` |
    /// | `&ArrayRef1<T>`, `&ArrayRef2<T>`, results `Array1<T>`, `Array2<T>` | `[T]`, `[[T]]` |
    /// | results of up to four parts | tuples |
    ///
    /// Up to four parameters are possible.  Arguments are not copied, except for slices of tuples,
    /// and for arrays of `ndarray` whose elements do not lie row after row; these take the feature
    /// `ndarray`.  An argument is let go when the call returns.
    ///
    /// # Errors
    ///
    /// If there is no such function, if it is not of these types, or if it cannot be compiled.
    pub fn get<S: Signature>(&self, name: &str) -> Result<TypedFunction<S>, Error> {
        TypedFunction::new(self.function(name)?)
    }

    /// The names of all functions, in their order.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.definitions.functions().map(run::session::Callable::name)
    }

    /// The warnings about the text, as the command prints them.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.functions()).finish()
    }
}
