//! Compiling for GPUs on paper: the texts that programs become, with no GPU that would run them.
//!
//! A program is compiled batch by batch as in any session.  What its forms compute comes from the
//! interpreter, so that a form that fails is followed by the batch that follows it on a GPU.

use crate::example::Example;
use base::{Diagnostic, Files};
use device::Paper;
use emit::CudaText;
use prim::Widths;
use run::Session;
use run::session::{EngineKind, Options};
use std::io;

/// Prints programs for GPUs.
pub struct Printer {
    session: Session,
    paper: Paper<CudaText>,
}

impl Printer {
    /// A printer for programs that know the library.
    pub fn new() -> Result<Printer, Diagnostic> {
        Printer::of_widths(Widths::WIDE)
    }

    /// A printer for programs of these widths.
    pub fn of_widths(widths: Widths) -> Result<Printer, Diagnostic> {
        let paper = Paper::default();
        let mut options = Options::new(EngineKind::Cuda);
        options.widths = widths;
        options.compile.units = 1;
        let session = Session::on(paper.clone(), &options, Box::new(io::sink()))?;
        Ok(Printer { session, paper })
    }

    /// The units of a group of forms: one for each batch.
    pub fn group(&mut self, text: &[u8]) -> Vec<String> {
        let _ = self.session.run("program", text, &mut |_, _| {});
        self.take()
    }

    /// The units of an example's program and call; an error says why it cannot be called.
    pub fn example(&mut self, example: &Example) -> Result<Vec<String>, String> {
        let prepared = example.prepare(&mut self.session).map(|_| ());
        let units = self.take();
        match prepared {
            Ok(()) => Ok(units),
            Err(errors) => Err(shown(&errors, &self.session.files)),
        }
    }

    /// How many kernels an example's program has; an error says why it cannot be called.
    pub fn kernels(&mut self, example: &Example) -> Result<usize, String> {
        let before = self.session.report().kernels;
        self.example(example)?;
        Ok(self.session.report().kernels - before)
    }

    /// What was printed since the last time.  The next program finds only the library.
    fn take(&mut self) -> Vec<String> {
        self.session.reset();
        self.paper.take().into_iter().flat_map(|text| text.units).collect()
    }
}

fn shown(errors: &[Diagnostic], files: &Files) -> String {
    let errors: Vec<String> = errors.iter().map(|error| error.short(files)).collect();
    errors.join("; ")
}
