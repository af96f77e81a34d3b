//! The registry of suites: one file and one line each.
//!
//! A suite is a program and a reading. The program says what is done in which order; the plan gives it places
//! and seeds, and the campaign carries it out with its guard, budget, journal and resume, whatever the suite.
//! The reading says what the stored entries mean. What the two have in common with uFLIP, the first suite, is
//! everything but these two functions.

mod ajwani;
mod almost_sequential;
pub mod file;
mod load;
mod modern;
mod program;
mod read;
mod request;
mod rewrite;
mod snia_pts;
mod uflip;

use std::borrow::Cow;

use flashscope_analysis::{Context, Finished, Interference, Reading};
use flashscope_core::{Bytes, Target, TargetInfo};

use crate::campaign::{Campaign, Prior, run};
use crate::error::{BenchError, SuiteError};
use crate::journal::Unkept;
use crate::lab::Lab;
use crate::micro::Scope;
use crate::plan::{Plan, Settings};

use file::Script;

pub use program::{Act, Parameters, Probe};
pub use request::SuiteRequest;

/// The name of uFLIP.
const UFLIP: &str = "uflip";

/// One suite.
#[derive(Clone, Debug)]
pub struct Suite {
    /// Its name, on request and in results.
    pub name: Cow<'static, str>,
    /// What it shows.
    pub doc: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What can be set of it.
    pub settings: &'static [Setting],
    /// Its parts, of which one setting takes some.
    pub parts: &'static [Part],
    /// Default IO size; none if the suite has fixed sizes.
    pub bs: Option<Bytes>,
    /// Default repeats of every experiment.
    pub repeats: u32,
    /// What is done.
    pub program: Program,
    /// What it says of the stored entries.
    pub reading: Read,
}

/// A setting of a suite.
#[derive(Debug)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value where none is given.
    pub default: &'static str,
    /// The same in a quick run.
    pub quick: &'static str,
    /// What it means.
    pub help: &'static str,
}

/// A part of a suite that can be done without the others.
#[derive(Debug)]
pub struct Part {
    /// Its name in the setting that takes some of them.
    pub name: &'static str,
    /// What it shows.
    pub doc: &'static str,
    /// What is done.
    pub acts: Acts,
}

impl Part {
    const fn new(name: &'static str, doc: &'static str, acts: Acts) -> Part {
        Part { name, doc, acts }
    }
}

/// What is done on a target, in order.
pub type Acts = fn(&Parameters<'_>) -> Result<Vec<Act>, BenchError>;

/// What the runs of a suite mean, those of a broken-off run too.
pub type Read = fn(&Context, &[Finished]) -> Reading;

/// What a suite does.
#[derive(Clone, Debug)]
pub enum Program {
    /// uFLIP's plan ([`Plan::new`]), which gives its experiments places of their own.
    Uflip,
    /// These acts, in this order.
    Acts(Acts),
    /// The lines of a file.
    Script(Script),
}

impl From<Script> for Suite {
    fn from(script: Script) -> Suite {
        Suite {
            name: script.file().to_string().into(),
            doc: "the lines of a file",
            source: "a file",
            settings: &[],
            parts: &[],
            bs: None,
            repeats: 1,
            program: Program::Script(script),
            reading: file::reading,
        }
    }
}

/// Those that come with this crate, in the order in which they are explained.
const SUITES: &[Suite] = &[
    uflip::SUITE,
    ajwani::SUITE,
    rewrite::SUITE,
    almost_sequential::SUITE,
    snia_pts::SUITE,
    modern::SUITE,
    load::SUITE,
];

/// The suites that can be asked for by name.
#[derive(Clone, Debug)]
pub struct Suites(Vec<Suite>);

impl Default for Suites {
    fn default() -> Suites {
        Suites::builtin()
    }
}

impl Suites {
    /// Those that come with this crate.
    pub fn builtin() -> Suites {
        Suites(SUITES.to_vec())
    }

    /// Those and one more; it takes the place of one of the same name.
    #[must_use]
    pub fn with(mut self, suite: Suite) -> Suites {
        match self.0.iter_mut().find(|known| known.name == suite.name) {
            Some(known) => *known = suite,
            None => self.0.push(suite),
        }
        self
    }

    /// All of them, in the order in which they are explained.
    pub fn iter(&self) -> std::slice::Iter<'_, Suite> {
        self.0.iter()
    }

    /// The suite of that name.
    ///
    /// # Errors
    /// An unknown suite; the error lists the known ones.
    pub fn find(&self, name: &str) -> Result<&Suite, SuiteError> {
        self.0.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let known = self.0.iter().map(|suite| suite.name.to_string()).collect();
            SuiteError::Unknown { name: name.into(), known }
        })
    }
}

