//! The beginning of a connection: editor and server say what they can do.
//!
//! ```text
//! editor                       server
//! hover                  -->   -32002: not initialised yet
//! initialize             -->
//!                        <--   capabilities
//! initialized            -->
//! ```

use crate::requests::refuse;
use crate::server::Leave;
use crate::text::Encoding;
use crate::uri;
use lsp_server::{Connection, ErrorCode, Message, Request};
use serde_json::Value;
use std::path::PathBuf;

/// What is known of the editor.
#[derive(Default)]
pub(crate) struct Editor {
    /// What it counts in a line.
    pub(crate) encoding: Encoding,
    /// Whether it asks for diagnostics, and need not be told.
    pub(crate) pulls: bool,
    /// Whether it can be told to ask for them again.
    pub(crate) refreshes: bool,
    /// Its folders.
    pub(crate) folders: Vec<PathBuf>,
}

/// Waits for `initialize` and answers it, unless the editor leaves before.
pub(crate) fn handshake(connection: &Connection) -> Result<Editor, Leave> {
    while let Ok(message) = connection.receiver.recv() {
        match message {
            Message::Request(request) if request.method == "initialize" => {
                return Ok(begin(connection, request));
            }
            Message::Request(request) => {
                let why = "the first request is `initialize`";
                let answer = refuse(request.id, ErrorCode::ServerNotInitialized, why);
                // The other side may be gone; then the next message is none.
                let _ = connection.sender.send(answer.into());
            }
            Message::Notification(notification) if notification.method == "exit" => {
                return Err(Leave::Unannounced);
            }
            Message::Notification(_) | Message::Response(_) => {}
        }
    }
    Err(Leave::Early)
}

fn begin(connection: &Connection, request: Request) -> Editor {
    let editor = Editor::of(&request.params);
    let answer = serde_json::json!({
        "capabilities": crate::features::capabilities(&editor),
        "serverInfo": { "name": "nesl", "version": env!("CARGO_PKG_VERSION") },
    });
    let answer = lsp_server::Response::new_ok(request.id, answer);
    // The other side may be gone; then the next message is none.
    let _ = connection.sender.send(answer.into());
    editor
}

impl Editor {
    /// Reads the parameters of `initialize`; what is not as it should be is not there.
    fn of(params: &Value) -> Editor {
        let can = |path: &str| params.pointer(path).is_some_and(|it| !it.is_null());
        let is = |path: &str| params.pointer(path) == Some(&Value::Bool(true));
        let texts = |path: &str, key: &str| -> Vec<String> {
            let all = params.pointer(path).and_then(Value::as_array).into_iter().flatten();
            let text = |it: &'_ Value| -> Option<String> {
                let text = if key.is_empty() { it } else { &it[key] };
                Some(text.as_str()?.to_owned())
            };
            all.filter_map(text).collect()
        };
        let encodings = texts("/capabilities/general/positionEncodings", "");
        let mut folders = texts("/workspaceFolders", "uri");
        if folders.is_empty() {
            folders.extend(params["rootUri"].as_str().map(str::to_owned));
        }
        Editor {
            encoding: encodings.iter().find_map(|name| encoding(name)).unwrap_or_default(),
            pulls: can("/capabilities/textDocument/diagnostic"),
            refreshes: is("/capabilities/workspace/diagnostics/refreshSupport"),
            folders: folders.iter().filter_map(|folder| uri::path(folder)).collect(),
        }
    }
}

fn encoding(name: &str) -> Option<Encoding> {
    match name {
        "utf-8" => Some(Encoding::Utf8),
        "utf-16" => Some(Encoding::Utf16),
        "utf-32" => Some(Encoding::Utf32),
        _ => None,
    }
}
