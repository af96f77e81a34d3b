//! What a person reads at the end: pure functions from results to text. Whoever calls them decides on width
//! and colour, and prints.

mod compare;
pub(crate) mod measure;
pub(crate) mod result;
mod text;
pub(crate) mod why;

pub use compare::compare_view;
pub use measure::{measure_view, strip};
pub use result::result_view;
pub use text::wrap;

use std::path::Path;

use flashscope_analysis::{Advice, Context, Finished, Hint, Indicators, Warning};

/// How text is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Columns of the terminal; at least 40 are used.
    pub width: usize,
    /// Whether to use ANSI colours.
    pub colour: bool,
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
    /// What weakens the result.
    pub warnings: &'a [Warning],
    /// Where the data lie.
    pub folder: Option<&'a Path>,
    /// Size of the page that lies there too.
    pub page_bytes: Option<u64>,
}