impl Settings {
    /// The defaults, with the repeats and the IO size that a suite asks for.
    pub fn of(suite: &Suite, scope: Scope) -> Settings {
        let default = Settings::default();
        // Rounds share what one long run had, so a quick run has as many.
        let is_shared = matches!(suite.program, Program::Uflip) || scope != Scope::Quick;
        let repeats = if is_shared { suite.repeats } else { 1 };
        Settings { scope, repeats, bs: suite.bs.unwrap_or(default.bs), ..default }
    }
}

impl Plan {
    /// Plans a suite on `target`, with those of the suite's settings that differ from their defaults as names
    /// and `values`. The same arguments give the same plan.
    ///
    /// # Errors
    /// A setting that the suite does not have or cannot take; a target that is too small for it.
    pub fn of(
        suite: &Suite,
        values: &[(String, String)],
        target: &TargetInfo,
        settings: &Settings,
    ) -> Result<Plan, BenchError> {
        program::check(suite, values)?;
        match &suite.program {
            Program::Uflip => Plan::new(target, settings),
            Program::Acts(acts) => program::plan(target, settings, |frame| {
                acts(&Parameters::new(suite, values, frame, settings))
            }),
            Program::Script(script) => program::plan(target, settings, |frame| {
                Ok(script.acts(target, &frame).map_err(SuiteError::from)?)
            }),
        }
    }
}

/// Runs a suite on a lab and keeps nothing but what is returned. `values` as of [`Plan::of`]; `settings` best
/// begin with [`Settings::of`], since the suite's repeats and IO size are in them.
///
/// # Errors
/// The plan's, and what ended the campaign early.
pub fn conduct<L: Lab>(
    suite: &Suite,
    values: &[(String, String)],
    lab: &mut L,
    settings: &Settings,
) -> Result<(Vec<Finished>, Reading), BenchError> {
    let target = lab.target(1)?.info().clone();
    let plan = Plan::of(suite, values, &target, settings)?;
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, lab, &mut Unkept, Prior::default());
    if let Some(error) = outcome.error {
        return Err(error);
    }
    let complete = outcome.stopped.is_none();
    let context = Context {
        preparation_errors: outcome.preparation_errors,
        ..bare_context(target, &plan, outcome.interference, complete)
    };
    let reading = (suite.reading)(&context, &outcome.finished);
    Ok((outcome.finished, reading))
}

fn bare_context(target: TargetInfo, plan: &Plan, pause: Option<Interference>, complete: bool) -> Context {
    Context {
        target,
        state: plan.state.name().into(),
        generator_iops_max: None,
        interference: pause,
        complete,
        physical_block_bytes: None,
        precision: None,
        preparation_errors: Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_says_what_it_is_and_where_it_comes_from() {
        for suite in SUITES {
            assert!(!suite.doc.is_empty() && !suite.source.is_empty(), "{}", suite.name);
            assert!(suite.repeats > 0, "{}", suite.name);
            let page = include_str!("../../../docs/suites.md");
            let row = format!("\n| `{}` |", suite.name);
            assert!(
                page.contains(&row),
                "docs/suites.md lacks {}: add its row to the first table",
                suite.name
            );
            for setting in suite.settings {
                assert!(!setting.help.is_empty() && !setting.quick.is_empty(), "{}", setting.name);
            }
        }
        assert!(Suites::builtin().find("ulfip").unwrap_err().to_string().contains("uflip"));
    }
}
