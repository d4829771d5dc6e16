//! Quick fixes: the changes that messages suggest.

use crate::features::diagnostics::{diagnostic, place};
use crate::server::View;
use base::diag::{Edit, Suggestion};
use base::{Diagnostic, Span};
use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeActionResponse, Range, TextEdit, WorkspaceEdit,
};

/// The changes that messages at a place suggest.
pub(crate) fn actions(view: &View, range: Range) -> Option<Vec<CodeActionResponse>> {
    let wanted = view.analysis.text.span(view.analysis.file, range);
    let touches = |span: Span| span.start <= wanted.end && wanted.start <= span.end;
    let errors = view.analysis.errors.iter().chain(&view.analysis.warnings);
    let here = errors.filter(|error| place(view.analysis, error).is_some_and(touches));
    let actions = here.flat_map(|error| {
        let own = error.suggestions.iter().filter(|it| it.file() == Some(view.analysis.file));
        own.map(move |suggestion| action(view, error, suggestion).into())
    });
    Some(actions.collect())
}

fn action(view: &View, error: &Diagnostic, suggestion: &Suggestion) -> CodeAction {
    let edit = |edit: &Edit| TextEdit {
        range: view.analysis.text.range(edit.span),
        new_text: edit.text.clone(),
    };
    let edits = suggestion.edits.iter().map(edit).collect();
    let changes = [(view.uri.clone(), edits)].into_iter().collect();
    CodeAction {
        title: suggestion.advice.clone(),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(view.analysis, view.uri, error)]),
        is_preferred: Some(error.suggestions.len() == 1),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    }
}
