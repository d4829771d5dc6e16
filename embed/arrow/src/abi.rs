//! The structs of Arrow's C data interface, C stream interface and C device data interface.
//!
//! Whoever makes a struct says how to let it go: `release` is called exactly once, by whoever has
//! the struct then, and sets itself to null.  To hand a struct on, its bytes are moved and
//! `release` of what remains is set to null.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

/// The type of an array.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowSchema {
    /// The type, as a short text.
    pub format: *const c_char,
    /// The name of the field; may be null.
    pub name: *const c_char,
    /// Keys and values; may be null.
    pub metadata: *const c_char,
    /// [`NULLABLE`] and others.
    pub flags: i64,
    /// How many parts the type has.
    pub n_children: i64,
    /// The parts.
    pub children: *mut *mut ArrowSchema,
    /// The type of the values of a dictionary; null if it is none.
    pub dictionary: *mut ArrowSchema,
    /// Lets it go; null if that has happened.
    pub release: Option<unsafe extern "C" fn(*mut ArrowSchema)>,
    /// For `release`.
    pub private_data: *mut c_void,
}

/// The data of an array.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArray {
    /// How many rows.
    pub length: i64,
    /// How many of them are null; -1 if nobody has counted.
    pub null_count: i64,
    /// How many rows lie before the first in the buffers.
    pub offset: i64,
    /// How many buffers.
    pub n_buffers: i64,
    /// How many parts.
    pub n_children: i64,
    /// The buffers, in the order that the type says.
    pub buffers: *mut *const c_void,
    /// The parts.
    pub children: *mut *mut ArrowArray,
    /// The values of a dictionary; null if it is none.
    pub dictionary: *mut ArrowArray,
    /// Lets it go; null if that has happened.
    pub release: Option<unsafe extern "C" fn(*mut ArrowArray)>,
    /// For `release`.
    pub private_data: *mut c_void,
}

/// Arrays of one type, one after the other.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowArrayStream {
    /// Gives the type.
    pub get_schema: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowSchema) -> c_int>,
    /// Gives the next array; one that is let go already at the end.
    pub get_next: Option<unsafe extern "C" fn(*mut ArrowArrayStream, *mut ArrowArray) -> c_int>,
    /// Tells what was wrong.
    pub get_last_error: Option<unsafe extern "C" fn(*mut ArrowArrayStream) -> *const c_char>,
    /// Lets it go; null if that has happened.
    pub release: Option<unsafe extern "C" fn(*mut ArrowArrayStream)>,
    /// For `release`.
    pub private_data: *mut c_void,
}

/// An array in the memory of a device.
#[repr(C)]
#[derive(Debug)]
pub struct ArrowDeviceArray {
    /// The array.
    pub array: ArrowArray,
    /// Which device; -1 for the cores.
    pub device_id: i64,
    /// The kind of device.
    pub device_type: i32,
    /// An event to wait for before the memory is read; may be null.
    pub sync_event: *mut c_void,
    /// Zeros.
    pub reserved: [i64; 3],
}

/// The flag of fields that may be null.
pub const NULLABLE: i64 = 2;

/// The memory of the cores.
pub const DEVICE_CPU: i32 = 1;
/// The memory of an NVIDIA GPU.
pub const DEVICE_CUDA: i32 = 2;
/// Memory of the cores that NVIDIA GPUs can read.
pub const DEVICE_CUDA_HOST: i32 = 3;
/// Memory that moves between the cores and NVIDIA GPUs.
pub const DEVICE_CUDA_MANAGED: i32 = 13;

impl ArrowSchema {
    /// A schema that has been let go.
    pub fn released() -> ArrowSchema {
        ArrowSchema {
            format: null_mut(),
            name: null_mut(),
            metadata: null_mut(),
            flags: 0,
            n_children: 0,
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
    /// Moves the schema out, and leaves one that has been let go.
    pub fn take(&mut self) -> ArrowSchema {
        std::mem::replace(self, ArrowSchema::released())
    }
}

impl ArrowArray {
    /// An array that has been let go.
    pub fn released() -> ArrowArray {
        ArrowArray {
            length: 0,
            null_count: 0,
            offset: 0,
            n_buffers: 0,
            n_children: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private_data: null_mut(),
        }
    }
    /// Moves the array out, and leaves one that has been let go.
    pub fn take(&mut self) -> ArrowArray {
        std::mem::replace(self, ArrowArray::released())
    }
}

impl ArrowArrayStream {
    /// A stream that has been let go.
    pub fn released() -> ArrowArrayStream {
        ArrowArrayStream {
            get_schema: None,
            get_next: None,
            get_last_error: None,
            release: None,
            private_data: null_mut(),
        }
    }
    /// Moves the stream out, and leaves one that has been let go.
    pub fn take(&mut self) -> ArrowArrayStream {
        std::mem::replace(self, ArrowArrayStream::released())
    }
}

impl ArrowDeviceArray {
    /// An array that has been let go.
    pub fn released() -> ArrowDeviceArray {
        ArrowDeviceArray::on_cores(ArrowArray::released())
    }
    /// An array in the memory of the cores.
    pub fn on_cores(array: ArrowArray) -> ArrowDeviceArray {
        ArrowDeviceArray {
            array,
            device_id: -1,
            device_type: DEVICE_CPU,
            sync_event: null_mut(),
            reserved: [0; 3],
        }
    }
    /// Moves the array out, and leaves one that has been let go.
    pub fn take(&mut self) -> ArrowDeviceArray {
        std::mem::replace(self, ArrowDeviceArray::released())
    }
}

impl Drop for ArrowSchema {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: it has not been let go, and `release` is made for it.
            unsafe { release(self) };
        }
    }
}

impl Drop for ArrowArray {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as above.
            unsafe { release(self) };
        }
    }
}

impl Drop for ArrowArrayStream {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as above.
            unsafe { release(self) };
        }
    }
}
