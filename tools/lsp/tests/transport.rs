//! The bytes of the protocol: a message that cannot be read does not end the service.

use lsp::{Leave, serve_streams};
use serde_json::{Value, json};
use std::io::{self, BufReader, Cursor, Write};
use std::sync::{Arc, Mutex};

/// What the server has written.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn request(id: i32, method: &str) -> Vec<u8> {
    let value = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {
        "capabilities": {},
    }});
    framed(value.to_string().as_bytes())
}

fn notification(method: &str) -> Vec<u8> {
    framed(json!({ "jsonrpc": "2.0", "method": method, "params": {} }).to_string().as_bytes())
}

/// The id, or the method, of each message that is answered, and its error.
fn answers(middle: &[u8]) -> Vec<(Value, Value)> {
    let input = [
        request(1, "initialize"),
        notification("initialized"),
        middle.to_vec(),
        request(2, "unheard/of"),
        request(3, "shutdown"),
        notification("exit"),
    ];
    let written = Written::default();
    let served = serve_streams(BufReader::new(Cursor::new(input.concat())), written.clone());
    assert_eq!(served, Leave::Announced);
    let bytes = written.0.lock().unwrap().clone();
    let text = String::from_utf8(bytes).unwrap();
    let bodies = text.split("Content-Length: ").filter_map(|part| part.split_once("\r\n\r\n"));
    bodies
        .map(|(_, body)| {
            let value: Value = serde_json::from_str(body).unwrap();
            let name = if value["id"].is_null() { &value["method"] } else { &value["id"] };
            (name.clone(), value["error"]["code"].clone())
        })
        .collect()
}

#[track_caller]
fn check(middle: &[u8], told: &[(Value, Value)]) {
    let mut answers = answers(middle);
    // What is told about unreadable messages may come before or behind what is answered.
    for one in told {
        let at = answers.iter().position(|answer| answer == one);
        answers.remove(at.unwrap_or_else(|| panic!("{one:?} is not in {answers:?}")));
    }
    let rest = [(json!(1), Value::Null), (json!(2), json!(-32601)), (json!(3), Value::Null)];
    assert_eq!(answers, rest);
}

#[test]
fn messages_that_cannot_be_read_are_passed_over() {
    let logged = (json!("window/logMessage"), Value::Null);
    for body in ["{bad}", "[]", "null", "{}", "\u{0}"] {
        check(&framed(body.as_bytes()), std::slice::from_ref(&logged));
    }
    check(&framed(b"\xff\xfe"), std::slice::from_ref(&logged));
}

#[test]
fn who_can_be_answered_is() {
    check(&framed(b"{\"id\":7,\"method\":5}"), &[(json!(7), json!(-32600))]);
}

#[test]
fn other_headers_are_passed_over() {
    check(b"garbage\r\n\r\nContent-Length: x\r\n\r\n", &[]);
    let typed = b"Content-Type: application/vscode-jsonrpc\r\ncontent-length: 2\r\n\r\n{}";
    check(typed, &[(json!("window/logMessage"), Value::Null)]);
}

#[test]
fn an_editor_that_breaks_off_ends_the_service() {
    let input = [request(1, "initialize"), b"Content-Length: 99999999999\r\n\r\n{".to_vec()];
    let written = Written::default();
    let served = serve_streams(BufReader::new(Cursor::new(input.concat())), written);
    assert_eq!(served, Leave::Announced);
    let served = serve_streams(
        BufReader::new(Cursor::new(b"Content-Length: 9\r\n\r\n{")),
        Written::default(),
    );
    assert_eq!(served, Leave::Early);
}
