//! `flashscope doctor`: what would make the numbers wrong, before anything is measured. Changes nothing.

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use flashscope_core::number::{counted, size};
use flashscope_device::Identity;
use flashscope_device::doctor::{Level, Remark, examine};
use flashscope_lab::{OpenOptions, OpenTarget, TargetSpec};
use flashscope_show::{Style, wrap};
use flashscope_store::SCHEMA_VERSION;
use serde_json::{Value, json};

use crate::exit::Done;
use crate::remedy::device::command;
use crate::screen::{EXAMINING, Screen};
use crate::signal;

/// `flashscope doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Target to be measured [default: examine only the machine]
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    pub target: Option<String>,
    /// Print the findings as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if there is a warning
    #[arg(long)]
    pub strict: bool,
}

/// What is shown: of what, and what there is to say.
struct Report {
    heading: String,
    target: Value,
    remarks: Vec<Remark>,
    /// For a target whose numbers the machine cannot touch.
    is_immune: bool,
}

/// Runs the command.
pub fn run(args: &DoctorArgs, screen: &Screen) -> Result<Done> {
    let report = match args.target.as_deref().map(TargetSpec::from) {
        Some(named) if named.is_virtual() => of_virtual(&named)?,
        named => {
            let path =
                named.and_then(|named| if let TargetSpec::Path(path) = named { Some(path) } else { None });
            let diagnosis = screen.during(EXAMINING, || examine(path.as_deref()))?;
            let heading = diagnosis.target.as_ref().map_or("This machine".into(), heading);
            let target = json!(diagnosis.target);
            Report { heading, target, remarks: diagnosis.remarks, is_immune: false }
        }
    };
    let level = report.remarks.iter().map(|remark| remark.level).max().unwrap_or(Level::Ok);
    let text = if args.json {
        let Report { target, remarks, .. } = &report;
        let remarks: Vec<Value> = remarks.iter().map(as_json).collect();
        let document =
            json!({ "schema_version": SCHEMA_VERSION, "target": target, "level": level, "remarks": remarks });
        serde_json::to_string_pretty(&document)?
    } else {
        view(&report, screen.style())
    };
    screen.print(&text)?;
    Ok(if args.strict && level >= Level::Warning { Done::Unreliable } else { Done::Well })
}

/// A rig or a simulated device keeps its own time; `null:` is measured by this machine's clock.
fn of_virtual(named: &TargetSpec) -> Result<Report> {
    let bench = OpenTarget::open(named, OpenOptions::default(), signal::interrupt())?;
    let info = bench.info();
    let is_immune = info.virtual_time;
    let remarks = if is_immune { Vec::new() } else { examine(None)?.remarks };
    let heading = format!("{}: {}, {}", info.name, size(info.size_bytes as f64), info.engine);
    Ok(Report { heading, target: json!(info), remarks, is_immune })
}

fn heading(target: &Identity) -> String {
    let model = target.hardware.as_ref().and_then(|hardware| hardware.model.clone());
    let model = model.map_or(String::new(), |model| format!(", {model}"));
    let size = size(target.size_bytes as f64);
    format!("{}: {}, {size}{model}", target.path.display(), target.kind.name())
}

fn view(report: &Report, style: Style) -> String {
    let mut text = format!("{}\n\n", report.heading);
    if report.is_immune {
        let words = "It runs in virtual time, so this machine does not affect its results. `flashscope \
            doctor` without a target examines the machine.";
        return text + &hanging("  ", words, style);
    }
    let of = |level: Level| report.remarks.iter().filter(move |remark| remark.level == level);
    for level in [Level::Wrong, Level::Warning, Level::Note] {
        of(level).filter(|remark| remark.seen).for_each(|remark| text += &paragraph(remark, style));
    }
    if of(Level::Note).any(|remark| !remark.seen) {
        text += "  Unknown\n";
        of(Level::Note).filter(|remark| !remark.seen).for_each(|remark| text += &line(remark, style));
        text += "\n";
    }
    text += "  OK\n";
    of(Level::Ok).for_each(|remark| text += &line(remark, style));
    text + "\n" + &verdict(of(Level::Wrong).count() as u64, of(Level::Warning).count() as u64)
}

/// Level and finding, then what it touches, then the command that mends it.
fn paragraph(remark: &Remark, style: Style) -> String {
    let level = remark.level.name();
    let found = hanging(&format!("  {level:<8} "), &format!("{}: {}", remark.check, remark.found), style);
    let code = match remark.level {
        Level::Wrong => "1;31",
        Level::Warning => "1;33",
        _ => "1",
    };
    let found = match style.colour {
        true => found.replacen(level, &format!("\x1b[{code}m{level}\x1b[0m"), 1),
        false => found,
    };
    let indent = " ".repeat(11);
    let matters = hanging(&indent, &remark.matters, style);
    format!("{found}{matters}{}\n", mend(remark, &indent))
}

fn line(remark: &Remark, style: Style) -> String {
    let name = format!("    {:<16} ", remark.check);
    hanging(&name, &remark.found, style) + &mend(remark, &" ".repeat(name.len()))
}

/// On one line, however long, to be copied.
fn mend(remark: &Remark, indent: &str) -> String {
    match remark.mend.as_ref().map(command) {
        Some((command, true)) => format!("{indent}$ {command}\n"),
        Some((words, false)) => format!("{indent}{words}\n"),
        None => String::new(),
    }
}

/// As stored, with the command that a person would type.
fn as_json(remark: &Remark) -> Value {
    let mut value = json!(remark);
    value["mend"] = json!(remark.mend.as_ref().map(|mend| command(mend).0));
    value
}

/// A text behind `start`, its later lines below its first.
fn hanging(start: &str, text: &str, style: Style) -> String {
    let column = start.chars().count();
    let lines = wrap(text, style.width.saturating_sub(column).max(30));
    let begin = |number: usize| if number == 0 { start.to_string() } else { " ".repeat(column) };
    lines.iter().enumerate().map(|(number, line)| format!("{}{line}\n", begin(number))).collect()
}

fn verdict(wrong: u64, warnings: u64) -> String {
    let warned = counted(warnings, "warning");
    match (wrong, warnings) {
        (0, 0) => "No problem found.".into(),
        (0, _) => format!("{warned}."),
        (_, 0) => format!("{}.", counted(wrong, "problem")),
        _ => format!("{}, {warned}.", counted(wrong, "problem")),
    }
}
