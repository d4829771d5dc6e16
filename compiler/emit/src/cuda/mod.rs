//! The printer of header-free CUDA C++ for NVIDIA GPUs.

pub mod sort;
mod text;

pub use text::{CudaKernel, CudaText, Size, TileCount, Work};
