//! Errors of traces.

use std::error::Error;

use flashscope_trace::reading::{Uncertain, Units};
use flashscope_trace::{LINEAR_BYTES_MIN, PipelineError, Remedy, Setting, TraceError};

/// An error of this library with flags; none of another's.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    let of_a_file = || error.downcast_ref::<Box<TraceError>>().map(AsRef::as_ref);
    error.downcast_ref().or_else(of_a_file).map(message)
}

/// The error's text with flags.
pub fn message(error: &TraceError) -> String {
    match error {
        TraceError::In { file, error } => format!("{file}: {}", message(error)),
        TraceError::Pipeline(error) => pipeline(error),
        TraceError::NoSuchDevice { device, .. } if device.contains(',') => {
            format!("{error}; --device names one, and may be given several times")
        }
        TraceError::Uncertain(uncertain) => uncertain_reading(uncertain),
        TraceError::Columns(error) => format!("--{error}"),
        error => match error.remedy().as_ref().and_then(flags) {
            Some(flags) => error.with_remedy(Some(flags)),
            None => error.to_string(),
        },
    }
}

/// Both readings, one below the other, each with the flags that choose it.
fn uncertain_reading(uncertain: &Uncertain) -> String {
    let Uncertain { format, certainty, doubts, outcomes: [said, other], columns } = uncertain;
    let [own, another] = columns;
    let flags = |columns: &str, units: &Units, beside: &Units| match columns {
        "" => format!("\n      choose it with --units {}", units.stating(beside)),
        columns => format!("\n      choose it with --columns {columns}"),
    };
    let (certain, doubts) = ((certainty * 100.0).floor(), doubts.join(", "));
    format!(
        "its units are not certain ({certain} % for format {format}): {doubts}\n  \
         either {said}{}\n  or     {other}{}\n  (or name a format with --from)",
        flags(own, &said.units, &other.units),
        flags(another, &other.units, &said.units),
    )
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
        Remedy::OtherStage => Some("leave out --stage"),
        Remedy::Reader | Remedy::StateReading { .. } | Remedy::Other(_) => None,
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use flashscope_trace::TraceError;

    #[test]
    fn the_error_of_a_file_is_said_once_and_names_it() {
        let inner = || TraceError::Request {
            record: 7,
            request: "write 8 KiB at 1 GiB".into(),
            problem: "it reaches beyond the target".into(),
            remedy: flashscope_trace::Remedy::Fit,
        };
        let error = inner().in_file(Path::new("a.csv"));
        assert_eq!(
            crate::remedy::message(&error),
            format!("a.csv: {}", crate::remedy::worded(&inner())),
            "with flags, and without the library's own wording beside them"
        );
    }
}
