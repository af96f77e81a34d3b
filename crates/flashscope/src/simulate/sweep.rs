//! Runs the cases of a sweep on all cores. Each case is deterministic and alone with its device, so the
//! results do not depend on how many cores there are.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use anyhow::{Context, Result, anyhow};
use flashscope_core::{Driven, Limits, Pacing, RequestSource, Stream, Target, drive};
use flashscope_report::{Origin, Recorder};
use flashscope_sim::Ssd;
use rustix::time::{ClockId, clock_gettime};

use super::case::Case;
use super::report::SimReport;
use super::tally::Tally;
use super::workload::{Portion, Source, Workload};
use crate::exit::Usage;

/// What all cases have in common.
pub struct Common<'a> {
    /// What is done.
    pub workload: &'a Workload,
    /// Seed of everything random.
    pub seed: u64,
    /// IOs before the counts begin.
    pub warmup_ios: u64,
    /// Whether the buffer is flushed at the end, as paper 002's application does.
    pub final_flush: bool,
    /// Where every IO is kept, if anywhere.
    pub folder: Option<&'a Path>,
    /// Where the device is saved at the end, if anywhere.
    pub save_state: Option<&'a Path>,
    /// Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// The outcome of a sweep.
pub struct Swept {
    /// One report for each case that ran, in the order of the cases.
    pub reports: Vec<SimReport>,
    /// What stopped the first case that failed.
    pub error: Option<anyhow::Error>,
}

/// Runs all cases, `jobs` at a time. `done` hears of every case that ends.
pub fn sweep(cases: &[Case], common: &Common<'_>, jobs: usize, done: &mut dyn FnMut(&SimReport)) -> Swept {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let mut reports: Vec<Option<SimReport>> = vec![None; cases.len()];
    let mut error = None;
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, cases.len().max(1)) {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                while let Some(number) = claim(next, cases.len(), common.interrupted) {
                    let result = simulate(number, &cases[number], common);
                    if send.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        for (number, result) in receive {
            match result {
                Ok(report) => {
                    done(&report);
                    reports[number] = Some(report);
                }
                Err(failed) => {
                    error.get_or_insert(failed);
                    // The others are not worth waiting for.
                    next.store(cases.len(), Ordering::Relaxed);
                }
            }
        }
    });
    Swept { reports: reports.into_iter().flatten().collect(), error }
}

fn claim(next: &AtomicUsize, cases: usize, interrupted: &AtomicBool) -> Option<usize> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    (number < cases && !interrupted.load(Ordering::Relaxed)).then_some(number)
}

/// CPU time of this thread in seconds.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn simulate(number: usize, case: &Case, common: &Common<'_>) -> Result<SimReport> {
    let named = |error: flashscope_sim::SimError| Usage(error.to_string());
    let mut ssd = match &case.state {
        Some(bytes) => Ssd::load(bytes).map_err(named)?,
        None => Ssd::new(&case.profile, case.settings.clone(), common.seed).map_err(named)?,
    };
    if case.state.is_some() {
        ssd.restart();
    }
    let workload = common.workload.fitted(ssd.info())?;
    let (mut sources, pacing) = workload.sources(ssd.info())?;
    let warmed = warm_up(&mut ssd, &mut sources, pacing, common)?;
    let mut recorder =
        common.folder.map(|path| record(path, number, case, common, ssd.info(), warmed)).transpose()?;
    let begun_s = cpu_s();
    let mut tally = Tally::new(recorder.as_mut());
    let driven = run(&mut ssd, &mut sources, pacing, u64::MAX, common.interrupted, &mut tally)?;
    if common.final_flush && driven != Driven::Interrupted {
        ssd.flush()?;
    }
    let spent_s = cpu_s() - begun_s;
    let (ios, response_us) = (tally.ios(), tally.response_us());
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    if let Some(path) = common.save_state.filter(|_| driven != Driven::Interrupted) {
        save(&ssd, path).with_context(|| format!("cannot save to {}", path.display()))?;
    }
    let device = ssd.report();
    let simulated_s = ssd.now().0 as f64 / 1e9;
    let host_bytes = (device.host_read_bytes + device.host_written_bytes) as f64;
    Ok(SimReport {
        profile: case.profile.clone(),
        label: case.label.clone(),
        workload: workload.describe(),
        seed: common.seed,
        device,
        warmup_ios: warmed,
        ios,
        simulated_s,
        throughput_mb_s: if simulated_s > 0.0 { host_bytes / 1e6 / simulated_s } else { 0.0 },
        response_us,
        requests_per_cpu_s: if spent_s > 0.0 { ios as f64 / spent_s } else { 0.0 },
        bad_lines: sources.iter().map(Source::bad_lines).sum(),
        complete: driven != Driven::Interrupted,
    })
}

/// The device as a file, which is there whole or not at all.
fn save(ssd: &Ssd, path: &Path) -> std::io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let written = std::fs::write(&partial, ssd.save()).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}

/// Drives the first IOs, and sets counts and clock back. Returns how many there were.
fn warm_up(ssd: &mut Ssd, sources: &mut [Source], pacing: Pacing, common: &Common<'_>) -> Result<u64> {
    if common.warmup_ios == 0 {
        return Ok(0);
    }
    let mut tally = Tally::new(None);
    let each = common.warmup_ios.div_ceil(sources.len() as u64);
    run(ssd, sources, pacing, each, common.interrupted, &mut tally)?;
    // What the warm-up left in the buffer is its own.
    ssd.flush()?;
    ssd.restart();
    Ok(tally.ios())
}

/// Drives at most `ios` requests of each source.
fn run(
    ssd: &mut Ssd,
    sources: &mut [Source],
    pacing: Pacing,
    ios: u64,
    interrupted: &AtomicBool,
    tally: &mut Tally<'_>,
) -> Result<Driven> {
    let mut streams: Vec<_> =
        sources.iter_mut().map(|source| Stream { source: Portion::new(source, ios), pacing }).collect();
    let driven = drive(ssd, &mut streams, Limits { runtime: None, interrupted }, tally)?;
    drop(streams);
    match sources.iter().find_map(Source::error) {
        Some(error) => Err(anyhow!(error)),
        None => Ok(driven),
    }
}

/// A recorder, and the same requests once more: the records hold no addresses.
fn record(
    folder: &Path,
    number: usize,
    case: &Case,
    common: &Common<'_>,
    info: &flashscope_core::TargetInfo,
    warmed: u64,
) -> Result<Recorder> {
    let workload = common.workload.fitted(info)?;
    let (mut sources, _) = workload.sources(info)?;
    let each = warmed.div_ceil(sources.len() as u64);
    for source in &mut sources {
        skip(source, each);
    }
    let boxed = |source| Box::new(source) as Box<dyn RequestSource + Send>;
    let origin = Origin {
        experiment: format!("sim/{}", if case.label.is_empty() { &case.profile } else { &case.label }),
        repeat: 0,
        pattern: workload.describe(),
        seed: common.seed,
        target: format!("sim:{}", case.profile),
    };
    let path = folder.join(format!("{:03}.parquet", number + 1));
    let recorder = Recorder::create(&path, sources.into_iter().map(boxed).collect(), &origin);
    recorder.with_context(|| format!("cannot record to {}", path.display()))
}

fn skip(source: &mut Source, ios: u64) {
    let mut portion = Portion::new(source, ios);
    let mut batch = [flashscope_core::Request::default(); 64];
    while portion.fill(&mut batch) > 0 {}
}
