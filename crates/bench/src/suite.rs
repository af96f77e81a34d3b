//! The registry of suites: one file and one line each.
//!
//! A suite is a program and a reading. The program says what is done in which order; the plan gives it places
//! and seeds, and the campaign carries it out with its guard, budget, journal and resume, whatever the suite.
//! The reading says what the stored entries mean. What the two have in common with uFLIP, the first suite, is
//! everything but these two functions.

mod ajwani;
mod almost_sequential;
pub mod file;
mod modern;
mod program;
mod read;
mod rewrite;
mod snia_pts;
mod uflip;

use flashscope_analysis::{Context, Finished, Interference, Reading};
use flashscope_core::{Bytes, Target, TargetInfo};

use crate::campaign::{Campaign, Lab, Prior, run};
use crate::error::BenchError;
use crate::journal::Unkept;
use crate::plan::{Plan, Settings};

pub use program::{Act, Asked, Probe};

/// One suite.
#[derive(Debug)]
pub struct Suite {
    /// Its name on the command line and in results.
    pub name: &'static str,
    /// What it shows.
    pub doc: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// What can be set of it.
    pub settings: &'static [Setting],
    /// Its parts, of which one setting takes some.
    pub parts: &'static [Part],
    /// IOSize where none is asked for; none if its sizes are its own.
    pub bs: Option<Bytes>,
    /// Runs of every experiment where no number is asked for.
    pub repeats: u32,
    /// What is done.
    pub program: Program,
    /// What it says of the stored entries.
    pub reading: fn(&Context, &[Finished]) -> Reading,
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
pub type Acts = fn(&Asked<'_>) -> Result<Vec<Act>, BenchError>;

/// What a suite does.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// uFLIP's plan ([`Plan::new`]), which gives its experiments places of their own.
    Uflip,
    /// These acts, in this order.
    Acts(Acts),
}

/// All of them, in the order in which they are explained.
pub static SUITES: &[Suite] =
    &[uflip::SUITE, ajwani::SUITE, rewrite::SUITE, almost_sequential::SUITE, snia_pts::SUITE, modern::SUITE];

impl Suite {
    /// The suite of that name.
    ///
    /// # Errors
    /// There is none; the message lists those that there are.
    pub fn find(name: &str) -> Result<&'static Suite, BenchError> {
        let names = || SUITES.iter().map(|suite| suite.name).collect::<Vec<_>>().join(", ");
        SUITES.iter().find(|suite| suite.name == name).ok_or_else(|| {
            let problem = format!("'{name}' is no suite; write one of: {}; or the path of a file", names());
            BenchError::Suite(problem)
        })
    }
}

/// A suite as it is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// Which.
    pub suite: &'a Suite,
    /// Its settings that differ from their defaults: name and value.
    pub values: &'a [(String, String)],
    /// The target can discard what it holds.
    pub can_trim: bool,
}

impl Plan {
    /// Plans a suite on `target`. The same settings and target give the same plan.
    ///
    /// # Errors
    /// A setting that the suite does not have or cannot take; a target that is too small for it.
    pub fn of(order: &Order<'_>, target: &TargetInfo, settings: &Settings) -> Result<Plan, BenchError> {
        program::check(order)?;
        match order.suite.program {
            Program::Uflip => Plan::new(target, settings),
            Program::Acts(program) => {
                program::plan(target, settings, |frame| program(&Asked::new(order, frame, settings)))
            }
        }
    }

    /// Plans acts, such as those of a file.
    ///
    /// # Errors
    /// As of [`Plan::of`], and those of `acts`.
    pub fn of_script(
        script: &file::Script,
        target: &TargetInfo,
        settings: &Settings,
    ) -> Result<Plan, BenchError> {
        program::plan(target, settings, |frame| script.acts(target, &frame))
    }
}

/// Runs a suite on a lab and keeps nothing but what is returned: for studies and tests.
///
/// # Errors
/// The plan's, and what ended the campaign early.
pub fn conduct<L: Lab>(
    order: &Order<'_>,
    lab: &mut L,
    settings: &Settings,
) -> Result<(Vec<Finished>, Reading), BenchError> {
    let target = lab.target(1)?.info().clone();
    let plan = Plan::of(order, &target, settings)?;
    let interrupted = std::sync::atomic::AtomicBool::new(false);
    let campaign = Campaign { settings, plan: &plan, interrupted: &interrupted };
    let outcome = run(&campaign, lab, &mut Unkept, Prior::default());
    if let Some(error) = outcome.error {
        return Err(error);
    }
    let complete = outcome.stopped.is_none();
    let context = bare_context(target, &plan, outcome.interference, complete);
    let reading = (order.suite.reading)(&context, &outcome.finished);
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
            for setting in suite.settings {
                assert!(!setting.help.is_empty() && !setting.quick.is_empty(), "{}", setting.name);
            }
        }
        assert!(Suite::find("ulfip").unwrap_err().to_string().contains("uflip"));
    }
}
