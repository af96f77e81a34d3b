//! `flashscope import`: a job of fio as a pattern, ready to be measured.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_store::{Output, is_descriptor};

use crate::exit::{Done, Usage};
use crate::fio_job::{Imported, Refusal, import};
use crate::screen::Screen;
use crate::shell::quoted;

/// `flashscope import`.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// fio job file; - is standard input
    #[arg(value_name = "JOB.fio")]
    pub file: PathBuf,
    /// Convert only this job
    #[arg(long, value_name = "NAME")]
    pub job: Option<String>,
    /// Write the pattern to a file for `measure --pattern`
    #[arg(long, short, value_name = "FILE.toml")]
    pub output: Option<PathBuf>,
}

/// How a file begins that this command wrote.
const HEAD: &str = "# A pattern for `flashscope measure --pattern`, imported from a fio job\n";

/// Runs the command.
pub fn run(args: &ImportArgs, screen: &Screen) -> Result<Done> {
    let is_piped = args.file == Path::new("-");
    let name = if is_piped { "standard input".into() } else { args.file.display().to_string() };
    let text = if is_piped {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(&args.file)
    };
    let text = text.map_err(|error| Usage(format!("cannot read the job {name}: {error}")))?;
    let mut jobs = import(&text).map_err(|refusals| {
        let line = |Refusal { line, option, why }: &Refusal| format!("{name}:{line}: {option}: {why}");
        Usage(refusals.iter().map(line).collect::<Vec<_>>().join("\n"))
    })?;
    if let Some(job) = &args.job {
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        if !names.contains(&job.as_str()) {
            let problem = format!("--job: {name} has no job '{job}'; choose one of {}", names.join(", "));
            return Err(Usage(problem).into());
        }
        jobs.retain(|other| other.name == *job);
    }
    for job in &jobs {
        for note in &job.notes {
            screen.note(&format!("[{}] {note}", job.name));
        }
    }
    let text = match &args.output {
        None => jobs.iter().map(|job| line(job, &settings(job))).collect::<Vec<_>>().join("\n"),
        Some(_) if jobs.len() != 1 => {
            let problem = format!("-o: {name} has {} jobs; choose one with --job NAME", jobs.len());
            return Err(Usage(problem).into());
        }
        Some(output) => {
            write(&jobs[0], output)?;
            let command = line(&jobs[0], &format!(" --pattern {}", quoted(output)));
            if is_descriptor(output) || output == Path::new("-") {
                return Ok(Done::Well);
            }
            command
        }
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

/// Writes the pattern, over nothing but what this command wrote.
fn write(job: &Imported, output: &Path) -> Result<()> {
    let unwritable = || format!("cannot write the pattern {}", output.display());
    if output.is_file() && !is_descriptor(output) {
        let mut head = String::new();
        let begin = File::open(output).with_context(unwritable)?.take(HEAD.len() as u64);
        // What is no text is no pattern.
        let is_ours = { begin }.read_to_string(&mut head).is_ok() && (head == HEAD || head.is_empty());
        if !is_ours {
            let problem = format!("{}: it has other content; name another file", unwritable());
            return Err(Usage(problem).into());
        }
    }
    let (kept, mut file) = Output::create(output)?;
    let table = toml::to_string(&job.pattern).context("a pattern is a table")?;
    let text = format!("{HEAD}{table}");
    file.write_all(text.as_bytes()).and_then(|()| file.flush()).with_context(unwritable)?;
    Ok(kept.keep()?)
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

#[cfg(test)]
mod tests;
