//! Errors of the lab.

use std::error::Error as _;

use flashscope_lab::fio_job::{Nearest, Remark};
use flashscope_lab::{Error, Remedy};

/// An error of this library with flags; none of another's.
pub fn worded(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    error.downcast_ref().map(message)
}

/// The error's text with flags.
fn message(error: &Error) -> String {
    let problem = match error.source() {
        Some(source) if source.to_string() == error.problem() => super::worded(source),
        _ => error.problem(),
    };
    let setting = error.setting_name().map_or(String::new(), |setting| format!("{} ", flag(setting)));
    let remedy = error.remedy().map_or(String::new(), |remedy| format!("; {}", way_out(remedy)));
    format!("{setting}{problem}{remedy}")
}

/// How a setting is called on the command line.
fn flag(setting: &str) -> String {
    format!("--{}", setting.replace('_', "-"))
}

fn way_out(remedy: Remedy) -> String {
    match remedy {
        Remedy::AllowWriting => "add --write to allow it".into(),
        Remedy::AllowWritingOrReadOnly => {
            "add --write to allow it, or --read-only to replay only the reads".into()
        }
        Remedy::Confirm => "confirm it with --confirm SERIAL".into(),
        Remedy::MeasureTarget => {
            "use `flashscope measure` or `flashscope run`; `flashscope list profiles` lists devices for \
             `flashscope sim`"
                .into()
        }
        Remedy::SavedState => "name a file made by --save-state".into(),
        Remedy::FinishOrBegin => {
            "leave out --suite to resume it, or --resume to start the other suite".into()
        }
        Remedy::OneInFlight => "leave out --engine, or add --iodepth 1".into(),
        Remedy::SmallerWarmup => "use a smaller --warmup, or a larger --number-ios".into(),
        Remedy::LeaveOut("target") => "leave the target out".into(),
        Remedy::LeaveOut(setting) => format!("leave out {}", flag(setting)),
        Remedy::Give(setting) => format!("add {}", flag(setting)),
        Remedy::ResumeOrOtherFolder => "finish that run with --resume, or choose another -o".into(),
        Remedy::MeasureInstead => {
            "for flashscope's own overhead: flashscope measure null: --rw randread --bs 4k".into()
        }
    }
}

/// Why an option of fio is refused or means something else, with the command or flag that is nearest.
pub fn remark(remark: &Remark) -> String {
    remark.nearest.map_or(remark.text.clone(), |nearest| format!("{}; {}", remark.text, nearest_way(nearest)))
}

fn nearest_way(nearest: Nearest) -> String {
    match nearest {
        Nearest::Shift => "use --shift to move all of them".into(),
        Nearest::Replay => "use flashscope replay FILE TARGET".into(),
        Nearest::ReplayVerified => "use `flashscope replay --verify` with a trace".into(),
        Nearest::Mix => "use --mix with a share, such as --mix read:30%".into(),
        Nearest::Contents => "choose others with --data".into(),
        Nearest::OverwriteExistingData => "add --overwrite-existing-data for one of fio's".into(),
        Nearest::NumberIos(ios) => format!("add --number-ios {ios} for that"),
    }
}
