//! The scalar language: code that runs once per lane.
//!
//! *Scalar code stays scalar*: whatever a lane does without needing a vector of intermediate
//! results — arithmetic, `if`, loops, reading `v[i]`, calls of scalar functions — is
//! one [`Code`], inside a bulk operation of `flat`, a cluster of `plan` or a loop of `kernel`.
//! The three stations share this crate and nothing else.
//!
//! `Code<R>` is generic over how it names things outside itself: `R` is a value of the IR around
//! it (a vector to read from, a scalar of the host).  The crate knows no lanes, spaces or devices.
//!
//! ```text
//! \x0 x1 { x2 = read v0 x0; x3 = mul x2 x1; yield x3 }
//! ```

pub mod build;
pub mod code;
mod copy;
pub mod eval;
mod infer;
mod live;
pub mod map;
pub mod print;
pub mod read;
mod share;
mod specialise;
pub mod verify;

#[cfg(test)]
mod tests;

pub use build::Builder;
pub use code::{Atom, Block, Call, Code, Func, Function, Name, Op, Param, Span, Stmt, Var};
pub use copy::Instead;
pub use eval::{Env, Fault, eval};
pub use infer::define;
pub use map::{Item, Refs, can_fail};
pub use print::{print_code, print_function, print_stmt, print_with_errors};
pub use read::{ReadName, read, read_code, read_function};
pub use verify::{Scope, verify, verify_code, verify_function};
