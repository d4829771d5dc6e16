//! Functions, and calls of them.

use crate::error::Error;
use crate::result::Value;
use crate::session::Shared;
use prim::Widths;
use run::session::{Callable, Source};
use std::fmt;
use std::sync::Arc;

/// A function of a program.  It may be of many types: it is compiled when it is first called at the
/// types of some arguments, and that is kept as long as the session.
#[derive(Clone)]
pub struct Function {
    shared: Arc<Shared>,
    callable: Callable,
}

impl Function {
    pub(crate) fn new(shared: &Arc<Shared>, callable: &Callable) -> Function {
        Function { shared: Arc::clone(shared), callable: callable.clone() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.callable.name()
    }

    /// The names of its parameters, the optional ones last; `parameter 2` is one without a name.
    pub fn parameters(&self) -> &[String] {
        self.callable.parameters()
    }

    /// The widths of the numbers of its session.
    #[doc(hidden)]
    pub fn widths(&self) -> Widths {
        self.shared.widths
    }

    /// Calls it with an argument for each parameter; optional parameters are given all, or none.
    /// Arguments in memory are let go when this returns, except for what the result shares with
    /// them.
    pub fn call(&self, arguments: Vec<Source>) -> Result<Value, Error> {
        let mut session = self.shared.lock()?;
        let done = session.invoke(&self.callable, arguments);
        let returned = done.map_err(|errors| Error::of(&errors, &session.files))?;
        drop(session);
        Value::of(returned, self.shared.widths)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.parameters().join(", "))
    }
}
