//! Messages as bytes: headers with a length, an empty line, and so much JSON.
//!
//! ```text
//! Content-Length: 52
//!
//! {"jsonrpc":"2.0","method":"initialized","params":{}}
//! ```
//!
//! A message that cannot be read is told to the editor and passed over: one slip of an editor must
//! not cost the service of a whole day.

use crate::Leave;
use lsp_server::{Connection, ErrorCode, Message, Notification, RequestId, Response};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::thread;

/// Serves an editor that writes to `input` and reads from `output`, until it says that it leaves or
/// writes no more.
pub fn serve_streams(
    input: impl BufRead + Send + 'static,
    mut output: impl Write + Send + 'static,
) -> Leave {
    let (server, client) = Connection::memory();
    let Connection { sender, receiver } = client;
    let back = server.sender.clone();
    // Nobody waits for the reader: it may wait for an editor that says nothing more.
    thread::spawn(move || {
        read(input, |told| match told {
            Told::Server(message) => sender.send(message).is_ok(),
            Told::Editor(message) => back.send(message).is_ok(),
        });
    });
    let writer = thread::spawn(move || {
        // The other side may be gone; then nothing is to be told to it.
        receiver.into_iter().try_for_each(|message| message.write(&mut output)).ok();
    });
    let served = crate::serve(&server);
    // What was answered is written before the process ends.
    drop(server);
    writer.join().ok();
    served
}

/// What comes of bytes of the editor.
enum Told {
    /// A message to the server.
    Server(Message),
    /// A message back, about one that cannot be read.
    Editor(Message),
}

/// Reads messages until the last one, or until what they are told to wants no more.
fn read(mut input: impl BufRead, mut tell: impl FnMut(Told) -> bool) {
    while let Ok(Some(body)) = body(&mut input) {
        let told = match serde_json::from_slice::<Message>(&body) {
            Ok(message) => Told::Server(message),
            Err(_) => Told::Editor(unreadable(&body)),
        };
        let last =
            matches!(&told, Told::Server(Message::Notification(told)) if told.method == "exit");
        if !tell(told) || last {
            return;
        }
    }
}

/// The body of the next message; none at the end.
fn body(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<u64>().ok();
        }
        // Headers without a length belong to no message.
        if line.trim().is_empty()
            && let Some(length) = length.take()
        {
            let mut body = Vec::new();
            input.take(length).read_to_end(&mut body)?;
            return Ok((body.len() as u64 == length).then_some(body));
        }
    }
}

/// What is told about a body that is no message: its sender is answered if it can be.
fn unreadable(body: &[u8]) -> Message {
    let read = serde_json::from_slice::<Value>(body);
    let why = match &read {
        Ok(_) => "it is none of the protocol".to_owned(),
        Err(error) => error.to_string(),
    };
    let value = read.unwrap_or_default();
    match serde_json::from_value::<RequestId>(value["id"].clone()) {
        Ok(id) => Response::new_err(id, ErrorCode::InvalidRequest as i32, why).into(),
        Err(_) => {
            let message = format!("a message could not be read: {why}");
            let params = json!({ "type": 1, "message": message });
            Notification::new("window/logMessage".to_owned(), params).into()
        }
    }
}
