//! What a person reads at the end: pure functions from results to text. Whoever calls them decides on width
//! and colour, and prints.

mod brief;
mod compare;
mod depth;
pub(crate) mod measure;
pub(crate) mod result;
mod suite;
mod text;
pub(crate) mod why;

pub use brief::{LINES_MAX, brief_view, numbers_so_far};
pub use compare::compare_view;
pub use measure::{measure_view, strip};
pub use result::result_view;
pub use text::{columns, wrap};

use std::path::Path;

use flashscope_analysis::{Advice, Context, Finished, Hint, Indicators, Reading, Warning};
use flashscope_lab::{Conclusions, SuiteRequest};

/// Behind a sentence that its runs do not support.
pub(crate) const WEAK: &str = " [weak]";

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; at least 40 are used.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub colour: bool,
}

/// A stored device state in words.
pub(crate) fn state_words(state: &str) -> String {
    match state {
        "random, enforced" => "preconditioned: random writes, 1x".into(),
        "sequential, enforced" => "preconditioned: sequential writes, 1x".into(),
        "as-is" => "not preconditioned".into(),
        other => other.into(),
    }
}

/// The suite, where it is not uFLIP, and its reading.
#[derive(Debug, Clone, Copy)]
pub struct OfSuite<'a> {
    /// Its name, or that of its file.
    pub name: &'a str,
    /// Its findings, tables and charts.
    pub reading: &'a Reading,
}

/// The whole result of a characterisation.
#[derive(Debug, Clone, Copy)]
pub struct Findings<'a> {
    /// Facts about the whole run.
    pub context: &'a Context,
    /// Its single runs.
    pub finished: &'a [Finished],
    /// The key characteristics.
    pub indicators: &'a Indicators,
    /// Recommendations.
    pub advice: &'a [Advice],
    /// Findings.
    pub hints: &'a [Hint],
    /// Another suite, whose reading replaces indicators, recommendations and findings.
    pub suite: Option<OfSuite<'a>>,
    /// Caveats.
    pub warnings: &'a [Warning],
    /// The result folder.
    pub folder: Option<&'a Path>,
    /// Size of the page in it.
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
