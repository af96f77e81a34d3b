//! What a finished run looks like: the record of every IO, the result folder, and what is shown of it.
//!
//! [`Recorder`] spills the times of every IO to Parquet beside the run; [`ResultFolder`] keeps what finished
//! runs gave, and [`Stored`] reads it again.
//! Nothing here prints, and nothing here measures.
#![warn(missing_docs)]

mod error;
mod folder;
mod recorder;

pub use error::ReportError;
pub use folder::{Manifest, Records, ResultFolder, SCHEMA_VERSION, Stored};
pub use recorder::{Origin, Recorder, Written};
