//! `flashscope list`: what there is to choose from.

use anyhow::Result;
use clap::Args;
use flashscope_bench::suite::{Setting, file::WORDS};
use flashscope_bench::{Micros, Suites};
use flashscope_core::pattern::KEYS;
use flashscope_papers::studies;
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::{Profile, profiles, rigs};
use flashscope_trace::FORMATS;
use flashscope_trace::generate::GENERATORS;

use crate::exit::{Done, Usage};
use crate::screen::Screen;

/// `flashscope list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// micro, suites, rigs, pattern, profiles, simulation, settings, formats, generators or studies
    /// [default: all]
    pub what: Option<String>,
}

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
];

/// Runs the command.
pub fn run(args: &ListArgs, screen: &Screen) -> Result<Done> {
    let chosen = |name: &str| args.what.as_deref().is_none_or(|what| what == name);
    let texts: Vec<String> = PARTS.iter().filter(|(name, _)| chosen(name)).map(|(_, part)| part()).collect();
    if texts.is_empty() {
        let names = PARTS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let what = args.what.as_deref().unwrap_or_default();
        return Err(Usage(format!("there is no list '{what}'; choose one of {names}")).into());
    }
    screen.print(&texts.join("\n"))?;
    Ok(Done::Well)
}

fn micros() -> String {
    let mut text = String::from("Micro-benchmarks (run --only NAME,...)\n");
    for micro in Micros::builtin().iter() {
        text += &format!("  {:<14} {} ({})\n", micro.name, micro.doc, micro.parameter);
    }
    text
}

fn suites() -> String {
    let mut text = String::from("Suites (run --suite NAME, or --suite FILE: see docs/suites.md)\n");
    for suite in Suites::builtin().iter() {
        text += &format!("  {:<18} {}\n  {:<18} {}\n", suite.name, suite.doc, "", suite.source);
        for setting in suite.settings {
            let Setting { name, default, quick, help } = setting;
            let short = if quick == default { String::new() } else { format!("; {quick} with --quick") };
            text += &format!("    --set {:<22} {help}{short}\n", format!("{name}={default}"));
        }
        for part in suite.parts {
            text += &format!("      {:<26} {}\n", part.name, part.doc);
        }
    }
    text +=
        "  Acts of a file, one a line; run, scale and burst have the settings of a pattern beside these:\n";
    for word in WORDS {
        let keys = if word.keys.is_empty() { String::new() } else { format!(" ({})", word.keys.join(", ")) };
        text += &format!("    {:<9} {}{keys}\n", word.name, word.help);
    }
    text
}

fn virtual_devices() -> String {
    let mut text = String::from("Virtual devices (rig:NAME; see docs/rigs.md for your own)\n");
    for name in rigs::NAMES {
        text += &format!("  {name:<18} {}\n", summary(rigs::text(name).unwrap_or_default()));
    }
    text
}

fn pattern_settings() -> String {
    let mut text = String::from("Settings of a pattern (measure --NAME VALUE, or NAME = VALUE in TOML)\n");
    for key in KEYS {
        text += &format!("  {:<17} {:<15} {}\n", key.name, key.example, key.help);
    }
    text
}

fn simulated_devices() -> String {
    let mut text = String::from(
        "Simulated devices (sim:NAME?key=value; those that are SSDs also `flashscope sim NAME`)\n",
    );
    for name in profiles::NAMES {
        let about = Profile::find(name, &[]).map(|profile| profile.about().to_string());
        text += &format!("  {name:<18} {}\n", about.unwrap_or_default());
    }
    text
}

fn simulation() -> String {
    let parts =
        [("FTLs (--ftl)", FTLS), ("Victim policies (--gc)", POLICIES), ("Write buffers (--buffer)", BUFFERS)];
    let part = |(title, list): (&str, &[(&str, &str)])| {
        let rows = list.iter().map(|(name, about)| format!("  {name:<18} {about}\n"));
        format!("{title}\n{}", rows.collect::<String>())
    };
    parts.map(part).join("\n")
}

fn settings() -> String {
    let mut text =
        String::from("Settings of a simulated device (--set KEY=VALUE, sim:NAME?KEY=VALUE, TOML)\n");
    for key in profiles::keys() {
        text += &format!("  {:<32} {:<12} {}\n", key.name, key.default, key.about);
    }
    text
}

fn formats() -> String {
    let mut text = String::from("Trace formats (--format)\n");
    for format in FORMATS {
        text += &format!("  {:<18} {}\n", format.name, format.about);
    }
    text
}

fn generators() -> String {
    let mut text =
        String::from("Generated traces (trace generate NAME --set KEY=VALUE; W1..W9 are those of BPLRU)\n");
    for generator in GENERATORS {
        text += &format!("  {:<18} {:<2} {}\n", generator.name, generator.paper, generator.about);
        for key in generator.keys {
            text += &format!("    {:<16} {:<10} {}\n", key.name, key.default, key.about);
        }
    }
    text
}

fn studies_of_papers() -> String {
    let mut text = String::from("Studies of the papers (flashscope reproduce NAME)\n");
    for study in studies() {
        let place = format!("{}, {}", study.paper.number, study.place);
        text += &format!("  {:<28} {place}: {}\n", study.name, study.about);
    }
    text
}

/// The first sentence of a rig's leading comment.
fn summary(text: &str) -> String {
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let comment = comment.join(" ");
    let end = comment.find(". ").map_or(comment.len(), |end| end + 1);
    comment[..end].to_string()
}
