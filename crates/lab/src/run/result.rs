//! What came of a run.

use flashscope_analysis::{
    Advice, Context, Finished, Hint, Indicators, Reading, Stop, Warning, advice, hints, indicators, points,
    suite_warnings, warnings,
};
use flashscope_bench::{Broken, SuiteRequest, Suites};
use flashscope_store::ResultFolder;

use super::Leave;
use crate::error::Error;
use crate::suites::reading;

/// What came of a run, whatever ended it. It is stored as well.
pub struct RunResult {
    /// The result folder, which others cannot write until this is dropped.
    pub folder: ResultFolder,
    /// Facts about the whole run.
    pub context: Context,
    /// Its single runs, those of before an interruption included.
    pub finished: Vec<Finished>,
    /// The suite that was run.
    pub suite: SuiteRequest,
    /// The suites that were known to it.
    pub suites: Suites,
    /// What guard and doctor noticed before the first IO.
    pub warnings: Vec<Warning>,
    /// What finishing it takes.
    pub leave: Leave,
    /// Chains of runs that begin again when it is finished.
    pub broken_chains: Vec<Broken>,
    /// Why it ended before its plan did.
    pub stopped: Option<Stop>,
    /// The error that ended it.
    pub error: Option<Error>,
}

impl RunResult {
    /// What is concluded from its runs.
    pub fn conclusions(&self) -> Conclusions {
        Conclusions::of(&self.suite, &self.suites, &self.context, &self.finished)
    }
}

/// What is concluded from the runs of a characterisation. Computed anew from what is stored, so that a stored
/// result gains from a better analysis.
#[derive(Debug)]
pub struct Conclusions {
    /// The key characteristics: the row of paper 001's table 3.
    pub indicators: Indicators,
    /// The numbers to design with.
    pub advice: Vec<Advice>,
    /// What to do.
    pub hints: Vec<Hint>,
    /// What another suite than uFLIP says instead.
    pub reading: Option<Reading>,
    /// What weakens the result.
    pub warnings: Vec<Warning>,
}

impl Conclusions {
    /// From the runs of a suite.
    pub fn of(suite: &SuiteRequest, known: &Suites, context: &Context, finished: &[Finished]) -> Conclusions {
        let reading = reading(suite, known, context, finished);
        let points = points(finished);
        let indicators = indicators(&points);
        let advice = advice(context, &indicators, &points);
        let hints = hints(context, &indicators, &points);
        let warnings = match reading {
            Some(_) => suite_warnings(context, &points),
            None => warnings(context, &indicators, &points),
        };
        Conclusions { indicators, advice, hints, reading, warnings }
    }
}
