//! The text that programs include: the functions of a library, and what they have in common.

use crate::{function, types};
use base::{Diagnostic, Kind, Site};
use emit::host::{Function, Manifest, identifier};
use std::path::Path;

/// The keywords of Rust.
const KEYWORDS: &str = "
    abstract as async await become box break const continue crate do dyn else enum extern false
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return self
    static struct super trait true try type typeof unsafe unsized use virtual where while yield";

/// The module of a library, and why functions are left out of it.
pub(crate) fn text(library: &str, file: &Path, manifest: &Manifest) -> (String, Vec<String>) {
    let file = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let mut text = format!(
        "// Functions of {}, made by nesl-build.\n\n{}",
        file.replace(['\n', '\r'], " "),
        common(library, manifest)
    );
    let (mut taken, mut left_out) = (Vec::new(), Vec::new());
    for function in &manifest.functions {
        let mut shapes = function.params.iter().chain([&function.result]).map(|it| &it.shape);
        if !shapes.all(|shape| types::is_known(shape, false)) {
            let reason = "it has a sequence of tuples with more than six parts, or with none";
            left_out.push(format!("`{}` of {file} is left out: {reason}", function.name));
            continue;
        }
        let name = unique(&function.name, &mut taken);
        text.push('\n');
        text.push_str(&function::text(function, &name, &parameters(function), &file));
    }
    (text, left_out)
}

fn parameters(function: &Function) -> Vec<String> {
    let seed = function.seed.then_some("seed");
    let names = seed.into_iter().chain(function.params.iter().map(|param| param.name.as_str()));
    let mut taken = Vec::new();
    names.map(|name| unique(name, &mut taken)).collect()
}

/// A name of NESL as one of Rust that is not taken.
fn unique(name: &str, taken: &mut Vec<String>) -> String {
    let mut name = identifier(name);
    if ["crate", "self", "super"].contains(&name.as_str()) {
        name.push('_');
    } else if KEYWORDS.split_whitespace().any(|word| word == name) {
        name = format!("r#{name}");
    }
    while taken.contains(&name) {
        name.push('_');
    }
    taken.push(name.clone());
    name
}

/// The items that all functions use.
fn common(library: &str, manifest: &Manifest) -> String {
    let codes = manifest.codes.iter().map(|word| format!("{:?}", code(word)));
    let codes = codes.collect::<Vec<_>>().join(", ");
    format!(
        "#[allow(unsafe_code)]
unsafe extern \"C\" {{
    #[link_name = \"{library}_free\"]
    fn __free(vector: *mut ::core::ffi::c_void);
    #[link_name = \"{library}_message\"]
    fn __message() -> *const ::core::ffi::c_char;
}}

#[allow(unsafe_code)]
fn __failed(code: ::core::ffi::c_int) -> ::nesl_data::Error {{
    const CODES: &[&str] = &[{codes}];
    // SAFETY: the last call in this thread failed.
    unsafe {{ ::nesl_data::ahead::failed(CODES[code as usize], __message) }}
}}
"
    )
}

/// The code of messages for a word of a library's codes.
fn code(word: &str) -> &'static str {
    let kind = match (word, Site::parse(word)) {
        (_, Some(site)) => Kind::Runtime(site),
        ("ok", None) => return "",
        ("input", None) => Kind::Input,
        // A machine that fails, or a check that fails in one form of a kernel alone.
        (_, None) => Kind::Bug,
    };
    Diagnostic::new(kind, "").code.name()
}
