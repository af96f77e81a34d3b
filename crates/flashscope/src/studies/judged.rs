//! Runs studies and holds what they find against what is published.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, ensure};
use flashscope_core::TargetError;
use flashscope_report::html::document::Block;

use super::claim::{Basis, Ground};
use super::stage::NotHere;
use super::{Claim, Found, Measure, Stage, Study, Verdict};
use crate::exit::{Interrupted, message};

/// A study with what it found.
pub struct Judged {
    /// The study.
    pub study: &'static Study,
    /// Each of its claims in order.
    pub claims: Vec<JudgedClaim>,
    /// The devices that it was run on as TARGETs, with the settings that it gave them.
    pub devices: Vec<String>,
    /// What it looks like.
    pub blocks: Vec<Block>,
}

/// A claim with what was measured.
pub struct JudgedClaim {
    /// The claim.
    pub claim: &'static Claim,
    /// The number, if it could be had.
    pub measure: Option<Measure>,
    /// What became of it.
    pub verdict: Verdict,
    /// What an agreement rests on: what differs, or is of another device, was neither set nor computed.
    pub basis: Basis,
    /// Why, where that is not plain from the numbers; may be empty.
    pub reason: String,
}

impl Judged {
    /// Its claims that are of this section, table or figure.
    pub fn claims_of<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a JudgedClaim> {
        self.claims.iter().filter(move |judged| self.study.is_of(judged.claim, part))
    }
}

impl JudgedClaim {
    /// The verdict in words, and whether it was set or computed rather than found.
    pub fn verdict_in_words(&self) -> String {
        format!("{}{}", self.verdict.name(), self.basis.note())
    }

    /// A claim of which nothing was measured, and why.
    fn not_here(claim: &'static Claim, reason: &str) -> JudgedClaim {
        let verdict = Verdict::NotHere;
        JudgedClaim { claim, measure: None, verdict, basis: Basis::Found, reason: reason.into() }
    }
}

/// Runs the studies, `jobs` at a time; `done` hears of each that ends. They come back in their order; fewer
/// than all if the person stopped them.
///
/// # Errors
/// The first study that failed, with its name; [`Interrupted`] if they were before one was done.
pub fn judge(
    studies: &[&'static Study],
    stage: &Stage<'_>,
    jobs: usize,
    done: &(dyn Fn(&Judged) + Sync),
) -> Result<Vec<Judged>> {
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
    let is_interruption = |result: &Result<Judged>| matches!(result, Err(error) if error.is::<Interrupted>());
    let ended = results.into_iter().flatten().filter(|result| !is_interruption(result));
    let judged = ended.collect::<Result<Vec<_>>>()?;
    if judged.is_empty() { Err(Interrupted.into()) } else { Ok(judged) }
}

fn next_study(next: &AtomicUsize, studies: &[&'static Study]) -> Option<(usize, &'static Study)> {
    let place = next.fetch_add(1, Ordering::Relaxed);
    studies.get(place).map(|study| (place, *study))
}

/// One study. If a device that a person named is not one on which it can be run, all its claims say so.
fn run(study: &'static Study, stage: &Stage<'_>) -> Result<Judged> {
    let stage = &stage.of_a_study();
    let found = match (study.run)(stage) {
        Ok(found) => found,
        Err(error) if is_verdict(&error, stage) => return Ok(not_here(study, &message(&error))),
        Err(error) => return Err(error.context(format!("study {}", study.name))),
    };
    let claims = study.claims.iter().map(|claim| judged(study, claim, &found, stage));
    let claims = claims.collect::<Result<_>>()?;
    Ok(Judged { study, claims, devices: stage.devices_used(), blocks: found.blocks })
}

/// Whether what ended a study only says that it is not for the device that a person named. A real one that
/// fails an IO is no finding of a paper.
fn is_verdict(error: &anyhow::Error, stage: &Stage<'_>) -> bool {
    let is_failed_io = stage.ground() == Ground::Real && error.chain().any(|cause| cause.is::<TargetError>());
    let is_of_the_device = !stage.is_the_papers_device() && !error.is::<Interrupted>() && !is_failed_io;
    error.is::<NotHere>() || is_of_the_device
}

fn judged(study: &Study, claim: &'static Claim, found: &Found, stage: &Stage<'_>) -> Result<JudgedClaim> {
    let measure = found.measures.iter().find(|(name, _)| *name == claim.name);
    let measure = measure.map(|(_, measure)| measure.clone());
    let ground = stage.ground();
    if ground == Ground::Paper || !claim.can_be_run() {
        ensure!(measure.is_some() == claim.can_be_run(), "the study {} forgot {}", study.name, claim.name);
        let value = measure.as_ref().map_or(f64::NAN, |measure| measure.value);
        let verdict = claim.verdict(value, ground);
        let reason = if verdict == Verdict::Reproduced { "" } else { claim.reason };
        let agrees = matches!(verdict, Verdict::Reproduced | Verdict::InKind);
        let basis = if agrees { claim.basis } else { Basis::Found };
        return Ok(JudgedClaim { claim, measure, verdict, basis, reason: reason.into() });
    }
    let told = measure.filter(|measure| !measure.value.is_nan());
    let untold = found.untold.unwrap_or("this device alone does not tell it, or nothing of it happened");
    let Some(measure) = told else { return Ok(JudgedClaim::not_here(claim, untold)) };
    let verdict = claim.verdict(measure.value, ground);
    let reason = claim.says_nothing_of(ground).unwrap_or_default();
    Ok(JudgedClaim { measure: Some(measure), verdict, ..JudgedClaim::not_here(claim, reason) })
}

fn not_here(study: &'static Study, reason: &str) -> Judged {
    let claims = study.claims.iter().map(|claim| JudgedClaim::not_here(claim, reason));
    Judged { study, claims: claims.collect(), devices: Vec::new(), blocks: Vec::new() }
}
