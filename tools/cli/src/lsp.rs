//! `nesl lsp`: the language server on standard input and output.

use crate::Status;
use crate::messages::say;
use lsp::Connection;

/// Serves an editor.
pub(crate) fn lsp() -> Status {
    let (connection, threads) = Connection::stdio();
    if let Err(error) = lsp::serve(&connection) {
        say(&format!("error: {error}\n"));
        return Status::Failed;
    }
    // The writer ends when nobody can send any more.
    drop(connection);
    match threads.join() {
        Ok(()) => Status::Done,
        Err(error) => {
            say(&format!("error: {error}\n"));
            Status::Failed
        }
    }
}
