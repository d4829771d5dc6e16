//! Running: plans on a device, values in and out, statistics.
//!
//! [`Machine`] executes the steps of a plan; [`border`] turns host values into arguments and
//! results into host values.  Everything here works for any [`device::Device`].

pub mod border;
mod frame;
mod machine;
pub mod stats;

pub use frame::Passed;
pub use machine::{Machine, RunError};
pub use stats::{KernelRow, Stats};
