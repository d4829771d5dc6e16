//! What a library says when a check fails: places, codes, sentences.

use super::Library;
use crate::shared::Writer;
use base::{Site, Span};
use prim::{When, sentences};

/// The code of a site, as callers see it: its number in the order of the language definition.
pub(super) fn code(site: Site) -> usize {
    let place = Site::ALL.iter().position(|&s| s == site);
    place.unwrap_or_else(|| unreachable!("{site:?} is no site")) + 1
}

/// Codes of what is no error of the program: an argument that is none, a machine that fails.
pub(super) const INPUT: usize = Site::ALL.len() + 1;
pub(super) const BROKEN: usize = INPUT + 1;

/// The words of all codes, in order.
pub(super) fn words() -> Vec<&'static str> {
    let sites = Site::ALL.iter().map(|site| site.name());
    std::iter::once("ok").chain(sites).chain(["input", "broken"]).collect()
}

/// `FILE:LINE:COL`, without the folders that the file was in.
pub(super) fn place(library: &Library<'_>, span: Span) -> String {
    if span.is_none() {
        return library.source.to_owned();
    }
    let place = library.files.place(span);
    place.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// The tables: each check's place and code, the sentence of each code.
pub(super) fn tables(library: &Library<'_>, sites: &[(Site, Span)]) -> String {
    let mut out = Writer::default();
    out.line(format!("#define NESL_SOURCE {}", quoted(library.source)));
    out.blank();
    let codes = format!("NESL_CODE_MEMORY = {}, NESL_CODE_INPUT = {INPUT}", code(Site::Memory));
    out.line(format!("enum {{ {codes}, NESL_CODE_BROKEN = {BROKEN} }};"));
    out.blank();
    let list: Vec<String> = words().iter().map(|word| quoted(word)).collect();
    out.line("/* What the codes are called. */");
    out.line(format!("static const char *const nesl_words[] = {{{}}};", list.join(", ")));
    out.blank();
    out.line("/* The checks: the place in the source, and the code of what fails there. */");
    out.open("static const struct { const char *place; int code; } nesl_sites[] =");
    for &(site, span) in sites {
        out.line(format!("{{{}, {}}},", quoted(&place(library, span)), code(site)));
    }
    if sites.is_empty() {
        out.line("{NESL_SOURCE, 0},");
    }
    out.close(";");
    out.blank();
    out.line("/* Adds what is said of a check that saw these ints. */");
    out.open("static void nesl_sentence(int code, int64_t a, int64_t b)");
    out.line("const long long x = a, y = b;");
    let mut present: Vec<Site> = sites.iter().map(|row| row.0).chain([Site::Memory]).collect();
    present.sort();
    present.dedup();
    for site in present.into_iter().filter(|&site| site != Site::User) {
        for sentence in sentences(site) {
            let when = match sentence.when {
                When::Always => String::new(),
                When::BothZero => " && x == 0 && y == 0".to_owned(),
                When::Negative => " && x < 0".to_owned(),
                When::Second => " && y > 0".to_owned(),
                When::NoSecond => " && y < 0".to_owned(),
                When::SecondIs(n) => format!(" && y == {n}"),
            };
            let (form, args) = format(sentence.text);
            let add = format!("nesl_say({}{args})", quoted(&form));
            out.line(format!("if (code == {}{when}) return {add};", code(site)));
        }
    }
    out.line("nesl_say(\"error %d (%lld, %lld)\", code, x, y);");
    out.close("");
    out.finish()
}

/// A sentence as a form of `printf`, and what goes into it.
fn format(sentence: &str) -> (String, String) {
    let (mut form, mut args) = (String::new(), String::new());
    let mut rest = sentence;
    while let Some(at) = rest.find('{') {
        form.push_str(&rest[..at]);
        form.push_str("%lld");
        args.push_str(if rest[at..].starts_with("{a}") { ", x" } else { ", y" });
        rest = &rest[at + 3..];
    }
    (form + rest, args)
}

/// A string of C.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b'?' => quoted.push_str("\\?"),
            b' '..=b'~' => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_forms() {
        let (form, args) = format("index {a} is outside a sequence of length {b}");
        assert_eq!(form, "index %lld is outside a sequence of length %lld");
        assert_eq!(args, ", x, y");
        assert_eq!(quoted("a\"\\\n?"), r#""a\"\\\012\?""#);
    }
}
