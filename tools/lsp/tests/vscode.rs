//! The folder of the extension for Visual Studio Code agrees with itself and with the language.

use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use syntax::SyntaxKind;

fn file(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn json(name: &str) -> Value {
    serde_json::from_str(&file(name)).unwrap()
}

#[test]
fn the_files_that_are_named_are_there() {
    let package = json("package.json");
    let script = file(package["main"].as_str().unwrap());
    assert!(script.contains("vscode-languageclient/node"));
    // What the server leaves to the editor.
    for part in ["\"nesl.cost\"", "\"nesl.run\"", "\"nesl-lib\"", "workspace/textDocumentContent"] {
        assert!(script.contains(part), "{part}");
    }
    assert!(package["dependencies"]["vscode-languageclient"].is_string());
    let [language, grammar] =
        ["languages", "grammars"].map(|key| package["contributes"][key][0].clone());
    let configuration = json(language["configuration"].as_str().unwrap());
    assert_eq!(configuration["comments"]["blockComment"][0], "%");
    let colours = json(grammar["path"].as_str().unwrap());
    assert_eq!(colours["scopeName"], grammar["scopeName"]);
}

#[test]
fn all_reserved_words_have_a_colour() {
    let colours = json("syntaxes/nesl.tmLanguage.json");
    let patterns = colours["patterns"].as_array().unwrap();
    let lists: Vec<&str> = patterns.iter().filter_map(|it| it["match"].as_str()).collect();
    let texts = SyntaxKind::ALL.iter().filter_map(|kind| kind.text());
    for word in texts.filter(|text| text.bytes().all(|byte| byte.is_ascii_lowercase())) {
        let is_listed = |list: &str| list.split(['(', '|', ')']).any(|part| part == word);
        assert!(lists.iter().any(|list| is_listed(list)), "{word}");
    }
}

#[test]
fn no_link_of_the_readme_leaves_the_folder() {
    // Such links would be broken in the package; `vsce` makes none of them.
    let readme = file("README.md");
    let links: Vec<&str> =
        readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.iter().all(|link| link.starts_with("https://")), "{links:?}");
}
