//! Road **flatten**: nest to flat.
//!
//! # Nomenclature
//!
//! * A **lane** is one evaluation of an apply-to-each body; a [`flat::Space`] is a set of lanes.
//! * The **current space** is the one whose lanes evaluate what is being translated; outside every
//!   apply-to-each it is the root.
//! * A [`rep::Rep`] says how a lane finds a nest value: a scalar by its **home** space, a sequence
//!   by a child space or by a view (start, length) into a **pool**.  Free variables keep their home
//!   and are *reached* from the current space by index ([`region`]); they are never copied.
//! * A **region** is the scalar code of one space under construction; it becomes one `map`.
//! * A **twin** is a flat function made from a nest function: at the root, or *lifted* to run once
//!   for all lanes ([`twin`]).
//!
//! # Safety by construction
//!
//! A failed check is recorded and execution goes on until the host looks.  Hence every view made
//! here stays inside its pool and every index is clamped, whatever the operands are.

mod analysis;
mod block;
mod choose;
mod conserve;
mod context;
mod endless;
mod fit;
mod held;
mod joint;
mod layout;
mod lent;
mod op;
mod origin;
mod region;
mod rep;
mod scalars;
mod settle;
mod twin;
mod ways;

pub use twin::flatten;
