//! `nesl lsp` as an editor starts it: messages over standard input and output.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// Sends a message.
fn send(input: &mut ChildStdin, message: &Value) {
    let text = message.to_string();
    write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
}

/// Reads the next message.
fn receive(output: &mut BufReader<ChildStdout>) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().unwrap(),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn an_editor_opens_a_text_and_leaves() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.args(["lsp", "--stdio"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());

    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    send(&mut input, &hello);
    let answer = receive(&mut output);
    assert_eq!(answer["result"]["serverInfo"]["name"], "nesl");
    assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true);
    send(&mut input, &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));

    let item = json!({
        "uri": "file:///a.nesl", "languageId": "nesl", "version": 1, "text": "% é % [1, `a];\n",
    });
    let params = json!({ "textDocument": item });
    let open = json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params });
    send(&mut input, &open);
    let told = receive(&mut output);
    assert_eq!(told["method"], "textDocument/publishDiagnostics");
    let errors = told["params"]["diagnostics"].as_array().unwrap();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["code"], "N0305");
    assert_eq!(errors[0]["range"]["start"], json!({ "line": 0, "character": 10 }));

    send(&mut input, &json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" }));
    assert_eq!(receive(&mut output)["id"], 2);
    send(&mut input, &json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

#[test]
fn an_editor_that_leaves_unannounced_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = command.spawn().unwrap();
    let mut input = server.stdin.take().unwrap();
    let mut output = BufReader::new(server.stdout.take().unwrap());
    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    send(&mut input, &hello);
    assert_eq!(receive(&mut output)["id"], 1);
    send(&mut input, &json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
    send(&mut input, &json!({ "jsonrpc": "2.0", "method": "exit" }));
    assert_eq!(server.wait().unwrap().code(), Some(1));
}

#[test]
fn nobody_who_speaks_is_told() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nesl"));
    let output = command.arg("lsp").stdin(Stdio::null()).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: the input ended before an editor had begun"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}
