//! Runs studies and holds what they find against what is published.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use flashscope_core::TargetError;
use flashscope_lab::{Error, Result};
use flashscope_show::html::document::Block;

use crate::claim::{Basis, Claim, DeviceKind, Verdict};
use crate::error::NotHere;
use crate::measure::Measure;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// A study with what it found.
pub struct Judged {
    /// The study.
    pub study: &'static Study,
    /// Each of its claims in order.
    pub claims: Vec<JudgedClaim>,
    /// The names of the devices that it was run on, with the settings that it gave them.
    pub devices: Vec<String>,
    /// Whether these are not its own.
    pub is_elsewhere: bool,
    /// What ended it, where it cannot be run on another device than its own.
    pub ended: Option<Error>,
    /// How often it was run.
    pub repeats: u32,
    /// What it looks like.
    pub blocks: Vec<Block>,
}

/// A claim with what was measured.
pub struct JudgedClaim {
    /// The claim.
    pub claim: &'static Claim,
    /// What was found.
    pub found: Finding,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether a value in the number's interval would be judged otherwise.
    pub straddles: bool,
    /// What an agreement rests on: what differs, or is of another device, was neither set nor computed.
    pub basis: Basis,
    /// Why, where that is not plain from the numbers; may be empty.
    pub reason: String,
}

/// What was found for a claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A number.
    Measured(Measure),
    /// That there is no such thing here.
    Absent,
    /// It could not be looked for.
    Unknown,
}

impl Finding {
    /// The number, if it is one.
    pub fn measure(&self) -> Option<&Measure> {
        if let Finding::Measured(measure) = self { Some(measure) } else { None }
    }
}

impl Judged {
    /// Says in the caller's words why it cannot be run: the reasons of its claims are the text of an error.
    pub fn reword(&mut self, words: impl Fn(&Error) -> String) {
        let Some(error) = &self.ended else { return };
        let reason = words(error);
        self.claims.iter_mut().for_each(|claim| claim.reason.clone_from(&reason));
    }

    /// What was run, and on what.
    pub(crate) fn about(&self, run_on: fn(&[String]) -> String) -> Vec<String> {
        let times = if self.repeats > 1 { format!(", {} times", self.repeats) } else { String::new() };
        let run_on = (!self.devices.is_empty()).then(|| format!("Run on {}{times}.", run_on(&self.devices)));
        let about = self.study.about;
        if self.is_elsewhere {
            let about = format!("For the simulated device of the study: {about}");
            run_on.into_iter().chain([about]).collect()
        } else {
            [about.to_string()].into_iter().chain(run_on).collect()
        }
    }

    /// Its claims that are of this section, table or figure.
    pub(crate) fn claims_of<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a JudgedClaim> {
        self.claims.iter().filter(move |judged| self.study.is_of(judged.claim, part))
    }
}

impl JudgedClaim {
    /// The verdict in words, and whether it was set or computed rather than found.
    pub fn verdict_in_words(&self) -> String {
        let doubt = if self.straddles { " (uncertain)" } else { "" };
        format!("{}{}{doubt}", self.verdict.name(), self.basis.note())
    }

    /// A claim of which nothing was measured, and why.
    fn not_here(claim: &'static Claim, reason: &str) -> JudgedClaim {
        JudgedClaim {
            claim,
            found: Finding::Unknown,
            verdict: Verdict::NotHere,
            straddles: false,
            basis: Basis::Found,
            reason: reason.into(),
        }
    }
}

/// Runs the studies, `jobs` at a time (on a real device always one, as they would disturb each other); `done`
/// hears of each that ends. They come back in their order; fewer than all if they were interrupted.
///
/// # Errors
/// The first study that failed, with its name; an interruption before one was done.
pub fn judge(
    studies: &[&'static Study],
    stage: &Stage<'_>,
    jobs: usize,
    done: &(dyn Fn(&Judged) + Sync),
) -> Result<Vec<Judged>> {
    let jobs = if stage.is_real() { 1 } else { jobs };
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<Option<Result<Judged>>>> = Mutex::new(studies.iter().map(|_| None).collect());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, studies.len().max(1)) {
            scope.spawn(|| {
                while let Some((place, study)) = next_study(&next, studies) {
                    let result = run(study, stage);
                    match &result {
                        Ok(judged) => done(judged),
                        Err(_) => next.store(studies.len(), Ordering::Relaxed),
                    }
                    results.lock().expect("no thread panics with it")[place] = Some(result);
                }
            });
        }
    });
    let results = results.into_inner().expect("no thread panicked with it");
    let is_interruption = |result: &Result<Judged>| matches!(result, Err(error) if error.is_interruption());
    let ended = results.into_iter().flatten().filter(|result| !is_interruption(result));
    let judged = ended.collect::<Result<Vec<_>>>()?;
    if judged.is_empty() { Err(Error::interrupted()) } else { Ok(judged) }
}

fn next_study(next: &AtomicUsize, studies: &[&'static Study]) -> Option<(usize, &'static Study)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    studies.get(place).map(|study| (place, *study))
}

