//! Diagnostics: what is wrong with a text.
//!
//! The label of the place at fault, notes and advice follow the message; other labels are related
//! information, which editors show as places to go to.

use crate::analysis::Analysis;
use crate::features::library_text;
use crate::server::View;
use base::{Code, Diagnostic, Span};
use gen_lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, DocumentDiagnosticReport,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport, Uri,
};

/// What is wrong, and what may be.
pub(crate) fn diagnostics(analysis: &Analysis, uri: &Uri) -> Vec<gen_lsp_types::Diagnostic> {
    // What the library may do other texts may not.
    let is_own = !uri.0.starts_with(library_text::SCHEME);
    let all = analysis.messages().filter(|_| is_own);
    all.map(|(severity, error)| diagnostic(analysis, uri, severity, error)).collect()
}

/// The same for an editor that asks.
pub(crate) fn report(view: &View) -> DocumentDiagnosticReport {
    let items = diagnostics(view.analysis, view.uri);
    let report = FullDocumentDiagnosticReport { items, result_id: None };
    RelatedFullDocumentDiagnosticReport {
        full_document_diagnostic_report: report,
        ..RelatedFullDocumentDiagnosticReport::default()
    }
    .into()
}

/// One message.
pub(crate) fn diagnostic(
    analysis: &Analysis,
    uri: &Uri,
    severity: DiagnosticSeverity,
    error: &Diagnostic,
) -> gen_lsp_types::Diagnostic {
    let place = place(analysis, error).unwrap_or(Span::new(analysis.file, 0, 0));
    // A primitive has no place.
    let related = error.secondary.iter().filter_map(|label| {
        Some(DiagnosticRelatedInformation {
            location: analysis.location(uri, label.span)?,
            message: if label.text.is_empty() { "here".to_owned() } else { label.text.clone() },
        })
    });
    let related: Vec<_> = related.collect();
    gen_lsp_types::Diagnostic {
        range: analysis.text.range(place),
        severity: Some(severity),
        tags: (error.code == Code::UnusedName).then(|| vec![DiagnosticTag::Unnecessary]),
        // Some warnings have no code of their own.
        code: (severity == DiagnosticSeverity::Error || error.code.is_warning())
            .then(|| error.code.name().to_owned().into()),
        source: Some("nesl".to_owned()),
        message: message(error).into(),
        related_information: (!related.is_empty()).then_some(related),
        ..gen_lsp_types::Diagnostic::default()
    }
}

/// The place at fault, if it is in the text.
pub(crate) fn place(analysis: &Analysis, error: &Diagnostic) -> Option<Span> {
    let place = error.primary.as_ref().map(|label| label.span);
    place.filter(|span| span.file == analysis.file)
}

fn message(error: &Diagnostic) -> String {
    let mut lines = vec![error.message.clone()];
    let label = error.primary.iter().map(|label| &label.text);
    // Under the text it says what stands there; here the message has said it.
    lines.extend(label.filter(|text| !text.is_empty() && !text.starts_with("unknown ")).cloned());
    lines.extend(error.notes.iter().map(|note| format!("note: {note}")));
    let advice = error.suggestions.iter().map(|suggestion| &suggestion.advice);
    // Some messages end with the advice that can be carried out.
    let advice = error.help.iter().chain(advice).filter(|help| !error.message.ends_with(*help));
    lines.extend(advice.map(|help| format!("help: {help}")));
    lines.join("\n")
}
