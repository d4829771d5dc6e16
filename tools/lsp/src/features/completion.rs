//! Completion: the names that can be written at a place, with their types, and the words of the
//! language.
//!
//! While a form is being written it often does not parse, and has no scopes; then its own names are
//! offered as they stand there.

use crate::names::SymbolKind;
use crate::server::View;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionResponse, MarkupContent, MarkupKind, Position,
};
use rustc_hash::FxHashSet;
use stdlib::documentation;
use syntax::SyntaxKind;
use types::tree::{Definition, Program};
use types::{Type, show_scheme, show_type_within};

/// What can be written at a place.
pub(crate) fn completion(view: &View, position: Position) -> Option<CompletionResponse> {
    let analysis = view.analysis;
    let offset = analysis.text.offset(position);
    if is_text(view, offset) {
        return None;
    }
    let mut items = own_names(view, offset);
    let mut seen: FxHashSet<String> = items.iter().map(|item| item.label.clone()).collect();
    items.extend(words_of_broken_form(view, offset).into_iter().filter_map(|name| {
        seen.insert(name.clone()).then(|| item(name, CompletionItemKind::Variable, None))
    }));
    let program = view.library.program();
    for name in view.library.names().filter(|name| !seen.contains(*name)) {
        let Some(global) = view.library.lookup(name) else { continue };
        items.push(library_item(program, name, &program.globals[global]));
    }
    let words = SyntaxKind::ALL.iter().filter_map(|kind| kind.text());
    let words = words.filter(|word| word.len() > 1 && word.bytes().all(|b| b.is_ascii_lowercase()));
    items.extend(words.map(|word| item(word.to_owned(), CompletionItemKind::Keyword, None)));
    Some(items.into())
}

/// Whether a place lies inside a comment, a string or a character.
fn is_text(view: &View, offset: u32) -> bool {
    let text = [SyntaxKind::Comment, SyntaxKind::Str, SyntaxKind::Char];
    let Some(token) = view.analysis.tree.root().token_at_offset(offset.into()).left_biased() else {
        return false;
    };
    let span = view.analysis.span(&token);
    text.contains(&token.kind()) && span.start < offset && offset < span.end
}

/// The names of the text that are visible.
fn own_names(view: &View, offset: u32) -> Vec<CompletionItem> {
    let (program, analysis) = (view.library.program(), view.analysis);
    let visible = analysis.names.visible(analysis.file, offset).into_iter();
    visible
        .map(|id| {
            let symbol = &analysis.names.symbols[id];
            let kind = match symbol.kind {
                SymbolKind::Function => CompletionItemKind::Function,
                SymbolKind::Datatype => CompletionItemKind::Struct,
                SymbolKind::Value
                | SymbolKind::Parameter
                | SymbolKind::Let
                | SymbolKind::Element => CompletionItemKind::Variable,
            };
            let ty = match (symbol.scope, symbol.places.first()) {
                (Some(_), Some(place)) => analysis
                    .typed_name(program, *place)
                    .map(|typed| show_type_within(program, &typed.scheme, &typed.ty)),
                _ => analysis.definition(program, id).map(|it| show_scheme(program, &it.scheme)),
            };
            item(symbol.name.to_string(), kind, ty)
        })
        .collect()
}

/// The names in the form around a place, if it does not parse; not the one that ends there.
fn words_of_broken_form(view: &View, offset: u32) -> Vec<String> {
    let analysis = view.analysis;
    let mut errors = analysis.tree.root().children().zip(analysis.tree.errors());
    let around = errors.find(|(form, errors)| {
        let range = form.text_range();
        !errors.is_empty()
            && u32::from(range.start()) <= offset
            && offset <= u32::from(range.end()) + 1
    });
    let Some((form, _)) = around else { return Vec::new() };
    let tokens = form.descendants_with_tokens().filter_map(|element| element.into_token());
    tokens
        .filter(|token| token.kind() == SyntaxKind::Ident)
        .filter(|token| u32::from(token.text_range().end()) != offset)
        .map(|token| token.text().to_ascii_lowercase())
        .collect()
}

fn library_item(program: &Program, name: &str, definition: &Definition) -> CompletionItem {
    let kind = match definition.scheme.ty {
        Type::Fun(..) => CompletionItemKind::Function,
        _ => CompletionItemKind::Constant,
    };
    let scheme = show_scheme(program, &definition.scheme);
    let documentation = documentation(name, definition).map(|doc| {
        MarkupContent { kind: MarkupKind::PlainText, value: doc.lines().join("\n") }.into()
    });
    CompletionItem { documentation, ..item(name.to_owned(), kind, Some(scheme)) }
}

fn item(label: String, kind: CompletionItemKind, detail: Option<String>) -> CompletionItem {
    CompletionItem { label, kind: Some(kind), detail, ..CompletionItem::default() }
}
