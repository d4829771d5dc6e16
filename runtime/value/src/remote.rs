//! Memory that the host does not reach: that of a GPU.
//!
//! A buffer over such memory is fetched when the host first looks at its bytes.  A device whose
//! memory it is takes the memory as it is.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Memory of a GPU, which is only read.
pub trait Remote: Send + Sync {
    /// The number of the GPU.
    fn gpu(&self) -> usize;
    /// The address on the GPU.
    fn address(&self) -> u64;
    /// The work that has to be over before the memory is read.
    fn after(&self) -> After {
        After::Nothing
    }
    /// Copies bytes to the host, from an offset on; fails with a sentence.
    fn fetch(&self, from: usize, to: &mut [u8]) -> Result<(), String>;
    /// Other memory of the same GPU with these contents; none if there is nobody to ask for it.
    fn beside(&self, bytes: &[u8]) -> Option<Arc<dyn Remote>>;
    /// The memory as the type that it is, for the device that made it.
    fn as_any(&self) -> &dyn Any;
}

/// The work that has to be over before memory is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// Nothing: it is there.
    Nothing,
    /// All that was given to a stream of the driver so far.
    Stream(u64),
    /// An event of the driver.
    Event(u64),
}

/// Makes memory at an address of a GPU, which nobody writes until its owner is dropped.
pub type Reach = fn(Reached) -> Arc<dyn Remote>;

/// Memory of somebody else on a GPU.
pub struct Reached {
    /// The number of the GPU.
    pub gpu: usize,
    /// The address there.
    pub address: u64,
    /// The work that has to be over before it is read.
    pub after: After,
    /// Who keeps it.
    pub owner: super::buffer::Owner,
}

impl fmt::Debug for dyn Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x} of GPU {}", self.address(), self.gpu())
    }
}

/// A part of other memory.
pub(crate) struct Part {
    pub(crate) of: Arc<super::Buffer>,
    pub(crate) remote: Arc<dyn Remote>,
    pub(crate) offset: usize,
}

impl Remote for Part {
    fn gpu(&self) -> usize {
        self.remote.gpu()
    }
    fn address(&self) -> u64 {
        self.remote.address() + self.offset as u64
    }
    fn after(&self) -> After {
        self.remote.after()
    }
    fn fetch(&self, from: usize, to: &mut [u8]) -> Result<(), String> {
        // The whole may be on the host already.
        self.of.read(self.offset + from, to)
    }
    fn beside(&self, bytes: &[u8]) -> Option<Arc<dyn Remote>> {
        self.remote.beside(bytes)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
