//! fio's JSON and logs, laid out and named as fio-plot finds them.
//!
//! fio-plot knows an experiment by `rw`, `iodepth` and `numjobs`. So a folder holds no two runs that are
//! equal in these: one folder for each micro-benchmark, or for each of its points where they differ in
//! something else, and one for each round. `RW-IODEPTH-NUMJOBS.json` is the summary; beside it the logs
//! `RW-iodepth-N-numjobs-N_clat.1.log`, `_lat`, `_iops` and `_bw`.
//!
//! As in fio, summaries are of all IOs, the start-up included. What flashscope knows beyond that is in the
//! job's key `flashscope`, which other readers pass over.

mod clock;
mod logs;
mod options;
mod summary;

use std::collections::{BTreeMap, BTreeSet};

use flashscope_analysis::Finished;
use serde_json::{Value, json};

use super::{Export, Material, Outlet};
use crate::error::StoreError;
use crate::folder::plain_name;
use logs::Logs;
use options::rw_of;
use summary::Summary;

/// The registry's line.
pub const EXPORT: Export =
    Export { name: "fio", about: "fio's JSON and logs, named for fio-plot", more: None, write };

const MIXED: &str = "runs dropped: fio cannot mix sequential with random IOs, or reads with reads";
const NO_IOS: &str = "runs dropped: their IOs are missing, from which fio's values are computed";

/// A run and where it goes.
struct Job<'a> {
    material: &'a Material,
    finished: &'a Finished,
    /// fio's word for what it does.
    rw: &'static str,
    folder: String,
}

fn write(materials: &[Material], outlet: &mut Outlet<'_>) -> Result<(), StoreError> {
    let mut jobs = Vec::new();
    for material in materials {
        for finished in material.runs("fio")? {
            let rw = rw_of(&finished.experiment.pattern);
            match (rw, material.records(finished)) {
                (None, _) => outlet.count(MIXED),
                (_, None) => outlet.count(NO_IOS),
                (Some(rw), Some(_)) => jobs.push(Job { material, finished, rw, folder: String::new() }),
            }
        }
    }
    place(&mut jobs);
    jobs.iter().try_for_each(|job| job.write(outlet))
}

/// Gives each job a folder, in as few words as keep apart what fio-plot would take for the same.
fn place(jobs: &mut [Job<'_>]) {
    let words: [fn(&Job<'_>) -> String; 4] = [
        |job| job.finished.experiment.micro.clone(),
        |job| job.finished.experiment.label.clone(),
        |job| job.finished.experiment.curve.replace('/', "+"),
        |job| job.material.name.clone(),
    ];
    let repeats: BTreeSet<u32> = jobs.iter().map(|job| job.finished.repeat).collect();
    for job in &mut *jobs {
        job.folder = plain_name(&words[0](job));
    }
    for word in &words[1..] {
        for folder in crowded(jobs) {
            for job in jobs.iter_mut().filter(|job| job.folder == folder) {
                job.folder = format!("{folder}-{}", plain_name(&word(job)));
            }
        }
    }
    // The same folder named twice, or told twice under one name.
    let mut seen: BTreeMap<_, u32> = BTreeMap::new();
    for job in jobs {
        if repeats.len() > 1 {
            job.folder += &format!("-round-{}", job.finished.repeat + 1);
        }
        let count = seen.entry((job.folder.clone(), job.name())).or_default();
        *count += 1;
        if *count > 1 {
            job.folder += &format!("-{count}");
        }
    }
}

/// Folders in which two jobs would have one name.
fn crowded(jobs: &[Job<'_>]) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let twice = |job: &&Job<'_>| !seen.insert((job.folder.clone(), job.name(), job.finished.repeat));
    jobs.iter().filter(twice).map(|job| job.folder.clone()).collect()
}

impl Job<'_> {
    /// As fio-plot expects the names of JSON files.
    fn name(&self) -> String {
        let pattern = &self.finished.experiment.pattern;
        format!("{}-{}-{}", self.rw, pattern.iodepth, pattern.numjobs)
    }

    /// As fio-plot expects the names of logs.
    fn log_name(&self) -> String {
        let pattern = &self.finished.experiment.pattern;
        format!("{}-iodepth-{}-numjobs-{}", self.rw, pattern.iodepth, pattern.numjobs)
    }

    fn write(&self, outlet: &mut Outlet<'_>) -> Result<(), StoreError> {
        let (run, experiment) = (&self.finished.run, &self.finished.experiment);
        let Some(records) = self.material.records(self.finished) else { return Ok(()) };
        let mut summary = Summary::new(run.elapsed_ns);
        let stem = format!("{}/{}", self.folder, self.log_name());
        let mut logs = Logs::create(outlet, &stem, experiment.pattern.numjobs)?;
        outlet.each_io(&records, |io| {
            summary.add(io);
            logs.add(io)
        })?;
        logs.finish(&summary)?;
        let options = options::options(self, summary.window_ms(), &stem, outlet);
        let text = serde_json::to_string_pretty(&self.document(&summary, options)).expect("plain data");
        outlet.write(&format!("{}/{}.json", self.folder, self.name()), &text)
    }

    fn document(&self, summary: &Summary, options: Value) -> Value {
        let manifest = &self.material.stored.manifest;
        let seconds = clock::seconds(&manifest.created);
        let mut job = summary.job();
        job["jobname"] = self.log_name().into();
        job["job options"] = options;
        job["flashscope"] = self.known();
        json!({
            "fio version": format!("flashscope-{} (layout of fio-3.33)", manifest.flashscope_version),
            "timestamp": seconds,
            "timestamp_ms": seconds.map(|seconds| seconds * 1000),
            "time": seconds.map(clock::text),
            "global options": {
                "filename": manifest.target.name,
                "ioengine": engine(&manifest.engine),
                "direct": "1",
                "randseed": manifest.seed.to_string(),
            },
            "jobs": [job],
        })
    }

    /// What fio has no words for.
    fn known(&self) -> Value {
        let Finished { experiment, repeat, run } = self.finished;
        let outcome = &run.outcome;
        let ms = |ns: f64| ns / 1e6;
        json!({
            "experiment": experiment.id(),
            "repeat": repeat,
            "pattern": experiment.pattern.to_string(),
            "startup_ios": outcome.phases.startup_ios,
            "period_ios": outcome.phases.period.map(|period| period.ios),
            "mean_ms": outcome.estimate.map(|estimate| ms(estimate.mean_ns)),
            "ci_low_ms": outcome.estimate.map(|estimate| ms(estimate.ci_low_ns)),
            "ci_high_ms": outcome.estimate.map(|estimate| ms(estimate.ci_high_ns)),
            "stationary": outcome.stationary,
            "stopped_because": outcome.stopped_because,
        })
    }
}

/// fio's name of an engine, where it has one.
fn engine(name: &str) -> &str {
    match name {
        "sync" => "psync",
        other => other,
    }
}
