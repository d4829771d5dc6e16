//! The file that says what a library has, for programs that bind to it: `docs/build.md` describes
//! its members.

use crate::options::Platform;
use emit::host::{Described, DescribedPart, Function, Manifest};
use serde_json::{Value, json};

/// The version of the members.  It changes when one of them goes away or means something else.
const FORMAT: u32 = 1;

/// The text of the file.
pub(crate) fn json(name: &str, source: &str, platform: Platform, manifest: &Manifest) -> String {
    let symbols = manifest.symbols.iter().map(|(word, symbol)| ((*word).to_owned(), json!(symbol)));
    let codes = manifest.codes.iter().enumerate();
    let codes = codes.map(|(code, word)| ((*word).to_owned(), json!(code)));
    let engine = match platform {
        Platform::C => "c",
        Platform::Cuda => "cuda",
    };
    let value = json!({
        "format": FORMAT,
        "nesl": env!("CARGO_PKG_VERSION"),
        "library": name,
        "source": source,
        "engine": engine,
        "int_bits": 64,
        "float_bits": 64,
        "symbols": Value::Object(symbols.collect()),
        "codes": Value::Object(codes.collect()),
        "functions": manifest.functions.iter().map(function).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn function(function: &Function) -> Value {
    json!({
        "name": function.name,
        "type": function.ty,
        "symbol": function.symbol,
        "into": function.into,
        "seed": function.seed,
        "parameters": function.params.iter().map(described).collect::<Vec<_>>(),
        "result": described(&function.result),
    })
}

fn described(value: &Described) -> Value {
    json!({
        "name": value.name,
        "type": value.ty,
        "parts": value.parts.iter().map(part).collect::<Vec<_>>(),
    })
}

fn part(part: &DescribedPart) -> Value {
    let mut value = json!({
        "name": part.name,
        "role": part.role,
        "element": part.element,
        "c": part.declaration,
    });
    if let Some(room) = &part.room {
        value["room"] = json!(room);
    }
    value
}
