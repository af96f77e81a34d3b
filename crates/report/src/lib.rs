//! What a finished run looks like: the record of every IO, the result folder, and what is shown of it.
//!
//! [`Recorder`] spills the times of every IO to Parquet beside the run; [`ResultFolder`] keeps what finished
//! runs gave, and [`Stored`] reads it again.
//! Nothing here prints, and nothing here measures.
#![warn(missing_docs)]

mod error;
mod export;
mod figure;
mod folder;
mod footer;
pub mod html;
mod ios;
mod json;
mod pairs;
mod read;
mod reading;
mod readings;
mod recorder;
mod spread;
mod view;

pub use error::ReportError;
pub use export::{EXPORTS, Export, Exported, Losses, Material, export};
pub use figure::{
    Raster, Series, SweepPoint, Unit, bars_figure, map_figure, micro_figure, response_figure, spread_figure,
    sweep_figure, time_figure,
};
pub use flashscope_core::number::{counted, digits, grouped, paper_factor, paper_round, percent, size, span};
pub use folder::{Manifest, Records, ResultFolder, SCHEMA_VERSION, Stored};
pub use footer::Footer;
pub use json::{compare_json, iops_of, measure_json, run_json};
pub use read::Responses;
pub use readings::Suites;
pub use recorder::{Origin, Recorder, Written};
pub use spread::{LateWindow, Lateness, Spread};
pub use view::{Findings, OfSuite, Style, compare_view, measure_view, result_view, strip, wrap};
