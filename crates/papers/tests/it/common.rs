//! Studies by name, run and judged.

use flashscope_lab::{Error, Interrupt, Result};
use flashscope_papers::{Finding, Judged, JudgedClaim, Stage, Study, judge, studies};

/// The studies of these names, in their order.
pub fn named(names: &str) -> Vec<&'static Study> {
    let study = |name| studies().find(|study| study.name == name).unwrap_or_else(|| panic!("no {name}"));
    names.split_whitespace().map(study).collect()
}

/// Studies on the devices that they were written for, or on another virtual one, once.
pub fn run_on(names: &str, device: Option<&str>) -> Vec<Judged> {
    let interrupt = Interrupt::new();
    let stage = Stage::new(1, &interrupt).with_seeds(1);
    let stage = device.into_iter().fold(stage, Stage::on);
    judge(&named(names), &stage, 2, &|_| {}).unwrap()
}

/// A claim by its id, `study/claim`.
#[track_caller]
pub fn claim<'a>(judged: &'a [Judged], id: &str) -> &'a JudgedClaim {
    let mut all = judged.iter().flat_map(|judged| judged.claims.iter().map(move |claim| (judged, claim)));
    let found = all.find(|(judged, claim)| format!("{}/{}", judged.study.name, claim.claim.name) == id);
    found.unwrap_or_else(|| panic!("no claim {id}")).1
}

/// All claims of all studies.
pub fn claims(judged: &[Judged]) -> impl Iterator<Item = &JudgedClaim> {
    judged.iter().flat_map(|judged| &judged.claims)
}

/// The measured value.
pub fn value(claim: &JudgedClaim) -> Option<f64> {
    match &claim.found {
        Finding::Measured(measure) => Some(measure.value),
        _ => None,
    }
}

/// What a study's end is, if it cannot be run.
pub fn reason_of<T: std::error::Error + Copy + 'static>(judged: &Judged) -> Option<T> {
    judged.ended.as_ref().and_then(Error::find::<T>).copied()
}

/// An error as a test shows it.
pub fn failed(result: Result<Vec<Judged>>) -> Error {
    result.err().expect("the studies fail")
}
