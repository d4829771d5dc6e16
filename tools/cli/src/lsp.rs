//! `nesl lsp`: the language server on standard input and output.

use crate::Status;
use crate::messages::say;
use lsp::Leave;
use std::io::{BufReader, stdin, stdout};

/// Serves an editor.
pub(crate) fn lsp() -> Status {
    match lsp::serve_streams(BufReader::new(stdin()), stdout()) {
        Ok(Leave::Announced) => Status::Done,
        Ok(Leave::Unannounced) => Status::Failed,
        Err(error) if error.channel_is_disconnected() => {
            say(
                "error: the input ended before an editor had begun: `nesl lsp` is run by editors\n",
            );
            Status::Failed
        }
        Err(error) => {
            say(&format!("error: {error}\n"));
            Status::Failed
        }
    }
}
