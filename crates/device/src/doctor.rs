//! The doctor: what about a target and its machine would make measured numbers wrong, looked at before
//! anything is measured. Reads `/sys`, `/proc` and one block of the target; changes nothing, writes nothing.
//!
//! A check is one file in `doctor/checks` and one line in `doctor/checks.rs`. It is a function from a `Scene`
//! (what was asked of the system, and the root below which files are read) to remarks, so that made-up
//! machines can be shown to it.

mod checks;
mod scene;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

pub use checks::CHECKS;
use scene::Scene;

use crate::error::DeviceError;
use crate::identify::Identity;
use crate::remedy::Remedy;

/// How much a remark matters for the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Good to know when reading the numbers.
    Note,
    /// Some numbers will be off, or differ from day to day.
    Warning,
    /// The numbers would be of something else than the device.
    Wrong,
}

impl Level {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Wrong => "wrong",
        }
    }
}

/// What one check says about one thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// The check's name.
    pub check: &'static str,
    /// How much it matters.
    pub level: Level,
    /// Whether it could be seen at all; if not, `found` says why.
    pub seen: bool,
    /// What was found.
    pub found: String,
    /// Which numbers it touches, and how. Empty where all is well.
    pub matters: String,
    /// What mends it, where anything does.
    pub mend: Option<Remedy>,
}

impl Remark {
    fn new(level: Level, found: impl Into<String>, matters: impl Into<String>) -> Remark {
        let (found, matters) = (found.into(), matters.into());
        Remark { check: "", level, seen: true, found, matters, mend: None }
    }

    fn ok(found: impl Into<String>) -> Remark {
        Remark::new(Level::Ok, found, "")
    }

    fn note(found: impl Into<String>, matters: impl Into<String>) -> Remark {
        Remark::new(Level::Note, found, matters)
    }

    fn warning(found: impl Into<String>, matters: impl Into<String>) -> Remark {
        Remark::new(Level::Warning, found, matters)
    }

    fn wrong(found: impl Into<String>, matters: impl Into<String>) -> Remark {
        Remark::new(Level::Wrong, found, matters)
    }

    /// Something that cannot be read, and why.
    fn unseen(what_and_why: impl Into<String>, matters: impl Into<String>) -> Remark {
        Remark { seen: false, ..Remark::new(Level::Note, what_and_why, matters) }
    }

    fn mend(self, remedy: impl Into<Remedy>) -> Remark {
        Remark { mend: Some(remedy.into()), ..self }
    }
}

/// One thing to look at.
pub struct Check {
    /// Its name in reports.
    pub name: &'static str,
    /// What it looks at, in a few words.
    pub about: &'static str,
    examine: fn(&Scene) -> Vec<Remark>,
}

/// Everything that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Diagnosis {
    /// What was examined; none for the machine alone.
    pub target: Option<Identity>,
    /// The gravest level of all remarks.
    pub level: Level,
    /// All remarks, in the order of the checks.
    pub remarks: Vec<Remark>,
}

/// Over how long a time other programs' IO and stolen time are watched.
const WATCH: Duration = Duration::from_secs(1);

/// Examines the machine, and the target if one is named. Takes a second, in which it watches who else is
/// busy.
///
/// # Errors
/// [`DeviceError::Path`] where the target leads nowhere, [`DeviceError::Refused`] where it is neither a block
/// device nor a regular file. All else is among the remarks.
pub fn examine(target: Option<&Path>) -> Result<Diagnosis, DeviceError> {
    Ok(diagnose(Scene::gather(target, WATCH)?, CHECKS))
}

/// What should be known before measuring `target`, the gravest first: the gravest warning of each check that
/// takes no time. Nobody waits a second for it: neighbours are what repeats and interference pauses are for.
pub fn glance(target: &Path) -> Vec<Remark> {
    // What is not to be examined is told by the guard.
    let Ok(scene) = Scene::gather(Some(target), Duration::ZERO) else { return Vec::new() };
    let mut remarks = diagnose(scene, checks::GLANCE).remarks;
    remarks.retain(|remark| remark.level >= Level::Warning);
    remarks.sort_by_key(|remark| std::cmp::Reverse(remark.level));
    let mut told = BTreeSet::new();
    remarks.retain(|remark| told.insert(remark.check));
    remarks
}

fn diagnose(scene: Scene, checks: &[Check]) -> Diagnosis {
    let named = |check: &Check| {
        let remarks = (check.examine)(&scene).into_iter();
        let name = check.name;
        remarks.map(move |remark| Remark { check: name, ..remark })
    };
    let remarks: Vec<Remark> = checks.iter().flat_map(named).collect();
    let level = remarks.iter().map(|remark| remark.level).max().unwrap_or(Level::Ok);
    Diagnosis { target: scene.target, level, remarks }
}
