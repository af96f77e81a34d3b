//! `flashscope list`: what there is to choose from.

use anyhow::Result;
use clap::Args;
use flashscope_bench::suite::{Setting, file::WORDS};
use flashscope_bench::{Micro, Micros, Suites};
use flashscope_core::pattern::KEYS;
use flashscope_papers::{Study, studies};
use flashscope_show::columns;
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::{Profile, profiles, rigs};
use flashscope_trace::generate::GENERATORS;
use flashscope_trace::{FORMATS, Format};

use crate::exit::{Done, Usage};
use crate::schemas::SCHEMAS;
use crate::screen::Screen;

/// `flashscope list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// micro, suites, rigs, pattern, profiles, simulation, settings, formats, generators, studies or
    /// schemas [default: all]
    pub what: Option<String>,
    /// Print this schema
    pub schema: Option<String>,
}

/// The part whose entries are printed one by one too.
const JSON_SCHEMAS: &str = "schemas";

/// A part of the list.
pub type Part = (&'static str, fn() -> String);

/// All lists by their names.
pub const PARTS: &[Part] = &[
    ("micro", micros),
    ("suites", suites),
    ("rigs", virtual_devices),
    ("pattern", pattern_settings),
    ("profiles", simulated_devices),
    ("simulation", simulation),
    ("settings", settings),
    ("formats", formats),
    ("generators", generators),
    ("studies", studies_of_papers),
    (JSON_SCHEMAS, json_schemas),
];

/// Runs the command.
pub fn run(args: &ListArgs, screen: &Screen) -> Result<Done> {
    if let Some(name) = &args.schema {
        return one_schema(args.what.as_deref(), name, screen);
    }
    let chosen = |name: &str| args.what.as_deref().is_none_or(|what| what == name);
    let texts: Vec<String> = PARTS.iter().filter(|(name, _)| chosen(name)).map(|(_, part)| part()).collect();
    if texts.is_empty() {
        let names = PARTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let what = args.what.as_deref().unwrap_or_default();
        return Err(Usage(format!("unknown list '{what}'; choose one of {names}")).into());
    }
    screen.print(&texts.join("\n"))?;
    Ok(Done::Well)
}

/// Prints the schema of this name.
fn one_schema(what: Option<&str>, name: &str, screen: &Screen) -> Result<Done> {
    if what != Some(JSON_SCHEMAS) {
        let problem = format!("a second name is that of a schema: flashscope list {JSON_SCHEMAS} {name}");
        return Err(Usage(problem).into());
    }
    let Some(schema) = SCHEMAS.iter().find(|schema| schema.name == name) else {
        let names = SCHEMAS.iter().map(|schema| schema.name).collect::<Vec<_>>().join(", ");
        return Err(Usage(format!("unknown schema '{name}'; choose one of {names}")).into());
    };
    screen.print(schema.text)?;
    Ok(Done::Well)
}

/// A heading, and a line for each row below it.
fn list<const N: usize>(heading: &str, rows: impl IntoIterator<Item = [String; N]>) -> String {
    format!("{heading}\n{}", indented("  ", rows))
}

/// A line for each row, in columns.
fn indented<const N: usize>(indent: &str, rows: impl IntoIterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.into_iter().collect();
    columns(&rows, |_| false).iter().map(|line| format!("{indent}{line}\n")).collect()
}

fn micros() -> String {
    let known = Micros::builtin();
    let row = |micro: &Micro| [micro.name.into(), format!("{} ({})", micro.doc, micro.parameter)];
    list("Micro-benchmarks (run --only NAME,...)", known.iter().map(row))
}

fn suites() -> String {
    let mut text = String::from("Suites (run --suite NAME or FILE)\n");
    for suite in Suites::builtin().iter() {
        text += &format!("  {:<18} {}\n  {:<18} {}\n", suite.name, suite.doc, "", suite.source);
        let setting = |Setting { name, default, quick, help }: &Setting| {
            let short = if quick == default { String::new() } else { format!("; {quick} with --quick") };
            [format!("--set {name}={default}"), format!("{help}{short}")]
        };
        text += &indented("    ", suite.settings.iter().map(setting));
        text += &indented("      ", suite.parts.iter().map(|part| [part.name, part.doc].map(String::from)));
    }
    text += "  Acts of a suite file, one a line; run, scale and burst also have the settings of a pattern:\n";
    let rows = WORDS.iter().map(|word| {
        let keys = if word.keys.is_empty() { String::new() } else { format!(" ({})", word.keys.join(", ")) };
        [word.name.into(), format!("{}{keys}", word.help)]
    });
    text + &indented("    ", rows)
}

fn virtual_devices() -> String {
    let row = |name: &&str| [name.to_string(), summary(rigs::text(name).unwrap_or_default())];
    list("Virtual devices (rig:NAME)", rigs::NAMES.iter().map(row))
}

fn pattern_settings() -> String {
    let rows = KEYS.iter().map(|key| [key.name, key.example, key.help].map(String::from));
    list("Pattern settings (measure --NAME VALUE, or NAME = VALUE in TOML)", rows)
}

fn simulated_devices() -> String {
    let rows = profiles::NAMES.iter().map(|name| {
        let about = Profile::find(name, &[]).map(|profile| profile.about().to_string());
        [name.to_string(), about.unwrap_or_default()]
    });
    list("Simulated devices (sim:NAME?key=value; SSDs also as `flashscope sim NAME`)", rows)
}

fn simulation() -> String {
    let parts =
        [("FTLs (--ftl)", FTLS), ("Victim policies (--gc)", POLICIES), ("Write buffers (--buffer)", BUFFERS)];
    let part = |(title, parts): (&str, &[(&str, &str)])| {
        list(title, parts.iter().map(|(name, about)| [name, about].map(|text| text.to_string())))
    };
    parts.map(part).join("\n")
}

fn settings() -> String {
    let rows = profiles::keys()
        .into_iter()
        .map(|key| [key.name.to_string(), key.default.to_string(), key.about.to_string()]);
    list("Simulator settings (--set KEY=VALUE, sim:NAME?KEY=VALUE, TOML)", rows)
}

fn formats() -> String {
    let row = |format: &Format| [format.name, format.about].map(String::from);
    list("Trace formats (--from, --to)", FORMATS.iter().map(row))
}

fn generators() -> String {
    let mut text = String::from(
        "Trace generators (trace generate NAME --set KEY=VALUE; W1 to W9 are paper 002's workloads)\n",
    );
    for generator in GENERATORS {
        text += &format!("  {:<18} {:<2} {}\n", generator.name, generator.paper, generator.about);
        let keys = generator.keys.iter().map(|key| [key.name, key.default, key.about].map(String::from));
        text += &indented("    ", keys);
    }
    text
}

fn studies_of_papers() -> String {
    let rows = studies().map(|study| {
        let Study { name, paper, place, about, .. } = study;
        [name.to_string(), format!("{}, {place}: {about}", paper.number)]
    });
    list("Studies (reproduce NAME)", rows)
}

fn json_schemas() -> String {
    let rows = SCHEMAS.iter().map(|schema| {
        [schema.name.to_string(), format!("{} ({})", schema.about(), schema.commands.join(", "))]
    });
    list("JSON Schemas of what --json prints (list schemas NAME prints one)", rows)
}

/// The first sentence of a rig's leading comment.
fn summary(text: &str) -> String {
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let comment = comment.join(" ");
    let end = comment.find(". ").map_or(comment.len(), |end| end + 1);
    comment[..end].to_string()
}
