//! What a person reads at the end: pure functions from results to text. Whoever calls them decides on width
//! and colour, and prints.

mod compare;
pub(crate) mod measure;
pub(crate) mod result;
mod suite;
mod text;
pub(crate) mod why;

pub use compare::compare_view;
pub use measure::{measure_view, strip};
pub use result::result_view;
pub use text::{columns, wrap};

use std::path::Path;

use flashscope_analysis::{Advice, Context, Finished, Hint, Indicators, Reading, Warning};
use flashscope_lab::{Conclusions, SuiteRequest};

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; at least 40 are used.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub colour: bool,
}

/// Which suite was run, where it was not uFLIP, and what it says.
#[derive(Debug, Clone, Copy)]
pub struct OfSuite<'a> {
    /// Its name, or that of its file.
    pub name: &'a str,
    /// What it says.
    pub reading: &'a Reading,
}

/// Everything that a characterisation says.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'a> {
    /// Facts about the whole run.
    pub context: &'a Context,
    /// Its single runs.
    pub finished: &'a [Finished],
    /// The key characteristics.
    pub indicators: &'a Indicators,
    /// The three numbers to design with.
    pub advice: &'a [Advice],
    /// What to do.
    pub hints: &'a [Hint],
    /// What another suite says in place of indicators, advice and hints.
    pub suite: Option<OfSuite<'a>>,
    /// What weakens the result.
    pub warnings: &'a [Warning],
    /// Where the data lie.
    pub folder: Option<&'a Path>,
    /// Size of the page that lies there too.
    pub page_bytes: Option<u64>,
}

impl<'a> Findings<'a> {
    /// What is concluded from these runs of a suite, wherever they lie.
    pub fn of(
        context: &'a Context,
        finished: &'a [Finished],
        suite: &'a SuiteRequest,
        found: &'a Conclusions,
    ) -> Findings<'a> {
        Findings {
            context,
            finished,
            indicators: &found.indicators,
            advice: &found.advice,
            hints: &found.hints,
            suite: found.reading.as_ref().map(|reading| OfSuite { name: &suite.name, reading }),
            warnings: &found.warnings,
            folder: None,
            page_bytes: None,
        }
    }
}
