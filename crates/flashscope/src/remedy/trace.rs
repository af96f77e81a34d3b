//! Errors of traces.

use std::error::Error;

use flashscope_trace::{LINEAR_BYTES_MIN, PipelineError, Remedy, Setting, TraceError};

/// An error of this library with flags; none of another's.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    error.downcast_ref().map(message)
}

/// The error's text with flags.
pub fn message(error: &TraceError) -> String {
    match error {
        TraceError::In { file, error } => format!("{file}: {}", message(error)),
        TraceError::Pipeline(error) => pipeline(error),
        TraceError::NoSuchDevice { device, .. } if device.contains(',') => {
            format!("{error}; --device names one, and may be given several times")
        }
        error => match error.remedy().as_ref().and_then(flags) {
            Some(flags) => error.with_remedy(Some(flags)),
            None => error.to_string(),
        },
    }
}

/// A way out as flags.
fn flags(remedy: &Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::ReadLeniently => Some("fix it, or add --lenient to skip it"),
        Remedy::OneDevice => Some("choose one with --device, or join all with --fit modulo --concatenate"),
        Remedy::Fit => Some("use a larger target, or add --fit modulo, compact or linear"),
        Remedy::Align => Some("use a target with smaller blocks, or add --align with their size"),
        Remedy::NameFormat => Some("if it is a trace, name its format with --from"),
        Remedy::OtherFormat => Some("name another format with --from"),
        Remedy::GeneratorSettings => Some("see `flashscope list generators`"),
        Remedy::Reader | Remedy::Other(_) => None,
    }
}

fn pipeline(error: &PipelineError) -> String {
    match error {
        PipelineError::Zero(setting @ (Setting::To | Setting::Sample)) => {
            format!("{} must be more than 0", flag(*setting))
        }
        PipelineError::Zero(Setting::Repeat) => "--repeat must be at least 1".into(),
        PipelineError::Zero(setting) => format!("{} must be at least 1 byte", flag(*setting)),
        PipelineError::EmptyWindow => "--to-time must be later than --from-time".into(),
        PipelineError::EmptyRange => "--range is empty; write the lower address first".into(),
        PipelineError::NoSize => "--fit needs the size of the device to fit to; add --size".into(),
        PipelineError::SmallSize => {
            format!("--fit linear needs a --size of at least {LINEAR_BYTES_MIN} bytes")
        }
        PipelineError::ReadTwice(setting) => {
            format!(
                "{} reads the trace more than once, which a pipe does not allow; use a file",
                flag(*setting)
            )
        }
    }
}

fn flag(setting: Setting) -> &'static str {
    match setting {
        Setting::To => "--to-time",
        Setting::Sample => "--sample",
        Setting::SampleUnit => "--sample-unit",
        Setting::Repeat => "--repeat",
        Setting::Align => "--align",
        Setting::CompactFit => "--fit compact",
        Setting::LinearFit => "--fit linear",
        Setting::Size => "--size",
        Setting::Concatenate => "--concatenate",
        Setting::Chunk => "--chunk",
        Setting::Split => "--split",
    }
}
