//! Running: plans on a device, values in and out, statistics.
//!
//! [`Machine`] executes the steps of a plan; [`border`] turns host values into arguments and
//! results into host values.  Both work for any [`device::Device`].  A [`Session`] is the whole way
//! from source text to printed results.

pub mod border;
mod descent;
mod facts;
mod frame;
mod lanes;
mod machine;
pub mod session;
pub mod stats;
pub mod trace;

pub use device::adopt;
pub use facts::Facts;
pub use frame::{End, Passed};
pub use lanes::LanePolicy;
pub use machine::{Machine, RunError};
pub use session::Session;
pub use stats::{KernelRow, Stats};
pub use trace::Trace;
