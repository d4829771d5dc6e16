//! The extension module of the package `nesl` for Python: programs, calls and arrays.
//!
//! Python code in `python/nesl` does all that needs no memory of other libraries, such as names,
//! choices and the layouts of arrays that describe themselves.

#![expect(unsafe_code, reason = "memory of other libraries is described by numbers and structs")]

mod array;
mod choices;
mod cost;
mod dlpack;
mod error;
mod lists;
mod output;
mod program;
mod repl;
mod stop;
mod strided;
mod take;
mod types;

use pyo3::prelude::*;

#[pymodule]
fn _nesl(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<choices::Choices>()?;
    module.add_class::<program::Program>()?;
    module.add_class::<program::Function>()?;
    module.add_class::<array::Array>()?;
    module.add_class::<take::Rows>()?;
    module.add_class::<repl::Repl>()?;
    module.add_function(wrap_pyfunction!(repl::wholeness, module)?)?;
    module.add_function(wrap_pyfunction!(cost::cost, module)?)?;
    module.add_function(wrap_pyfunction!(cost::profile, module)?)?;
    module.add_function(wrap_pyfunction!(choices::has_gpu, module)?)?;
    module.add_function(wrap_pyfunction!(program::types_of, module)?)?;
    module.add_function(wrap_pyfunction!(error::explain, module)?)
}
