//! The main loop: open texts, and what is known of them.

use crate::analysis::Analysis;
use crate::check::Library;
use crate::features::diagnostics;
use crate::handshake::{Editor, handshake};
use crate::requests::refuse;
use crate::texts::{self, OpenTexts};
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, PublishDiagnosticsParams, TextDocumentContentChangeEvent, Uri,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// Why a request is refused.
pub(crate) type Refused = String;

/// How an editor leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leave {
    /// After `shutdown`, or by writing no more.
    Announced,
    /// By `exit` alone, which is an error in the protocol.
    Unannounced,
    /// By writing no more before it has begun.
    Early,
}

/// A text that is open in the editor.
struct Document {
    version: i32,
    /// What is known of the text, or of its last version.
    analysis: Option<Analysis>,
    /// Whether that is the present version, and that of all that it loads.
    is_checked: bool,
}

/// A server.
pub(crate) struct Server<'c> {
    connection: &'c Connection,
    editor: Editor,
    library: Library,
    /// By their names.
    documents: BTreeMap<String, Document>,
    /// Their texts.
    texts: OpenTexts,
    /// Requests that were sent to the editor.
    asked: i32,
}

/// A text that a feature reads, and the library.
pub(crate) struct View<'a> {
    /// The name of the text.
    pub(crate) uri: &'a Uri,
    /// What is known of it.
    pub(crate) analysis: &'a Analysis,
    /// The library.
    pub(crate) library: &'a mut Library,
    /// All texts that are open.
    pub(crate) texts: &'a OpenTexts,
}

/// Serves until `exit`.
pub(crate) fn serve(connection: &Connection) -> Leave {
    let editor = match handshake(connection) {
        Ok(editor) => editor,
        Err(leave) => return leave,
    };
    let texts = OpenTexts::new(editor.encoding);
    let library = Library::new();
    let documents = BTreeMap::new();
    let mut server = Server { connection, editor, library, documents, texts, asked: 0 };
    let mut leaves = false;
    while let Some(message) = server.next() {
        match message {
            Message::Request(request) => {
                let response = match request.method.as_str() {
                    "shutdown" if !leaves => {
                        leaves = true;
                        Response::new_ok(request.id, ())
                    }
                    _ if leaves => refuse(
                        request.id,
                        ErrorCode::InvalidRequest,
                        "after `shutdown` there are no requests",
                    ),
                    "initialize" => {
                        let why = "`initialize` was answered before";
                        refuse(request.id, ErrorCode::InvalidRequest, why)
                    }
                    _ => server.answer(request),
                };
                server.send(response.into());
            }
            Message::Notification(notification) if notification.method == "exit" => {
                return if leaves { Leave::Announced } else { Leave::Unannounced };
            }
            Message::Notification(notification) => server.notice(notification),
            Message::Response(_) => {}
        }
    }
    Leave::Announced
}

