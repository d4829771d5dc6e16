//! An editor for tests: a text, in which `¦` marks the place that is asked about, and others.

use gen_lsp_types::Position;
use lsp::{Connection, Leave};
use lsp_server::{Message, Notification, Request, RequestId};
use serde_json::{Value, json};
use std::thread::JoinHandle;
use std::time::Duration;

/// The name of the text.
pub(crate) const URI: &str = "file:///a.nesl";

/// An editor and the server that it talks to.
pub(crate) struct Client {
    connection: Connection,
    server: Option<JoinHandle<Leave>>,
    requests: i32,
    text: String,
    mark: Position,
    /// What is counted in a line.
    encoding: String,
    /// What `initialize` answered.
    pub(crate) capabilities: Value,
}

impl Client {
    /// Opens a text.
    pub(crate) fn open(marked: &str) -> Client {
        Client::open_beside(&[], marked)
    }
    /// Opens a text where others, which have names, are open.
    pub(crate) fn open_beside(others: &[(&str, &str)], marked: &str) -> Client {
        let mut client = Client::begin(json!({ "capabilities": {} }));
        client.set(marked);
        others.iter().for_each(|(uri, text)| client.open_other(uri, text));
        client.open_other(URI, &client.text);
        client
    }
    /// Opens a text in an editor that can do these things.
    pub(crate) fn open_with(capabilities: Value, marked: &str) -> Client {
        let mut client = Client::begin(json!({ "capabilities": capabilities }));
        client.set(marked);
        client.open_other(URI, &client.text);
        client
    }
    /// An editor without a text, before it has said what it can.
    pub(crate) fn connect() -> Client {
        let (connection, other) = Connection::memory();
        let server = std::thread::spawn(move || lsp::serve(&other));
        Client {
            connection,
            server: Some(server),
            requests: 0,
            text: String::new(),
            mark: Position::default(),
            encoding: "utf-16".to_owned(),
            capabilities: Value::Null,
        }
    }
    /// An editor that has begun with these parameters.
    pub(crate) fn begin(params: Value) -> Client {
        let mut client = Client::connect();
        client.initialize(params);
        client
    }
    /// Says what the editor can.
    pub(crate) fn initialize(&mut self, params: Value) {
        let told = self.request("initialize", params).unwrap();
        self.capabilities = told["capabilities"].clone();
        self.encoding = self.capabilities["positionEncoding"].as_str().unwrap().to_owned();
        self.notify("initialized", json!({}));
    }
    /// Opens another text.
    pub(crate) fn open_other(&self, uri: &str, text: &str) {
        let item = json!({ "uri": uri, "languageId": "nesl", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": item }));
    }
    /// Closes a text.
    pub(crate) fn close(&self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    /// Changes the text.
    pub(crate) fn change(&mut self, marked: &str) {
        self.set(marked);
        self.change_other(URI, &self.text);
    }
    /// Changes a text.
    pub(crate) fn change_other(&self, uri: &str, text: &str) {
        let params = json!({
            "textDocument": { "uri": uri, "version": 2 },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }
    fn set(&mut self, marked: &str) {
        self.text = marked.replace('¦', "");
        let before = marked.split('¦').next().unwrap();
        let line = before.lines().last().filter(|_| !before.ends_with('\n')).unwrap_or_default();
        self.mark = Position {
            line: before.matches('\n').count() as u32,
            character: line.chars().map(|c| self.units(c)).sum::<u64>() as u32,
        };
    }
    fn units(&self, character: char) -> u64 {
        match self.encoding.as_str() {
            "utf-8" => character.len_utf8() as u64,
            "utf-32" => 1,
            _ => character.len_utf16() as u64,
        }
    }
    /// Tells something.
    pub(crate) fn notify(&self, method: &str, params: Value) {
        let notification = Notification { method: method.to_owned(), params };
        self.connection.sender.send(notification.into()).unwrap();
    }
    /// Asks something; gives the answer or why there is none.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, String> {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request { id: id.clone(), method: method.to_owned(), params };
        self.connection.sender.send(request.into()).unwrap();
        loop {
            if let Message::Response(response) = self.next() {
                assert_eq!(response.id, id);
                return response.response_result.map_err(|error| match error.code {
                    // The codes of the protocol itself.
                    code @ (-32600 | -32002) => format!("{code}: {}", error.message),
                    _ => error.message,
                });
            }
        }
    }
    /// The method of the next request of the server.
    pub(crate) fn asked(&self) -> String {
        loop {
            if let Message::Request(request) = self.next() {
                return request.method;
            }
        }
    }
    /// Asks about the text, or about the marked place.
    pub(crate) fn ask(&mut self, feature: &str, more: Value) -> Result<Value, String> {
        let mut params = json!({
            "textDocument": { "uri": URI },
            "position": self.mark,
            "range": { "start": self.mark, "end": { "line": 1000, "character": 0 } },
        });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.request(&format!("textDocument/{feature}"), params)
    }
    /// The errors of the text that the server tells next.
    pub(crate) fn diagnostics(&self) -> Vec<Value> {
        loop {
            if let Message::Notification(told) = self.next()
                && told.method == "textDocument/publishDiagnostics"
                && told.params["uri"] == URI
            {
                return told.params["diagnostics"].as_array().unwrap().clone();
            }
        }
    }
    fn next(&self) -> Message {
        self.connection.receiver.recv_timeout(Duration::from_secs(60)).unwrap()
    }
    /// The marked place.
    pub(crate) fn position(&self) -> Position {
        self.mark
    }
    /// The place of a piece of the text.
    pub(crate) fn find(&self, piece: &str) -> Position {
        let before = &self.text[..self.text.find(piece).unwrap()];
        let line = before.rsplit('\n').next().unwrap();
        Position {
            line: before.matches('\n').count() as u32,
            character: line.chars().map(|c| self.units(c)).sum::<u64>() as u32,
        }
    }
    /// The text at a range of an answer.
    pub(crate) fn at(&self, range: &Value) -> String {
        let [start, end] = ["start", "end"].map(|end| self.byte(&range[end]));
        self.text[start..end].to_owned()
    }
    /// The text after edits, which come in the order of the text.
    pub(crate) fn edited(&self, edits: &Value) -> String {
        let mut text = self.text.clone();
        for edit in edits.as_array().unwrap().iter().rev() {
            let [start, end] = ["start", "end"].map(|end| self.byte(&edit["range"][end]));
            text.replace_range(start..end, edit["newText"].as_str().unwrap());
        }
        text
    }
    fn byte(&self, position: &Value) -> usize {
        let [line, character] = ["line", "character"].map(|key| position[key].as_u64().unwrap());
        let lines = self.text.split_inclusive('\n');
        let start: usize = lines.take(line as usize).map(str::len).sum();
        let mut units = 0;
        let mut rest = self.text[start..].char_indices();
        let past = |(_, c): &(usize, char)| {
            let found = units >= character;
            units += self.units(*c);
            found
        };
        rest.find(past).map_or(self.text.len(), |(at, _)| start + at)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        assert_eq!(self.server.take().unwrap().join().unwrap(), Leave::Announced);
    }
}
