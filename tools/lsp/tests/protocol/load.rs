//! Texts that load others: what these define is known, and their errors are told.

use crate::client::{Client, URI};
use crate::{marked, shown};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

const LIB: &str = "file:///lib/s%20t.nesl";
const MORE: &str = "file:///lib/more.nesl";

const SUMS: &str = "\
load \"./more\";
datatype pair(int, int);
function mean(s) \"the middle\" = total(s) / float(#s);
function scale(s, by := 2) = {by * x : x in s};
three = 3;
";

const TOTAL: &str = "% é𝄞 % function total(s) : [float] -> float = sum(s);\n";

const MAIN: &str = "\
load \"lib/s t\";
mean([1.0, total([2.0])]);
scale([three], by := 3);
function first(pair(a, _)) : pair -> int = a;
";

/// An editor that has all three texts open.
fn open(marked: &str) -> Client {
    Client::open_beside(&[(MORE, TOTAL), (LIB, SUMS)], marked)
}

#[track_caller]
fn check_diagnostics(client: &Client, expected: &Expect) {
    expected.assert_eq(&shown(&client.diagnostics(), client));
}

#[test]
fn what_loaded_texts_define_is_known() {
    let client = open(MAIN);
    check_diagnostics(&client, &expect![[""]]);
    let client = open("mean([1.0]);\nload \"lib/s t\";\nmean(1);");
    check_diagnostics(
        &client,
        &expect![[r#"
            N0204 `mean`: `mean` is not defined
            help: a mean is `sum(a) / float(#a)` of floats
            N0301 `(1)`: `mean` takes [float], found int
            this is int
            note: `mean` has type [float] -> float
        "#]],
    );
}

#[test]
fn texts_are_read_from_the_disk() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp load");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("lib.nesl"), "load \"more.nesl\"; function g(a) = h(a);").unwrap();
    fs::write(folder.join("more.nesl"), "function h(a) = a + 1;").unwrap();
    let text = format!("load \"{}\";\n¦g(1);\ng(`a);", folder.join("lib").display());
    let mut client = Client::open(&text);
    check_diagnostics(
        &client,
        &expect![[r#"
        N0301 `(`a)`: `g` takes int, found char
        this is char
        note: `g` has type int -> int
        help: `char_code` gives the code of a char
    "#]],
    );
    let places = client.ask("definition", json!({})).unwrap();
    let uri = format!("file://{}/lib.nesl", folder.display()).replace(' ', "%20");
    assert_eq!(places[0]["uri"], uri.as_str());
    // What the editor has is taken before what it has not written yet.
    client.open_other(&uri, "function g(a) = a;");
    check_diagnostics(&client, &expect![[""]]);
    client.close(&uri);
    check_diagnostics(
        &client,
        &expect![[r#"
        N0301 `(`a)`: `g` takes int, found char
        this is char
        note: `g` has type int -> int
        help: `char_code` gives the code of a char
    "#]],
    );
    fs::write(folder.join("more.nesl"), "function h(a) = a;").unwrap();
    let more = uri.replace("lib.nesl", "more.nesl");
    let changes = json!({ "changes": [{ "uri": more, "type": 2 }] });
    client.notify("workspace/didChangeWatchedFiles", changes);
    check_diagnostics(&client, &expect![[""]]);
}

#[test]
fn errors_of_loaded_texts_are_one_error() {
    let bad = "function g(a) = summ(a);\n  x = 1 + `a;\nfunction h(a) = a;";
    let others = |lib| [("file:///bad.nesl", bad), (LIB, lib)];
    let text = "load \"bad\";\nh(1);\ng(2);\nnothing;";
    check_diagnostics(
        &Client::open_beside(&others(""), text),
        &expect![[r#"
            N0204 `"bad"`: `bad` has 2 errors, the first at bad.nesl:1: `summ` is not defined
              file:///bad.nesl 0:16: `summ` is not defined
            N0204 `nothing`: `nothing` is not defined
            help: there is no such value; `[]` is the empty sequence
        "#]],
    );
    let text = "load \"lib/s t\";\ng(2);";
    let other = others("load \"../bad\"; load \"none\"; other(1);");
    check_diagnostics(
        &Client::open_beside(&other, text),
        &expect![[r#"
            N0204 `"lib/s t"`: `lib/s t` has 3 errors, the first at bad.nesl:1: `summ` is not defined
              file:///bad.nesl 0:16: `summ` is not defined
        "#]],
    );
    let other = others("y;");
    check_diagnostics(
        &Client::open_beside(&other, text),
        &expect![[r#"
            N0204 `"lib/s t"`: `lib/s t` has an error at lib/s t.nesl:1: `y` is not defined
              file:///lib/s%20t.nesl 0:0: `y` is not defined
            N0204 `g`: `g` is not defined
        "#]],
    );
}

#[test]
fn texts_that_cannot_be_loaded() {
    let client = open("load \"none\";\nunknown(1) + 2;\n1 + `a;");
    check_diagnostics(
        &client,
        &expect![[r#"
        N0508 `"none"`: /none cannot be read: No such file or directory (os error 2)
        N0302 ``a`: `+` needs int here, found char
        this is char
        note: `+` has type (a, a) -> a :: (a in number)
        help: `char_code` gives the code of a char
          `1`: this is int
    "#]],
    );
    client.open_other("file:///none.nesl", "function unknown(a) = a;");
    check_diagnostics(
        &client,
        &expect![[r#"
        N0302 ``a`: `+` needs int here, found char
        this is char
        note: `+` has type (a, a) -> a :: (a in number)
        help: `char_code` gives the code of a char
          `1`: this is int
    "#]],
    );
    let client = Client::open_beside(&[(LIB, "load \"../a\";")], "load \"a\"; load \"lib/s t\";");
    check_diagnostics(
        &client,
        &expect![[r#"
            N0508 `"a"`: `a` is loaded by itself
            N0508 `"lib/s t"`: `lib/s t` has an error at lib/s t.nesl:1: `../a` is loaded by itself
              file:///lib/s%20t.nesl 0:5: `../a` is loaded by itself
        "#]],
    );
}

#[test]
fn a_text_is_checked_again_when_what_it_loads_changes() {
    let client = open(MAIN);
    assert_eq!(client.diagnostics().len(), 0);
    client.change_other(MORE, "function total(s) = x;");
    check_diagnostics(
        &client,
        &expect![[r#"
            N0204 `"lib/s t"`: `lib/s t` has an error at lib/more.nesl:1: `x` is not defined
              file:///lib/more.nesl 0:20: `x` is not defined
        "#]],
    );
    client.change_other(MORE, TOTAL);
    assert_eq!(client.diagnostics().len(), 0);
    client.close(LIB);
    assert_eq!(client.diagnostics().len(), 1);
}

#[test]
fn hover_tells_of_loaded_names() {
    let at = |place, n| {
        let mut client = open(&marked(MAIN, place, n));
        let answer = client.ask("hover", json!({})).unwrap();
        let value = answer["contents"]["value"].as_str().unwrap_or("nothing");
        value.replace("```nesl\n", "").replace("\n```", "")
    };
    assert_eq!(at("mean", 0), "mean : [float] -> float\n\nthe middle");
    assert_eq!(at("total", 0), "total : [float] -> float");
    assert_eq!(at("three", 0), "three : int");
    assert_eq!(at("pair(", 0), "pair : (int, int) -> pair");
    assert_eq!(at("lib", 0), "nothing");
}

#[test]
fn definitions_in_loaded_texts_are_found() {
    let places = |text: &str| {
        let mut client = open(text);
        let answer = client.ask("definition", json!({})).unwrap();
        let place = |it: &Value| {
            let start = &it["range"]["start"];
            let uri = it["uri"].as_str().unwrap();
            format!("{uri} {}:{}", start["line"], start["character"])
        };
        let places = answer.as_array().into_iter().flatten();
        places.map(place).collect::<Vec<_>>().join(", ")
    };
    let at = |place, n| places(&marked(MAIN, place, n));
    assert_eq!(at("mean", 0), "file:///lib/s%20t.nesl 2:9");
    assert_eq!(at("total", 0), "file:///lib/more.nesl 0:17");
    assert_eq!(at("by :=", 0), "file:///lib/s%20t.nesl 3:18");
    assert_eq!(at("pair -", 0), "file:///lib/s%20t.nesl 1:9");
    assert_eq!(at("a;", 0), "file:///a.nesl 3:20");
    let both = "function mean(s) = s; load \"lib/s t\"; load \"lib/more\"; ¦mean([1.0]);";
    assert_eq!(places(both), "file:///a.nesl 0:9, file:///lib/s%20t.nesl 2:9");
    assert_eq!(places(&both.replace("¦mean([1.0])", "¦total")), "file:///lib/more.nesl 0:17");
}

#[test]
fn uses_of_loaded_names_are_found() {
    let count = |definitions: bool| {
        let mut client = open(&format!("{}mean([]);", marked(MAIN, "mean", 0)));
        let context = json!({ "context": { "includeDeclaration": definitions } });
        client.ask("references", context).unwrap().as_array().unwrap().len()
    };
    assert_eq!((count(true), count(false)), (3, 2));
}

#[test]
fn loaded_names_are_completed() {
    let mut client = open(&format!("{MAIN}¦;"));
    let answer = client.ask("completion", json!({})).unwrap();
    let items = answer.as_array().unwrap();
    let names = ["mean", "scale", "three", "pair", "total", "by", "first"];
    let of = |name: &&str| items.iter().filter(|it| it["label"] == **name).collect::<Vec<_>>();
    let show = |it: &Value| format!("{} {}", it["label"], it["detail"]).replace('"', "");
    let found = names.iter().flat_map(of).map(show).collect::<Vec<_>>().join("\n");
    expect![[r#"
        mean [float] -> float
        scale ([a], a) -> [a] :: (a in number)
        three int
        pair (int, int) -> pair
        total [float] -> float
        first pair -> int"#]]
    .assert_eq(&found);
}

#[test]
fn loaded_names_are_not_renamed() {
    let rename = |text: &str, name| {
        let mut client = open(text);
        let answer = client.ask("rename", json!({ "newName": name }))?;
        Ok::<String, String>(client.edited(&answer["changes"][URI]))
    };
    let refused = |place, n| rename(&marked(MAIN, place, n), "other").unwrap_err();
    assert_eq!(refused("mean", 0), "`mean` is defined in lib/s t.nesl, which this text loads");
    assert_eq!(refused("by", 0), "`by` is defined in lib/s t.nesl, which this text loads");
    assert_eq!(refused("total", 0), "`total` is defined in lib/more.nesl, which this text loads");
    let taken = "`mean` has another meaning at one of these places";
    assert_eq!(rename(&marked(MAIN, "first", 0), "mean").unwrap_err(), taken);
    let renamed = rename(&marked(MAIN, "first", 0), "one").unwrap();
    assert_eq!(renamed, MAIN.replace("first", "one"));
}

#[test]
fn symbols_and_hints_are_those_of_the_text() {
    let mut client = open(&format!("¦{MAIN}function mine(s) = mean(s);"));
    let symbols = client.ask("documentSymbol", json!({})).unwrap();
    let names = symbols.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["first", "mine"]);
    let hints = client.ask("inlayHint", json!({})).unwrap();
    let labels = hints.as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap());
    assert_eq!(labels.collect::<Vec<_>>(), [": [float] -> float"]);
}
