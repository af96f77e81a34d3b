//! `flashscope measure --job`: several patterns at the same time on one target.

use anyhow::Result;
use flashscope_lab::{JobRequest, OpenJobs};

use super::{MeasureArgs, Session, left, request, written};
use crate::confirm::confirm;
use crate::exit::{Done, Usage};
use crate::facts::forewarn;
use crate::progress::Progress;
use crate::screen::{EXAMINING, OPENING, Screen};
use crate::{pages, signal};

/// Runs the command.
pub fn run(args: &MeasureArgs, screen: &Screen) -> Result<Done> {
    if let Some(flag) = args.pattern.first_given(&[]).or(args.pattern.has_file().then_some("pattern")) {
        let problem =
            format!("--{}: each job has settings of its own; write it into --job", flag.replace('_', "-"));
        return Err(Usage(problem).into());
    }
    if args.lab.json {
        let problem = "--json: each job has a result of its own; use flashscope show FOLDER --json";
        return Err(Usage(problem.into()).into());
    }
    let common = request(args)?;
    let jobs: Vec<JobRequest> = args.job.iter().map(|job| JobRequest::new(job, &common)).collect();
    let opened = screen.during(OPENING, || OpenJobs::new(&jobs, signal::interrupt()))?;
    let writers = opened.patterns().zip(&jobs).filter(|(pattern, _)| pattern.writes());
    let what: Vec<String> = writers.map(|(pattern, job)| written(pattern, &job.measure)).collect();
    if !what.is_empty() {
        confirm(opened.target(), args.writing.confirm.as_deref(), &what.join("\n  "))?;
    }
    let begun = screen.during(EXAMINING, || opened.begin(args.lab.output.as_deref()))?;
    forewarn(begun.facts(), screen);
    let mut progress = Progress::new(screen);
    let results = begun.measure(&mut |event| progress.hear(event), signal::interrupt());
    progress.finish();
    let (mut all, mut failed) = (Done::Well, None);
    for (job, mut result) in jobs.iter().zip(results) {
        if let Some(error) = result.error.take() {
            screen.note(&format!("[{}] {}", job.name, left(&result)));
            failed = failed.or(Some(error.context(format!("job '{}'", job.name))));
            continue;
        }
        pages::put(&result.folder, screen);
        screen.print(&format!("[{}]", job.name))?;
        let is_fixed = job.measure.runtime.is_some() || job.measure.pattern.number_ios.is_some();
        let session = Session { args, screen, result: &result, is_fixed };
        match session.conclude()? {
            Done::Well => {}
            Done::Interrupted => all = Done::Interrupted,
            other if all == Done::Well => all = other,
            _ => {}
        }
    }
    failed.map_or(Ok(all), |error| Err(error.into()))
}
