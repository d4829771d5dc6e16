//! Results of calls.

use crate::error::Error;
use base::{Kind, Site};
use prim::Widths;
use run::session::Returned;
use std::fmt;
use std::sync::Arc;
use value::print::Style;
use value::{Columns, Shape};

/// The result of a function, in columns.
#[derive(Clone, Debug)]
pub struct Value {
    columns: Columns,
    shape: Arc<Shape>,
    ty: Arc<str>,
}

impl Value {
    pub(crate) fn of(returned: Returned, widths: Widths) -> Result<Value, Error> {
        let Returned { answer, shape, ty } = returned;
        if shape.has_function() {
            let message = format!("the result, of type {ty}, has functions, which are no data");
            return Err(Error::input(message));
        }
        let columns = answer.into_columns(&shape, widths);
        let columns = columns
            .map_err(|error| Error::plain(Kind::Runtime(Site::Memory), error.to_string()))?;
        Ok(Value { columns, shape, ty })
    }

    /// Its type as NESL writes it.
    pub fn type_name(&self) -> &str {
        &self.ty
    }

    /// Its columns, in one lane.
    #[doc(hidden)]
    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Gets what is in the memory of a GPU to the host.
    #[doc(hidden)]
    pub fn fetch(&self) -> Result<(), Error> {
        let failed = |reason| Error::plain(Kind::Runtime(Site::Memory), reason);
        self.columns.fetch().map_err(failed)
    }

    /// The parts of which it consists.
    #[doc(hidden)]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// As NESL prints it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.columns.show(&self.shape, 0, Style::FULL);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}
