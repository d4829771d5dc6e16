//! Lenses: what can be done with a form, shown above it.
//!
//! The editor carries the commands out, as the server runs no programs: `nesl.cost` and `nesl.run`,
//! with the name of the text and that of the function or value.

use crate::server::View;
use crate::uri;
use gen_lsp_types::{CodeLens, Command};
use serde_json::json;
use syntax::ast::{Form, FormKind};

/// The lenses of a text that is a file: others cannot be given to a command.
pub(crate) fn lenses(view: &View) -> Option<Vec<CodeLens>> {
    uri::path(&view.uri.0)?;
    Some(view.analysis.group.forms.iter().filter_map(|form| lens(view, form)).collect())
}

fn lens(view: &View, form: &Form) -> Option<CodeLens> {
    let (title, command) = match &form.kind {
        FormKind::Function(function) if function.body.is_some() => ("cost", "nesl.cost"),
        FormKind::Binding(..) | FormKind::Exp(_) => ("run", "nesl.run"),
        FormKind::Function(_)
        | FormKind::Datatype(_)
        | FormKind::Command(..)
        | FormKind::Error(_) => return None,
    };
    let command = Command {
        title: title.to_owned(),
        command: command.to_owned(),
        arguments: Some(vec![json!(view.uri.0), json!(form.defines.first())]),
        ..Command::default()
    };
    let range = view.analysis.text.range(form.span);
    Some(CodeLens { range, command: Some(command), data: None })
}
