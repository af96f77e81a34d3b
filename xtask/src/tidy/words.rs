//! Words that have no place in some crates, and the doc that every crate begins with.

use super::Finding;
use super::code::{Source, line_of, positions};

/// Words that are banned from somewhere.
struct Ban {
    rule: &'static str,
    words: &'static [&'static str],
    applies: fn(&Source) -> bool,
    /// Whether code under `#[cfg(test)]` may use it.
    free_in_tests: bool,
    way_out: &'static str,
}

/// Where the simulator may have its one unsafe helper.
const PREFETCH: &str = "crates/sim/src/prefetch.rs";

const BANS: &[Ban] = &[
    Ban {
        rule: "unsafe",
        words: &["unsafe"],
        applies: |source| source.folder() != "device" && source.path != PREFETCH,
        free_in_tests: false,
        way_out: "only the device crate may; ask it, or do without",
    },
    Ban {
        rule: "pure-crate",
        words: &["Instant", "SystemTime", "std::fs", "std::thread", "fs::File"],
        applies: |source| ["core", "sim", "analysis"].contains(&source.folder()) && source.is_product(),
        free_in_tests: true,
        way_out: "core, sim and analysis know no clock, file or thread; take the value as an argument",
    },
    Ban {
        rule: "ordered-maps",
        words: &["HashMap", "HashSet"],
        applies: |source| source.folder() == "sim" && source.is_product(),
        free_in_tests: true,
        way_out: "its order differs from run to run; use a Vec by index, or a BTreeMap",
    },
    Ban {
        rule: "printing",
        words: &["println!", "eprintln!", "print!", "eprint!", "dbg!"],
        applies: |source| !["flashscope", "xtask"].contains(&source.folder()) && source.is_product(),
        free_in_tests: true,
        way_out: "only the binary prints; return the text to it",
    },
    Ban {
        rule: "unfinished",
        words: &["todo!", "unimplemented!"],
        applies: |_| true,
        free_in_tests: false,
        way_out: "finish it or leave it out",
    },
];

/// What a comment may not say.
const UNFINISHED: &[&str] = &["TODO", "FIXME"];

pub fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for ban in BANS.iter().filter(|ban| (ban.applies)(source)) {
        for word in ban.words {
            let lines = positions(&source.code, word).map(|at| line_of(&source.code, at));
            let banned = lines.filter(|line| !(ban.free_in_tests && source.is_test[line - 1]));
            findings.extend(banned.map(|line| finding(source, line, ban.rule, word, ban.way_out)));
        }
    }
    for word in UNFINISHED {
        let lines = positions(&source.comments, word).map(|at| line_of(&source.comments, at));
        let way_out = "do it now, or write an issue";
        findings.extend(lines.map(|line| finding(source, line, "unfinished", word, way_out)));
    }
    let is_root = ["src/lib.rs", "src/main.rs"].iter().any(|root| source.path.ends_with(root));
    if is_root && !source.text.starts_with("//!") {
        let way_out = "begin with //! lines that say what lives here and what does not";
        findings.push(Finding::new(&source.path, 1, "crate-doc", "the crate has no doc", way_out));
    }
    findings
}

fn finding(source: &Source, line: usize, rule: &'static str, word: &str, way_out: &str) -> Finding {
    Finding::new(&source.path, line, rule, format!("`{word}` has no place here"), way_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_caught(path: &str, text: &str, rule: &str) {
        let findings = check(&Source::new(path, text));
        assert!(findings.iter().any(|f| f.rule == rule), "{path}: {text}: {findings:?}");
    }

    #[track_caller]
    fn assert_fine(path: &str, text: &str) {
        assert_eq!(check(&Source::new(path, text)), [], "{path}: {text}");
    }

    #[test]
    fn unsafe_lives_in_device_alone() {
        assert_caught("crates/core/src/a.rs", "unsafe { a() }", "unsafe");
        assert_caught("crates/sim/tests/a.rs", "unsafe impl A for B {}", "unsafe");
        assert_caught("xtask/src/a.rs", "#[unsafe(no_mangle)] fn a() {}", "unsafe");
        assert_fine("crates/device/src/a.rs", "unsafe { a() }");
        assert_fine(PREFETCH, "unsafe { a() }");
        assert_fine("crates/core/src/a.rs", "// unsafe\nconst A: &str = \"unsafe\";");
    }

    #[test]
    fn core_sim_and_analysis_know_no_clock_file_or_thread() {
        for folder in ["core", "sim", "analysis"] {
            let path = format!("crates/{folder}/src/deep/a.rs");
            for text in
                ["use std::time::Instant;", "SystemTime::now()", "std::fs::read(a)", "use std::thread;"]
            {
                assert_caught(&path, text, "pure-crate");
                assert_fine("crates/device/src/a.rs", text);
                assert_fine(&format!("crates/{folder}/examples/a.rs"), text);
            }
        }
        assert_fine("crates/core/src/a.rs", "/// An instant. Not Instant.\nfn instant() {}");
    }

    #[test]
    fn the_simulator_has_no_map_without_order() {
        assert_caught("crates/sim/src/a.rs", "use std::collections::HashMap;", "ordered-maps");
        assert_caught("crates/sim/src/a.rs", "let a: HashSet<u8>;", "ordered-maps");
        assert_fine("crates/sim/src/a.rs", "#[cfg(test)]\nmod tests {\n  use std::collections::HashSet;\n}");
        assert_fine("crates/show/src/a.rs", "use std::collections::HashMap;");
    }

    #[test]
    fn only_the_binary_prints() {
        for text in ["println!(\"a\")", "eprintln!()", "print!(\"a\")", "eprint!(\"a\")", "dbg!(a)"] {
            assert_caught("crates/show/src/a.rs", text, "printing");
            assert_fine("crates/flashscope/src/a.rs", text);
            assert_fine("crates/show/examples/a.rs", text);
        }
        let caught = check(&Source::new("crates/show/src/a.rs", "\n\nprintln!()"));
        assert_eq!(caught[0].line, 3);
        assert_eq!(
            caught[0].to_string(),
            "crates/show/src/a.rs:3: printing: `println!` has no place here; only the binary prints; \
             return the text to it"
        );
    }

    #[test]
    fn nothing_is_left_unfinished() {
        assert_caught("crates/core/src/a.rs", &["// TO", "DO: later"].concat(), "unfinished");
        assert_caught("crates/core/tests/a.rs", &["/* FIX", "ME */"].concat(), "unfinished");
        assert_caught("xtask/src/a.rs", "fn a() { todo!() }", "unfinished");
        assert_caught("crates/core/src/a.rs", "unimplemented!()", "unfinished");
    }

    #[test]
    fn every_crate_has_a_doc() {
        assert_caught("crates/core/src/lib.rs", "mod a;", "crate-doc");
        assert_caught("crates/flashscope/src/main.rs", "// A\nfn main() {}", "crate-doc");
        assert_fine("crates/core/src/lib.rs", "//! The core.\nmod a;");
    }
}
