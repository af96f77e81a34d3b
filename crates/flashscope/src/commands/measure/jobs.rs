//! `flashscope measure --job`: several patterns at the same time on one target.

use anyhow::Result;
use flashscope_lab::{JobRequest, MeasureResult, OpenJobs};
use flashscope_store::SCHEMA_VERSION;
use serde_json::{Value, json};

use super::{MeasureArgs, Session, left, request, written};
use crate::confirm::confirm;
use crate::exit::{Done, Usage};
use crate::facts::forewarn;
use crate::progress::Progress;
use crate::screen::{EXAMINING, OPENING, Screen};
use crate::{pages, remedy, signal};

/// Runs the command.
pub fn run(args: &MeasureArgs, screen: &Screen) -> Result<Done> {
    if let Some(flag) = args.pattern.first_given(&[]).or(args.pattern.has_file().then_some("pattern")) {
        let problem =
            format!("--{}: each job has settings of its own; write it into --job", flag.replace('_', "-"));
        return Err(Usage(problem).into());
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
    conclude(args, screen, &jobs, results)
}

/// Shows each result, as it would be alone; the worst of them is how the command ends.
fn conclude(
    args: &MeasureArgs,
    screen: &Screen,
    jobs: &[JobRequest],
    results: Vec<MeasureResult>,
) -> Result<Done> {
    let (mut all, mut failed, mut documents) = (Done::Well, None, Vec::new());
    for (job, mut result) in jobs.iter().zip(results) {
        if let Some(error) = result.error.take() {
            screen.note(&format!("[{}] {}", job.name, left(&result)));
            documents.push(document(job, &result, Value::Null, Some(&remedy::message(&error))));
            failed = failed.or(Some(error.context(format!("job '{}'", job.name))));
            continue;
        }
        pages::put(&result.folder, screen);
        let is_fixed = job.measure.runtime.is_some() || job.measure.pattern.number_ios.is_some();
        let session = Session { args, screen, result: &result, is_fixed };
        let done = if args.lab.json {
            let (found, done) = session.document();
            documents.push(document(job, &result, found, None));
            done
        } else {
            screen.print(&format!("[{}]", job.name))?;
            session.conclude()?
        };
        all = all.max(done);
    }
    if args.lab.json {
        let document = json!({ "schema_version": SCHEMA_VERSION, "jobs": documents });
        screen.print(&serde_json::to_string_pretty(&document)?)?;
    }
    failed.map_or(Ok(all), |error| Err(error.into()))
}

fn document(job: &JobRequest, result: &MeasureResult, found: Value, error: Option<&str>) -> Value {
    let folder = result.folder.display().to_string();
    json!({ "name": job.name, "folder": folder, "result": found, "error": error })
}
