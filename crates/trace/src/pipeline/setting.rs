//! Settings of a pipeline that make no sense.

use std::fmt;

use flashscope_core::Bytes;
use thiserror::Error;

use super::{LINEAR_BYTES_MIN, Pipeline};
use crate::transform::FitMode;

/// A setting of a [`Pipeline`], as an error names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`Pipeline::to`].
    To,
    /// [`Pipeline::sample`].
    Sample,
    /// [`Pipeline::sample_unit`].
    SampleUnit,
    /// [`Pipeline::repeat`].
    Repeat,
    /// [`Pipeline::align`].
    Align,
    /// [`Pipeline::fit`], in this mode.
    Fit(FitMode),
    /// [`Pipeline::size`].
    Size,
    /// [`Pipeline::concatenate`].
    Concatenate,
    /// [`Pipeline::chunk`].
    Chunk,
    /// [`Pipeline::split`].
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
            Setting::Fit(FitMode::Modulo) => "the modulo fit",
            Setting::Fit(FitMode::Compact) => "the compact fit",
            Setting::Fit(FitMode::Linear) => "the linear fit",
            Setting::Size => "the size of the device",
            Setting::Concatenate => "laying devices one behind the other",
            Setting::Chunk => "the chunk",
            Setting::Split => "the size to split at",
        })
    }
}

/// A setting of a [`Pipeline`] that makes no sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PipelineError {
    /// It is 0.
    #[error("{0} must be more than 0")]
    Zero(Setting),
    /// The time window ends before it begins.
    #[error("the time window must end later than it begins")]
    EmptyWindow,
    /// The address range ends before it begins.
    #[error("the address range must end behind its beginning")]
    EmptyRange,
    /// A fit without a device to fit to.
    #[error("a fit needs the size of the device to fit to")]
    NoSize,
    /// A linear fit to less than a block.
    #[error("a linear fit needs a device of at least {LINEAR_BYTES_MIN} bytes")]
    SmallSize,
    /// The trace gives its records only once, and this needs them again.
    #[error("{0} needs the trace more than once, and a pipe gives it once; store it in a file first")]
    ReadTwice(Setting),
}

impl Pipeline {
    /// Refuses settings that make no sense.
    ///
    /// # Errors
    /// The first of them.
    pub fn check(&self) -> Result<(), PipelineError> {
        let is_zero = |bytes: Option<Bytes>| bytes == Some(Bytes(0));
        let zeros = [
            (Setting::To, self.to.is_some_and(|to| to.0 == 0)),
            (Setting::SampleUnit, is_zero(Some(self.sample_unit))),
            (Setting::Align, is_zero(self.align)),
            (Setting::Chunk, is_zero(Some(self.chunk))),
            (Setting::Split, is_zero(self.split)),
            (Setting::Size, is_zero(self.size)),
            (Setting::Sample, self.sample.is_some_and(|share| share.0 <= 0.0)),
            (Setting::Repeat, self.repeat == 0),
        ];
        if let Some((setting, _)) = zeros.iter().find(|(_, is_zero)| *is_zero) {
            return Err(PipelineError::Zero(*setting));
        }
        if self.to.is_some_and(|to| to <= self.from.unwrap_or_default()) {
            return Err(PipelineError::EmptyWindow);
        }
        if self.range.as_ref().is_some_and(|range| range.is_empty()) {
            return Err(PipelineError::EmptyRange);
        }
        match (self.fit, self.size) {
            (Some(FitMode::Linear), Some(size)) if size.0 < LINEAR_BYTES_MIN => Err(PipelineError::SmallSize),
            (Some(FitMode::Modulo | FitMode::Linear), None) => Err(PipelineError::NoSize),
            _ => Ok(()),
        }
    }
}
