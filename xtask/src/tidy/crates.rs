//! Who may depend on whom.
//!
//! The compiler is a chain of stations (`nest`, `flat`, `plan`, `kernel`) and roads between two
//! neighbours. A station knows no other station, a road knows exactly its two ends, and what all
//! share (`base`, `prim`, `scalar`) knows nobody. So a change of one representation can break its
//! two roads and nothing else. The crates from outside that `compiler/` may use are listed, too.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::root;

/// What everybody may use.
const SHARED: &[&str] = &["base", "prim", "scalar"];

/// What else of the compiler each crate uses: nothing or all of it. A crate that is not built yet
/// uses nothing.
const ENDS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("prim", &[]),
    ("scalar", &[]),
    ("syntax", &[]),
    ("types", &["syntax"]),
    ("nest", &[]),
    ("flat", &[]),
    ("plan", &[]),
    ("kernel", &[]),
    ("lower", &["nest", "types"]),
    ("flatten", &["flat", "nest"]),
    ("fuse", &["flat", "plan"]),
    ("schedule", &["kernel", "plan"]),
    ("emit", &["kernel", "plan"]),
];

/// The crate that joins the others into a pipeline and may use all of them.
const PIPELINE: &str = "compile";

/// What the crates of `embed/` use of the tree, all or a part of it. Nothing outside of `embed/`
/// uses them.
const EMBED: &[(&str, &[&str])] = &[
    ("arrow", &["prim", "types", "value"]),
    ("build", &["base", "emit", "prim", "run", "value"]),
    ("capi", &["arrow", "base", "nesl"]),
    ("data", &[]),
    ("nesl", &["arrow", "base", "data", "prim", "run", "types", "value"]),
    ("python", &["arrow", "base", "nesl", "prim", "run", "shell", "types", "value"]),
];

/// Crates from outside that the compiler may use.
const OUTSIDE: &[&str] = &[
    "annotate-snippets",
    "cranelift-entity",
    "ena",
    "good_lp",
    "indexmap",
    "petgraph",
    "pretty",
    "rowan",
    "rustc-hash",
    "smallvec",
    "smol_str",
    "thiserror",
];

/// A crate of `compiler/` and what it needs to be built, tests aside.
struct Crate {
    name: String,
    /// Crates of `compiler/`, by the names of their directories.
    inside: Vec<String>,
    /// Crates of other directories of the tree.
    elsewhere: Vec<String>,
    /// Crates from outside.
    outside: Vec<String>,
}

/// What is wrong with the crates.
pub(crate) fn findings() -> anyhow::Result<Vec<String>> {
    let metadata = metadata()?;
    let packages = metadata["packages"].as_array().context("cargo metadata has no packages")?;
    let compiler = packages.iter().filter_map(read_crate);
    let mut findings: Vec<String> = compiler.flat_map(|this| check(&this)).collect();
    findings
        .extend(packages.iter().filter_map(uses).flat_map(|(name, used)| embedded(&name, &used)));
    findings.extend(super::packed::findings(packages));
    for manifest in packages.iter().filter_map(|p| p["manifest_path"].as_str()) {
        let text = std::fs::read_to_string(manifest).with_context(|| manifest.to_owned())?;
        if !text.contains("[lints]\nworkspace = true") {
            findings.push(format!("{manifest}: the lints of the workspace are not taken"));
        }
    }
    Ok(findings)
}

fn check(this: &Crate) -> Vec<String> {
    let name = &this.name;
    let mut findings = Vec::new();
    for other in &this.elsewhere {
        findings.push(format!("compiler/{name} depends on {other}, which is not in compiler/"));
    }
    for other in this.outside.iter().filter(|o| !OUTSIDE.contains(&o.as_str())) {
        findings.push(format!("compiler/{name} depends on {other}, which is not on the list"));
    }
    if name == PIPELINE {
        return findings;
    }
    let Some((_, ends)) = ENDS.iter().find(|(n, _)| n == name) else {
        findings.push(format!("compiler/{name} is neither a station nor a road"));
        return findings;
    };
    let mut used: Vec<&str> = this.inside.iter().map(String::as_str).collect();
    used.retain(|n| !SHARED.contains(n));
    used.sort_unstable();
    if !used.is_empty() && used != *ends {
        findings.push(format!("compiler/{name} depends on {used:?}, and should on {ends:?}"));
    }
    findings
}

