//! Which crates can be packed for users of Rust.
//!
//! `cargo package` wants a version of each dependency, and a registry a description and a licence.
//! `scripts/rust-check` packs them and builds programs of what was packed.

use serde_json::Value;
use std::collections::BTreeSet;

/// The crates that users name.
const WANTED: &[&str] = &["nesl", "nesl-build", "nesl-data"];

/// The reasons why a wanted crate, or one of ours that it needs, cannot be packed.
pub(crate) fn findings(packages: &[Value]) -> Vec<String> {
    let mut findings = Vec::new();
    let mut todo: Vec<&str> = WANTED.to_vec();
    let mut seen = BTreeSet::new();
    while let Some(name) = todo.pop() {
        if !seen.insert(name) {
            continue;
        }
        let Some(package) = packages.iter().find(|package| package["name"] == name) else {
            findings.push(format!("{name} is to be packed, and is no crate of the workspace"));
            continue;
        };
        for field in ["description", "license"] {
            if package[field].as_str().is_none_or(str::is_empty) {
                findings.push(format!("{name} has no {field}, and is to be packed"));
            }
        }
        let dependencies = package["dependencies"].as_array().map_or(&[][..], Vec::as_slice);
        let own = dependencies.iter().filter(|it| it["kind"] != "dev" && it["path"].is_string());
        for used in own {
            let other = used["name"].as_str().unwrap_or_default();
            if used["req"] == "*" {
                findings
                    .push(format!("{name} uses {other} without a version, and is to be packed"));
            }
            todo.push(other);
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn versions_and_descriptions_are_wanted() {
        let package = |name: &str, description: Option<&str>, dependencies: Value| {
            json!({ "name": name, "description": description, "license": "MIT",
                "dependencies": dependencies })
        };
        let uses = |name: &str, req: &str, kind: Option<&str>| json!({ "name": name, "req": req, "kind": kind, "path": "/somewhere" });
        let own = [uses("a", "^0.1.0", None), uses("b", "*", None), uses("c", "*", Some("dev"))];
        let packages = [
            package("nesl", Some("it"), json!(own)),
            package("nesl-build", Some("it"), json!([])),
            package("a", None, json!([])),
            package("b", Some("it"), json!([])),
        ];
        let expected = [
            "nesl-data is to be packed, and is no crate of the workspace",
            "nesl uses b without a version, and is to be packed",
            "a has no description, and is to be packed",
        ];
        let mut found = findings(&packages);
        found.sort_by_key(|it| expected.iter().position(|expected| it == expected));
        assert_eq!(found, expected);
    }
}
