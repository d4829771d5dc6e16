//! The standard output of Python, to which programs print.

use pyo3::prelude::*;
use std::io::{self, Write};

/// A writer to `sys.stdout`.
pub(crate) struct Output;

fn call(method: &str, text: Option<&str>) -> io::Result<()> {
    let done = Python::attach(|py| {
        let out = py.import("sys")?.getattr("stdout")?;
        match text {
            Some(text) => out.call_method1(method, (text,)),
            None => out.call_method0(method),
        }
        .map(drop)
    });
    done.map_err(|error| io::Error::other(error.to_string()))
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        call("write", Some(&String::from_utf8_lossy(bytes)))?;
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        call("flush", None)
    }
}
