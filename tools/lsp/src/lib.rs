//! The language server: what editors ask about a text, answered by the protocol that they speak.
//!
//! Takes messages of a [`Connection`]; gives messages.  When a text, or one that it loads, has
//! changed and nothing else waits, it is parsed, and those of its forms are checked for which the
//! change matters (`check`); then each feature reads what is known.  Runs no programs.
//!
//! ```text
//! messages --server--> texts --analysis--> tree, names, types, errors --features--> messages
//! ```

mod analysis;
mod check;
mod features;
mod form;
mod handshake;
mod loaded;
mod names;
mod requests;
mod server;
mod text;
mod texts;
mod transport;
mod typed;
mod uri;

pub use lsp_server::Connection;
pub use server::Leave;
pub use transport::serve_streams;

/// Serves an editor until it says that it leaves.
pub fn serve(connection: &Connection) -> Leave {
    value::on_big_stack(|| server::serve(connection))
}
