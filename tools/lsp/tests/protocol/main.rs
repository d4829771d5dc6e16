//! The server as editors see it: each feature over the protocol, in memory.

#![expect(clippy::needless_pass_by_value, reason = "`ask(feature, json!(...))` reads best")]

mod client;
mod features;
mod load;

use client::{Client, URI};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

const PROGRAM: &str = "\
% é𝄞 % function double(s) = {x + x : x in s};
function scale(s, by := 2) \"each s[i] times by\" = {by * x : x in s};
total = sum(double([1, 2]));
scale([1], by := 3);
";

/// The program with the mark before the n-th place of a text.
fn marked(program: &str, place: &str, n: usize) -> String {
    let (at, _) = program.match_indices(place).nth(n).unwrap();
    format!("{}¦{}", &program[..at], &program[at..])
}

fn shown(diagnostics: &[Value], client: &Client) -> String {
    let lines = diagnostics.iter().map(|it| {
        let [code, message] = ["code", "message"].map(|key| it[key].as_str().unwrap());
        let related = it["relatedInformation"].as_array().into_iter().flatten();
        let related: String = related
            .map(|other| {
                let (location, message) = (&other["location"], other["message"].as_str().unwrap());
                let start = &location["range"]["start"];
                match location["uri"].as_str().unwrap() {
                    URI => format!("\n  `{}`: {message}", client.at(&location["range"])),
                    uri => format!("\n  {uri} {}:{}: {message}", start["line"], start["character"]),
                }
            })
            .collect();
        format!("{code} `{}`: {message}{related}\n", client.at(&it["range"]))
    });
    lines.collect()
}

fn check_diagnostics(text: &str, expected: &Expect) {
    let client = Client::open(text);
    expected.assert_eq(&shown(&client.diagnostics(), &client));
}

