//! `docs/papers.md` and the page of each paper are what the program writes, which takes minutes. So a hash
//! of all that they depend on lies beside them, and they are made again when that changes; the whole
//! comparison is nightly's.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, ensure};

use super::{Finding, Source, read_sources, read_texts};

const PAGE: &str = "docs/papers.md";
const HASH: &str = "docs/papers.hash";

/// Whose code the numbers come from. Comments and tests do not count.
const CODE: &[&str] = &[
    "crates/core/",
    "crates/analysis/",
    "crates/sim/",
    "crates/trace/",
    "crates/bench/",
    "crates/lab/",
    "crates/papers/",
];

/// Foreign crates that compute something of it.
const FOREIGN: &[&str] = &["libm", "rand_core", "rand_xoshiro", "statrs"];

/// What the page depends on, by name.
pub struct Inputs(Vec<(String, Vec<u8>)>);

impl Inputs {
    pub fn read(root: &Path, sources: &[Source]) -> anyhow::Result<Inputs> {
        let is_input = |source: &&Source| CODE.iter().any(|folder| source.path.starts_with(folder));
        let code = |source: &Source| {
            let tokens: Vec<&str> = source.product_tokens().map(|token| token.text.as_str()).collect();
            (source.path.clone(), tokens.join(" ").into_bytes())
        };
        let mut inputs: Vec<_> = sources.iter().filter(is_input).map(code).collect();
        inputs.retain(|(_, code)| !code.is_empty());
        let devices = read_texts(root, &["crates/sim/profiles", "crates/sim/rigs"], "toml")?;
        inputs.extend(devices.into_iter().map(|(path, text)| (path, text.into_bytes())));
        inputs.push((PAGE.into(), fs::read(root.join(PAGE)).context(PAGE)?));
        let pages = read_texts(root, &["docs/papers"], "md")?;
        inputs.extend(pages.into_iter().map(|(path, text)| (path, text.into_bytes())));
        let lock = fs::read_to_string(root.join("Cargo.lock")).context("Cargo.lock")?;
        inputs.push(("Cargo.lock".into(), versions(&lock).into_bytes()));
        Ok(Inputs(inputs))
    }

    /// FNV-1a of all names and contents, in hexadecimal.
    fn hash(&self) -> String {
        let bytes =
            self.0.iter().flat_map(|(name, content)| [name.as_bytes(), b"\0", content, b"\0"]).flatten();
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}\n")
    }
}

/// The entries of `Cargo.lock` that matter.
fn versions(lock: &str) -> String {
    let is_input =
        |entry: &&str| FOREIGN.iter().any(|name| entry.contains(&format!("\nname = \"{name}\"\n")));
    lock.split("[[package]]").filter(is_input).collect()
}

/// Whether the page is older than what it depends on.
pub fn check(kept: &str, inputs: &Inputs) -> Option<Finding> {
    let way_out = "run `cargo xtask papers`, and read what changed; it takes some minutes";
    let what = "the pages are older than the code that wrote them";
    (kept != inputs.hash()).then(|| Finding::new(PAGE, 1, "papers-page", what, way_out))
}

/// The hash that lies beside the page.
pub fn kept(root: &Path) -> String {
    fs::read_to_string(root.join(HASH)).unwrap_or_default()
}

/// Has the program write the pages, and keeps the hash of what they were written from.
pub fn renew(root: &Path) -> anyhow::Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = ["run", "--release", "--quiet", "--package", "flashscope", "--", "reproduce", "all"];
    let mut command = Command::new(cargo);
    let written =
        command.args(arguments).args(["--book", "docs"]).current_dir(root).output().context("cargo run")?;
    ensure!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let sources = read_sources(root)?;
    fs::write(root.join(HASH), Inputs::read(root, &sources)?.hash()).context(HASH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(code: &str, page: &str, lock: &str) -> Inputs {
        let input = |name: &str, content: &str| (name.to_string(), content.as_bytes().to_vec());
        Inputs(vec![input("a.rs", code), input(PAGE, page), input("Cargo.lock", &versions(lock))])
    }

    #[test]
    fn a_page_older_than_its_code_is_caught() {
        let lock = |version: u32| format!("[[package]]\nname = \"libm\"\nversion = \"{version}\"\n");
        let kept = inputs("a", "b", &lock(1)).hash();
        assert_eq!(check(&kept, &inputs("a", "b", &lock(1))), None);
        for changed in [inputs("c", "b", &lock(1)), inputs("a", "c", &lock(1)), inputs("a", "b", &lock(2))] {
            assert_eq!(check(&kept, &changed).unwrap().rule, "papers-page");
        }
        assert!(check("", &inputs("a", "b", "")).is_some(), "a hash that is missing");
    }

    #[test]
    fn other_foreign_crates_do_not_matter() {
        let other = "[[package]]\nname = \"libmad\"\nversion = \"1\"\n";
        assert_eq!(inputs("a", "b", other).hash(), inputs("a", "b", "").hash());
    }
}
