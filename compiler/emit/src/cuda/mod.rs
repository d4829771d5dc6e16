//! The printer of header-free CUDA C++ for NVIDIA GPUs.

mod text;

pub use text::{CudaKernel, CudaText, Size, TileCount, Work};
