//! Remedies of `flashscope-analysis`: `--resume` finishes a run; `--budget`, `--full` and `--only` move its
//! limits.

use flashscope_analysis::{Remedy, Stop};

/// A remedy in the flags of this program; `resume` is the command that finishes the run.
pub fn worded(remedy: &Remedy, resume: &str) -> String {
    match remedy {
        Remedy::Resume => format!("Resume the run: {resume}"),
        Remedy::Limit(Stop::Interrupted) => format!("The run was interrupted; resume it: {resume}"),
        Remedy::Limit(Stop::Failed) => {
            format!("An IO failed; fix the cause, then resume: {resume}")
        }
        Remedy::Limit(Stop::Budget) => "Increase --budget, or run fewer experiments with --only.".into(),
        Remedy::Limit(Stop::Runtime) => {
            "Increase --budget, or use --full (a run reached its time limit).".into()
        }
        Remedy::Limit(Stop::Ended) => "Let the job with exitall run longer (it ended the run).".into(),
        Remedy::Limit(Stop::Bytes) => {
            "Increase --budget (a run reached its share of the bytes that may be written).".into()
        }
        Remedy::Limit(Stop::Ios | Stop::Precision) => {
            "Use --full or a larger --budget (a run reached its IO limit).".into()
        }
        Remedy::AllowWrites => "Add --write to run the experiments that write.".into(),
        Remedy::Measure(micros) => {
            format!("Run them with --only {} or a larger --budget.", micros.join(","))
        }
        Remedy::EnforceState => {
            "Precondition with --state random --write, or compare only with runs from the same state.".into()
        }
        Remedy::LongerPauses => {
            "The pause between runs was limited by time, so runs may affect each other; increase --budget, \
             or use --full."
                .into()
        }
        Remedy::MoreOfTarget => {
            "Results are valid for that working set; --full uses more of the target.".into()
        }
        Remedy::LargerAreas => "--full tries larger areas, if the target has room.".into(),
        other => other.to_string(),
    }
}
