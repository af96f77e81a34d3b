//! The recorded traces that come with the program, so that what is said of them can be run anywhere. Where
//! they come from is in `samples/README.md`.

use crate::error::TraceError;
use crate::records::Records;
use crate::seekable::open_bytes;

/// A recorded trace.
#[derive(Debug)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// What was recorded.
    pub about: &'static str,
    bytes: &'static [u8],
}

macro_rules! samples {
    ($($name:literal: $about:literal),+ $(,)?) => {
        /// All that come with the program, in the format of the kernel's tracer, compressed.
        pub const SAMPLES: &[Sample] = &[$(Sample {
            name: $name,
            about: $about,
            bytes: include_bytes!(concat!("../samples/", $name, ".tracefs.gz")),
        }),+];
    };
}

samples! {
    "install-ext3": "an installation: 430 MB of files, and random rewrites of a 12 MB file, on ext3",
    "mp3-ext3": "90 sequential files of 4.8 MB, on ext3",
    "untar-ext3": "unpacking of a source tree, on ext3",
    "untar-ext3-flush": "the same with flush commands",
    "compile-ext3": "compilation of a medium-size program, on ext3",
    "postmark-ext3": "PostMark (mail server), on ext3",
}

/// The trace of this name.
///
/// # Errors
/// There is no such trace.
pub fn open(name: &str) -> Result<Box<dyn Records>, TraceError> {
    let sample = SAMPLES.iter().find(|sample| sample.name == name).ok_or_else(|| {
        let known: Vec<_> = SAMPLES.iter().map(|sample| sample.name).collect();
        TraceError::UnknownSample { name: name.into(), known: known.join(", ") }
    })?;
    open_bytes(sample.bytes, Some("tracefs"), false)
}
