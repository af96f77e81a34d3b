//! What to do about a warning: as data, so that whoever shows it can name the flag or button that does it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::judge::Stop;

/// What to do about a warning. Stored as its text, so that what is read again is [`Remedy::Other`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum Remedy {
    /// Finish the plan.
    Resume,
    /// Move the limit that ended a run.
    Limit(Stop),
    /// Allow writes: nothing was written.
    AllowWrites,
    /// Measure these micro-benchmarks.
    Measure(Vec<String>),
    /// Enforce a state before measuring.
    EnforceState,
    /// Allow for longer pauses between runs.
    LongerPauses,
    /// Measure more of the target.
    MoreOfTarget,
    /// Try larger areas.
    LargerAreas,
    /// Something that needs no setting.
    Other(String),
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::Resume => "Resume the run.",
            Remedy::Limit(Stop::Interrupted) => "The run was interrupted; resume it.",
            Remedy::Limit(Stop::Failed) => "An IO failed; fix the cause, then resume the run.",
            Remedy::Limit(Stop::Budget) => "Increase the budget, or choose fewer experiments.",
            Remedy::Limit(Stop::Runtime) => "Increase the budget or scope (a run reached its time limit).",
            Remedy::Limit(Stop::Ended) => "Let the job that ended it run longer.",
            Remedy::Limit(Stop::Bytes) => {
                "Allow for more bytes written (a run reached its share of the write budget)."
            }
            Remedy::Limit(Stop::Ios | Stop::Precision) => {
                "Increase the scope or budget (a run reached its IO limit)."
            }
            Remedy::AllowWrites => "Allow writing to run the experiments that write.",
            Remedy::Measure(micros) => {
                return write!(f, "Run {} with a larger budget.", micros.join(", "));
            }
            Remedy::EnforceState => "Precondition the device, or compare only with runs from the same state.",
            Remedy::LongerPauses => {
                "The pause between runs was limited by time, so runs may affect each other; increase the \
                 budget or scope."
            }
            Remedy::MoreOfTarget => {
                "Results are valid for that working set; a larger scope uses more of the target."
            }
            Remedy::LargerAreas => "A larger scope tries larger areas, if the target has room.",
            Remedy::Other(text) => text,
        })
    }
}

impl From<String> for Remedy {
    fn from(text: String) -> Remedy {
        Remedy::Other(text)
    }
}

impl From<&str> for Remedy {
    fn from(text: &str) -> Remedy {
        Remedy::Other(text.into())
    }
}

impl From<Remedy> for String {
    fn from(remedy: Remedy) -> String {
        remedy.to_string()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Remedy, Warning};

    #[test]
    fn what_was_stored_as_text_is_read_and_stored_again_as_it_was() {
        let stored = r#"{"seen":"the clock jumped","remedy":"measure again"}"#;
        let warning: Warning = serde_json::from_str(stored).unwrap();
        assert_eq!(warning.remedy, Remedy::Other("measure again".into()));
        assert_eq!(serde_json::to_string(&warning).unwrap(), stored);
        let resume = Warning { seen: "it ended".into(), remedy: Remedy::Resume };
        assert_eq!(serde_json::to_value(&resume).unwrap()["remedy"], "Resume the run.");
    }
}
