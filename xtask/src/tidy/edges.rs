//! Which crate may know of which: a star around core.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};
use serde_json::Value;

use super::Finding;

/// Each crate of the workspace and the crates of the workspace that it may use. Tests may use others.
const EDGES: &[(&str, &[&str])] = &[
    ("flashscope-core", &[]),
    ("flashscope-sim", &["flashscope-core"]),
    ("flashscope-device", &["flashscope-core"]),
    ("flashscope-trace", &["flashscope-core"]),
    ("flashscope-em", &["flashscope-core"]),
    ("flashscope-analysis", &["flashscope-core"]),
    ("flashscope-bench", &["flashscope-core", "flashscope-analysis"]),
    ("flashscope-store", &["flashscope-core", "flashscope-analysis"]),
    ("flashscope-show", &["flashscope-core", "flashscope-analysis", "flashscope-store"]),
    (
        "flashscope",
        &[
            "flashscope-core",
            "flashscope-sim",
            "flashscope-device",
            "flashscope-trace",
            "flashscope-em",
            "flashscope-analysis",
            "flashscope-bench",
            "flashscope-store",
            "flashscope-show",
        ],
    ),
    ("xtask", &[]),
];

/// Families of foreign crates (the name, or the name and `-` or `_`) and the crates that may use them: store
/// writes IOs as Parquet, trace reads and writes traces as Parquet.
const FOREIGN: &[(&str, &[&str])] = &[
    ("clap", &["flashscope"]),
    ("parquet", &["flashscope-store", "flashscope-trace"]),
    ("arrow", &["flashscope-store"]),
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
        let Some((_, allowed)) = EDGES.iter().find(|(name, _)| *name == package.name) else {
            report(format!("{} is a new crate", package.name), "give it a row in xtask/src/tidy/edges.rs");
            continue;
        };
        for used in &package.uses {
            if is_member(used) && !allowed.contains(&used.as_str()) {
                let way_out = "move what both need into core, or let the binary join them";
                report(format!("{} may not know of {used}", package.name), way_out);
            }
            if let Some((_, owners)) = FOREIGN.iter().find(|(family, _)| is_of(used, family))
                && !owners.contains(&package.name.as_str())
            {
                let way_out = format!("only {} may", owners.join(" and "));
                report(format!("{} may not use {used}", package.name), &way_out);
            }
        }
    }
    findings
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
        let others = EDGES.iter().filter(|(other, _)| *other != name);
        packages.extend(others.map(|(other, _)| package(other, &[])));
        check(&packages).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn the_star_holds() {
        assert_eq!(
            findings("flashscope-bench", &["flashscope-core", "flashscope-analysis", "serde"]).len(),
            0
        );
        for (name, used) in [
            ("flashscope-core", "flashscope-sim"),
            ("flashscope-bench", "flashscope-device"),
            ("flashscope-store", "flashscope-bench"),
            ("flashscope-sim", "flashscope-device"),
            ("xtask", "flashscope-core"),
        ] {
            assert_eq!(findings(name, &[used]), [format!("{name} may not know of {used}")]);
        }
    }

    #[test]
    fn clap_parquet_and_arrow_have_their_users() {
        assert_eq!(findings("flashscope-bench", &["clap"]), ["flashscope-bench may not use clap"]);
        assert_eq!(findings("flashscope", &["arrow-array"]), ["flashscope may not use arrow-array"]);
        assert_eq!(findings("flashscope", &["clap", "clap_complete"]).len(), 0);
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
