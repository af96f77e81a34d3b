//! `flashscope sim`: simulated SSDs under a pattern or a trace, one or many side by side.

use std::path::Path;

use anyhow::{Context as _, Result};
use flashscope_report::{Manifest, ResultFolder, SCHEMA_VERSION, counted, size};
use serde_json::{Value, json};

use crate::cli::SimArgs;
use crate::exit::{Done, Usage};
use crate::journal::{fresh_seed, now_text};
use crate::progress::cases_bar;
use crate::screen::Screen;
use crate::signal;
use crate::simulate::{Axis, Case, Common, SimReport, Workload, cases, sweep, table};

/// Runs the command.
pub fn run(args: &SimArgs, screen: &Screen) -> Result<Done> {
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let workload = Workload::of(args, seed)?;
    let cases = cases(args)?;
    let axis = args.figure.as_deref().map(|path| axis(path, &cases)).transpose()?;
    let folder = args.output.as_deref().map(|path| create(path, &cases, &workload, seed)).transpose()?;
    let common = Common {
        workload: &workload,
        seed,
        warmup_ios: args.warmup.unwrap_or(0),
        final_flush: !args.no_final_flush,
        folder: folder.as_ref().map(ResultFolder::path),
        save_state: args.save_state.as_deref(),
        interrupted: signal::listen(),
    };
    let bar = cases_bar(screen, cases.len() as u64);
    let swept = sweep(&cases, &common, jobs(args.jobs)?, &mut |_| bar.inc(1));
    bar.finish_and_clear();
    let document = document(&swept.reports);
    if let Some(folder) = &folder {
        folder.write_text(RUNS, &serde_json::to_string_pretty(&document)?)?;
    }
    if let (Some(axis), Some(path)) = (axis, &args.figure) {
        draw(axis, path, &swept.reports)?;
    }
    if args.json && (swept.error.is_none() || !swept.reports.is_empty()) {
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    } else if !swept.reports.is_empty() {
        screen.print(&view(&swept.reports, args.output.as_deref()))?;
    }
    if let Some(error) = swept.error {
        return Err(error);
    }
    let all = swept.reports.len() == cases.len() && swept.reports.iter().all(|report| report.complete);
    Ok(if all { Done::Well } else { Done::Interrupted })
}

/// The list of runs in a result folder.
pub const RUNS: &str = "sim.json";

fn document(reports: &[SimReport]) -> Value {
    json!(reports)
}

fn jobs(asked: Option<usize>) -> Result<usize> {
    match asked {
        Some(0) => Err(Usage("--jobs must be at least 1".into()).into()),
        Some(jobs) => Ok(jobs),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}

/// The axis of the picture, if it can be drawn and kept.
fn axis(path: &Path, cases: &[Case]) -> Result<Axis> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if path.is_dir() || folder.is_some_and(|folder| !folder.is_dir()) {
        let message = format!("--figure {}: give a file in a folder that exists", path.display());
        return Err(Usage(message).into());
    }
    Ok(Axis::of(cases)?)
}

fn draw(axis: Axis, path: &Path, reports: &[SimReport]) -> Result<()> {
    let Some(picture) = axis.draw(reports) else { return Ok(()) };
    std::fs::write(path, picture).with_context(|| format!("cannot write the picture {}", path.display()))
}

/// What a person sees of a sweep that has at least one result.
pub fn view(reports: &[SimReport], output: Option<&Path>) -> String {
    let first = &reports[0];
    let mut lines = vec![
        format!(
            "  sim:{} · {} · {}",
            first.profile,
            size(first.device.capacity_bytes as f64),
            first.workload
        ),
        String::new(),
        table(reports),
        String::new(),
    ];
    let ios: u64 = reports.iter().map(|report| report.ios).sum();
    let rate =
        reports.iter().map(|report| report.requests_per_cpu_s).sum::<f64>() / reports.len().max(1) as f64;
    lines.push(format!(
        "  {} simulated, {:.2} M for each second of CPU time",
        counted(ios, "IO"),
        rate / 1e6
    ));
    let volatile = reports.iter().map(|report| report.device.volatile_bytes_max).max().unwrap_or(0);
    if volatile > 0 {
        lines.push(format!(
            "  The buffer is volatile: a loss of power costs up to {} of unflushed, acknowledged writes",
            size(volatile as f64)
        ));
    }
    if let Some(path) = output {
        lines.push(format!("  results in {}", path.display()));
    }
    lines.join("\n")
}

fn create(path: &Path, cases: &[Case], workload: &Workload, seed: u64) -> Result<ResultFolder> {
    let first = &cases[0];
    let (geometry, logical_pages) = first.settings.geometry().map_err(|error| Usage(error.to_string()))?;
    let manifest = Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        created: now_text(),
        device: json!(
            cases
                .iter()
                .map(|case| json!({
                    "profile": case.profile, "label": case.label, "settings": case.settings,
                }))
                .collect::<Vec<_>>()
        ),
        target: flashscope_core::TargetInfo {
            name: format!("sim:{}", first.profile),
            size_bytes: u64::from(logical_pages) * u64::from(geometry.page_bytes),
            logical_block_bytes: flashscope_sim::ssd::SECTOR_BYTES,
            virtual_time: true,
            engine: "sim".into(),
            queue_depth_max: flashscope_sim::ssd::QUEUE_DEPTH_MAX,
        },
        state: format!("{:?}", first.settings.initial).to_lowercase(),
        kernel: String::new(),
        scheduler: None,
        clock: Value::Null,
        engine: "sim".into(),
        data_pattern: "none".into(),
        seed,
        plan: json!([workload.describe()]),
        options: Value::Null,
    };
    Ok(ResultFolder::create(path, &manifest)?)
}
