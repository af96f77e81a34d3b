//! Runs the cases of a sweep on all cores. Each case is deterministic and alone with its device, so the
//! results do not depend on how many cores there are.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

use flashscope_core::{Driven, Limits, Pacing, RequestSource, Stream, Target, TargetInfo, drive};
use flashscope_sim::Ssd;
use flashscope_store::{Origin, Recorder};
use rustix::time::{ClockId, clock_gettime};

use super::case::Case;
use super::folder::records_name;
use super::report::{Entry, SimReport};
use super::tally::{ResponseUs, Tally};
use super::workload::{Portion, Source, Workload, nothing_left};
use crate::error::{Context as _, Error, Result};
use crate::inside;

/// Takes the bytes of a saved device.
pub type Save<'a> = &'a (dyn Fn(&[u8]) -> Result<()> + Sync);

/// What all cases have in common.
pub struct Common<'a> {
    /// What is done.
    pub workload: &'a Workload,
    /// Seed of everything random.
    pub seed: u64,
    /// IOs of each stream before the counts begin.
    pub warmup_each_ios: u64,
    /// Whether the buffer is flushed at the end, as paper 002's application does.
    pub final_flush: bool,
    /// The result folder where every IO is kept, if anywhere.
    pub folder: Option<&'a Path>,
    /// What takes the device as it is at the end, if anything does.
    pub save: Option<Save<'a>>,
    /// Ctrl-C.
    pub interrupted: &'a AtomicBool,
}

/// Runs all cases, `jobs` at a time, and puts what they gave in their places among `entries`. `done` hears of
/// every case that ends.
///
/// # Errors
/// What stopped the first case that failed. Each that failed says why in its place; those that ended before
/// are in theirs, also one that could not be saved.
pub fn run(
    cases: &[Case],
    common: &Common<'_>,
    jobs: usize,
    entries: &mut [Entry],
    done: &mut dyn FnMut(&[Entry]) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let mut errors = Vec::new();
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
            let heard = match result {
                Ok(Some(ran)) => {
                    entries[number] = Entry::Ran(Box::new(ran.report));
                    ran.saved
                }
                Ok(None) => Ok(()),
                Err(error) => {
                    entries[number].fail(error.message());
                    Err(error)
                }
            };
            let kept = done(entries);
            if let Err(error) = heard.and(kept) {
                errors.push(named(error, &cases[number]));
                // The others are not worth waiting for.
                next.store(cases.len(), Ordering::Relaxed);
            }
        }
    });
    let failed = errors.len();
    match errors.into_iter().next() {
        None => Ok(()),
        Some(error) if failed == 1 => Err(error),
        Some(first) => Err(first.context(format!("{failed} simulations failed; the first"))),
    }
}

/// The error of one device among several.
fn named(error: Error, case: &Case) -> Error {
    if case.label.is_empty() { error } else { error.context(case.label.clone()) }
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

/// Makes every device once, unwritten, so that one that cannot be is refused before the first IO.
pub fn check(cases: &[Case]) -> Result<()> {
    let at_once = AtomicBool::new(true);
    for case in cases.iter().filter(|case| case.state.is_none()) {
        let made = Ssd::new_unless(&at_once, &case.profile, case.settings.clone(), 0);
        made.map_err(|error| named(error.into(), case))?;
    }
    Ok(())
}

/// A case's device; none if it was interrupted on the way to its initial state.
fn device(case: &Case, common: &Common<'_>) -> Result<Option<Ssd>> {
    let Some(bytes) = &case.state else {
        let made = Ssd::new_unless(common.interrupted, &case.profile, case.settings.clone(), common.seed);
        return Ok(made?);
    };
    let mut ssd = Ssd::load(bytes)?;
    ssd.restart();
    Ok(Some(ssd))
}

/// None instead of the error of an interruption.
fn unless_interrupted<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(error) if error.is_interruption() => Ok(None),
        result => result.map(Some),
    }
}

/// What a case gave.
struct Ran {
    report: SimReport,
    /// Whether the device was saved, if it was to be.
    saved: Result<()>,
}

/// One case; none if it was interrupted before there was anything to count.
fn simulate(number: usize, case: &Case, common: &Common<'_>) -> Result<Option<Ran>> {
    let Some(mut ssd) = device(case, common)? else { return Ok(None) };
    let workload = common.workload.fitted(ssd.info())?;
    let Some((mut sources, pacing)) = unless_interrupted(workload.sources(ssd.info()))? else {
        return Ok(None);
    };
    let Some(warmed) = warm_up(&mut ssd, &mut sources, pacing, common)? else { return Ok(None) };
    let record = |folder| record(folder, number, case, common, &workload, ssd.info(), &sources);
    let Some(kept) = unless_interrupted(common.folder.map(record).transpose())? else { return Ok(None) };
    let (records, mut recorder) = kept.unzip();
    if records.is_some() {
        ssd.watch();
    }
    let counted = count(&mut ssd, &mut sources, pacing, warmed, common, recorder.as_mut());
    let Ok(Some(counted)) = counted else {
        // It would give the file its name.
        drop(recorder);
        discard(common.folder, records.as_deref());
        return counted.map(|_| None);
    };
    recorder.map(Recorder::finish).transpose()?;
    let inside = common.folder.zip(records.as_ref()).zip(ssd.seen());
    let inside = inside.map(|((folder, records), seen)| inside::keep(folder, records, &seen)).transpose()?;
    let save = common.save.filter(|_| counted.is_complete);
    let saved = save.map_or(Ok(()), |save| save(&ssd.save()));
    let (bad_lines, first_bad_line) = sources.first().map_or((0, None), Source::bad_lines);
    let device = ssd.report();
    let simulated_s = ssd.now().0 as f64 / 1e9;
    let host_bytes = (device.host_read_bytes + device.host_written_bytes) as f64;
    let report = SimReport {
        profile: case.profile.clone(),
        label: case.label.clone(),
        workload: workload.describe(),
        timing: workload.timing(),
        pipeline: workload.pipeline(),
        seed: common.seed,
        settings: case.changes.clone(),
        loaded_state: case.loaded.clone(),
        device,
        warmup_ios: warmed,
        ios: counted.ios,
        simulated_s,
        throughput_mb_s: (simulated_s > 0.0).then(|| host_bytes / 1e6 / simulated_s),
        response_us: counted.response_us,
        requests_per_cpu_s: (counted.spent_s > 0.0).then(|| counted.ios as f64 / counted.spent_s),
        notes: sources.first().map_or(Vec::new(), Source::notes),
        bad_lines,
        first_bad_line,
        records,
        inside,
        complete: counted.is_complete,
    };
    Ok(Some(Ran { report, saved }))
}

