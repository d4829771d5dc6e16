//! The features, one file each: from what is known of a text to an answer of the protocol.

pub(crate) mod actions;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod formatting;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod places;
pub(crate) mod rename;
pub(crate) mod symbols;
pub(crate) mod tokens;

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CompletionOptions, PositionEncodingKind, RenameOptions,
    ServerCapabilities, TextDocumentSyncKind,
};

/// What the server can do.
pub(crate) fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncKind::Full.into()),
        document_formatting_provider: Some(true.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions::default()),
        rename_provider: Some(
            RenameOptions { prepare_provider: Some(true), ..RenameOptions::default() }.into(),
        ),
        document_symbol_provider: Some(true.into()),
        semantic_tokens_provider: Some(tokens::options().into()),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![CodeActionKind::QuickFix]),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        inlay_hint_provider: Some(true.into()),
        ..ServerCapabilities::default()
    }
}
