//! Traces as inputs of a simulation or a replay.

use std::sync::Arc;

use flashscope_core::{Bytes, Nanos, TargetInfo};
use flashscope_trace::transform::{Across, FitMode, Origin};
use flashscope_trace::{LayoutCache, Pipeline, Records, Reopen, Stop, TraceError, TraceFile, TraceSource};

use crate::error::{Error, Result};
use crate::interrupt::Interrupt;
use crate::timing::Timing;

/// A trace, what is changed of it, and when its requests go.
#[derive(Clone, Default)]
pub struct TraceInput {
    /// The file, and how it is read.
    pub file: TraceFile,
    /// What is changed of it. Its size is that of the target.
    pub pipeline: Pipeline,
    /// When its requests go.
    pub timing: Timing,
}

impl TraceInput {
    /// The trace in a file, as it is.
    pub fn new(path: impl Into<std::path::PathBuf>) -> TraceInput {
        TraceInput { file: TraceFile::new(path), ..TraceInput::default() }
    }

    /// Its records, changed to fit a target of `size`; reading ends where `until` says. What `layouts` know
    /// of it is not looked up again. `narrow` may leave out some of the file before anything is changed.
    pub(crate) fn records(
        &self,
        size: Bytes,
        layouts: &LayoutCache,
        interrupt: &Interrupt,
        until: impl Fn(Stop) -> Stop,
        narrow: impl FnOnce(Arc<dyn Reopen>) -> Arc<dyn Reopen>,
    ) -> Result<Box<dyn Records>> {
        let file = TraceFile { stop: until(Stop::when(interrupt.shared())), ..self.file.clone() };
        let pipeline = Pipeline { size: Some(size), ..self.pipeline.clone() };
        pipeline.apply_to(narrow(Arc::new(file)), layouts).map_err(|error| self.error(error))
    }

    /// An error of the trace, with its name where that is not in it already.
    pub(crate) fn error(&self, error: TraceError) -> Error {
        match error {
            TraceError::Pipeline(_) => error.into(),
            error => error.in_file(&self.file.path).into(),
        }
    }

    /// What ended a source before the end of the trace.
    pub(crate) fn check(&self, source: &TraceSource) -> Result<()> {
        source.error().map_or(Ok(()), |error| Err(self.error(error.clone())))
    }

    /// What is changed of it, a setting each: `fit modulo`.
    pub fn changes(&self) -> Vec<String> {
        changes(&self.pipeline)
    }
}

/// What to say of a trace whose last line has no end: a number in it may be cut, and still be one.
pub fn open_end(trace: &dyn Records) -> Option<String> {
    let text =
        "the trace's last line has no line end: if the file was truncated, its last request may be wrong";
    trace.counts().is_last_line_open.then(|| text.into())
}

/// The settings of a pipeline that change anything, with their values.
fn changes(pipeline: &Pipeline) -> Vec<String> {
    let set = |is_set: bool| is_set.then(String::new);
    let time = |time: Option<Nanos>| time.map(|time| time.to_string());
    let size = |size: Option<Bytes>| size.map(|size| size.to_string());
    let ops: Vec<_> = pipeline.ops.iter().map(|op| op.name()).collect();
    let range = pipeline.range.as_ref().map(|range| match range.end {
        u64::MAX => format!("{}..", range.start),
        end => format!("{}..{end}", range.start),
    });
    let all = [
        ("from-time", time(pipeline.from)),
        ("to-time", time(pipeline.to)),
        ("absolute-times", set(pipeline.origin == Origin::Trace)),
        ("op", (!ops.is_empty()).then(|| ops.join(","))),
        ("range", range),
        ("across", (pipeline.across == Across::Drop).then(|| "drop".into())),
        ("sample", pipeline.sample.map(|share| share.0.to_string())),
        ("sample-unit", pipeline.sample.map(|_| pipeline.sample_unit.to_string())),
        ("repeat", (pipeline.repeat != 1).then(|| pipeline.repeat.to_string())),
        ("time-scale", pipeline.time_scale.map(|factor| factor.to_string())),
        ("idle-max", time(pipeline.idle_max)),
        ("align", size(pipeline.align)),
        ("fit", pipeline.fit.map(|fit| fit_name(fit).into())),
        ("concatenate", set(pipeline.concatenate)),
        ("chunk", pipeline.fit.filter(|fit| *fit == FitMode::Compact).map(|_| pipeline.chunk.to_string())),
        ("split", size(pipeline.split)),
    ];
    let devices = pipeline.devices.iter().map(|name| ("device", Some(name.clone())));
    let given = devices.chain(all).filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    given.map(|text| text.trim_end().to_string()).collect()
}

fn fit_name(fit: FitMode) -> &'static str {
    match fit {
        FitMode::Modulo => "modulo",
        FitMode::Compact => "compact",
        FitMode::Linear => "linear",
    }
}

/// The requests of a trace go anywhere, and a target with zones would refuse one in the middle.
///
/// # Errors
/// The target has zones.
pub(crate) fn refuse_zones(info: &TargetInfo) -> Result<()> {
    match info.zones {
        None => Ok(()),
        Some(_) => Err(Error::usage(format!(
            "{} has zones, which are written in order, and a trace writes anywhere; use a pattern, or a \
             target without zones",
            info.name
        ))),
    }
}
