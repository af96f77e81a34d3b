//! What a finished run leaves on disk: the result folder, every IO in Parquet, exports for other programs.
//!
//! [`Recorder`] spills the times of every IO to Parquet beside the run; [`ResultFolder`] keeps what finished
//! runs gave, [`Stored`] reads it again, and [`export`](export()) writes it in another program's format.
//! Nothing here prints, and nothing here measures.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod error;
mod export;
mod folder;
mod footer;
pub mod ios;
mod read;
mod recorder;
mod spread;

pub use error::StoreError;
pub use export::{EXPORTS, Export, Exported, Losses, Material, export};
pub use folder::{MANIFEST, Manifest, Records, ResultFolder, SCHEMA_VERSION, Stored};
pub use footer::Footer;
pub use read::Responses;
pub use recorder::{Origin, Recorder, Written};
pub use spread::{LateWindow, Lateness, Spread};
