//! What a form was meant to be that goes over lines because terminators are missing.
//!
//! LANGUAGE 11 skips such a form up to the next terminator.  The mistakes in what was skipped can
//! be found all the same, where the text is read as if the terminators were there:
//!
//! ```text
//! w = 3               w = 3;
//! b = summ(w);        b = summ(w);
//! ```

use super::as_written;
use crate::ast::{Form, FormKind};
use crate::tree::{self, Tree};
use base::{Diagnostic, FileId};

/// How many terminators are added to one form.
const MOST: usize = 20;

/// The forms that a form was meant to be; none if it was not meant to be several.
pub(super) fn forms(file: FileId, tree: &Tree, form: &Form) -> Vec<Form> {
    let Some(mut place) = missing_end(tree.text(), form) else { return Vec::new() };
    let mut text = tree.text()[..form.span.end as usize].to_vec();
    text.push(b';');
    // So all places stay as they are.
    let before = text.iter_mut().take(form.span.start as usize);
    before.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    let mut forms = Vec::new();
    for _ in 0..MOST {
        text[place] = b';';
        forms = as_written(file, &tree::parse_source(file, &text), |_| None).forms;
        match forms.iter().find_map(|form| missing_end(&text, form)) {
            Some(next) => place = next,
            None => break,
        }
    }
    for end in forms.iter_mut().filter_map(|form| form.ends.as_mut()) {
        // The terminators took the place of ends of lines.
        let before = &tree.text()[..end.span.start as usize];
        end.line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    }
    forms
}

/// The white space at the end of a line of a form that is to be a terminator.
fn missing_end(text: &[u8], form: &Form) -> Option<usize> {
    let FormKind::Error(errors) = &form.kind else { return None };
    let [Diagnostic { suggestions, .. }] = errors.as_slice() else { return None };
    let [edit] = suggestions.first()?.edits.as_slice() else { return None };
    let place = edit.span.start as usize;
    let space = text[..form.span.end as usize].get(place..)?;
    let space = &space[..space.iter().position(|byte| !byte.is_ascii_whitespace())?];
    let fits = edit.text == ";" && edit.span.end == edit.span.start && space.contains(&b'\n');
    fits.then_some(place)
}