/// One study. If a device that a person named is not one on which it can be run, all its claims say so.
fn run(study: &'static Study, stage: &Stage<'_>) -> Result<Judged> {
    let stage = &stage.of_a_study();
    let found = match repeated(study, stage) {
        Ok(found) => found,
        Err(error) if is_verdict(&error, stage) => {
            let reason = error.message();
            let claims = study.claims.iter().map(|claim| JudgedClaim::not_here(claim, &reason)).collect();
            let ended = Some(error);
            return Ok(Judged { devices: Vec::new(), ended, ..of_claims(study, stage, claims, Vec::new()) });
        }
        Err(error) => return Err(error.context(format!("study {}", study.name))),
    };
    let claims = study.claims.iter().map(|claim| judged(study, claim, &found, stage));
    Ok(of_claims(study, stage, claims.collect::<Result<_>>()?, found.blocks))
}

fn of_claims(
    study: &'static Study,
    stage: &Stage<'_>,
    claims: Vec<JudgedClaim>,
    blocks: Vec<Block>,
) -> Judged {
    Judged {
        study,
        claims,
        devices: stage.devices_used(),
        is_elsewhere: !stage.is_the_papers_device(),
        ended: None,
        repeats: repeats(study, stage),
        blocks,
    }
}

/// How often a study is run: once if nothing that it finds there is judged.
fn repeats(study: &Study, stage: &Stage<'_>) -> u32 {
    let is_judged =
        |claim: &Claim| claim.can_be_run() && claim.says_nothing_of(stage.device_kind()).is_none();
    if study.claims.iter().any(is_judged) { stage.repeats() } else { 1 }
}

/// What a study finds in all its runs; pictures are of the first.
fn repeated(study: &Study, stage: &Stage<'_>) -> Result<Found> {
    let runs = (0..repeats(study, stage)).map(|number| (study.run)(&stage.repeat(number)));
    let mut runs: Vec<Found> = runs.collect::<Result<_>>()?;
    if runs.len() == 1 {
        return Ok(runs.remove(0));
    }
    let of_claim = |claim: &Claim| {
        let of_run = |run: &Found| run.measures.iter().find(|(name, _)| *name == claim.name).cloned();
        let found: Vec<_> = runs.iter().filter_map(of_run).map(|(_, measure)| measure).collect();
        (!found.is_empty()).then(|| (claim.name, Measure::of_runs(&found, claim.least())))
    };
    let measures = study.claims.iter().filter_map(of_claim).collect();
    Ok(Found { measures, ..runs.remove(0) })
}

/// Whether what ended a study only says that it is not for another device than its own. A real one that fails
/// an IO is no finding of a paper.
fn is_verdict(error: &Error, stage: &Stage<'_>) -> bool {
    let is_failed_io = stage.is_real() && error.find::<TargetError>().is_some();
    let is_of_the_device = !stage.is_the_papers_device() && !error.is_interruption() && !is_failed_io;
    error.find::<NotHere>().is_some() || is_of_the_device
}

fn judged(study: &Study, claim: &'static Claim, found: &Found, stage: &Stage<'_>) -> Result<JudgedClaim> {
    let device = stage.device_kind();
    let measured = found.measures.iter().find(|(name, _)| *name == claim.name);
    let finding = match measured {
        Some((_, Some(measure))) => Finding::Measured(measure.clone()),
        Some((_, None)) => Finding::Absent,
        None => Finding::Unknown,
    };
    // What is not there is no number that could be accepted.
    let value = finding.measure().map_or(f64::NAN, |measure| measure.value);
    let verdict = claim.verdict(value, device);
    if device == DeviceKind::Paper || !claim.can_be_run() {
        if (finding == Finding::Unknown) == claim.can_be_run() {
            return Err(Error::failed(format!("the study {} has no result for {}", study.name, claim.name)));
        }
        let reason = if verdict == Verdict::Reproduced { "" } else { claim.reason };
        let agrees = matches!(verdict, Verdict::Reproduced | Verdict::InKind);
        let basis = if agrees { claim.basis } else { Basis::Found };
        return Ok(JudgedClaim { found: finding, verdict, basis, ..JudgedClaim::not_here(claim, reason) });
    }
    if finding != Finding::Absent && value.is_nan() {
        let unknown = found.unknown.unwrap_or("it cannot be determined on this device, or did not occur");
        return Ok(JudgedClaim::not_here(claim, unknown));
    }
    let is_straddling = |measure: &Measure| claim.straddles(measure, device);
    let straddles = device == DeviceKind::Real && finding.measure().is_some_and(is_straddling);
    let reason = elsewhere(claim, &finding, verdict, device, straddles);
    Ok(JudgedClaim { found: finding, verdict, straddles, ..JudgedClaim::not_here(claim, &reason) })
}

/// What a verdict means on a device that is not the paper's: a claim's own reason is about the simulated one.
fn elsewhere(
    claim: &Claim,
    found: &Finding,
    verdict: Verdict,
    device: DeviceKind,
    straddles: bool,
) -> String {
    let mut reason = match (verdict, found) {
        (Verdict::NotHere, _) => claim.says_nothing_of(device).unwrap_or_default().into(),
        (Verdict::Differs, Finding::Absent) => {
            format!("not observed on this device; accepted: {}", claim.accepted_range())
        }
        (Verdict::Differs, _) => {
            format!("this device differs from the paper's; accepted: {}", claim.accepted_range())
        }
        (Verdict::InKind, _) => "same shape; the value is of the paper's device".into(),
        (Verdict::Reproduced, _) => String::new(),
    };
    if straddles {
        let doubt = "its 95 % CI includes values with another verdict";
        reason = if reason.is_empty() { doubt.into() } else { format!("{reason}; {doubt}") };
    }
    reason
}
