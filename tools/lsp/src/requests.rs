//! Which feature answers which request.

use crate::features::{
    actions, calls, completion, diagnostics, folding, formatting, highlight, hints, hover, lenses,
    library_text, links, places, rename, selection, signature, symbols, tokens,
};
use crate::server::{Refused, Server, View};
use gen_lsp_types::{
    CallHierarchyIncomingCallsRequest, CallHierarchyOutgoingCallsRequest,
    CallHierarchyPrepareRequest, CodeActionRequest, CodeLensRequest, CompletionRequest,
    DefinitionRequest, DocumentDiagnosticRequest, DocumentFormattingRequest,
    DocumentHighlightRequest, DocumentLinkRequest, DocumentRangeFormattingRequest,
    DocumentSymbolRequest, FoldingRangeRequest, HoverRequest, InlayHintRequest, Position,
    PrepareRenameRequest, ReferencesRequest, RenameRequest, SelectionRangeRequest,
    SemanticTokensRangeRequest, SemanticTokensRequest, SignatureHelpRequest,
    TextDocumentContentRequest, TextDocumentPositionParams, Uri, WorkspaceSymbolRequest,
};
use lsp_server::{ErrorCode, Request, RequestId, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;

impl Server<'_> {
    /// Answers a request.
    pub(crate) fn answer(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            "textDocument/hover" => self.at::<HoverRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(hover::hover(view, position)),
            ),
            "textDocument/signatureHelp" => self.at::<SignatureHelpRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(signature::signature(view, position)),
            ),
            "textDocument/definition" => self.at::<DefinitionRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(places::definition(view, position)),
            ),
            "textDocument/references" => self.at::<ReferencesRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, _, params| Ok(places::references(view, params)),
            ),
            "textDocument/documentHighlight" => self.at::<DocumentHighlightRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(highlight::highlights(view, position)),
            ),
            "textDocument/completion" => self.at::<CompletionRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(completion::completion(view, position)),
            ),
            "textDocument/prepareRename" => self.at::<PrepareRenameRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| rename::prepare(view, position),
            ),
            "textDocument/rename" => self.at::<RenameRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, params| rename::rename(view, position, &params.new_name),
            ),
            "textDocument/prepareCallHierarchy" => self.at::<CallHierarchyPrepareRequest>(
                request,
                |params| &params.text_document_position_params,
                |view, position, _| Ok(calls::prepare(view, position)),
            ),
            _ => self.answer_of_text(request),
        }
    }
    /// Answers a request about a whole text, or a part of it.
    fn answer_of_text(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            "textDocument/formatting" => self.reply::<DocumentFormattingRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(formatting::formatting(view)),
            ),
            "textDocument/rangeFormatting" => self.reply::<DocumentRangeFormattingRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, params| Ok(formatting::range_formatting(view, params.range)),
            ),
            "textDocument/documentSymbol" => self.reply::<DocumentSymbolRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(symbols::symbols(view)),
            ),
            "textDocument/semanticTokens/full" => self.reply::<SemanticTokensRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(tokens::tokens(view, None)),
            ),
            "textDocument/semanticTokens/range" => self.reply::<SemanticTokensRangeRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, params| Ok(tokens::tokens(view, Some(params.range))),
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
            "textDocument/foldingRange" => self.reply::<FoldingRangeRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(folding::folds(view)),
            ),
            "textDocument/selectionRange" => self.reply::<SelectionRangeRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, params| Ok(selection::selections(view, &params.positions)),
            ),
            "textDocument/codeLens" => self.reply::<CodeLensRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(lenses::lenses(view)),
            ),
            "textDocument/documentLink" => self.reply::<DocumentLinkRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(links::links(view)),
            ),
            "textDocument/diagnostic" => self.reply::<DocumentDiagnosticRequest>(
                request,
                |params| params.text_document.uri.clone(),
                |view, _| Ok(diagnostics::report(view)),
            ),
            _ => self.answer_of_workspace(request),
        }
    }
    /// Answers a request that is not about one open text.
    fn answer_of_workspace(&mut self, request: Request) -> Response {
        match request.method.as_str() {
            "workspace/symbol" => {
                self.reply_of_all::<WorkspaceSymbolRequest>(request, |server, open, params| {
                    Ok(Some(symbols::workspace(server, open, &params.query).into()))
                })
            }
            "callHierarchy/incomingCalls" => self
                .reply_of_all::<CallHierarchyIncomingCallsRequest>(
                    request,
                    |server, open, params| Ok(Some(calls::incoming(server, open, &params.item))),
                ),
            "callHierarchy/outgoingCalls" => self
                .reply_of_all::<CallHierarchyOutgoingCallsRequest>(
                    request,
                    |server, open, params| Ok(Some(calls::outgoing(server, open, &params.item))),
                ),
            "workspace/textDocumentContent" => self
                .reply_of_all::<TextDocumentContentRequest>(request, |_, _, params| {
                    library_text::content(&params.uri)
                }),
            method => {
                let message = format!("`{method}` is not known");
                refuse(request.id, ErrorCode::MethodNotFound, message)
            }
        }
    }

    /// Answers a request about a place of an open text.
    fn at<R: gen_lsp_types::Request<Params: DeserializeOwned, Result: Serialize>>(
        &mut self,
        request: Request,
        place: impl Fn(&R::Params) -> &TextDocumentPositionParams,
        feature: impl Fn(&mut View, Position, &R::Params) -> Result<R::Result, Refused>,
    ) -> Response {
        self.reply::<R>(
            request,
            |params| place(params).text_document.uri.clone(),
            |view, params| feature(view, place(params).position, params),
        )
    }
    /// Answers a request about an open text.
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
        let Some(mut view) = self.view(&uri) else {
            let message = format!("{} is not open", uri.0);
            return refuse(request.id, ErrorCode::InvalidParams, message);
        };
        match feature(&mut view, &params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(why) => refuse(request.id, ErrorCode::RequestFailed, why),
        }
    }
    /// Answers a request about all open texts and the folders of the editor.
    fn reply_of_all<R: gen_lsp_types::Request<Params: DeserializeOwned, Result: Serialize>>(
        &mut self,
        request: Request,
        feature: impl Fn(&mut Server, &[Uri], &R::Params) -> Result<R::Result, Refused>,
    ) -> Response {
        let params: R::Params = match serde_json::from_value(request.params) {
            Ok(params) => params,
            Err(error) => return refuse(request.id, ErrorCode::InvalidParams, error.to_string()),
        };
        let open = self.check_all();
        match feature(self, &open, &params) {
            Ok(result) => Response::new_ok(request.id, result),
            Err(why) => refuse(request.id, ErrorCode::RequestFailed, why),
        }
    }
}

/// The answer to a request that is refused.
pub(crate) fn refuse(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Response {
    Response::new_err(id, code as i32, message.into())
}