/// What was counted of a case.
struct Counted {
    ios: u64,
    response_us: Option<ResponseUs>,
    /// CPU time.
    spent_s: f64,
    is_complete: bool,
}

/// Drives all that is not of the warm-up; none if it was interrupted before there was anything to count.
fn count(
    ssd: &mut Ssd,
    sources: &mut [Source],
    pacing: Pacing,
    warmed: u64,
    common: &Common<'_>,
    recorder: Option<&mut Recorder>,
) -> Result<Option<Counted>> {
    let begun_s = cpu_s();
    let mut tally = Tally::new(recorder);
    let portions = sources.iter_mut().map(|source| match warmed {
        0 => Portion::first(source, u64::MAX),
        _ => Portion::rest(source),
    });
    let driven = drive_portions(ssd, portions, pacing, common.interrupted, &mut tally)?;
    failed(sources)?;
    let is_complete = driven != Driven::Interrupted && !sources.iter().any(Source::is_interrupted);
    if common.final_flush && is_complete {
        ssd.flush()?;
    }
    let spent_s = cpu_s() - begun_s;
    match (tally.ios(), is_complete) {
        (0, false) => Ok(None),
        (0, true) => Err(nothing_left(common.warmup_each_ios, warmed, "trace")),
        (ios, _) => Ok(Some(Counted { ios, response_us: tally.response_us(), spent_s, is_complete })),
    }
}

/// Drives the first IOs, and sets counts and clock back. Returns how many there were; none if interrupted.
fn warm_up(
    ssd: &mut Ssd,
    sources: &mut [Source],
    pacing: Pacing,
    common: &Common<'_>,
) -> Result<Option<u64>> {
    if common.warmup_each_ios == 0 {
        return Ok(Some(0));
    }
    let mut tally = Tally::new(None);
    let portions = sources.iter_mut().map(|source| Portion::first(source, common.warmup_each_ios));
    let driven = drive_portions(ssd, portions, pacing, common.interrupted, &mut tally)?;
    failed(sources)?;
    // What it left in the buffer stays: an empty one would have to warm up again.
    ssd.restart();
    let is_interrupted = driven == Driven::Interrupted || sources.iter().any(Source::is_interrupted);
    Ok((!is_interrupted).then(|| tally.ios()))
}

/// Drives portions of the streams until they are dry.
fn drive_portions<'a>(
    ssd: &mut Ssd,
    portions: impl Iterator<Item = Portion<'a>>,
    pacing: Pacing,
    interrupted: &AtomicBool,
    tally: &mut Tally<'_>,
) -> Result<Driven> {
    let mut streams: Vec<_> = portions.map(|source| Stream { source, pacing }).collect();
    Ok(drive(ssd, &mut streams, Limits { interrupted, ..Limits::default() }, tally)?)
}

/// What ended a trace before its end.
fn failed(sources: &[Source]) -> Result<()> {
    sources.iter().find_map(Source::error).map_or(Ok(()), Err)
}

/// A recorder with its file's place in the folder, and the same requests once more: the records hold no
/// addresses.
fn record(
    folder: &Path,
    number: usize,
    case: &Case,
    common: &Common<'_>,
    workload: &Workload,
    info: &TargetInfo,
    first: &[Source],
) -> Result<(String, Recorder)> {
    let mut sources = workload.sources_again(info, first)?;
    for source in &mut sources {
        skip(&mut **source, common.warmup_each_ios);
    }
    let name = if case.label.is_empty() { &case.profile } else { &case.label };
    let origin = Origin {
        experiment: format!("sim/{name}"),
        repeat: 0,
        pattern: workload.describe(),
        seed: common.seed,
        target: info.name.clone(),
        has_due: false,
    };
    let relative = records_name(number, name);
    let path = folder.join(&relative);
    let recorder = Recorder::create(&path, sources, &origin);
    Ok((relative, recorder.with_context(|| format!("cannot record to {}", path.display()))?))
}

/// Takes the file of a case without a result out of the folder; nobody minds if it stays.
fn discard(folder: Option<&Path>, records: Option<&str>) {
    if let (Some(folder), Some(records)) = (folder, records) {
        let _ = std::fs::remove_file(folder.join(records));
    }
}

fn skip(source: &mut dyn RequestSource, mut ios: u64) {
    let mut batch = [flashscope_core::Request::default(); 64];
    while ios > 0 {
        let most = ios.min(batch.len() as u64) as usize;
        match source.fill(&mut batch[..most]) {
            0 => return,
            count => ios -= count as u64,
        }
    }
}
