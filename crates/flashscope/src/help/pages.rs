//! Man pages: one for flashscope and one for each command, from the same words as `--help`.

use std::io;

use clap::Command;
use clap_mangen::Man;

use super::examples::EXAMPLES;
use crate::cli;

/// A page's file name and its text.
pub type Page = (String, String);

const STATUS: &[(&str, &str)] = &[
    ("0", "Done."),
    ("1", "Failed while running."),
    ("2", "Usage: a wrong flag, name, setting or file."),
    ("3", "Refused for safety: the target is in use, or was not confirmed."),
    ("4", "Done, but part of the result is not reliable; only with --strict."),
    ("5", "Done, and a condition of --fail-if holds."),
    ("6", "Done, but the interval does not tell whether a condition of --fail-if holds."),
    ("130", "Interrupted; finished measurements are kept."),
];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("NO_COLOR", "If set and not empty, output has no colour."),
    ("COLUMNS", "Width of the output if standard output is not a terminal."),
    ("TMPDIR", "Folder of temporary files (trace conversions that need look-ahead); /tmp if not set."),
];

const FILES: &[(&str, &str)] = &[
    ("flashscope-TARGET-DATE/", "A result folder, in the current folder unless -o names another."),
    ("flashscope-TARGET-DATE/manifest.json", "Target, settings, machine and seed."),
    ("flashscope-TARGET-DATE/ios/*.parquet", "Submission and response time of every IO."),
    ("/sys/block, /sys/dev/block, /proc", "Sources of facts about devices, their users and the machine."),
];

/// All pages.
pub fn all() -> io::Result<Vec<Page>> {
    let mut command = cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = vec![page(&command, "flashscope", "")?];
    below(&command, "", &mut pages)?;
    Ok(pages)
}

fn below(command: &Command, path: &str, pages: &mut Vec<Page>) -> io::Result<()> {
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        let path = format!("{path} {}", sub.get_name()).trim_start().to_string();
        pages.push(page(sub, &format!("flashscope-{}", path.replace(' ', "-")), &path)?);
        below(sub, &path, pages)?;
    }
    Ok(())
}

/// `name` is the page's, `path` the command's within flashscope.
fn page(command: &Command, name: &str, path: &str) -> io::Result<Page> {
    // clap keeps names for as long as the program runs, and these are few.
    let shown: &'static str = name.to_string().leak();
    let called = format!("flashscope {path}").trim_end().to_string();
    let man = Man::new(command.clone().name(shown).display_name(shown).bin_name(called)).manual("flashscope");
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    man.render_options_section(&mut text)?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    text += &examples(path);
    text += &section("EXIT STATUS", STATUS);
    if path.is_empty() {
        text += &section("ENVIRONMENT", ENVIRONMENT);
        text += &section("FILES", FILES);
    } else {
        text +=
            ".SH \"SEE ALSO\"\n\\fBflashscope\\fR(1): exit status, environment and files of all commands\n";
    }
    Ok((format!("{name}.1"), text))
}

fn examples(path: &str) -> String {
    let found = EXAMPLES.iter().find(|(name, _)| *name == path);
    let examples = found.map_or(&[][..], |(_, examples)| examples);
    let one = |(says, line): &(&str, &str)| {
        format!(".PP\n{}:\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(says), roff(line))
    };
    let text: String = examples.iter().map(one).collect();
    if text.is_empty() { text } else { format!(".SH EXAMPLES\n{text}") }
}

fn section(title: &str, rows: &[(&str, &str)]) -> String {
    let row = |(name, text): &(&str, &str)| format!(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(text));
    format!(".SH \"{title}\"\n{}", rows.iter().map(row).collect::<String>())
}

/// Plain text as roff: nothing of it is a command, and hyphens can be copied.
fn roff(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}
