//! `flashscope list`: what there is to choose from.

use anyhow::Result;
use flashscope_bench::MICROS;
use flashscope_core::pattern::KEYS;
use flashscope_sim::rigs;

use crate::cli::ListArgs;
use crate::exit::Done;
use crate::screen::Screen;

/// Runs the command.
pub fn run(_args: &ListArgs, screen: &Screen) -> Result<Done> {
    let mut text = String::from("Micro-benchmarks (run --only NAME,...)\n");
    for micro in MICROS {
        text += &format!("  {:<14} {} ({})\n", micro.name, micro.doc, micro.parameter);
    }
    text += "\nVirtual devices (rig:NAME; see docs/rigs.md for your own)\n";
    for name in rigs::NAMES {
        text += &format!("  {name:<18} {}\n", summary(rigs::text(name).unwrap_or_default()));
    }
    text += "\nSettings of a pattern (measure --NAME VALUE, or NAME = VALUE in TOML)\n";
    for key in KEYS {
        text += &format!("  {:<17} {:<15} {}\n", key.name, key.example, key.help);
    }
    screen.print(&text)?;
    Ok(Done::Well)
}

/// The first sentence of a rig's leading comment.
fn summary(text: &str) -> String {
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let comment = comment.join(" ");
    let end = comment.find(". ").map_or(comment.len(), |end| end + 1);
    comment[..end].to_string()
}
