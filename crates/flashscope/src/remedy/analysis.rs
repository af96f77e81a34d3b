//! Remedies of `flashscope-analysis`: `--resume` finishes a run; `--budget`, `--full` and `--only` move its
//! limits.

use flashscope_analysis::{Remedy, Stop};

/// A remedy in the flags of this program; `resume` is the command that finishes the run.
pub fn worded(remedy: &Remedy, resume: &str) -> String {
    match remedy {
        Remedy::Resume => format!("Finish the plan: {resume}"),
        Remedy::Limit(Stop::Interrupted) => format!("The run was interrupted; finish it: {resume}"),
        Remedy::Limit(Stop::Failed) => {
            format!("An IO failed; once the cause is mended, finish it: {resume}")
        }
        Remedy::Limit(Stop::Budget) => {
            "The budget was spent: give a larger --budget, or fewer experiments with --only.".into()
        }
        Remedy::Limit(Stop::Runtime) => {
            "The time for a run was over: give a larger --budget or --full.".into()
        }
        Remedy::Limit(Stop::Ios | Stop::Precision) => {
            "The limit of IOs was reached: --full or a larger --budget looks longer.".into()
        }
        Remedy::AllowWrites => "Nothing was written: --write allows the experiments that write.".into(),
        Remedy::Measure(micros) => {
            format!("Run them with --only {} or a larger --budget.", micros.join(","))
        }
        Remedy::EnforceState => {
            "Enforce a state first with --state random --write, or compare only with runs from the same \
             state."
                .into()
        }
        Remedy::LongerPauses => {
            "No longer pause was kept between runs for lack of time, so they may disturb each other: give a \
             larger --budget, or --full, which allows for longer pauses."
                .into()
        }
        Remedy::MoreOfTarget => {
            "The numbers hold for work within that much space; --full uses more of the target.".into()
        }
        Remedy::LargerAreas => {
            "Read it as: no limit up to there. --full tries larger areas where the target has room for them."
                .into()
        }
        other => other.to_string(),
    }
}
