//! What `--help`, completions and man pages say beyond the flags themselves: commands grouped by what a
//! person wants, examples, and the names that values are chosen from.

mod choices;
mod examples;
pub mod pages;

use std::fmt::Write;

use clap::{Arg, Command};

use crate::cli;

pub use choices::complete;
use examples::EXAMPLES;

/// Commands by what a person wants.
const GROUPS: &[(&str, &[&str])] = &[
    ("Measure", &["run", "measure", "doctor", "check", "create", "import"]),
    ("Simulate", &["sim", "reproduce"]),
    ("Traces", &["trace", "replay"]),
    ("Results", &["show", "compare", "report", "site", "pack", "export"]),
    ("Help", &["list", "completions", "man", "help"]),
];

/// Commands with so many flags that the short help leaves out those of [`RARE`].
const LONG: &[&str] = &["run", "measure", "sim", "replay"];

/// What few need: `--help` shows it, `-h` does not.
const RARE: &[&str] = &[
    // Of a pattern.
    "pattern",
    "offset",
    "shift",
    "stride",
    "partitions",
    "gap",
    "random",
    "rwmixread",
    "rwmixwrite",
    "mix",
    "numjobs",
    "job_space",
    "sync",
    "atomic",
    "priority",
    "buffered",
    "thinktime",
    "thinktime_blocks",
    "rate_iops",
    "arrivals",
    "ignore_ios",
    "explore_ios",
    "job",
    "latency_target",
    "latency_percentile",
    "latency_window",
    "data",
    "engine",
    "overwrite_existing_data",
    "on_error",
    "repeats",
    // Of what is done to a trace.
    "device",
    "from_time",
    "to_time",
    "absolute_times",
    "range",
    "across",
    "sample",
    "sample_unit",
    "idle_max",
    "align",
    "concatenate",
    "chunk",
    "split",
    "lenient",
    // Of a simulation.
    "initial",
    "over_provisioning",
    "repeat",
    "time_scale",
    "ignore_flush",
    "no_final_flush",
    "zipf",
    "warmup",
    "load_state",
    "save_state",
    "jobs",
    "figure",
];

/// The whole command line, as it is parsed.
pub fn command() -> Command {
    let mut command = cli::command();
    command.build();
    let overview = overview(&command);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{overview}\nOptions:\n{{options}}{{after-help}}"
    );
    taught(cli::command().help_template(template), "")
}

/// The groups with a line for each command.
fn overview(command: &Command) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let _ = write!(text, "\n\x1b[1;4m{group}:\x1b[0m\n");
        for name in *names {
            let Some(found) = command.find_subcommand(name) else { continue };
            let about = found.get_about().map(ToString::to_string).unwrap_or_default();
            for (number, line) in flashscope_show::wrap(&about, 64).iter().enumerate() {
                let name = if number == 0 { *name } else { "" };
                let _ = writeln!(text, "  \x1b[1m{name}\x1b[0m{:1$}{line}", "", 13 - name.len());
            }
        }
    }
    text
}

/// Adds to each command its examples, and shortens its short help; `path` names the command within its
/// parents.
fn taught(command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    let command = names.iter().fold(command, |command, name| {
        let path = format!("{path} {name}");
        command.mut_subcommand(name, |sub| taught(sub, path.trim_start()))
    });
    let is_rare = |arg: &Arg| LONG.contains(&path) && RARE.contains(&arg.get_id().as_str());
    let command = command.mut_args(|arg| if is_rare(&arg) { arg.hide_short_help(true) } else { arg });
    match examples(path) {
        Some(text) => command.after_long_help(format!("\x1b[1;4mExamples:\x1b[0m\n{text}")),
        None => command,
    }
}

/// A command's examples, each under the words that say what it is for.
fn examples(path: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(name, _)| *name == path)?;
    let text = |(says, line): &(&str, &str)| format!("  {says}:\n    {line}\n");
    Some(examples.iter().map(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command below `command`, by its path.
    fn paths(command: &Command, path: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        let path_of = |sub: &Command| format!("{path} {}", sub.get_name()).trim_start().to_string();
        below.flat_map(|sub| [vec![path_of(sub)], paths(sub, &path_of(sub))].concat()).collect()
    }

    #[test]
    fn every_command_is_in_one_group_and_has_two_to_four_examples() {
        let command = cli::command();
        for path in paths(&command, "") {
            let grouped = GROUPS.iter().flat_map(|(_, names)| *names).filter(|name| **name == path).count();
            let expected = usize::from(!path.contains(' '));
            assert_eq!(grouped, expected, "give `{path}` a place in GROUPS of help.rs");
            let count = EXAMPLES.iter().filter(|(name, _)| *name == path).map(|(_, list)| list.len());
            let count: Vec<_> = count.collect();
            assert!(matches!(count[..], [2..=4]), "give `{path}` two to four examples in help/examples.rs");
        }
    }

    #[test]
    fn every_example_is_of_its_command_and_parses() {
        for (path, list) in EXAMPLES {
            for (says, line) in *list {
                assert!(line.starts_with(&format!("flashscope {path}")), "{line}");
                assert!(line.len() <= 74 && says.len() <= 74, "too wide for 80 columns: {line}");
                let parsed = command().try_get_matches_from(words(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }

    #[test]
    fn the_commands_of_the_how_to_pages_parse() {
        let pages = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/howto");
        let mut parsed = 0;
        for page in std::fs::read_dir(pages).unwrap() {
            let text = std::fs::read_to_string(page.unwrap().path()).unwrap();
            let mine = text.lines().map(|line| line.trim_start_matches("$ "));
            for line in mine.filter(|line| line.starts_with("flashscope ")) {
                let line = line.split(" #").next().unwrap_or_default();
                let found = command().try_get_matches_from(words(line));
                assert!(found.is_ok(), "{line}: {}", found.unwrap_err());
                parsed += 1;
            }
        }
        assert!(parsed > 20, "{parsed} commands");
    }

    /// A line's words, as far as flashscope sees them.
    fn words(line: &str) -> Vec<String> {
        let mine = line.split([';', '|', '>', '&']).next().unwrap_or_default();
        let mut words = Vec::new();
        // Quotes enclose one word.
        for (number, part) in mine.split('\'').enumerate() {
            match number % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_string)),
                _ => words.push(part.to_string()),
            }
        }
        words
    }

    #[test]
    fn all_help_fits_eighty_columns_and_short_help_a_screen() {
        for path in [vec![String::new()], paths(&cli::command(), "")].concat() {
            for (flag, lines_max) in [("-h", 60), ("--help", usize::MAX)] {
                let line = format!("flashscope {path} {flag}");
                let help = command().term_width(80).try_get_matches_from(words(&line)).unwrap_err();
                let text = help.to_string();
                let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > 80).collect();
                assert!(wide.is_empty(), "`{line}` is wider than 80 columns: {wide:#?}");
                assert!(text.lines().count() <= lines_max, "`{line}`: {} lines", text.lines().count());
            }
        }
    }
}