#[test]
fn errors_are_told() {
    check_diagnostics(PROGRAM, &expect![[""]]);
    check_diagnostics(
        "% 𝄞 % x = [1, `a];",
        &expect![[r#"
        N0305 ``a`: the elements of a sequence have one type: expected int, found char
        this is char
        help: `char_code` gives the code of a char
          `1`: the first element is int
    "#]],
    );
    check_diagnostics(
        "function h(a, a) = a;\nsumm([1]);",
        &expect![[r#"
            N0202 `a`: `a` is bound twice
            bound again here
            help: use different names, or `_` for parts that are not needed
              `a`: first bound here
            N0204 `summ`: `summ` is not defined
            help: did you mean `sum`?
        "#]],
    );
}

/// Warnings with their places; editors show them beside errors, which are left out.
fn warnings(client: &Client) -> String {
    let told = client.diagnostics();
    let warnings = told.iter().filter(|it| it["severity"] == 2);
    let lines = warnings.map(|it| {
        let (code, message) = (it["code"].as_str().unwrap_or("-"), it["message"].as_str().unwrap());
        format!("{code} `{}`: {message}\n", client.at(&it["range"]))
    });
    lines.collect()
}

#[test]
fn all_warnings_are_told() {
    let text = "function ping(n) = pong(n); price = 1,000,000;\n\
                function forever(m) = let m = m + 1; o = 2 in forever(m);\n\
                function pong(n) = ping(n + 1);";
    let expected = expect![[r#"
        - `pong(n)`: no call of `ping` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
        - `1,000,000`: this is a tuple of 3 ints; the digits of a number stand together, as in `1000000`
        N0211 `o`: `o` is not used
        help: write `_` for what is not needed
        - `forever(m)`: no call of `forever` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
        - `ping(n + 1)`: no call of `pong` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
    "#]];
    let mut client = Client::open(text);
    expected.assert_eq(&warnings(&client));
    // Of forms that are not checked again they are told at their new places.
    client.change(&format!("% moved %\n{text} forever(1);"));
    expected.assert_eq(&warnings(&client));
    client.change(&format!("% moved %\n{} x = ;", text.replace("price = 1,000,000", "")));
    expect![[r#"
        - `pong(n)`: no call of `ping` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
        N0211 `o`: `o` is not used
        help: write `_` for what is not needed
        - `forever(m)`: no call of `forever` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
        - `ping(n + 1)`: no call of `pong` ends: every path through it makes such a call again; it needs an `if` with an arm that makes none
    "#]]
    .assert_eq(&warnings(&client));
}

#[test]
fn errors_follow_changes() {
    let mut client = Client::open("x = ;");
    assert_eq!(client.diagnostics().len(), 1);
    client.change("x = 1;");
    assert_eq!(client.diagnostics().len(), 0);
    client.close(URI);
    assert_eq!(client.diagnostics().len(), 0);
    assert_eq!(client.ask("hover", json!({})), Err(format!("{URI} is not open")));
}

#[test]
fn uses_of_what_a_wrong_form_defines_are_no_errors() {
    check_diagnostics(
        "function g(x) = x +; y = 1 + `a; g(y); z;",
        &expect![[r#"
            N0101 `;`: expected an expression, found `;`
            N0302 ``a`: `+` needs int here, found char
            this is char
            note: `+` has type (a, a) -> a :: (a in number)
            help: `char_code` gives the code of a char
              `1`: this is int
            N0204 `z`: `z` is not defined
        "#]],
    );
}

#[test]
fn uses_of_functions_that_waited_and_are_wrong_are_no_errors() {
    check_diagnostics(
        "function a(x) = b(x) + 1.0 + 2; function b(x) = x; function c(n) = a(n); c(1.0);",
        &expect![[r#"
            N0302 `2`: `+` needs float here, found int
            this is int
            note: `+` has type (a, a) -> a :: (a in number)
            help: write `2.0`
              `b(x) + 1.0`: this is float
        "#]],
    );
}

fn check_formatting(text: &str, expected: &str) {
    let mut client = Client::open(text);
    let edits =
        client.ask("formatting", json!({ "options": { "tabSize": 2, "insertSpaces": true } }));
    assert_eq!(client.edited(&edits.unwrap()), expected);
}

#[test]
fn texts_are_formatted() {
    check_formatting("% é %  x=1 ;\n\ny  = x;", "% é % x = 1;\n\ny = x;\n");
    check_formatting("x = 1;\n", "x = 1;\n");
}

#[test]
fn texts_with_errors_are_not_formatted() {
    let mut client = Client::open("x = = 1;");
    let options = json!({ "options": { "tabSize": 2, "insertSpaces": true } });
    assert_eq!(client.ask("formatting", options), Ok(Value::Null));
}

fn hover(text: &str) -> String {
    let mut client = Client::open(text);
    let answer = client.ask("hover", json!({})).unwrap();
    let value = answer["contents"]["value"].as_str().unwrap_or("nothing");
    value.replace("```nesl\n", "").replace("\n```", "")
}

#[test]
fn hover_tells_types() {
    let at = |place, n| hover(&marked(PROGRAM, place, n));
    assert_eq!(at("double", 0), "double : [a] -> [a] :: (a in number)");
    assert_eq!(at("double", 1), "double : [a] -> [a] :: (a in number)");
    assert_eq!(at("scale", 1), "scale : ([a], a) -> [a] :: (a in number)\n\neach s[i] times by");
    assert_eq!(at("total", 0), "total : int");
    assert_eq!(at("x +", 0), "x : a");
    assert_eq!(at("s)", 0), "s : [a]");
    assert_eq!(at("2]", 0), ": int");
    assert_eq!(hover("function g(x, y) = (¦y, x);"), "y : b");
    assert_eq!(at("%", 0), "nothing");
}

#[test]
fn hover_tells_of_the_library() {
    expect![[r#"
        sum : [a] -> a :: (a in number)

        sum of the elements

        work n, depth 1

        sum([3, 1, 4, 1]) ==> 9
        sum([] float) ==> 0.0"#]]
    .assert_eq(&hover(&marked(PROGRAM, "sum", 0)));
    expect![[r#"
        count : [bool] -> int

        number of T

        work n, depth 1

        count([t, f, t]) ==> 2"#]]
    .assert_eq(&hover("¦count([t]);"));
    expect![[r#"
        + : (a, a) -> a :: (a in number)

        sum; ints wrap

        work 1, depth 1

        1 + 2 ==> 3
        max_int + 1 ==> -9223372036854775808"#]]
    .assert_eq(&hover("1 ¦+ 2;"));
}

#[test]
fn hover_works_beside_errors() {
    assert_eq!(hover("x = ; y = 1; ¦y;"), "y : int");
    expect![[r#"
        take : ([a], int) -> [a] :: (a in any)

        take(v, n): the first n, or the last -n; fails (range)

        work S, depth 1

        take("abcde", 2) ==> "ab"
        take("abcde", -2) ==> "de""#]]
    .assert_eq(&hover("z = ¦take(1);"));
}

#[test]
fn definitions_are_found() {
    let places = |place, n| {
        let mut client = Client::open(&marked(PROGRAM, place, n));
        let answer = client.ask("definition", json!({})).unwrap();
        let place = |it: &Value| {
            let start = &it["range"]["start"];
            format!("{} {}:{}", client.at(&it["range"]), start["line"], start["character"])
        };
        let places = answer.as_array().into_iter().flatten();
        places.map(place).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(places("double", 1), "double 0:17");
    assert_eq!(places("x :", 0), "x 0:38");
    assert_eq!(places("by := 3", 0), "by 1:18");
    assert_eq!(places("sum", 0), "");
}

#[test]
fn uses_are_found() {
    let count = |place, n, definitions: bool| {
        let mut client = Client::open(&marked(PROGRAM, place, n));
        let context = json!({ "context": { "includeDeclaration": definitions } });
        client.ask("references", context).unwrap().as_array().unwrap().len()
    };
    assert_eq!(count("double", 0, true), 2);
    assert_eq!(count("double", 0, false), 1);
    assert_eq!(count("by", 0, true), 3);
}

/// The items of these names with their details.
fn completion(text: &str, names: &[&str]) -> String {
    let mut client = Client::open(text);
    let answer = client.ask("completion", json!({})).unwrap();
    let items = answer.as_array().cloned().unwrap_or_default();
    let of = |name: &&str| items.iter().filter(|it| it["label"] == **name).collect::<Vec<_>>();
    let show = |it: &Value| format!("{} {}", it["label"], it["detail"]).replace('"', "");
    names.iter().flat_map(of).map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn names_are_completed() {
    let names = ["x", "s", "by", "double", "total", "plus_scan", "function", "t"];
    let at = |place| completion(&marked(PROGRAM, place, 0), &names);
    let common = "double [a] -> [a] :: (a in number), total int, \
                  plus_scan [a] -> [a] :: (a in number), function null";
    assert_eq!(at("x +"), format!("x a, s [a], {common}"));
    assert_eq!(at("by *"), format!("x a, s [a], by a, {common}"));
    assert_eq!(at("total"), common);
    assert_eq!(completion("% a ¦ % 1;", &names), "");
}

#[test]
fn names_of_broken_forms_are_completed() {
    let text = "function h(point) = let yes = 1 in ¦";
    assert_eq!(
        completion(text, &["point", "yes", "sum"]),
        "point null, yes null, sum [a] -> a :: (a in number)"
    );
}

fn rename(text: &str, name: &str) -> Result<String, String> {
    let mut client = Client::open(text);
    let answer = client.ask("rename", json!({ "newName": name }))?;
    Ok(client.edited(&answer["changes"][URI]))
}

#[test]
fn names_are_renamed() {
    let text =
        "h(1, b := 2); function h(a, b := 1) = g(h(a)) + b; function g(x) = {x : x in [x]}[0];";
    let at = |place, n, name| rename(&marked(text, place, n), name).unwrap();
    let (calls, body) = ("h(1, b := 2); ", "function g(x) = {x : x in [x]}[0];");
    let definition = "function h(a, b := 1) = g(h(a)) + b; ";
    assert_eq!(
        at("x :", 0, "y"),
        format!("{calls}{definition}function g(x) = {{y : y in [x]}}[0];")
    );
    assert_eq!(
        at("g(x", 0, "Twice"),
        format!("{calls}{}{}", definition.replace('g', "Twice"), body.replace('g', "Twice"))
    );
    assert_eq!(
        at("b;", 0, "by"),
        "h(1, b := 2); function h(a, by := 1) = g(h(a)) + by; function g(x) = {x : x in [x]}[0];"
    );
}

#[test]
fn wrong_renames_are_refused() {
    let refused = |text: &str, name| rename(text, name).unwrap_err();
    assert_eq!(refused("¦sum([1]);", "total"), "`sum` belongs to the library");
    assert_eq!(refused("¦x = 1;", "Then"), "`Then` is a reserved word or no name");
    assert_eq!(refused("¦x = 1;", "a b"), "`a b` is a reserved word or no name");
    let taken = "`y` has another meaning at one of these places";
    assert_eq!(refused("¦x = 1; let y = 2 in x;", "y"), taken);
    assert_eq!(refused("function h(¦x, y) = 1;", "y"), taken);
    assert_eq!(refused("y = 1; ¦x = 2;", "y"), taken);
}

#[test]
fn the_name_to_be_renamed_is_told() {
    let mut client = Client::open("% ü % abc¦ = 1;");
    let range = client.ask("prepareRename", json!({})).unwrap();
    assert_eq!(client.at(&range), "abc");
}

#[test]
fn symbols_are_the_definitions() {
    let mut client = Client::open("datatype p(int, int); function h(a) = b; (b, c) = (1, 2); b;");
    let answer = client.ask("documentSymbol", json!({})).unwrap();
    let show = |it: &Value| {
        format!("{} {} {} {}", it["name"], it["kind"], it["detail"], client.at(&it["range"]))
    };
    let symbols: Vec<String> = answer.as_array().unwrap().iter().map(show).collect();
    expect![[r#"
        "p" 23 "(int, int) -> p" datatype p(int, int)
        "h" 12 null function h(a) = b
        "b" 13 "int" (b, c) = (1, 2)
        "c" 13 "int" (b, c) = (1, 2)"#]]
    .assert_eq(&symbols.join("\n"));
}

#[test]
fn tokens_have_kinds() {
    let text =
        "% 𝄞\né % function h(a) : [b] -> int :: (b in any) = sum({#x : x in [a]}); h(\"é\");";
    let mut client = Client::open(text);
    let answer = client.ask("semanticTokens/full", json!({})).unwrap();
    let legend = client.capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let (mut line, mut start) = (0, 0);
    let numbers: Vec<u64> =
        answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let mut shown = Vec::new();
    for token in numbers.chunks(5) {
        line += token[0];
        start = if token[0] == 0 { start + token[1] } else { token[1] };
        let at = |character| json!({ "line": line, "character": character });
        let written = client.at(&json!({ "start": at(start), "end": at(start + token[2]) }));
        let library = if token[4] == 1 { " of the library" } else { "" };
        shown.push(format!("{written} {}{library}", legend[token[3] as usize].as_str().unwrap()));
    }
    expect![[r#"
        % 𝄞 comment
        é % comment
        function keyword
        h function
        a parameter
        b typeParameter
        -> operator
        int type of the library
        b typeParameter
        in keyword
        any type of the library
        = operator
        sum function of the library
        # operator
        x variable
        x variable
        in keyword
        a parameter
        h function
        "é" string"#]]
    .assert_eq(&shown.join("\n"));
}

#[test]
fn suggestions_are_quick_fixes() {
    let mut client = Client::open("% ü % ¦summ([1]);");
    let answer = client.ask("codeAction", json!({ "context": { "diagnostics": [] } })).unwrap();
    assert_eq!(answer[0]["title"], "did you mean `sum`?");
    assert_eq!(answer[0]["kind"], "quickfix");
    assert_eq!(client.edited(&answer[0]["edit"]["changes"][URI]), "% ü % sum([1]);");
}

#[test]
fn quick_fixes_change_several_places() {
    let fixed = |text: &str| {
        let mut client = Client::open(text);
        let answer = client.ask("codeAction", json!({ "context": { "diagnostics": [] } })).unwrap();
        client.edited(&answer[0]["edit"]["changes"][URI])
    };
    assert_eq!(fixed("sum(¦(summ));"), "sum((sum));");
    assert_eq!(fixed("[if t then 1 else ¦2, 3];"), "[(if t then 1 else 2), 3];");
    assert_eq!(fixed("map(¦fn x => x, [1]);"), "map(x => x, [1]);");
}

/// The places and texts of the hints behind the mark.
fn hints(text: &str) -> String {
    let mut client = Client::open(text);
    let answer = client.ask("inlayHint", json!({})).unwrap();
    let show = |it: &Value| {
        let position = &it["position"];
        format!("{}:{} {}", position["line"], position["character"], it["label"].as_str().unwrap())
    };
    let hints: Vec<String> = answer.as_array().unwrap().iter().map(show).collect();
    hints.join("\n")
}

#[test]
fn hints_are_types_that_are_not_written() {
    let text = "¦function h(a) \"twice\" = a + a; function g a = 1;\n\
                function k(a) : int -> int = a; (x, y) = (1, [2.0]); h(x);";
    expect![[r#"
        0:13 : a -> a :: (a in number)
        0:43 : a -> int :: (a in any)
        1:34 : int
        1:37 : [float]"#]]
    .assert_eq(&hints(text));
}

#[test]
fn hints_are_types_of_what_let_binds() {
    let text = "¦function h(s) : [a] -> int :: (a in number) =\n\
                let (n, _) = (#s, t); ((m)) = {x + x : x in s}\n\
                in let k = y => y + n in k(#m);\n\
                v = let a = [1.0] in a;\n\
                let b = c in b;";
    expect![[r#"
        1:6 : int
        1:25 : [a]
        2:8 : int -> int
        3:1 : [float]
        3:9 : [float]"#]]
    .assert_eq(&hints(text));
}

#[test]
fn unknown_requests_are_refused() {
    let mut client = Client::open("");
    let answer = client.request("textDocument/moniker", json!({}));
    assert_eq!(answer, Err("`textDocument/moniker` is not known".to_owned()));
}

#[test]
fn texts_that_end_anywhere_are_no_trouble() {
    let mut client = Client::open("");
    let features = [
        "hover",
        "definition",
        "completion",
        "prepareRename",
        "documentSymbol",
        "inlayHint",
        "semanticTokens/full",
        "semanticTokens/range",
        "signatureHelp",
        "documentHighlight",
        "foldingRange",
        "codeLens",
        "documentLink",
        "prepareCallHierarchy",
        "diagnostic",
    ];
    for (end, _) in PROGRAM.char_indices() {
        client.change(&format!("{}¦", &PROGRAM[..end]));
        for feature in features {
            let answer = client.ask(feature, json!({}));
            let library = Err("`sum` belongs to the library".to_owned());
            let unknown = |why: &String| why.ends_with("is not defined in this text");
            let fine = answer.is_ok() || answer == library || answer.as_ref().is_err_and(unknown);
            assert!(fine, "{feature} at {end}: {answer:?}");
        }
    }
}
