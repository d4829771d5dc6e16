//! Functions at Rust's types.

#![expect(unsafe_code, reason = "arguments are borrowed for a call")]

use crate::Function;
use crate::data::private::Give as Lend;
use crate::data::{Give, Take};
use crate::error::Error;
use base::{Kind, Site};
use prim::Widths;
use run::session::Source;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use types::Type;
use value::buffer::Owner;
use value::{Columns, OutOfMemory, Typed};

/// A function of a program at the types of a Rust function: `TypedFunction<fn(&[f64]) -> f64>`.
///
/// Its method `call` takes the parameters of `S`, and gives the result or an [`Error`].
pub struct TypedFunction<S> {
    function: Function,
    signature: PhantomData<fn() -> S>,
}

/// A Rust function type with up to four parameters: references to data, `i64`, `f64` or `bool`.
pub trait Signature: private::Signature {}

mod private {
    use super::Type;

    pub trait Signature {
        fn parameters() -> Vec<Type>;
        fn result() -> Type;
    }
}

impl<S: Signature> TypedFunction<S> {
    /// The function, if it is of these types.
    pub(crate) fn new(function: Function) -> Result<TypedFunction<S>, Error> {
        if function.widths() != Widths::WIDE {
            return Err(Error::input("functions at Rust's types take numbers of 64 bits"));
        }
        function.instantiate(&S::parameters(), &S::result())?;
        Ok(TypedFunction { function, signature: PhantomData })
    }

    /// The function with arguments of any type.
    pub fn function(&self) -> &Function {
        &self.function
    }

    fn call_with<R: Take>(
        &self,
        lend: impl FnOnce(&Owner) -> Result<Vec<(Type, Columns)>, OutOfMemory>,
    ) -> Result<R, Error> {
        let owner: Owner = Arc::new(());
        let lent = lend(&owner).map_err(no_memory)?;
        // SAFETY: the columns are made of values of these types.
        let typed = |(ty, columns)| unsafe { Typed::rows_unchecked(ty, columns) };
        let arguments = lent.into_iter().map(|value| Source::Memory(typed(value))).collect();
        let result = self.function.call(arguments);
        let result = result.and_then(|value| value.fetch().and_then(|()| R::copy(value.columns())));
        if Arc::strong_count(&owner) > 1 {
            // Nothing may read what the caller is about to change or free.
            std::process::abort();
        }
        result
    }
}

fn no_memory(error: OutOfMemory) -> Error {
    Error::plain(Kind::Runtime(Site::Memory), error.to_string())
}

impl<S> Clone for TypedFunction<S> {
    fn clone(&self) -> Self {
        TypedFunction { function: self.function.clone(), signature: PhantomData }
    }
}

impl<S> fmt::Debug for TypedFunction<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.function.fmt(f)
    }
}

/// The signatures with these parameters, each a reference or a scalar.  It goes through the names,
/// and collects generic types, parameters, types of arguments and lent arguments.
macro_rules! signatures {
    ($($name:ident $variable:ident),*) => {
        signatures!(@ [$($name $variable)*] [] [] [] []);
    };
    (@ [$name:ident $variable:ident $($rest:tt)*] [$($generic:tt)*] [$($types:tt)*] [$($params:tt)*]
        [$($lent:tt)*]) => {
        signatures!(@ [$($rest)*] [$($generic)* $name: Give + ?Sized,] [$($types)* &$name,]
            [$($params)* $variable: &$name,] [$($lent)* ($name, $variable)]);
        signatures!(@ [$($rest)*] [$($generic)*] [$($types)* i64,]
            [$($params)* $variable: i64,] [$($lent)* (i64, &$variable)]);
        signatures!(@ [$($rest)*] [$($generic)*] [$($types)* f64,]
            [$($params)* $variable: f64,] [$($lent)* (f64, &$variable)]);
        signatures!(@ [$($rest)*] [$($generic)*] [$($types)* bool,]
            [$($params)* $variable: bool,] [$($lent)* (bool, &$variable)]);
    };
    (@ [] [$($generic:tt)*] [$($types:tt)*] [$($params:tt)*] [$(($ty:ty, $lent:expr))*]) => {
        impl<$($generic)* Z: Take> Signature for fn($($types)*) -> Z {}
        impl<$($generic)* Z: Take> private::Signature for fn($($types)*) -> Z {
            fn parameters() -> Vec<Type> {
                vec![$(<$ty as Lend>::ty()),*]
            }
            fn result() -> Type {
                Z::ty()
            }
        }
        impl<$($generic)* Z: Take> TypedFunction<fn($($types)*) -> Z> {
            /// Calls it.
            ///
            /// # Errors
            ///
            /// If the program fails, is interrupted or needs too much memory.
            #[expect(clippy::allow_attributes, reason = "for some signatures alone")]
            #[allow(clippy::too_many_arguments, reason = "as many as the function has")]
            pub fn call(&self, $($params)*) -> Result<Z, Error> {
                // SAFETY: the columns are let go before the call returns, which is checked.
                self.call_with(|owner| unsafe {
                    Ok(vec![$((
                        <$ty as Lend>::ty(),
                        <$ty as Lend>::lend($lent, owner)?,
                    )),*])
                })
            }
        }
    };
}

signatures!(A a);
signatures!(A a, B b);
signatures!(A a, B b, C c);
signatures!(A a, B b, C c, D d);
