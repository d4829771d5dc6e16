//! The features that read the text and its names: each in every encoding that an editor may choose.

use super::PROGRAM;
use super::client::{Client, URI};
use crate::marked;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// An editor that counts these units.
fn open(encoding: &str, marked: &str) -> Client {
    let general = json!({ "general": { "positionEncodings": [encoding, "utf-16"] } });
    let client = Client::open_with(general, marked);
    assert_eq!(client.capabilities["positionEncoding"], encoding);
    client
}

/// What a feature answers, shown alike in every encoding.
fn each(text: &str, show: impl Fn(&mut Client) -> String, expected: &Expect) {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        expected.assert_eq(&show(&mut open(encoding, text)));
    }
}

/// The texts at the ranges of an answer.
fn texts(client: &Client, answer: &Value, key: &str) -> String {
    let all = answer.as_array().into_iter().flatten();
    all.map(|it| client.at(&it[key]).replace('\n', "/")).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_encoding_is_the_first_that_both_know() {
    let chosen = |encodings: Value| {
        let general = json!({ "general": { "positionEncodings": encodings } });
        let client = Client::open_with(general, "");
        client.capabilities["positionEncoding"].as_str().unwrap().to_owned()
    };
    assert_eq!(chosen(json!(["utf-7", "utf-8", "utf-16"])), "utf-8");
    assert_eq!(chosen(json!(["utf-7"])), "utf-16");
    assert_eq!(chosen(json!("utf-8")), "utf-16");
}

#[test]
fn requests_before_the_beginning_are_refused() {
    let mut client = Client::connect();
    let early = Err("-32002: the first request is `initialize`".to_owned());
    assert_eq!(client.request("textDocument/hover", json!({})), early);
    assert_eq!(client.request("shutdown", Value::Null), early);
    client.notify("textDocument/didOpen", json!({}));
    client.initialize(json!({ "capabilities": {} }));
    let again = Err("-32600: `initialize` was answered before".to_owned());
    assert_eq!(client.request("initialize", json!({ "capabilities": {} })), again);
    assert_eq!(
        client.request("textDocument/hover", json!({})).unwrap_err(),
        "missing field `textDocument`"
    );
}

#[test]
fn a_request_may_come_before_the_editor_is_ready() {
    let mut client = Client::connect();
    client.request("initialize", json!({ "capabilities": {} })).unwrap();
    assert_eq!(client.request("workspace/symbol", json!({ "query": "" })), Ok(json!([])));
}

/// The label with the parameter that is being written in brackets.
fn signature(text: &str) -> String {
    let mut client = Client::open(text);
    let answer = client.ask("signatureHelp", json!({})).unwrap();
    let signature = &answer["signatures"][0];
    let Some(label) = signature["label"].as_str() else { return "nothing".to_owned() };
    let active = answer["activeParameter"].as_u64().unwrap() as usize;
    let [start, end] = [0, 1].map(|end| {
        signature["parameters"][active]["label"][end].as_u64().unwrap_or(label.len() as u64)
            as usize
    });
    let documentation = signature["documentation"]["value"].as_str().unwrap_or_default();
    let first = documentation.lines().next().unwrap_or_default();
    format!("{}<{}>{} {first}", &label[..start], &label[start..end], &label[end..])
}

#[test]
fn signatures_are_those_of_the_function_around() {
    let take = "take : (<[a]>, int) -> [a] :: (a in any) take(v, n): the first n, or the last -n; fails (range)";
    let second = take.replace("<[a]>", "[a]").replace(", int", ", <int>");
    assert_eq!(signature("take(¦"), take);
    assert_eq!(signature("take(\"a,b\", ¦"), second);
    assert_eq!(signature("x = take({(a, b) : a in s}, ¦2);"), second);
    assert_eq!(signature("x = take([1, 2¦], 2);"), take);
    assert_eq!(signature("x = take(% é𝄞, % s, 1, 2, ¦);"), second);
    assert_eq!(signature("x = take(s, (1 + ¦2));"), second);
    assert_eq!(signature("take(s, 1)¦;"), "nothing");
    assert_eq!(signature("take(s, 1); ¦"), "nothing");
    assert_eq!(signature("(1, ¦2)"), "nothing");
    assert_eq!(signature("pi(¦"), "nothing");
    let own = "function scale(s, by) \"each times by\" = {by * x : x in s};";
    assert_eq!(
        signature(&format!("{own} y = 1; scale([1], ¦")),
        "scale : ([a], <a>) -> [a] :: (a in number) each times by"
    );
    assert_eq!(signature("function g(x) = x + 1; g(¦)"), "g : <int> -> int ");
}

#[test]
fn places_of_a_name_are_highlighted() {
    let show = |client: &mut Client| {
        let answer = client.ask("documentHighlight", json!({})).unwrap();
        let all = answer.as_array().into_iter().flatten();
        let show = |it: &Value| format!("{} {}", client.at(&it["range"]), it["kind"]);
        all.map(show).collect::<Vec<_>>().join(", ")
    };
    each(&marked(PROGRAM, "double", 1), show, &expect!["double 3, double 2"]);
    each(&marked(PROGRAM, "x :", 0), show, &expect!["x 2, x 2, x 3"]);
    each("% é𝄞 % ¦sum([1]); sum([2]); max([1]);", show, &expect!["sum 2, sum 2"]);
    each("% ¦é𝄞 % sum([1]);", show, &expect![""]);
}

#[test]
fn parts_over_several_lines_fold() {
    let text =
        "% é\n 𝄞 %\nfunction g(s) =\n  let n = #s\n  in {x\n    : x in s};\nx = 1;\ny = [\n  1];\n";
    let mut client = Client::open(text);
    let answer = client.ask("foldingRange", json!({})).unwrap();
    let show = |it: &Value| format!("{}-{} {}", it["startLine"], it["endLine"], it["kind"]);
    let folds: Vec<String> = answer.as_array().unwrap().iter().map(show).collect();
    assert_eq!(folds.join(", "), "0-1 \"comment\", 2-5 null, 3-5 null, 4-5 null, 7-8 null");
}

#[test]
fn selections_grow() {
    let show = |client: &mut Client| {
        let position = client.position();
        let answer = client.ask("selectionRange", json!({ "positions": [position] })).unwrap();
        let mut at = &answer[0];
        let mut shown = Vec::new();
        while !at.is_null() {
            shown.push(client.at(&at["range"]));
            at = &at["parent"];
        }
        shown.join("\n")
    };
    each(
        "% é𝄞 % v = {x + 1¦0 : x in s};",
        show,
        &expect![[r#"
            10
            x + 10
            {x + 10 : x in s}
            v = {x + 10 : x in s}
            % é𝄞 % v = {x + 10 : x in s};"#]],
    );
    each("¦", show, &expect![""]);
}

#[test]
fn parts_are_formatted() {
    let edited = |encoding: &str, text: &str, from: &str, to: &str| {
        let mut client = open(encoding, text);
        let range = json!({ "range": { "start": client.find(from), "end": client.find(to) } });
        let options = json!({ "options": { "tabSize": 2, "insertSpaces": true } });
        let mut more = range.as_object().unwrap().clone();
        more.extend(options.as_object().unwrap().clone());
        let answer = client.ask("rangeFormatting", Value::Object(more)).unwrap();
        if answer.is_null() { "nothing".to_owned() } else { client.edited(&answer) }
    };
    let text = "% é𝄞 % a=1; b  =2;\nc=  3;\nd=4;\ne = = 5;";
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let of = |from, to| edited(encoding, text, from, to);
        assert_eq!(of("b", "b"), text.replace("b  =2", "b = 2"));
        assert_eq!(of("b", "3"), text.replace("b  =2", "b = 2").replace("c=  3", "c = 3"));
        assert_eq!(of("d", "d"), text.replace("d=4", "d = 4"));
        assert_eq!(of("d", "5"), "nothing");
    }
    assert_eq!(edited("utf-16", "x = 1;\n", "x", "1"), "x = 1;\n");
    assert_eq!(edited("utf-16", "x=1;", "x", "1"), "x = 1;");
}

#[test]
fn tokens_of_a_part_are_those_of_the_whole() {
    let tokens = |client: &mut Client, feature: &str, more: Value| {
        let answer = client.ask(feature, more).unwrap();
        let numbers: Vec<u64> =
            answer["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let (mut line, mut start) = (0, 0);
        let mut shown = Vec::new();
        for token in numbers.chunks(5) {
            line += token[0];
            start = if token[0] == 0 { start + token[1] } else { token[1] };
            let at = |character| json!({ "line": line, "character": character });
            let written = client.at(&json!({ "start": at(start), "end": at(start + token[2]) }));
            shown.push(format!("{written} {} {}", token[3], token[4]));
        }
        shown
    };
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut client = open(encoding, PROGRAM);
        let whole = tokens(&mut client, "semanticTokens/full", json!({}));
        let range =
            json!({ "range": { "start": client.find("total"), "end": client.find(";\nscale") } });
        let part = tokens(&mut client, "semanticTokens/range", range);
        assert_eq!(part.first().unwrap(), "total 6 0");
        assert!(part.len() > 5 && part.len() < whole.len());
        assert!(whole.windows(part.len()).any(|window| window == part));
    }
}

#[test]
fn forms_have_lenses() {
    let text = "% é𝄞 % function g(x) = x;\nfunction h(x) : int -> int;\nv = g(1);\nv;\nx = = 1;";
    let show = |client: &mut Client| {
        let answer = client.ask("codeLens", json!({})).unwrap();
        let all = answer.as_array().into_iter().flatten();
        let show = |it: &Value| {
            let command = &it["command"];
            format!("{} {} {}", command["command"], command["arguments"], client.at(&it["range"]))
        };
        all.map(show).collect::<Vec<_>>().join("\n")
    };
    each(
        text,
        show,
        &expect![[r#"
            "nesl.cost" ["file:///a.nesl","g"] function g(x) = x
            "nesl.run" ["file:///a.nesl","v"] v = g(1)
            "nesl.run" ["file:///a.nesl","it"] v"#]],
    );
}

#[test]
fn loaded_files_are_links() {
    let others = [("file:///b.nesl", "y = 1;")];
    let mut client = Client::open_beside(&others, "% é𝄞 % load \"b\"; load \"missing\";");
    let answer = client.ask("documentLink", json!({})).unwrap();
    assert_eq!(texts(&client, &answer, "range"), "\"b\"");
    assert_eq!(answer[0]["target"], "file:///b.nesl");
}

#[test]
fn diagnostics_are_told_to_who_asks() {
    let pulls = json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    });
    let mut client = Client::open_with(pulls, "% é𝄞 % load \"b\"; y + `a;");
    let answer = client.ask("diagnostic", json!({})).unwrap();
    assert_eq!(answer["kind"], "full");
    assert_eq!(texts(&client, &answer["items"], "range"), "\"b\"");
    client.open_other("file:///b.nesl", "y = 1;");
    assert_eq!(client.asked(), "workspace/diagnostic/refresh");
    let answer = client.ask("diagnostic", json!({})).unwrap();
    assert_eq!(texts(&client, &answer["items"], "range"), "`a");
    client.close("file:///b.nesl");
    let answer = client.ask("diagnostic", json!({})).unwrap();
    assert_eq!(texts(&client, &answer["items"], "range"), "\"b\"");
}

#[test]
fn warnings_are_told_and_mended() {
    let mut client = Client::open(
        "% é𝄞 % function g(s, ¦n) = {s : s in [s]}; function h(a) = map(a => a, [a]);",
    );
    let told = client.diagnostics();
    let show =
        |it: &Value| format!("{} {} {} {}", it["code"], it["severity"], it["tags"], it["message"]);
    let shown: Vec<String> = told.iter().map(show).collect();
    expect![[r#"
        "N0211" 2 [1] "`n` is not used\nhelp: write `_` for what is not needed"
        "N0212" 2 null "`a` hides another `a`\nhelp: use different names""#]]
    .assert_eq(&shown.join("\n"));
    let answer = client.ask("codeAction", json!({ "context": { "diagnostics": [] } })).unwrap();
    let edited = client.edited(&answer[0]["edit"]["changes"][URI]);
    assert!(edited.contains("function g(s, _) ="), "{edited}");
}

#[test]
fn definitions_in_the_library_have_a_text() {
    let mut client = Client::open("% é𝄞 % ¦count([t]);");
    assert_eq!(
        client.capabilities["workspace"]["textDocumentContent"]["schemes"],
        json!(["nesl-lib"])
    );
    let answer = client.ask("definition", json!({})).unwrap();
    let uri = answer[0]["uri"].as_str().unwrap().to_owned();
    assert!(uri.starts_with("nesl-lib:/") && uri.ends_with(".nesl"), "{uri}");
    let text = client.request("workspace/textDocumentContent", json!({ "uri": uri })).unwrap();
    let text = text["text"].as_str().unwrap();
    let start = &answer[0]["range"]["start"];
    let line = text.lines().nth(start["line"].as_u64().unwrap() as usize).unwrap();
    let name = &line[start["character"].as_u64().unwrap() as usize..];
    assert!(line.starts_with("function count") && name.starts_with("count("), "{line}");
    let missing = client.request("workspace/textDocumentContent", json!({ "uri": "nesl-lib:/x" }));
    assert_eq!(missing, Err("nesl-lib:/x is no text of the library".to_owned()));
    for (operator, place) in [("[1] ¦-> [0];", 1), ("1 ¦+ 2;", 0), ("¦plus_scan([1]);", 0)] {
        let mut client = Client::open(operator);
        let answer = client.ask("definition", json!({})).unwrap();
        assert_eq!(answer.as_array().unwrap().len(), place, "{operator}: {answer}");
    }
}

#[test]
fn comments_above_document() {
    let hover = |text: &str| {
        let mut client = Client::open(text);
        let answer = client.ask("hover", json!({})).unwrap();
        let value = answer["contents"]["value"].as_str().unwrap_or_default().to_owned();
        value.replace("```nesl\n", "").replace("\n```", "")
    };
    let text =
        "% The mean é𝄞 of a\n  sequence.\n  cost: n / 1 %\nfunction mean(s) = sum(s) / #s;\n";
    let expected = "mean : [int] -> int\n\nThe mean é𝄞 of a\nsequence.\n\nwork n, depth 1";
    assert_eq!(hover(&format!("{text}¦mean([1]);")), expected);
    assert_eq!(hover("% A point. %\ndatatype ¦p(int, int);"), "p : (int, int) -> p\n\nA point.");
    assert_eq!(hover("% Of all. %\n¦v = 1;"), "v : int\n\nOf all.");
    assert_eq!(hover("% No. %\nfunction ¦g(x) \"Yes.\" = x + 1;"), "g : int -> int\n\nYes.");
    assert_eq!(hover("% Licence. %\n\n¦v = 1;"), "v : int");
    // A function that waits for a later one.
    let late = "% First. %\nfunction g(x) = h(x);\n% Second. %\nfunction h(x) = x + 1;\n";
    assert_eq!(hover(&format!("{late}¦g(1);")), "g : int -> int\n\nFirst.");
    assert_eq!(hover(&format!("{late}¦h(1);")), "h : int -> int\n\nSecond.");
}

#[test]
fn symbols_of_all_texts_are_found() {
    let others = [("file:///b.nesl", "datatype pair(int, int); (up, down) = (1, 2);")];
    let mut client = Client::open_beside(&others, "% é𝄞 % function update(s) = s; update(1); ¦");
    let mut found = |query: &str| {
        let answer = client.request("workspace/symbol", json!({ "query": query })).unwrap();
        let all = answer.as_array().unwrap().iter();
        let show = |it: &Value| format!("{} {} {}", it["name"], it["kind"], it["location"]["uri"]);
        all.map(show).collect::<Vec<_>>().join(", ").replace('"', "")
    };
    assert_eq!(found("Up"), "update 12 file:///a.nesl, up 13 file:///b.nesl");
    assert_eq!(found("par"), "pair 23 file:///b.nesl");
    assert_eq!(found("xyz"), "");
}

#[test]
fn symbols_of_closed_files_are_found() {
    let folder = std::env::temp_dir().join(format!("nesl-symbols-{}", std::process::id()));
    std::fs::create_dir_all(folder.join(".git")).unwrap();
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join("inner/c.nesl"), "function closed(s) = s;").unwrap();
    std::fs::write(folder.join(".git/d.nesl"), "function closed_too(s) = s;").unwrap();
    let root = format!("file://{}", folder.display());
    let mut client = Client::begin(json!({
        "capabilities": {}, "workspaceFolders": [{ "uri": root, "name": "x" }],
    }));
    let answer = client.request("workspace/symbol", json!({ "query": "closed" })).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let found = answer.as_array().unwrap();
    assert_eq!(found.len(), 1, "{answer}");
    assert!(found[0]["location"]["uri"].as_str().unwrap().ends_with("/inner/c.nesl"));
}

#[test]
fn calls_lead_to_and_from_functions() {
    let main = "load \"b\";\n% é𝄞 % function g(x) = twice(x) + twice(1) + count([t]);\n\
                function h(x) = ¦g(x);\nv = g(1);\n";
    let others = [("file:///b.nesl", "function twice(x) = x + x;\ntwice(4);")];
    let mut client = Client::open_beside(&others, main);
    let item = client.ask("prepareCallHierarchy", json!({})).unwrap()[0].clone();
    assert_eq!([&item["name"], &item["detail"]], ["g", "int -> int"]);
    let calls = |client: &mut Client, way: &str, item: &Value, key: &str| {
        let method = format!("callHierarchy/{way}Calls");
        let answer = client.request(&method, json!({ "item": item })).unwrap();
        let all = answer.as_array().unwrap().iter();
        let show = |it: &Value| {
            let count = it["fromRanges"].as_array().unwrap().len();
            format!("{} {count} {}", it[key]["name"], it[key]["uri"])
        };
        let shown = all.map(show).collect::<Vec<_>>().join(", ").replace('"', "");
        (shown, answer)
    };
    let (incoming, _) = calls(&mut client, "incoming", &item, "from");
    assert_eq!(incoming, "h 1 file:///a.nesl, v 1 file:///a.nesl");
    let (outgoing, answer) = calls(&mut client, "outgoing", &item, "to");
    assert!(outgoing.starts_with("twice 2 file:///b.nesl, count 1 nesl-lib:/"), "{outgoing}");
    let (incoming, answer) = calls(&mut client, "incoming", &answer[0]["to"], "from");
    assert_eq!(incoming, "g 2 file:///a.nesl, it 1 file:///b.nesl");
    assert_eq!(client.at(&answer[0]["fromRanges"][1]), "twice");
}
