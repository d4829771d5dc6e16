//! `nesl lsp`: the language server on standard input and output.

use crate::Status;
use crate::messages::say;
use lsp::Leave;
use std::io::{BufReader, stdin, stdout};

/// Serves an editor.
pub(crate) fn lsp() -> Status {
    match lsp::serve_streams(BufReader::new(stdin()), stdout()) {
        Leave::Announced => Status::Done,
        Leave::Unannounced => Status::Failed,
        Leave::Early => {
            say(
                "error: the input ended before an editor had begun: `nesl lsp` is run by editors\n",
            );
            Status::Failed
        }
    }
}
