//! The language server: what editors ask about a text, answered by the protocol that they speak.
//!
//! Takes messages of a [`Connection`]; gives messages.  A text is parsed and checked as a whole
//! when it, or a text that it loads, has changed and nothing else waits (`analysis`); then each
//! feature reads what is known.  Runs no programs.
//!
//! ```text
//! messages --server--> texts --analysis--> tree, names, types, errors --features--> messages
//! ```

mod analysis;
mod features;
mod loaded;
mod names;
mod server;
mod text;
mod texts;
mod transport;
mod uri;

pub use lsp_server::{Connection, ProtocolError};
pub use server::Leave;
pub use transport::serve_streams;

/// Serves an editor until it says that it leaves.
pub fn serve(connection: &Connection) -> Result<Leave, ProtocolError> {
    value::on_big_stack(|| server::serve(connection))
}
