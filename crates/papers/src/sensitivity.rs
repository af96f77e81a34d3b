//! Whether verdicts stand when a setting that a study chose for its device is another: each is halved and
//! doubled alone.

use flashscope_lab::Result;
use flashscope_show::columns;
use serde_json::{Value, json};

use crate::claim::Verdict;
use crate::judged::{Judged, judge};
use crate::scaling::{Scaling, numeric_keys};
use crate::stage::Stage;
use crate::study::Study;

/// What became of a study's verdicts with one of its settings scaled.
pub struct Sensitivity {
    /// The setting.
    pub key: String,
    /// The values that the study gives it.
    pub values: Vec<String>,
    /// With half of each.
    pub halved: Change,
    /// With twice as much.
    pub doubled: Change,
}

/// What differs from the study as it is.
pub enum Change {
    /// Claims with another verdict: what it was, and what it is now. None if all stand.
    Verdicts(Vec<(&'static str, Verdict, Verdict)>),
    /// There is no such device, or the study cannot be run on it.
    Impossible(String),
}

/// Each number that a study sets for its devices, halved and doubled: as many runs of the study as it has
/// such settings, twice, besides its own. `done` hears of each.
///
/// # Errors
/// The study itself failed; an interruption.
pub fn sensitivity(
    study: &'static Study,
    stage: &Stage<'_>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Sensitivity>> {
    let as_it_is = judge(&[study], stage, 1, &|_| done())?.swap_remove(0);
    let keys = numeric_keys(&as_it_is.devices).into_iter();
    keys.map(|(key, values)| {
        let change = |factor| -> Result<Change> {
            let scaling = Scaling { key: key.clone(), factor };
            let changed = judge(&[study], &stage.with_scaling(scaling), 1, &|_| done());
            match changed {
                Ok(mut changed) => Ok(difference(&as_it_is, &changed.swap_remove(0))),
                Err(error) if error.is_interruption() => Err(error),
                Err(error) => Ok(Change::Impossible(error.message())),
            }
        };
        Ok(Sensitivity { halved: change(0.5)?, doubled: change(2.0)?, key, values })
    })
    .collect()
}

/// For a terminal: a table of the settings, and below it each verdict that changes.
pub fn sensitivity_view(study: &Study, settings: &[Sensitivity]) -> String {
    let claims = study.claims.len();
    let head = ["key", "value", "halved", "doubled"].map(String::from);
    let row = |of: &Sensitivity| {
        [of.key.clone(), of.values.join(", "), of.halved.in_words(claims), of.doubled.in_words(claims)]
    };
    let rows: Vec<[String; 4]> = [head].into_iter().chain(settings.iter().map(row)).collect();
    let mut text = format!("{} · {claims} claims\n", study.name);
    if settings.is_empty() {
        return text + "  it sets no number of a device\n";
    }
    text.extend(columns(&rows, |_| false).iter().map(|line| format!("  {line}\n")));
    for of in settings {
        for (how, change) in [("halved", &of.halved), ("doubled", &of.doubled)] {
            text += &change.lines(&format!("{} {how}", of.key));
        }
    }
    text
}

/// For programs: an entry for each setting.
pub fn sensitivity_json(study: &Study, settings: &[Sensitivity]) -> Value {
    let entry = |of: &Sensitivity| {
        json!({
            "key": of.key,
            "values": of.values,
            "halved": of.halved.json(),
            "doubled": of.doubled.json(),
        })
    };
    json!({ "study": study.name, "settings": settings.iter().map(entry).collect::<Vec<_>>() })
}

impl Change {
    fn in_words(&self, claims: usize) -> String {
        match self {
            Change::Verdicts(changed) if changed.is_empty() => "all stand".into(),
            Change::Verdicts(changed) => format!("{} of {claims} change", changed.len()),
            Change::Impossible(_) => "not possible".into(),
        }
    }

    /// Each verdict that changes, or why none does.
    fn lines(&self, how: &str) -> String {
        match self {
            Change::Impossible(reason) => format!("  {how}: {reason}\n"),
            Change::Verdicts(changed) => changed
                .iter()
                .map(|(claim, was, is)| format!("  {how}: {claim} {}, was {}\n", is.name(), was.name()))
                .collect(),
        }
    }

    /// `changed` is null where `impossible` says why.
    fn json(&self) -> Value {
        match self {
            Change::Impossible(reason) => json!({ "changed": null, "impossible": reason }),
            Change::Verdicts(changed) => {
                let entry = |(claim, was, verdict): &(&str, Verdict, Verdict)| {
                    let (claim, was, verdict) = (*claim, *was, *verdict);
                    json!({ "claim": claim, "was": was, "verdict": verdict })
                };
                json!({ "changed": changed.iter().map(entry).collect::<Vec<_>>(), "impossible": null })
            }
        }
    }
}

fn difference(as_it_is: &Judged, changed: &Judged) -> Change {
    if let Some(error) = &changed.ended {
        return Change::Impossible(error.message());
    }
    let pairs = as_it_is.claims.iter().zip(&changed.claims);
    let others = pairs.filter(|(one, other)| one.verdict != other.verdict);
    Change::Verdicts(others.map(|(one, other)| (one.claim.name, one.verdict, other.verdict)).collect())
}
