//! The queries name nodes that exist, and colour what they should.

use crate::{editor, parser};
use tree_sitter::{Query, QueryCursor, StreamingIterator};
use tree_sitter_nesl::{FOLDS, HIGHLIGHTS, INDENTS, LANGUAGE, LOCALS};

/// The captures of a text, the last of each place: captured text and name.
fn captures(query: &str, text: &str) -> Vec<(String, String)> {
    let query = Query::new(&LANGUAGE.into(), query).unwrap();
    let tree = editor(&mut parser(), text.as_bytes());
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.captures(&query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some((one, at)) = matches.next() {
        let capture = one.captures()[*at];
        let name = query.capture_names()[capture.index as usize].to_string();
        found.push((capture.node.byte_range(), one.pattern_index, name));
    }
    found.sort_by_key(|it| (it.0.start, it.0.end, it.1));
    let last = |at: &usize| found.get(at + 1).is_none_or(|next| next.0 != found[*at].0);
    let kept = (0..found.len()).filter(last);
    kept.map(|at| (text[found[at].0.clone()].to_string(), found[at].2.clone())).collect()
}

fn has(captures: &[(String, String)], text: &str, name: &str) -> bool {
    captures.iter().any(|it| it.0 == text && it.1 == name)
}

#[test]
fn all_queries_name_nodes_that_exist() {
    for query in [HIGHLIGHTS, FOLDS, LOCALS, INDENTS] {
        let query = Query::new(&LANGUAGE.into(), query).unwrap();
        assert!(query.pattern_count() > 0);
    }
}

#[test]
fn colours_tell_what_names_are() {
    let text = "function g(a, b := 1) : (int, v) -> int :: (v in any) \"doc\" = h(a) + `x;
                Show settings; show = T; point(p) = q; \"\\n\"; % c %";
    let found = captures(HIGHLIGHTS, text);
    let expected = [
        ("function", "keyword.function"),
        ("g", "function"),
        ("a", "variable.parameter"),
        ("b", "variable.parameter"),
        ("1", "number"),
        ("int", "type.builtin"),
        ("v", "type"),
        ("\"doc\"", "string.documentation"),
        ("h", "function.call"),
        ("+", "operator"),
        ("`x", "character"),
        ("Show", "keyword.directive"),
        ("show", "variable"),
        ("T", "boolean"),
        ("point", "constructor"),
        ("\\n", "string.escape"),
        ("% c %", "comment"),
    ];
    for (text, name) in expected {
        assert!(has(&found, text, name), "{text} is not {name}: {found:?}");
    }
}

#[test]
fn commands_have_their_own_colour() {
    let text = ": a; [0:1]; load b ++ \"c\"; describe if; apropos ->; describe {; load;";
    let found = captures(HIGHLIGHTS, text);
    let names = |text: &str| -> Vec<&str> {
        found.iter().filter(|it| it.0 == text).map(|it| it.1.as_str()).collect()
    };
    assert_eq!(names(":"), ["keyword.directive", "punctuation.delimiter"]);
    assert_eq!(names("load"), ["keyword.directive"; 2]);
    assert_eq!(names("describe"), ["keyword.directive"; 2]);
    assert_eq!(names("apropos"), ["keyword.directive"]);
    assert_eq!(names("if"), ["keyword.conditional"]);
    assert_eq!(names("->"), ["operator"]);
    assert_eq!(names("{"), ["punctuation.bracket"]);
    assert_eq!(names("b"), ["variable"]);
}

#[test]
fn all_reserved_words_have_a_colour() {
    let text = "function f a = if t and a or a xor a nand a nor a then a else let b = a in b;
                datatype d int; f;";
    let found = captures(HIGHLIGHTS, text);
    for word in syntax::SyntaxKind::ALL.iter().filter_map(|kind| kind.text()) {
        let used = text.split(|c: char| !c.is_ascii_alphabetic()).any(|it| it == word);
        let coloured = found.iter().any(|it| it.0 == word && !it.1.starts_with("variable"));
        assert!(!used || coloured, "{word}: {found:?}");
        let is_word = word.bytes().all(|byte| byte.is_ascii_alphabetic());
        assert!(!is_word || used, "{word} does not stand in the text of this test");
    }
}

#[test]
fn names_of_patterns_are_definitions() {
    let text = "function g(a, b, c) = let (d, e) = a; point(h, i) = b in {j : j in c};";
    let query = Query::new(&LANGUAGE.into(), LOCALS).unwrap();
    assert_eq!(definitions(&query, text), ["a", "b", "c", "d", "e", "g", "h", "i", "j"]);
}

/// The names that are captured as definitions, in order.
fn definitions(query: &Query, text: &str) -> Vec<String> {
    let tree = editor(&mut parser(), text.as_bytes());
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.captures(query, tree.root_node(), text.as_bytes());
    let mut found = Vec::new();
    while let Some((one, at)) = matches.next() {
        let capture = one.captures()[*at];
        if query.capture_names()[capture.index as usize].starts_with("local.definition") {
            found.push(text[capture.node.byte_range()].to_string());
        }
    }
    found.sort();
    found.dedup();
    found
}