/// A package, and what it uses of the tree, tests aside: folders, as seen from the root.
fn uses(package: &Value) -> Option<(String, Vec<String>)> {
    let inside = |path: &Path| Some(path.strip_prefix(root()).ok()?.to_str()?.to_owned());
    let name = inside(Path::new(package["manifest_path"].as_str()?).parent()?)?;
    let own = package["dependencies"].as_array()?.iter().filter(|it| it["kind"] != "dev");
    let used = own.filter_map(|it| inside(Path::new(it["path"].as_str()?))).collect();
    Some((name, used))
}

/// The errors of a package that concern `embed/`.
fn embedded(name: &str, used: &[String]) -> Vec<String> {
    let Some(own) = name.strip_prefix("embed/") else {
        let wrong = used.iter().filter(|used| used.starts_with("embed/"));
        return wrong.map(|used| format!("{name} depends on {used}, which is for hosts")).collect();
    };
    let Some((_, allowed)) = EMBED.iter().find(|(n, _)| *n == own) else {
        return vec![format!("{name} is not listed")];
    };
    let last = |used: &str| used.rsplit('/').next().unwrap_or_default().to_owned();
    let wrong = used.iter().filter(|used| !allowed.contains(&last(used).as_str()));
    wrong.map(|used| format!("{name} depends on {used}, and should not")).collect()
}

/// The packages of the workspace, as cargo sees them.
fn metadata() -> anyhow::Result<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        bail!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Reads a package, if it belongs to the compiler.
fn read_crate(package: &Value) -> Option<Crate> {
    let manifest = Path::new(package["manifest_path"].as_str()?);
    let mut this = Crate {
        name: compiler_crate(manifest.parent()?)?,
        inside: Vec::new(),
        elsewhere: Vec::new(),
        outside: Vec::new(),
    };
    for dependency in package["dependencies"].as_array()? {
        let name = dependency["name"].as_str()?.to_owned();
        if dependency["kind"] == "dev" {
            continue;
        }
        match dependency["path"].as_str() {
            None => this.outside.push(name),
            Some(path) => match compiler_crate(Path::new(path)) {
                Some(inside) => this.inside.push(inside),
                None => this.elsewhere.push(name),
            },
        }
    }
    Some(this)
}

/// The name of a directory of `compiler/`.
fn compiler_crate(directory: &Path) -> Option<String> {
    let parent = directory.strip_prefix(root().join("compiler")).ok()?;
    Some(parent.to_str()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings_for(name: &str, inside: &[&str], outside: &[&str]) -> usize {
        let own = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect();
        check(&Crate {
            name: name.to_owned(),
            inside: own(inside),
            elsewhere: Vec::new(),
            outside: own(outside),
        })
        .len()
    }

    #[test]
    fn hosts_use_what_is_listed() {
        let found = |name: &str, used: &[&str]| {
            embedded(name, &used.iter().map(|&it| it.to_owned()).collect::<Vec<String>>()).len()
        };
        assert_eq!(found("embed/arrow", &["compiler/prim", "runtime/value"]), 0);
        assert_eq!(found("embed/arrow", &["runtime/run", "embed/capi"]), 2);
        assert_eq!(found("embed/capi", &["embed/arrow", "embed/nesl"]), 0);
        assert_eq!(found("embed/capi", &["embed/arrow", "runtime/run"]), 1);
        assert_eq!(found("embed/magic", &[]), 1);
        assert_eq!(found("tools/cli", &["runtime/run"]), 0);
        assert_eq!(found("runtime/run", &["embed/arrow"]), 1);
    }

    #[test]
    fn the_rules_hold() {
        assert_eq!(findings_for("flat", &["base", "prim"], &["indexmap"]), 0);
        assert_eq!(findings_for("flat", &["nest"], &[]), 1);
        assert_eq!(findings_for("flatten", &["flat", "base", "nest"], &[]), 0);
        assert_eq!(findings_for("flatten", &["flat"], &[]), 1);
        assert_eq!(findings_for("flatten", &["flat", "nest", "plan"], &[]), 1);
        assert_eq!(findings_for("emit", &[], &[]), 0);
        assert_eq!(findings_for("emit", &["kernel", "plan"], &["serde"]), 1);
        assert_eq!(findings_for("compile", &["nest", "flat", "emit"], &[]), 0);
        assert_eq!(findings_for("magic", &[], &[]), 1);
    }
}
