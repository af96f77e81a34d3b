//! What a finished run leaves on disk: the result folder, every IO in Parquet, packs, exports.
//!
//! ```text
//!   core   analysis                     units and records; what a finished run is
//!      \   /
//!      store                            folders, files of IOs, packs, exports
//!        |
//!   lab, show, papers, the program      measure into them, and show what is in them
//! ```
//!
//! [`Recorder`] spills the times of every IO to Parquet beside the run; [`ResultFolder`] keeps what finished
//! runs gave, at any moment whole; [`Stored`] reads it again, [`write_pack`] makes one file of it that can be
//! sent, and [`export`](export()) writes it in another program's format. [`AtomicFile`] and [`Output`] are
//! for whatever else is written whole or not at all. Nothing here prints, and nothing here measures.
//!
//! Every IO of a run, recorded and read back:
//!
//! ```
//! use flashscope_core::{Bytes, Nanos, Pattern, PatternSource, Record, Rw, Time};
//! use flashscope_store::ios::IoFile;
//! use flashscope_store::{Origin, Recorder, ResultFile, StoreError};
//!
//! let path = std::env::temp_dir().join(format!("ios-{}.parquet", std::process::id()));
//! let pattern = Pattern::baseline(Rw::RandRead, Bytes(0), Bytes(1 << 30));
//! let source = Box::new(PatternSource::new(&pattern, 0, 1));
//! let mut recorder = Recorder::create(&path, vec![source], &Origin::default())?;
//! for index in 0..1000 {
//!     recorder.push(Record::new(Time(index * 100_000), Nanos(80_000 + 10 * index), 0, index));
//! }
//! recorder.finish()?;
//!
//! let mut responses_ns = Vec::new();
//! IoFile::open(&ResultFile::named(&path))?.each_response_ns(|some| responses_ns.extend_from_slice(some))?;
//! responses_ns.sort_unstable();
//! println!("p99 of {} IOs: {} ns", responses_ns.len(), responses_ns[989]);
//! # assert_eq!((responses_ns.len(), responses_ns[989]), (1000, 89_890));
//! # std::fs::remove_file(&path).expect("it is there");
//! # Ok::<(), StoreError>(())
//! ```

#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod atomic_file;
mod error;
mod export;
mod folder;
mod footer;
pub mod ios;
mod kind;
mod output;
mod pack;
mod product;
mod read;
mod recorder;
mod result_file;
mod spread;
mod unfinished;

pub use atomic_file::{AtomicFile, AtomicFolder};
pub use error::{Occupant, PackProblem, PlaceProblem, Remedy, StoreError, Unfit};
pub use export::{EXPORTS, Export, Exported, Losses, Material, export};
pub use folder::{MANIFEST, Manifest, Records, ResultFolder, SCHEMA_VERSION, Stored};
pub use footer::Footer;
pub use kind::ResultKind;
pub use output::{Output, check_not_input, is_descriptor, kind_name};
pub use pack::{Alias, Opened, PACK_EXTENSION, Packed, is_pack, write_pack};
pub use product::Product;
pub use read::Responses;
pub use recorder::{Origin, Recorder, Written};
pub use result_file::{ResultFile, entries};
pub use spread::{LateWindow, Lateness, Spread};
pub use unfinished::remove_unfinished;
