//! The features, one file each: from what is known of a text to an answer of the protocol.

pub(crate) mod actions;
pub(crate) mod calls;
pub(crate) mod completion;
pub(crate) mod diagnostics;
pub(crate) mod folding;
pub(crate) mod formatting;
pub(crate) mod highlight;
pub(crate) mod hints;
pub(crate) mod hover;
pub(crate) mod lenses;
pub(crate) mod library_text;
pub(crate) mod links;
pub(crate) mod places;
pub(crate) mod rename;
pub(crate) mod selection;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod tokens;

use crate::handshake::Editor;
use crate::text::Encoding;
use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, DiagnosticOptions,
    DocumentLinkOptions, PositionEncodingKind, RenameOptions, ServerCapabilities,
    SignatureHelpOptions, TextDocumentContentOptions, TextDocumentSyncKind, WorkspaceOptions,
};

/// What the server can do for an editor.
pub(crate) fn capabilities(editor: &Editor) -> ServerCapabilities {
    let encoding = match editor.encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    };
    let signs = |signs: &[&str]| Some(signs.iter().map(|&sign| sign.to_owned()).collect());
    let library = TextDocumentContentOptions { schemes: vec![library_text::SCHEME.to_owned()] };
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSyncKind::Full.into()),
        document_formatting_provider: Some(true.into()),
        document_range_formatting_provider: Some(true.into()),
        document_highlight_provider: Some(true.into()),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        call_hierarchy_provider: Some(true.into()),
        workspace_symbol_provider: Some(true.into()),
        code_lens_provider: Some(CodeLensOptions::default()),
        document_link_provider: Some(DocumentLinkOptions::default()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: signs(&["(", ","]),
            retrigger_characters: signs(&[")"]),
            ..SignatureHelpOptions::default()
        }),
        // What a text loads may be wrong.
        diagnostic_provider: Some(
            DiagnosticOptions { inter_file_dependencies: true, ..DiagnosticOptions::default() }
                .into(),
        ),
        workspace: Some(WorkspaceOptions {
            text_document_content: Some(library.into()),
            ..WorkspaceOptions::default()
        }),
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
