//! Road **emit**: kernels to program text.
//!
//! Takes a verified kernel program, gives text for a compiler that is not ours: C for CPUs, CUDA
//! C++ for GPUs.  What the printers have in common — expressions with precedence, facts about
//! functions, the table of fault sites — is in `shared`; each target has a folder with the same
//! file names.
//!
//! Knows spellings, and nothing of compilers, files or machines.

pub mod c;
pub mod cuda;
pub mod host;
mod shared;

pub use c::{COptions, CText, KernelFacts, c};
pub use cuda::{CudaOptions, CudaText, cuda};
pub use shared::alike::Code;
