//! The command line is known to the binary alone: no literal of a library names a flag or a command of it.

use std::collections::BTreeMap;

use super::Finding;
use super::code::Source;
use super::crates::BINARY;
use super::wanted::Wanted;

pub const RULE: &str = "flag-names";

/// All flags and commands in the literals of the libraries; one finding a crate, which the ratchet may allow.
pub fn check(sources: &[Source], wanted: &Wanted) -> Vec<Finding> {
    let commands = commands(sources);
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let libraries = sources.iter().filter(|source| ![BINARY, "xtask"].contains(&source.folder()));
    for source in libraries {
        for token in source.product_tokens().filter(|token| is_string(&token.text)) {
            for name in flags(&token.text).chain(commands_in(&token.text, &commands)) {
                if !wanted.allows(RULE, &format!("{} {name}", source.path)) {
                    let place = format!("{}:{} `{name}`", source.path, token.line);
                    places.entry(source.folder()).or_default().push(place);
                }
            }
        }
    }
    let way_out =
        "say it as data (an enum of remedies), and word it in the binary (crates/flashscope/src/remedy)";
    let finding = |(folder, places): (&str, Vec<String>)| {
        let what = format!("flags and commands of the program in literals: {}", places.join(", "));
        Finding::new(folder, 1, RULE, what, way_out).sized(folder, places.len())
    };
    places.into_iter().map(finding).collect()
}

/// The names of the program's commands: a file each.
fn commands(sources: &[Source]) -> Vec<&str> {
    let folder = format!("{BINARY}/src/commands/");
    let files = sources.iter().filter_map(|source| source.path.strip_prefix(&folder)?.strip_suffix(".rs"));
    files.filter(|name| !name.contains('/')).collect()
}

fn is_string(literal: &str) -> bool {
    literal.ends_with(['"', '#']) && literal.contains('"')
}

/// Every `--name`.
fn flags(literal: &str) -> impl Iterator<Item = String> {
    literal.match_indices("--").filter_map(|(at, _)| {
        let is_inside = |c: char| c.is_alphanumeric() || ['-', '!', '_'].contains(&c);
        let name = &literal[at + 2..];
        let end = name.find(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit() && c != '-');
        let name = &name[..end.unwrap_or(name.len())];
        let is_flag = name.starts_with(|c: char| c.is_ascii_lowercase());
        (is_flag && !literal[..at].ends_with(is_inside)).then(|| format!("--{name}"))
    })
}

/// Every `flashscope COMMAND`.
fn commands_in<'a>(literal: &'a str, commands: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    literal.match_indices("flashscope ").filter_map(|(at, program)| {
        let rest = &literal[at + program.len()..];
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
        commands.contains(&word).then(|| format!("{program}{word}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str, wanted: &str) -> Vec<(String, usize)> {
        let files = [(path, text), ("crates/flashscope/src/commands/list.rs", "f(\"--all\")")];
        let sources = files.map(|(path, text)| Source::new(path, text).unwrap());
        check(&sources, &Wanted::parse(wanted)).into_iter().filter_map(|finding| finding.size).collect()
    }

    #[test]
    fn a_library_that_names_a_flag_or_a_command_is_caught() {
        for text in [
            "f(\"add --write\")",
            "format!(\"{x}: use --a-b\")",
            "#[error(\"see --x\")] struct A;",
            "r#\"`flashscope list` names them\"#",
            "b\"(--x)\"",
        ] {
            assert_eq!(found("crates/sim/src/a.rs", text, ""), [("crates/sim".into(), 1)], "{text}");
        }
        assert_eq!(found("crates/sim/src/a.rs", "f(\"--a --b\")", ""), [("crates/sim".into(), 2)]);
    }

    #[test]
    fn what_is_no_flag_or_stands_elsewhere_is_fine() {
        for text in [
            "// --write",
            "/// Use --write or `flashscope list`.\nfn a() {}",
            "#[cfg(test)] mod tests { f(\"--write\"); }",
            "f(\"a -- b, 1--2, <!--c-->, x--y, --\")",
            "f(\"flashscope measures; flashscope listens\")",
        ] {
            assert_eq!(found("crates/sim/src/a.rs", text, ""), [], "{text}");
        }
        assert_eq!(found("crates/sim/tests/a.rs", "f(\"--write\")", ""), []);
        assert_eq!(found("crates/flashscope/src/a.rs", "f(\"--write\")", ""), []);
    }

    #[test]
    fn flags_of_other_programs_are_listed() {
        let entry = "flag-names crates/device/src/a.rs --setrw  # of blockdev";
        assert_eq!(found("crates/device/src/a.rs", "f(\"blockdev --setrw\")", entry), []);
    }
}
