//! Settings of a pipeline that make no sense.

use std::fmt;

use thiserror::Error;

/// The least device that a linear fit takes.
pub const LINEAR_BYTES_MIN: u64 = 4096;

/// A setting of a [`crate::Pipeline`], as an error names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`crate::Pipeline::to`].
    To,
    /// [`crate::Pipeline::sample`].
    Sample,
    /// [`crate::Pipeline::sample_unit`].
    SampleUnit,
    /// [`crate::Pipeline::repeat`].
    Repeat,
    /// [`crate::Pipeline::align`].
    Align,
    /// The setting `fit`, compact.
    CompactFit,
    /// The setting `fit`, linear.
    LinearFit,
    /// [`crate::Pipeline::size`].
    Size,
    /// [`crate::Pipeline::concatenate`].
    Concatenate,
    /// [`crate::Pipeline::chunk`].
    Chunk,
    /// [`crate::Pipeline::split`].
    Split,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Setting::To => "the end of the time window",
            Setting::Sample => "the sample's rate",
            Setting::SampleUnit => "the sample's unit",
            Setting::Repeat => "the number of passes",
            Setting::Align => "the alignment",
            Setting::CompactFit => "the compact fit",
            Setting::LinearFit => "the linear fit",
            Setting::Size => "the size of the device",
            Setting::Concatenate => "concatenating devices",
            Setting::Chunk => "the chunk",
            Setting::Split => "the size to split at",
        })
    }
}

/// A setting of a [`crate::Pipeline`] that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PipelineError {
    /// It is 0.
    #[error("{0} must be more than 0")]
    Zero(Setting),
    /// The time window ends before it begins.
    #[error("the time window must end later than it begins")]
    EmptyWindow,
    /// The address range ends before it begins.
    #[error("the address range must end after its beginning")]
    EmptyRange,
    /// A fit without a device to fit to.
    #[error("a fit needs the size of the device to fit to")]
    NoSize,
    /// A linear fit to less than a block.
    #[error("a linear fit needs a device of at least {LINEAR_BYTES_MIN} bytes")]
    SmallSize,
    /// The trace gives its records only once, and this needs them again.
    #[error("{0} reads the trace more than once, and a pipe can be read only once; store it in a file first")]
    ReadTwice(Setting),
}
