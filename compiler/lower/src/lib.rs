//! Road **lower**: typed source to nest.
//!
//! Takes the typed program and the entries that the host wants to call; gives a monomorphic,
//! first-order program in which every value is named.  What happens on the way:
//!
//! * a function of nest for each use of a function at other types or with other functions among its
//!   arguments ([`call`], [`mono`]); function values are known while compiling and disappear
//!   ([`scope`], [`choice`]);
//! * library functions are inlined, so that their errors are those of the user's call;
//! * pairs become tuples, datatypes their fields ([`ty`], [`value`], [`pattern`]);
//! * `==`, `hash`, `@` and the like are written out for each type ([`derive`]);
//! * where floats may be computed [fast](Floats), products and sums become one operation
//!   ([`fast`]);
//! * top-level values and the random key become parameters ([`facts`], [`random`]).
//!
//! What cannot be compiled is refused here, with a *limit* diagnostic; later stations refuse
//! nothing.  Knows no segments and no kernels.

mod call;
mod choice;
mod derive;
mod each;
mod entry;
mod exp;
mod facts;
mod fast;
mod literal;
mod mono;
mod op;
mod pattern;
mod random;
mod scope;
mod ty;
mod value;

#[cfg(test)]
mod tests;

pub use entry::{Entry, Forms, Free, Lowered, LoweredEntry, Part, lower, parameters};
pub use fast::Floats;
