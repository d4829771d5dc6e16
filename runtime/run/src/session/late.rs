//! A device that is being opened while programs are compiled for it.
//!
//! A GPU's driver takes a fifth of a second to start, longer than the library and a program take to
//! be read and compiled.  A session does both side by side, and asks how the device does when it
//! has something to load.

use base::{Diagnostic, Kind, Site};
use std::thread::{Builder, JoinHandle};

/// A device, now or later.
pub(super) struct Late<D> {
    /// What starts that thread, until somebody asks for the device.
    unopened: Option<Start<D>>,
    /// The thread that opens it.
    opening: Option<Opening<D>>,
    /// The device, or why it cannot be used.
    opened: Option<Result<D, Diagnostic>>,
}

/// A thread that opens a device.
type Opening<D> = JoinHandle<Result<D, Diagnostic>>;
type Start<D> = Box<dyn FnOnce() -> Started<D> + Send>;
/// Such a thread, or the reason why there is none.
type Started<D> = Result<Opening<D>, Diagnostic>;

/// Starts a thread that opens a device.
fn start<D: Send + 'static>(
    open: impl FnOnce() -> Result<D, Diagnostic> + Send + 'static,
) -> Started<D> {
    Builder::new().spawn(open).map_err(|error| {
        let message = format!("no thread can be started that opens the GPU: {error}");
        Diagnostic::new(Kind::Runtime(Site::Memory), message)
    })
}

impl<D> Late<D> {
    /// A device that is there.
    pub(super) fn now(device: D) -> Late<D> {
        Late { unopened: None, opening: None, opened: Some(Ok(device)) }
    }

    /// Opens a device on a thread of its own.
    pub(super) fn start(open: impl FnOnce() -> Result<D, Diagnostic> + Send + 'static) -> Late<D>
    where
        D: Send + 'static,
    {
        let mut late = Late { unopened: None, opening: None, opened: None };
        late.started(start(open));
        late
    }

    /// Notes that a thread opens the device, or that there is none.
    fn started(&mut self, started: Started<D>) {
        match started {
            Ok(thread) => self.opening = Some(thread),
            Err(error) => self.opened = Some(Err(error)),
        }
    }

    /// The same, but not before somebody asks how the device does.
    pub(super) fn when_asked(
        open: impl FnOnce() -> Result<D, Diagnostic> + Send + 'static,
    ) -> Late<D>
    where
        D: Send + 'static,
    {
        Late { unopened: Some(Box::new(|| start(open))), opening: None, opened: None }
    }

    /// Starts to open it, if that is still to be done.
    fn begin(&mut self) {
        if let Some(start) = self.unopened.take() {
            self.started(start());
        }
    }

    /// Waits until the device is there.
    pub(super) fn open(&mut self) -> Result<&D, Diagnostic> {
        self.begin();
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
        self.begin();
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
    fn a_device_that_nobody_asks_for_is_not_opened() {
        let (send, receive) = mpsc::channel();
        let open = move || {
            let _ = send.send(());
            Ok(7)
        };
        drop(Late::when_asked(open.clone()));
        let mut late = Late::when_asked(open);
        assert!(receive.try_recv().is_err());
        assert_eq!(late.open().ok(), Some(&7));
        assert!(receive.try_recv().is_ok());
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