impl Server<'_> {
    /// The next message; while none waits, texts that have changed are checked.
    fn next(&mut self) -> Option<Message> {
        if let Ok(message) = self.connection.receiver.try_recv() {
            return Some(message);
        }
        self.check_all();
        self.connection.receiver.recv().ok()
    }
    /// The other side may be gone; then the next message is none.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }
    /// Checks all texts that have changed; gives the names of all.
    pub(crate) fn check_all(&mut self) -> Vec<Uri> {
        let open: Vec<Uri> = self.documents.keys().map(|uri| Uri(uri.clone())).collect();
        open.iter().for_each(|uri| self.check(&uri.0));
        open
    }
    /// Checks a text, and tells what is wrong.
    pub(crate) fn check(&mut self, uri: &str) {
        let needed = |document: &Document| {
            document.analysis.as_ref().map_or(0, |analysis| analysis.definitions.len())
        };
        if self.library.is_full(self.documents.values().map(needed).sum()) {
            self.library = Library::new();
            for document in self.documents.values_mut() {
                (document.analysis, document.is_checked) = (None, false);
            }
        }
        let Some(document) = self.documents.get_mut(uri).filter(|it| !it.is_checked) else {
            return;
        };
        let text = self.texts.get(uri).unwrap_or_default().to_owned();
        let uri = Uri::from(uri);
        let last = document.analysis.take();
        let analysis = self.library.analyse(&uri, text, &self.texts, last);
        let version = Some(document.version);
        let found = diagnostics::diagnostics(&analysis, &uri);
        (document.analysis, document.is_checked) = (Some(analysis), true);
        if !self.editor.pulls {
            self.publish(&PublishDiagnosticsParams { uri, version, diagnostics: found });
        }
    }
    fn publish(&self, params: &PublishDiagnosticsParams) {
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Notification::new(method, params).into());
    }
    /// A text and what is known of it, if it is open.
    pub(crate) fn view<'a>(&'a mut self, uri: &'a Uri) -> Option<View<'a>> {
        let analysis = self.documents.get(&uri.0)?.analysis.as_ref()?;
        Some(View { uri, analysis, library: &mut self.library, texts: &self.texts })
    }
    /// All texts that are open.
    pub(crate) fn texts(&self) -> &OpenTexts {
        &self.texts
    }
    /// The folders of the editor.
    pub(crate) fn folders(&self) -> &[std::path::PathBuf] {
        &self.editor.folders
    }

    fn notice(&mut self, notification: Notification) {
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                if let Some(DidOpenTextDocumentParams { text_document }) = read(notification) {
                    self.set(&text_document.uri, text_document.version, text_document.text);
                }
            }
            "textDocument/didChange" => self.change(read(notification)),
            "textDocument/didClose" => {
                if let Some(DidCloseTextDocumentParams { text_document }) = read(notification) {
                    let uri = text_document.uri;
                    self.documents.remove(&uri.0);
                    self.texts.close(&uri.0);
                    self.changed(&uri);
                    if !self.editor.pulls {
                        let diagnostics = Vec::new();
                        let params = PublishDiagnosticsParams { uri, version: None, diagnostics };
                        self.publish(&params);
                    }
                }
            }
            "workspace/didChangeWatchedFiles" => {
                if let Some(DidChangeWatchedFilesParams { changes }) = read(notification) {
                    changes.iter().for_each(|change| self.changed(&change.uri));
                }
            }
            _ => {}
        }
    }
    /// A text is open, or another one now.
    fn set(&mut self, uri: &Uri, version: i32, text: String) {
        let analysis = self.documents.remove(&uri.0).and_then(|document| document.analysis);
        let document = Document { version, analysis, is_checked: false };
        self.documents.insert(uri.0.clone(), document);
        self.texts.set(&uri.0, text);
        self.changed(uri);
    }
    /// A text is another one now: those that load it, or would if it were there, are checked again.
    fn changed(&mut self, uri: &Uri) {
        let Some(changed) = texts::identity(&uri.0) else { return };
        let mut others = false;
        for document in self.documents.values_mut() {
            let sought = document.analysis.as_ref().is_some_and(|it| it.sought.contains(&changed));
            others |= sought && document.is_checked;
            document.is_checked &= !sought;
        }
        if others && self.editor.pulls && self.editor.refreshes {
            self.asked += 1;
            let (id, method) = (RequestId::from(self.asked), "workspace/diagnostic/refresh");
            let params = serde_json::Value::Null;
            self.send(Request { id, method: method.to_owned(), params }.into());
        }
    }
    /// A text has changed; the whole new text is told.
    fn change(&mut self, params: Option<DidChangeTextDocumentParams>) {
        let Some(mut params) = params else { return };
        let identifier = params.text_document;
        let uri = identifier.text_document_identifier.uri;
        let Some(change) = params.content_changes.pop() else { return };
        if let TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) =
            change
            && self.documents.contains_key(&uri.0)
        {
            self.set(&uri, identifier.version, whole.text);
        }
    }
}

/// What a notification says; one that cannot be read says nothing.
fn read<T: DeserializeOwned>(notification: Notification) -> Option<T> {
    serde_json::from_value(notification.params).ok()
}
