//! Functions, and calls of them.

use crate::error::Error;
use crate::result::Value;
use crate::session::Shared;
use prim::Widths;
use run::session::{Callable, Direct, Returned, Source};
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use types::Type;

/// A function of a program.  It may be of many types: it is compiled when it is first called at the
/// types of some arguments, and that is kept as long as the session.
#[derive(Clone)]
pub struct Function {
    shared: Arc<Shared>,
    callable: Callable,
    /// How calls are made without the session, for each combination of types so far.
    direct: Arc<RwLock<Vec<Direct>>>,
}

impl Function {
    pub(crate) fn new(shared: &Arc<Shared>, callable: &Callable) -> Function {
        Function { shared: Arc::clone(shared), callable: callable.clone(), direct: Arc::default() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.callable.name()
    }

    /// The names of its parameters, the optional ones last; `parameter 2` is one without a name.
    pub fn parameters(&self) -> &[String] {
        self.callable.parameters()
    }

    /// The types of its parameters, over the variables of its type.
    #[doc(hidden)]
    pub fn types(&self) -> &[Type] {
        self.callable.types()
    }

    /// The widths of the numbers of its session.
    #[doc(hidden)]
    pub fn widths(&self) -> Widths {
        self.shared.widths
    }

    /// Calls it with an argument for each parameter; optional parameters are given all, or none.
    /// Arguments in memory are let go when this returns, except for what the result shares with
    /// them.
    ///
    /// Several threads may call at the same time.  On the cores their calls run side by side,
    /// except for the first call at each combination of types, for calls that fail and for
    /// functions that print, read, write or draw random numbers: those take turns, as all calls
    /// on a GPU and in the interpreter do.
    pub fn call(&self, arguments: Vec<Source>) -> Result<Value, Error> {
        if self.shared.is_on_cores {
            self.fetch(&arguments)?;
        }
        let known = self.direct.read().unwrap_or_else(PoisonError::into_inner);
        let direct = known.iter().find(|direct| direct.takes(&arguments)).cloned();
        // Another thread may add to the list while this one calls.
        drop(known);
        let returned = match direct.and_then(|direct| direct.call(&arguments)) {
            Some(returned) => returned,
            None => self.call_in_session(arguments)?,
        };
        Value::of(returned, self.shared.widths)
    }

    /// Gets arguments in the memory of a GPU to the host.
    fn fetch(&self, arguments: &[Source]) -> Result<(), Error> {
        for (n, argument) in arguments.iter().enumerate() {
            let (Source::Memory(value) | Source::Rows(value)) = argument else { continue };
            value.columns().fetch().map_err(|reason| {
                let name = self.parameters().get(n).map_or("argument", String::as_str);
                let message =
                    format!("`{name}` is in the memory of a GPU, and cannot be had: {reason}");
                Error::input(message)
            })?;
        }
        Ok(())
    }

    /// The first call at the types of some arguments, and each that fails.
    fn call_in_session(&self, arguments: Vec<Source>) -> Result<Returned, Error> {
        let mut session = self.shared.lock()?;
        let done = session.invoke_first(&self.callable, arguments);
        let (returned, direct) = done.map_err(|errors| Error::of(&errors, &session.files))?;
        drop(session);
        self.keep(direct);
        Ok(returned)
    }

    /// Compiles it for arguments of these types; an error if its result is of another type.
    pub(crate) fn instantiate(&self, types: &[Type], result: &Type) -> Result<(), Error> {
        let mut session = self.shared.lock()?;
        let done = session.instantiate(&self.callable, types, result);
        let direct = done.map_err(|errors| Error::of(&errors, &session.files))?;
        drop(session);
        self.keep(direct);
        Ok(())
    }

    /// Keeps how calls at some types are made without the session.
    fn keep(&self, direct: Option<Direct>) {
        let Some(direct) = direct else { return };
        let mut known = self.direct.write().unwrap_or_else(PoisonError::into_inner);
        // Of threads that call at the same types for the first time, each comes here.
        if !known.iter().any(|other| other.is_for_same(&direct)) {
            known.push(direct);
        }
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.name(), self.parameters().join(", "))
    }
}
