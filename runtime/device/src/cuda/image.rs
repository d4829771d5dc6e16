//! Code on the GPU, and its functions.

#![expect(unsafe_code, reason = "the driver is called")]

use super::context::Context;
use super::driver::{Error, check};
use cudarc::driver::sys;
use std::ffi::CStr;
use std::sync::Arc;

/// Code that the driver has loaded.
pub(super) struct Image {
    module: sys::CUmodule,
    context: Arc<Context>,
}

// SAFETY: it is a name that the driver knows, which may be used from any thread.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Loads code that was made for this GPU.
    pub(super) fn load(context: &Arc<Context>, code: &[u8]) -> Result<Image, Error> {
        let mut module = std::ptr::null_mut();
        // SAFETY: the code is complete: NVRTC made it, and the cache has checked its digest.
        let asked = unsafe { sys::cuModuleLoadData(&mut module, code.as_ptr().cast()) };
        check("cuModuleLoadData", asked)?;
        Ok(Image { module, context: Arc::clone(context) })
    }
    /// A function of it.
    pub(super) fn function(&self, name: &CStr) -> Result<Function, Error> {
        let mut function = std::ptr::null_mut();
        // SAFETY: the code is loaded.
        let asked = unsafe { sys::cuModuleGetFunction(&mut function, self.module, name.as_ptr()) };
        check("cuModuleGetFunction", asked).map(|()| Function(function))
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: the code is loaded; what was launched of it is waited for.
        unsafe {
            let _ = self.context.enter();
            let _ = self.context.synchronize();
            let _ = sys::cuModuleUnload(self.module);
        }
    }
}

/// A function of the GPU.
#[derive(Clone, Copy)]
pub(super) struct Function(sys::CUfunction);

// SAFETY: it is a name that the driver knows, which may be used from any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// What the driver calls it.
    pub(super) fn name(self) -> sys::CUfunction {
        self.0
    }
    /// Lets blocks have so many bytes of shared memory besides those that the function declares.
    pub(super) fn share(self, bytes: u32) -> Result<(), Error> {
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function is loaded.
        check("cuFuncSetAttribute", unsafe { sys::cuFuncSetAttribute(self.0, attribute, bytes) })
    }
}
