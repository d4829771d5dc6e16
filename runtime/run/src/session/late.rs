//! A device that is being opened while programs are compiled for it.
//!
//! A GPU's driver takes a fifth of a second to start, longer than the library and a program take to
//! be read and compiled.  A session does both side by side, and asks how the device does when it
//! has something to load.

use base::Diagnostic;
use std::thread::JoinHandle;

/// A device, now or later.
pub(super) struct Late<D> {
    /// The thread that opens it.
    opening: Option<JoinHandle<Result<D, Diagnostic>>>,
    /// The device, or why it cannot be used.
    opened: Option<Result<D, Diagnostic>>,
}

impl<D> Late<D> {
    /// A device that is there.
    pub(super) fn now(device: D) -> Late<D> {
        Late { opening: None, opened: Some(Ok(device)) }
    }

    /// Opens a device on a thread of its own.
    pub(super) fn start(open: impl FnOnce() -> Result<D, Diagnostic> + Send + 'static) -> Late<D>
    where
        D: Send + 'static,
    {
        Late { opening: Some(std::thread::spawn(open)), opened: None }
    }

    /// Waits until the device is there.
    pub(super) fn open(&mut self) -> Result<&D, Diagnostic> {
        if let Some(thread) = self.opening.take() {
            let opened = thread.join();
            self.opened = Some(opened.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        match &self.opened {
            Some(Ok(device)) => Ok(device),
            Some(Err(reason)) => Err(reason.clone()),
            None => unreachable!("it is there or comes"),
        }
    }

    /// Why the device cannot be used, as far as that is known already.
    pub(super) fn unusable(&mut self) -> Option<Diagnostic> {
        let unknown = self.opening.as_ref().is_some_and(|thread| !thread.is_finished());
        if unknown { None } else { self.open().err() }
    }

    /// The device, after it was [opened](Late::open).
    pub(super) fn get(&self) -> &D {
        match &self.opened {
            Some(Ok(device)) => device,
            Some(Err(_)) | None => unreachable!("the device was not opened"),
        }
    }
}

impl<D> Drop for Late<D> {
    /// A driver that is being started does not bear that the process ends.
    fn drop(&mut self) {
        if let Some(thread) = self.opening.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Kind;
    use std::sync::mpsc;

    #[test]
    fn a_device_comes_when_it_is_there() {
        let (send, receive) = mpsc::channel();
        let mut late = Late::start(move || Ok(receive.recv().unwrap_or(0)));
        assert!(late.unusable().is_none());
        send.send(7).expect("somebody waits");
        assert_eq!(late.open().ok(), Some(&7));
        assert_eq!(*late.get(), 7);
        assert!(late.unusable().is_none());
    }

    #[test]
    fn why_there_is_none_is_told_each_time() {
        let missing = Diagnostic::new(Kind::Input, "no driver");
        let told = missing.clone();
        let mut late: Late<u8> = Late::start(move || Err(told));
        assert_eq!(late.open().err().map(|why| why.message), Some("no driver".to_owned()));
        assert_eq!(late.unusable().map(|why| why.message), Some(missing.message));
    }
}
