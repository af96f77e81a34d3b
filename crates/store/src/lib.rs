//! What a finished run leaves on disk: the result folder, every IO in Parquet, exports for other programs.
//!
//! [`Recorder`] spills the times of every IO to Parquet beside the run; [`ResultFolder`] keeps what finished
//! runs gave, [`Stored`] reads it again, and [`export`](export()) writes it in another program's format.
//! Nothing here prints, and nothing here measures.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod atomic_file;
mod error;
mod export;
mod folder;
mod footer;
pub mod ios;
mod output;
mod pack;
mod product;
mod read;
mod recorder;
mod spread;

pub use atomic_file::{AtomicFile, AtomicFolder};
pub use error::{Occupant, PackProblem, PlaceProblem, Remedy, StoreError, Unfit};
pub use export::{EXPORTS, Export, Exported, Losses, Material, export};
pub use folder::{MANIFEST, Manifest, Records, ResultFolder, SCHEMA_VERSION, Stored};
pub use footer::Footer;
pub use output::{Output, check_not_input, is_descriptor, kind_name};
pub use pack::{Alias, Opened, PACK_EXTENSION, Packed, is_pack, write_pack};
pub use product::Product;
pub use read::Responses;
pub use recorder::{Origin, Recorder, Written};
pub use spread::{LateWindow, Lateness, Spread};
