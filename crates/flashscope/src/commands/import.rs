//! `flashscope import`: a job of fio as a pattern, ready to be measured.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::cli::ImportArgs;
use crate::exit::{Done, Usage};
use crate::fio_job::{Imported, Refusal, import};
use crate::screen::Screen;
use crate::shell::quoted;
use crate::traces::output::Output;

/// Runs the command.
pub fn run(args: &ImportArgs, screen: &Screen) -> Result<Done> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| Usage(format!("cannot read the job {name}: {error}")))?;
    let mut jobs = import(&text).map_err(|refusals| {
        let line = |Refusal { line, option, why }: &Refusal| format!("{name}:{line}: {option}: {why}");
        Usage(refusals.iter().map(line).collect::<Vec<_>>().join("\n"))
    })?;
    if let Some(job) = &args.job {
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        if !names.contains(&job.as_str()) {
            let problem = format!("--job: {name} has no job '{job}'; its jobs are {}", names.join(", "));
            return Err(Usage(problem).into());
        }
        jobs.retain(|other| other.name == *job);
    }
    for job in &jobs {
        for note in &job.notes {
            screen.note(&format!("[{}] {note}", job.name));
        }
    }
    let lines: Vec<String> = match &args.output {
        None => jobs.iter().map(|job| line(job, &settings(job))).collect(),
        Some(_) if jobs.len() != 1 => {
            let problem = format!("-o: {name} has {} jobs; choose one with --job NAME", jobs.len());
            return Err(Usage(problem).into());
        }
        Some(output) => {
            let unwritable = || format!("cannot write the pattern {}", output.display());
            let (kept, mut file) = Output::of("the pattern", output)?;
            let table = toml::to_string(&jobs[0].pattern).context("a pattern is a table")?;
            file.write_all(table.as_bytes()).and_then(|()| file.flush()).with_context(unwritable)?;
            kept.keep()?;
            vec![line(&jobs[0], &format!(" --pattern {}", quoted(output)))]
        }
    };
    screen.print(&lines.join("\n"))?;
    Ok(Done::Well)
}

/// The command that measures it.
fn line(job: &Imported, pattern: &str) -> String {
    let target = job.target.as_deref().unwrap_or("TARGET");
    let flag = |(name, value): &(&str, String)| match value.is_empty() {
        true => format!(" {name}"),
        false => format!(" {name} {value}"),
    };
    let flags: String = job.flags.iter().map(flag).collect();
    format!("flashscope measure {}{pattern}{flags}", quoted(Path::new(target)))
}

fn settings(job: &Imported) -> String {
    let flag = |(name, value): (&str, String)| format!(" --{} {value}", name.replace('_', "-"));
    job.pattern.settings().map(flag).collect()
}
