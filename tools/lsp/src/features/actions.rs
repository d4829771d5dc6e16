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
    let here = view
        .analysis
        .messages()
        .filter(|(_, error)| place(view.analysis, error).is_some_and(touches));
    let actions = here.flat_map(|(severity, error)| {
        let own = error.suggestions.iter().filter(|it| it.file() == Some(view.analysis.file));
        own.map(move |suggestion| {
            let about = diagnostic(view.analysis, view.uri, severity, error);
            action(view, error, about, suggestion).into()
        })
    });
    Some(actions.collect())
}

fn action(
    view: &View,
    error: &Diagnostic,
    about: gen_lsp_types::Diagnostic,
    suggestion: &Suggestion,
) -> CodeAction {
    let edit = |edit: &Edit| TextEdit {
        range: view.analysis.text.range(edit.span),
        new_text: edit.text.clone(),
    };
    let edits = suggestion.edits.iter().map(edit).collect();
    let changes = [(view.uri.clone(), edits)].into_iter().collect();
    CodeAction {
        title: suggestion.advice.clone(),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![about]),
        is_preferred: Some(error.suggestions.len() == 1),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        ..CodeAction::default()
    }
}
