//! `flashscope check`: what a target is, and whether it may be written. Changes nothing.

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_core::number::size;
use flashscope_device::{Hardware, Identity, Intent, Kind, Reason, Verdict, check};
use flashscope_lab::{OpenOptions, OpenTarget, TargetSpec};
use flashscope_store::SCHEMA_VERSION;
use serde_json::json;

use crate::exit::Done;
use crate::remedy::device::{finding, refused, way_out};
use crate::screen::{OPENING, Screen};
use crate::signal;

/// `flashscope check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Target to check
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: String,
    /// Print the verdict as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &CheckArgs, screen: &Screen) -> Result<Done> {
    let named = TargetSpec::from(args.target.as_str());
    let TargetSpec::Path(path) = &named else { return virtual_target(&named, args, screen) };
    let verdict = screen.during(OPENING, || check(path, &Intent::WRITE))?;
    if args.json {
        let reason =
            |reason: &Reason| json!({ "found": reason.found(), "remedy": way_out(&reason.remedy()) });
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "target": verdict.identity,
            "may_be_written": verdict.allowed(),
            "refused": verdict.refused.iter().map(reason).collect::<Vec<_>>(),
            "findings": verdict.findings.iter().map(finding).collect::<Vec<_>>(),
        });
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    } else {
        screen.print(&view(&verdict))?;
    }
    Ok(if verdict.allowed() { Done::Well } else { Done::Refused })
}

fn virtual_target(named: &TargetSpec, args: &CheckArgs, screen: &Screen) -> Result<Done> {
    let bench = OpenTarget::open(named, OpenOptions::default(), signal::interrupt())?;
    let info = bench.info();
    if args.json {
        let document = json!({
            "schema_version": SCHEMA_VERSION,
            "target": info,
            "may_be_written": true,
            "refused": [],
            "findings": [],
        });
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    } else {
        let size = size(info.size_bytes as f64);
        screen
            .print(&format!("{}: {size}, {}; holds no data, so it may be written", info.name, info.engine))?;
    }
    Ok(Done::Well)
}

fn view(verdict: &Verdict) -> String {
    let mut lines = describe(&verdict.identity);
    lines.push(String::new());
    if verdict.allowed() {
        lines.push("It may be written with --write.".into());
        if let Some(serial) = verdict.identity.confirmation() {
            lines.push(format!("Confirm with: --confirm {serial}"));
        }
    } else {
        lines.push("It is refused for writing:".into());
        lines.extend(verdict.refused.iter().map(|reason| format!("  - {}", refused(reason))));
    }
    if !verdict.findings.is_empty() {
        lines.push("Also:".into());
        lines.extend(verdict.findings.iter().map(|found| format!("  - {}", finding(found))));
    }
    lines.join("\n")
}

/// A device as a person wants to recognise it.
fn describe(identity: &Identity) -> Vec<String> {
    let mut lines = vec![format!(
        "{}: {}, {}",
        identity.canonical_path.display(),
        identity.kind.name(),
        size(identity.size_bytes as f64)
    )];
    if ![Kind::File, Kind::BlockDevice].contains(&identity.kind) {
        return lines;
    }
    let mut row = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            lines.push(format!("  {name:<19} {value}"));
        }
    };
    let hardware = identity.hardware.as_ref();
    if identity.kind == Kind::BlockDevice {
        describe_disk("", hardware, &mut row);
    }
    row(
        "sector",
        Some(format!(
            "{} B logical, {} B physical",
            identity.logical_block_bytes, identity.physical_block_bytes
        )),
    );
    row(
        "filesystem",
        identity.filesystem.as_ref().map(|fs| format!("{} at {}", fs.name, fs.mount_point.display())),
    );
    if identity.kind != Kind::BlockDevice {
        // It holds more than this file: nothing here names the file.
        row("disk below", hardware.map(|h| h.name.clone()));
        describe_disk("disk's ", hardware, &mut row);
    }
    lines
}

fn describe_disk(whose: &str, hardware: Option<&Hardware>, row: &mut impl FnMut(&str, Option<String>)) {
    row(&format!("{whose}model"), hardware.and_then(|h| h.model.clone()));
    row(&format!("{whose}serial"), hardware.and_then(|h| h.serial.clone()));
    row(&format!("{whose}scheduler"), hardware.and_then(|h| h.scheduler.clone()));
    row(&format!("{whose}write cache"), hardware.and_then(|h| h.write_cache.clone()));
}
