//! Runs studies and holds what they find against what is published.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use flashscope_core::TargetError;
use flashscope_lab::{Error, Result};
use flashscope_show::html::document::Block;

use crate::claim::{Basis, Claim, DeviceKind, Verdict};
use crate::error::NotHere;
use crate::finding::Finding;
use crate::measure::Measure;
use crate::runs;
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
    /// What became of it. On virtual devices the number of each run is judged on its own, and this is the
    /// weakest verdict of all: what differs with one seed is not reproduced. On a real one it is that of the
    /// mean.
    pub verdict: Verdict,
    /// How many runs were judged; 0 if it cannot be run.
    pub runs: u32,
    /// In how many of them it holds, at least in kind.
    pub agreeing: u32,
    /// Whether a value in the number's interval would be judged otherwise.
    pub straddles: bool,
    /// What an agreement rests on; a device that takes no settings of the study was not set.
    pub basis: Basis,
    /// Why, where that is not plain from the numbers; may be empty.
    pub reason: String,
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
    /// The verdict in words, in how many runs, and whether it was set or computed rather than found.
    pub fn verdict_in_words(&self) -> String {
        let doubt = if self.straddles { " (uncertain)" } else { "" };
        let note = if self.verdict.agrees() { self.basis.note() } else { "" };
        format!("{}{}{note}{doubt}", self.verdict.name(), self.in_runs())
    }

    /// Behind a verdict, where there are several runs.
    fn in_runs(&self) -> String {
        let JudgedClaim { agreeing, runs, .. } = self;
        match self.verdict {
            _ if *runs < 2 => String::new(),
            Verdict::Differs if *agreeing > 0 => format!(" (agrees in {agreeing} of {runs} runs)"),
            Verdict::Differs => format!(" in {runs} of {runs} runs"),
            _ => format!(" in {agreeing} of {runs} runs"),
        }
    }

    /// A claim of which nothing was measured, and why.
    fn not_here(claim: &'static Claim, reason: &str) -> JudgedClaim {
        JudgedClaim {
            claim,
            found: Finding::Unknown,
            verdict: Verdict::NotHere,
            runs: 0,
            agreeing: 0,
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
    let mut runs = match all_runs(study, stage) {
        Ok(runs) => runs,
        Err(error) if is_verdict(&error, stage) => {
            let reason = error.message();
            let claims = study.claims.iter().map(|claim| JudgedClaim::not_here(claim, &reason)).collect();
            let ended = Some(error);
            return Ok(Judged { devices: Vec::new(), ended, ..of_claims(study, stage, claims, Vec::new()) });
        }
        Err(error) => return Err(error.context(format!("study {}", study.name))),
    };
    let claims = study.claims.iter().map(|claim| judged(study, claim, &runs, stage));
    let claims = claims.collect::<Result<_>>()?;
    Ok(of_claims(study, stage, claims, runs.swap_remove(0).blocks))
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

/// How often a study is run: once if nothing that it finds there is of a device.
fn repeats(study: &Study, stage: &Stage<'_>) -> u32 {
    let is_judged =
        |claim: &Claim| claim.can_be_run() && claim.says_nothing_of(stage.device_kind()).is_none();
    let is_of_a_device = |claim: &&Claim| is_judged(claim) && claim.basis != Basis::Computed;
    if study.claims.iter().any(|claim| is_of_a_device(&claim)) { stage.repeats() } else { 1 }
}

/// What a study finds in each of its runs, at least one; pictures are of the first.
fn all_runs(study: &Study, stage: &Stage<'_>) -> Result<Vec<Found>> {
    (0..repeats(study, stage).max(1)).map(|number| (study.run)(&stage.repeat(number))).collect()
}

/// Whether what ended a study only says that it is not for another device than its own. A real one that fails
/// an IO is no finding of a paper.
fn is_verdict(error: &Error, stage: &Stage<'_>) -> bool {
    let is_failed_io = stage.is_real() && error.find::<TargetError>().is_some();
    let is_of_the_device = !stage.is_the_papers_device() && !error.is_interruption() && !is_failed_io;
    error.find::<NotHere>().is_some() || is_of_the_device
}

fn judged(study: &Study, claim: &'static Claim, runs: &[Found], stage: &Stage<'_>) -> Result<JudgedClaim> {
    let device = stage.device_kind();
    let found = runs.iter().map(|run| run.of(claim.name)).collect::<Vec<_>>();
    if device == DeviceKind::Paper || !claim.can_be_run() {
        let is_known = found.iter().all(|found| *found != Finding::Unknown);
        if is_known != claim.can_be_run() {
            return Err(Error::failed(format!("the study {} has no result for {}", study.name, claim.name)));
        }
    }
    let verdicts: Vec<Verdict> = found.iter().map(|found| found.verdict(claim, device)).collect();
    let agreeing = verdicts.iter().filter(|verdict| verdict.agrees()).count() as u32;
    let (found, verdict) = if device == DeviceKind::Real {
        let mean = runs::mean(&found, claim.least());
        let verdict = mean.verdict(claim, device);
        (mean, verdict)
    } else {
        (runs::median(&found), verdicts.iter().copied().max().unwrap_or(Verdict::NotHere))
    };
    let is_straddling = |measure: &Measure| claim.straddles(measure, device);
    let straddles = device == DeviceKind::Real && found.measure().is_some_and(is_straddling);
    let reason = match device {
        _ if device == DeviceKind::Paper || !claim.can_be_run() => of_the_paper(claim, verdict, agreeing),
        _ if is_unknown(claim, &found) => {
            let unknown = runs.iter().find_map(|run| run.unknown);
            unknown.unwrap_or("it cannot be determined on this device, or did not occur").into()
        }
        _ => elsewhere(claim, &found, verdict, device, straddles),
    };
    let judged = JudgedClaim::not_here(claim, &reason);
    // A claim that cannot be run is shown with whatever was found of it.
    let runs = if verdict == Verdict::NotHere { 0 } else { verdicts.len() as u32 };
    let basis = if stage.takes_settings() { claim.basis } else { Basis::Found };
    Ok(JudgedClaim { found, verdict, runs, agreeing: agreeing.min(runs), straddles, basis, ..judged })
}

/// Whether there is no number of it, and nothing was found to be missing.
fn is_unknown(claim: &Claim, found: &Finding) -> bool {
    let is_number = found.measure().is_some_and(|measure| !measure.value.is_nan());
    claim.can_be_run() && *found != Finding::Absent && !is_number
}

/// What is known of a verdict on the device that a study was written for.
fn of_the_paper(claim: &Claim, verdict: Verdict, agreeing: u32) -> String {
    match (verdict, agreeing) {
        (Verdict::Reproduced, _) => String::new(),
        (Verdict::Differs, 1..) if claim.reason.is_empty() => "it depends on the seed".into(),
        (Verdict::Differs, 1..) => format!("it depends on the seed; {}", claim.reason),
        (Verdict::InKind, _) if claim.reason.is_empty() => "not the figure in every run".into(),
        _ => claim.reason.into(),
    }
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

#[cfg(test)]
mod tests {
    use flashscope_analysis::Support;
    use flashscope_lab::Interrupt;
    use serde_json::json;

    use super::*;
    use crate::headline::{Headline, headline};
    use crate::papers::AJWANI;

    const fn claim(name: &'static str) -> Claim {
        Claim::figure(name, "it is 4", 4.0, "h").within(1.5, 3.0, "within a half")
    }

    /// Its seed decides what it finds.
    static CHANCE: Study = Study {
        name: "chance",
        paper: &AJWANI,
        place: "chapter 2",
        about: "Nothing is run.",
        claims: &[
            claim("always"),
            claim("sometimes"),
            claim("nearly"),
            claim("never"),
            claim("fitted").set(),
            claim("reckoned").computed(),
        ],
        run: |stage| {
            let is_odd = stage.seed % 2 == 1;
            let mut found = Found::default();
            found.measured("always", 4.0 + 0.1 * stage.seed as f64);
            found.measured("sometimes", if is_odd { 4.0 } else { 40.0 });
            found.measured("nearly", if is_odd { 4.0 } else { 8.0 });
            found.measured("never", 40.0);
            found.measured("fitted", 4.0);
            found.measured("reckoned", 4.0);
            Ok(found)
        },
    };
    /// It has no device.
    static ARITHMETIC: Study = Study {
        name: "arithmetic",
        paper: &AJWANI,
        place: "chapter 2",
        about: "Nothing is run.",
        claims: &[claim("sum").computed()],
        run: |_| {
            let mut found = Found::default();
            found.measured("sum", 4.0);
            Ok(found)
        },
    };

    fn judged_with(study: &'static Study, seeds: u32) -> Vec<Judged> {
        let interrupt = Interrupt::new();
        judge(&[study], &Stage::new(1, &interrupt).with_seeds(seeds), 1, &|_| {}).unwrap()
    }

    #[test]
    fn what_holds_with_some_seeds_is_not_reproduced() {
        let judged = judged_with(&CHANCE, 3).remove(0);
        let of = |place: usize| {
            let claim = &judged.claims[place];
            (claim.verdict_in_words(), claim.agreeing, claim.runs, claim.support())
        };
        assert_eq!(of(0), ("reproduced in 3 of 3 runs".into(), 3, 3, Support::Supported));
        assert_eq!(of(1), ("differs (agrees in 2 of 3 runs)".into(), 2, 3, Support::Weak));
        assert_eq!(of(2), ("qualitatively reproduced in 3 of 3 runs".into(), 3, 3, Support::Weak));
        assert_eq!(of(3), ("differs in 3 of 3 runs".into(), 0, 3, Support::Unknown));
        assert_eq!(judged.claims[1].reason, "it depends on the seed");
        let fitted = (String::from("reproduced in 3 of 3 runs (by construction)"), 3, 3);
        assert_eq!(of(4), (fitted.0, fitted.1, fitted.2, Support::NotApplicable));
        assert_eq!(of(5).3, Support::NotApplicable, "no device shows what is computed");
    }

    #[test]
    fn the_median_run_is_shown_with_the_range_of_all() {
        let judged = judged_with(&CHANCE, 3).remove(0);
        let measure = judged.claims[0].found.measure().unwrap();
        assert_eq!((measure.value, measure.interval), (4.2, Some([4.1, 4.3])));
    }

    #[test]
    fn one_run_supports_nothing() {
        let judged = judged_with(&CHANCE, 1).remove(0);
        assert_eq!(
            (judged.claims[0].verdict, judged.claims[0].support()),
            (Verdict::Reproduced, Support::Weak)
        );
        assert_eq!(judged.claims[0].verdict_in_words(), "reproduced");
    }

    #[test]
    fn what_only_computes_is_run_once() {
        assert_eq!(judged_with(&ARITHMETIC, 3)[0].repeats, 1);
        assert_eq!(judged_with(&CHANCE, 3)[0].repeats, 3);
    }

    #[test]
    fn the_headline_counts_predictions_alone() {
        let headline = headline(&judged_with(&CHANCE, 3));
        let expected = Headline { predictions: 4, met: 1, partly_met: 2, set: 1, computed: 1, ..headline };
        assert_eq!(headline, expected);
        assert_eq!(
            headline.sentence(),
            "1 of 4 predictions met in every run, 2 more only in some runs or qualitatively. Not counted: 2 \
             claims, 1 by construction, 1 computed without a device"
        );
    }

    #[test]
    fn in_json_each_claim_has_its_runs_and_is_a_conclusion() {
        let document = crate::json(&judged_with(&CHANCE, 3), None, 1, true);
        let claim = &document["claims"][1];
        assert_eq!(
            (&claim["basis"], &claim["agreeing"], &claim["runs"]),
            (&json!("found"), &json!(2), &json!(3))
        );
        assert_eq!(
            document["conclusions"][0],
            json!({
                "name": "chance/always",
                "claim": "it is 4",
                "state": "supported",
                "value": 4.2,
                "low": 4.1,
                "high": 4.3,
                "unit": "h",
                "runs": ["chance/seed-1", "chance/seed-2", "chance/seed-3"],
            })
        );
        assert_eq!(document["conclusions"][4]["state"], "not_applicable");
        assert_eq!(document["headline"]["predictions"], 4);
    }
}
