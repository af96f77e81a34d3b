//! `flashscope import`: a job of fio as a pattern, ready to be measured.

mod words;

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_core::Nanos;
use flashscope_lab::fio_job::{Job, NULL, Refusal, import};
use flashscope_lab::{JobSpec, read_description};
use flashscope_store::{Output, is_descriptor};

use crate::exit::{Done, Usage};
use crate::remedy::lab::remark;
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
    /// Value of ${NAME} in the job file; default: the environment's
    #[arg(long, value_name = "NAME=VALUE")]
    pub var: Vec<String>,
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
            .map_err(|error| Usage(format!("cannot read the job {name}: {error}")))?
    } else {
        read_description("job", &args.file)?
    };
    let variables = variables(&args.var)?;
    let variable = |name: &str| {
        let given = variables.iter().rev().find(|(known, _)| *known == name);
        let value = given.map(|(_, value)| value.to_string()).or_else(|| std::env::var(name).ok());
        value.ok_or_else(|| format!("the variable {name} is not set; give --var {name}=VALUE, or set it"))
    };
    let mut jobs = import(&text, &variable, &file_size).map_err(|refusals| {
        let line =
            |Refusal { line, option, why }: &Refusal| format!("{name}:{line}: {option}: {}", remark(why));
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
            screen.note(&format!("[{}] {}", job.name, remark(note)));
        }
    }
    let text = match &args.output {
        None => lines(&jobs).join("\n"),
        Some(_) if jobs.len() != 1 => {
            let problem = format!("-o: {name} has {} jobs; choose one with --job NAME", jobs.len());
            return Err(Usage(problem).into());
        }
        Some(output) => {
            write(&jobs[0], output)?;
            let command = started(&jobs[0], &line(&jobs[0], &format!(" --pattern {}", quoted(output))));
            if is_descriptor(output) || output == Path::new("-") {
                return Ok(Done::Well);
            }
            command
        }
    };
    screen.print(&text)?;
    Ok(Done::Well)
}

/// Bytes of a regular file or a block device; nothing else is opened.
fn file_size(name: &str) -> Option<u64> {
    let kind = std::fs::metadata(name).ok()?.file_type();
    (kind.is_file() || kind.is_block_device()).then_some(())?;
    File::open(name).ok()?.seek(SeekFrom::End(0)).ok()
}

/// Names and values of `--var`.
fn variables(given: &[String]) -> Result<Vec<(&str, &str)>> {
    let problem = |text: &str| format!("--var: '{text}' has no value; write NAME=VALUE");
    given.iter().map(|text| text.split_once('=').ok_or_else(|| Usage(problem(text)).into())).collect()
}

/// The commands. Jobs that run at the same time are one command where they are together, else processes of a
/// shell, each with a result folder that is named after it.
fn lines(jobs: &[Job]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for group in jobs.chunk_by(|_, next| next.is_beside) {
        if let [job] = group {
            lines.push(started(job, &line(job, &settings(job))));
            continue;
        }
        if group.iter().all(|job| job.is_together) {
            lines.push(started(&group[0], &together(group)));
            continue;
        }
        for job in group {
            // fio's own name for the file of a job.
            let target = job.target.clone().unwrap_or_else(|| format!("{}.0.0", job.name));
            let stem: String =
                job.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let numbered = (2..).map(|number| format!("fio-{stem}-{number}"));
            let mut free = std::iter::once(format!("fio-{stem}")).chain(numbered);
            let name = free.find(|name| !names.contains(name)).expect("numbers do not end");
            let wait = match job.company.delay {
                Nanos::ZERO => String::new(),
                delay => format!("sleep {} && ", delay.0 as f64 / 1e9),
            };
            let command = started(job, &line_on(&target, job, &settings(job)));
            names.push(name.clone());
            // `wait` alone forgets which of them failed.
            lines.push(format!("{wait}{command} -q -o {name} & p{}=$!", names.len()));
        }
        let first = names.len() - group.len() + 1;
        let waits = (first..=names.len()).map(|process| format!("wait $p{process} || failed=$?; "));
        lines.push(format!("failed=0; {}(exit $failed)", waits.collect::<String>()));
    }
    lines
}

/// The command that measures several at the same time.
fn together(jobs: &[Job]) -> String {
    let text = |job: &Job| {
        let (pattern, company) = (job.pattern.clone(), job.company);
        let name = job.name.replace(':', "-");
        let spec = JobSpec { name, pattern, runtime: job.runtime, engine: job.engine, company };
        format!(" --job '{}'", spec.to_string().replace('\'', r"'\''"))
    };
    let all: String = jobs.iter().map(text).collect();
    let writer = jobs.iter().find(|job| job.pattern.writes()).unwrap_or(&jobs[0]);
    // What each has of its own is said there.
    line(&Job { runtime: None, engine: None, ..writer.clone() }, &all)
}

/// The command behind the programs that start it.
fn started(job: &Job, command: &str) -> String {
    let starters = job.starters.iter().map(|starter| format!("{} ", words::starter(starter)));
    format!("{}{command}", starters.collect::<String>())
}

/// Writes the pattern, over nothing but what this command wrote.
fn write(job: &Job, output: &Path) -> Result<()> {
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
fn line(job: &Job, pattern: &str) -> String {
    line_on(job.target.as_deref().unwrap_or("TARGET"), job, pattern)
}

fn line_on(target: &str, job: &Job, pattern: &str) -> String {
    let flags = words::flags(job);
    // A file of that name would be quoted otherwise.
    let target = if target == NULL { NULL.into() } else { quoted(Path::new(target)) };
    format!("flashscope measure {target}{pattern}{flags}")
}

fn settings(job: &Job) -> String {
    let flag = |(name, value): (&str, String)| format!(" --{} {value}", name.replace('_', "-"));
    job.pattern.settings().map(flag).collect()
}

#[cfg(test)]
mod tests;
