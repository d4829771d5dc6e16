//! Arrow arrays as values and back, by Arrow's C data interface.
//!
//! An array is a column of rows.  [`import`] makes a value of the rows, in columns: what lies in
//! memory as columns do is taken where it is, and is let go with the last column that refers to it;
//! all else is copied in one pass, which also checks it.  [`import_stream`] makes one value of the
//! arrays of a stream.  [`export`](mod@export) makes arrays that keep the memory of columns alive.
//!
//! | Arrow | NESL | copied on the way in |
//! |---|---|---|
//! | int64, float64 (int32, float32 where numbers have 32 bits) | int, float | no |
//! | other ints and floats | int, float | yes |
//! | boolean | bool | yes, from bits |
//! | `arrow.bool8` | bool | no |
//! | large list (list where ints have 32 bits) | sequence | offsets that do not begin at 0 |
//! | list, fixed-size list | sequence | the offsets |
//! | list view, large list view | sequence | yes, unless the views are in order |
//! | struct | tuple; one field stands for itself | no |
//! | strings of ASCII, binary | `[char]` | as lists |
//! | string view, binary view, dictionary | as what they stand for | yes |
//!
//! Types without a counterpart, nulls that are not [filled](Nulls::Fill), and what breaks the
//! rules of the format are errors that name the column and the row.  What the interface does not
//! tell, such as how long a buffer is, is trusted.

#![expect(unsafe_code, reason = "memory is described by structs of C")]

pub mod abi;
mod error;
mod export;
mod extension;
mod import;
mod layout;
mod lists;
mod node;
mod options;
mod picks;
mod raw;
mod scalars;
mod schema;
mod stream;
mod text;

pub use abi::{ArrowArray, ArrowArrayStream, ArrowDeviceArray, ArrowSchema};
pub use error::Error;
pub use export::{export, export_device, export_rows, export_stream, export_with};
pub use import::{import, import_device};
pub use node::{Memory, Node};
pub use options::{Export, Fill, Lists, Nulls, Options};
pub use schema::{Found, Sizes, describe};
pub use stream::{describe_stream, import_stream};
