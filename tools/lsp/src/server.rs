//! The main loop: open texts, and which feature answers which request.

use crate::analysis::{Analysis, Library};
use crate::features::{
    actions, completion, diagnostics, formatting, hints, hover, places, rename, symbols, tokens,
};
use crate::texts::{self, OpenTexts};
use gen_lsp_types::{
    CodeActionRequest, CompletionRequest, DefinitionRequest, DidChangeTextDocumentParams,
    DidChangeWatchedFilesParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentFormattingRequest, DocumentSymbolRequest, HoverRequest, InlayHintRequest,
    PrepareRenameRequest, PublishDiagnosticsParams, ReferencesRequest, RenameRequest,
    SemanticTokensRequest, TextDocumentContentChangeEvent, TextDocumentPositionParams, Uri,
};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use serde::Serialize;
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
}

/// A text that is open in the editor.
struct Document {
    version: i32,
    /// What is known of the text; none while it is not checked.
    analysis: Option<Analysis>,
}

/// A server.
struct Server<'c> {
    connection: &'c Connection,
    library: Library,
    /// By their names.
    documents: BTreeMap<String, Document>,
    /// Their texts.
    texts: OpenTexts,
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
pub(crate) fn serve(connection: &Connection) -> Result<Leave, ProtocolError> {
    let (id, _) = connection.initialize_start()?;
    let server_info = serde_json::json!({
        "name": "nesl", "version": env!("CARGO_PKG_VERSION"),
    });
    let answer = serde_json::json!({
        "capabilities": crate::features::capabilities(),
        "serverInfo": server_info,
    });
    connection.initialize_finish(id, answer)?;
    let library = Library::new();
    let mut server =
        Server { connection, library, documents: BTreeMap::new(), texts: OpenTexts::default() };
    while let Some(message) = server.next() {
        match message {
            Message::Request(request) => {
                if connection.handle_shutdown(&request)? {
                    return Ok(Leave::Announced);
                }
                let response = server.answer(request);
                server.send(response.into());
            }
            Message::Notification(notification) if notification.method == "exit" => {
                return Ok(Leave::Unannounced);
            }
            Message::Notification(notification) => server.notice(notification),
            Message::Response(_) => {}
        }
    }
    Ok(Leave::Announced)
}

impl Server<'_> {
    /// The next message; while none waits, texts that have changed are checked.
    fn next(&mut self) -> Option<Message> {
        if let Ok(message) = self.connection.receiver.try_recv() {
            return Some(message);
        }
        let changed = self.documents.iter().filter(|(_, document)| document.analysis.is_none());
        for uri in changed.map(|(uri, _)| uri.clone()).collect::<Vec<_>>() {
            self.check(&uri);
        }
        self.connection.receiver.recv().ok()
    }
    /// The other side may be gone; then the next message is none.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }
    /// Checks a text, and tells what is wrong.
    fn check(&mut self, uri: &str) {
        if self.library.is_full() {
            self.library = Library::new();
            self.documents.values_mut().for_each(|document| document.analysis = None);
        }
        let Some(document) = self.documents.get_mut(uri) else { return };
        if document.analysis.is_some() {
            return;
        }
        let text = self.texts.get(uri).unwrap_or_default().to_owned();
        let uri = Uri::from(uri);
        let analysis = self.library.analyse(&uri, text, &self.texts);
        let found = diagnostics::diagnostics(&analysis, &uri);
        let version = Some(document.version);
        document.analysis = Some(analysis);
        self.publish(&PublishDiagnosticsParams { uri, version, diagnostics: found });
    }
    fn publish(&self, params: &PublishDiagnosticsParams) {
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Notification::new(method, params).into());
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
                    let params =
                        PublishDiagnosticsParams { uri, version: None, diagnostics: Vec::new() };
                    self.publish(&params);
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
        self.documents.insert(uri.0.clone(), Document { version, analysis: None });
        self.texts.set(&uri.0, text);
        self.changed(uri);
    }
    /// A text is another one now: those that load it, or would if it were there, are checked again.
    fn changed(&mut self, uri: &Uri) {
        let Some(changed) = texts::identity(&uri.0) else { return };
        for document in self.documents.values_mut() {
            document.analysis.take_if(|analysis| analysis.sought.contains(&changed));
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

    fn answer(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            "textDocument/formatting" => self.reply::<DocumentFormattingRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(formatting::formatting(view)),
            ),
            "textDocument/hover" => self.reply::<HoverRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| Ok(hover::hover(view, at(&params.text_document_position_params))),
            ),
            "textDocument/definition" => self.reply::<DefinitionRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| {
                    Ok(places::definition(view, at(&params.text_document_position_params)))
                },
            ),
            "textDocument/references" => self.reply::<ReferencesRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| Ok(places::references(view, params)),
            ),
            "textDocument/completion" => self.reply::<CompletionRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| {
                    Ok(completion::completion(view, at(&params.text_document_position_params)))
                },
            ),
            _ => self.answer_more(request),
        }
    }
    fn answer_more(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            "textDocument/prepareRename" => self.reply::<PrepareRenameRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| rename::prepare(view, at(&params.text_document_position_params)),
            ),
            "textDocument/rename" => self.reply::<RenameRequest>(
                request,
                |params| uri_of(&params.text_document_position_params),
                |view, params| {
                    let position = at(&params.text_document_position_params);
                    rename::rename(view, position, &params.new_name)
                },
            ),
            "textDocument/documentSymbol" => self.reply::<DocumentSymbolRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(symbols::symbols(view)),
            ),
            "textDocument/semanticTokens/full" => self.reply::<SemanticTokensRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(tokens::tokens(view)),
            ),
            "textDocument/codeAction" => self.reply::<CodeActionRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, params| Ok(actions::actions(view, params.range)),
            ),
            "textDocument/inlayHint" => self.reply::<InlayHintRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, params| Ok(hints::hints(view, params.range)),
            ),
            method => {
                let message = format!("`{method}` is not known");
                refuse(request.id, ErrorCode::MethodNotFound, message)
            }
        }
    }
    /// Answers a request about a text that is open.
    fn reply<R: gen_lsp_types::Request<Params: DeserializeOwned, Result: Serialize>>(
        &mut self,
        request: Request,
        uri: impl Fn(&R::Params) -> Uri,
        feature: impl Fn(&mut View, &R::Params) -> Result<R::Result, Refused>,
    ) -> Response {
        let params: R::Params = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => return refuse(request.id, ErrorCode::InvalidParams, error.to_string()),
        };
        let uri = uri(&params);
        self.check(&uri.0);
        let known = self.documents.get(&uri.0).and_then(|document| document.analysis.as_ref());
        let Some(analysis) = known else {
            let message = format!("{} is not open", uri.0);
            return refuse(request.id, ErrorCode::InvalidParams, message);
        };
        let mut view = View { uri: &uri, analysis, library: &mut self.library, texts: &self.texts };
        match feature(&mut view, &params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(why) => refuse(request.id, ErrorCode::RequestFailed, why),
        }
    }
}

fn refuse(id: RequestId, code: ErrorCode, message: String) -> Response {
    Response::new_err(id, code as i32, message)
}

fn uri_of(params: &TextDocumentPositionParams) -> Uri {
    params.text_document.uri.clone()
}

fn at(params: &TextDocumentPositionParams) -> gen_lsp_types::Position {
    params.position
}

/// What a notification says; one that cannot be read says nothing.
fn read<T: DeserializeOwned>(notification: Notification) -> Option<T> {
    serde_json::from_value(notification.params).ok()
}
