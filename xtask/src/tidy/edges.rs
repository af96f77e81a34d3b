//! Which crate may know of which: layers over core, every arrow downwards.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::Finding;

/// Each crate of the workspace, without `flashscope-`, and the crates of the workspace that it may use. Tests
/// may use others.
const EDGES: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("sim", &["core"]),
    ("device", &["core"]),
    ("trace", &["core"]),
    ("analysis", &["core"]),
    ("bench", &["core", "analysis"]),
    ("store", &["core", "analysis"]),
    ("lab", &["core", "sim", "device", "trace", "analysis", "bench", "store"]),
    ("show", &["core", "sim", "device", "trace", "analysis", "bench", "store", "lab"]),
    ("papers", &["core", "sim", "device", "trace", "analysis", "bench", "store", "lab", "show"]),
    (
        "flashscope",
        &["core", "sim", "device", "trace", "analysis", "bench", "store", "lab", "show", "papers"],
    ),
    ("xtask", &[]),
];

/// Families of foreign crates (the name, or the name and `-` or `_`) and the crates that may use them: only
/// the binary speaks with a person; store writes IOs as Parquet, trace reads and writes traces as Parquet.
const FOREIGN: &[(&str, &[&str])] = &[
    ("clap", &["flashscope"]),
    ("indicatif", &["flashscope"]),
    ("ctrlc", &["flashscope"]),
    ("terminal_size", &["flashscope"]),
    ("anyhow", &["flashscope", "xtask"]),
    ("parquet", &["store", "trace"]),
    ("arrow", &["store"]),
];

/// A crate of the workspace.
pub struct Package {
    pub name: String,
    pub manifest: String,
    /// Normal dependencies.
    pub uses: Vec<String>,
}

/// Asks cargo.
pub fn read(root: &Path) -> anyhow::Result<Vec<Package>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version=1"])
        .current_dir(root)
        .output()
        .context("cargo metadata")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    parse(&serde_json::from_slice(&output.stdout)?, root).context("cargo metadata has an unknown form")
}

fn parse(metadata: &Value, root: &Path) -> Option<Vec<Package>> {
    let package = |value: &Value| {
        let normal = value["dependencies"].as_array()?.iter().filter(|used| used["kind"].is_null());
        let manifest = Path::new(value["manifest_path"].as_str()?);
        Some(Package {
            name: value["name"].as_str()?.into(),
            manifest: manifest.strip_prefix(root).unwrap_or(manifest).to_string_lossy().into(),
            uses: normal.map(|used| Some(used["name"].as_str()?.to_string())).collect::<Option<_>>()?,
        })
    };
    metadata["packages"].as_array()?.iter().map(package).collect()
}

pub fn check(packages: &[Package]) -> Vec<Finding> {
    let is_member = |name: &str| packages.iter().any(|package| package.name == name);
    let mut findings = Vec::new();
    for package in packages {
        let mut report = |what: String, way_out: &str| {
            findings.push(Finding::new(&package.manifest, 1, "crate-edges", what, way_out));
        };
        let Some((name, allowed)) = EDGES.iter().find(|(name, _)| *name == short(&package.name)) else {
            report(format!("{} is a new crate", package.name), "give it a row in xtask/src/tidy/edges.rs");
            continue;
        };
        for used in &package.uses {
            if is_member(used) && !allowed.contains(&short(used)) {
                let way_out = "move what both need below both, or let the binary join them";
                report(format!("{} may not know of {used}", package.name), way_out);
            }
            if let Some((_, owners)) = FOREIGN.iter().find(|(family, _)| is_of(used, family))
                && !owners.contains(name)
            {
                let way_out = format!("only {} may", owners.join(" and "));
                report(format!("{} may not use {used}", package.name), &way_out);
            }
        }
    }
    findings
}

fn short(name: &str) -> &str {
    name.strip_prefix("flashscope-").unwrap_or(name)
}

fn is_of(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(name: &str, uses: &[&str]) -> Vec<String> {
        let package = |name: &str, uses: &[&str]| Package {
            name: name.into(),
            manifest: "Cargo.toml".into(),
            uses: uses.iter().map(ToString::to_string).collect(),
        };
        let mut packages = vec![package(name, uses)];
        let others = EDGES.iter().filter(|(other, _)| *other != short(name));
        packages.extend(others.map(|(other, _)| package(&format!("flashscope-{other}"), &[])));
        check(&packages).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn arrows_point_downwards() {
        assert_eq!(
            findings("flashscope-bench", &["flashscope-core", "flashscope-analysis", "serde"]).len(),
            0
        );
        assert_eq!(findings("flashscope-papers", &["flashscope-show", "flashscope-lab"]).len(), 0);
        assert_eq!(findings("flashscope", &["flashscope-papers", "flashscope-core"]).len(), 0);
        for (name, used) in [
            ("flashscope-core", "flashscope-sim"),
            ("flashscope-bench", "flashscope-device"),
            ("flashscope-store", "flashscope-lab"),
            ("flashscope-lab", "flashscope-show"),
            ("flashscope-show", "flashscope-papers"),
            ("flashscope-sim", "flashscope-device"),
            ("xtask", "flashscope-core"),
        ] {
            assert_eq!(findings(name, &[used]), [format!("{name} may not know of {used}")]);
        }
    }

    #[test]
    fn only_the_binary_speaks_with_a_person() {
        for used in ["clap", "clap_complete", "clap_mangen", "indicatif", "ctrlc", "anyhow", "terminal_size"]
        {
            for name in ["flashscope-lab", "flashscope-papers", "flashscope-core"] {
                assert_eq!(findings(name, &[used]), [format!("{name} may not use {used}")]);
            }
            assert_eq!(findings("flashscope", &[used]).len(), 0);
        }
        assert_eq!(findings("xtask", &["anyhow"]).len(), 0);
    }

    #[test]
    fn parquet_and_arrow_have_their_users() {
        assert_eq!(findings("flashscope", &["arrow-array"]), ["flashscope may not use arrow-array"]);
        assert_eq!(findings("flashscope-store", &["parquet", "arrow"]).len(), 0);
        assert_eq!(findings("flashscope-trace", &["parquet"]).len(), 0);
        assert_eq!(findings("flashscope-trace", &["arrow"]), ["flashscope-trace may not use arrow"]);
        assert_eq!(findings("flashscope-bench", &["parquet"]), ["flashscope-bench may not use parquet"]);
        assert_eq!(findings("flashscope-core", &["arrowhead"]).len(), 0);
    }

    #[test]
    fn a_crate_without_a_row_is_told() {
        assert_eq!(findings("flashscope-extra", &[]), ["flashscope-extra is a new crate"]);
    }

    #[test]
    fn what_tests_and_build_scripts_use_is_free() {
        let metadata = r#"{"packages": [{"name": "a", "manifest_path": "/r/a/Cargo.toml", "dependencies": [
            {"name": "b", "kind": null}, {"name": "c", "kind": "dev"}, {"name": "d", "kind": "build"}]}]}"#;
        let packages = parse(&serde_json::from_str(metadata).unwrap(), Path::new("/r")).unwrap();
        assert_eq!(
            (packages[0].manifest.as_str(), &packages[0].uses[..]),
            ("a/Cargo.toml", &["b".into()][..])
        );
    }
}
