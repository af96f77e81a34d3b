//! How results look: text for a terminal, JSON, pages for a browser, pictures.
//!
//! Pure functions from what is stored or measured to text; whoever calls them prints it. Nothing here
//! measures.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod figure;
pub mod figures;
pub mod html;
pub mod inside;
mod json;
pub mod known;
mod pairs;
mod readings;
pub mod replay;
pub mod sweep;
pub mod trace;
mod view;

pub use figure::{
    Raster, Series, SweepPoint, Unit, bars_figure, map_figure, micro_figure, response_figure, spread_figure,
    sweep_figure, time_figure,
};
pub use json::{compare_json, measure_json, run_json};
pub use readings::Suites;
pub use view::{Findings, OfSuite, Style, compare_view, measure_view, result_view, strip, wrap};
