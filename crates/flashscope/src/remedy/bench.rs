//! Errors and notes of `flashscope-bench`: a suite's setting is given with `--set`, a size with `--size`.

use std::error::Error;

use flashscope_bench::plan::Note;
use flashscope_bench::{BenchError, ScriptProblem, SuiteError};

/// None where the library's own words need no flags.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(problem) = error.downcast_ref::<ScriptProblem>() {
        return of_line(problem);
    }
    match error.downcast_ref::<BenchError>()? {
        BenchError::TooSmall { name, size, need, io_bytes_max } => {
            let less = io_bytes_max.map_or(String::new(), |most| format!("IOs of {most} or less (--bs), "));
            Some(format!(
                "{size} of {name} are too few: this IO size needs at least {need}; use a larger target or \
                 --size, {less}or measure a single pattern with `flashscope measure`"
            ))
        }
        error @ BenchError::IoErrors { .. } => {
            Some(format!("{error}, or allow for more with --on-error continue=SHARE"))
        }
        BenchError::NoBlockSize => Some("--bs must be more than 0".into()),
        BenchError::Suite(error) => of_suite(error),
        _ => None,
    }
}

fn of_suite(error: &SuiteError) -> Option<String> {
    Some(match error {
        SuiteError::UnknownSetting { suite, name, known } if known.is_empty() => {
            format!("--set {name}: the suite {suite} has no settings")
        }
        SuiteError::UnknownSetting { suite, name, known } => {
            format!("--set {name}: the suite {suite} has no such setting; it has: {}", known.join(", "))
        }
        SuiteError::SettingTwice { name, first, second } => {
            format!("--set {name} is given twice ({first}, {second}); give it once")
        }
        SuiteError::Setting { name, value, problem } => format!("--set {name}={value}: {problem}"),
        SuiteError::OnlyWrites { except } => {
            let but = except.map_or(String::new(), |runs| format!(" but its {runs}"));
            format!("all runs of this suite{but} write; add --write")
        }
        SuiteError::Repeats { repeats } => {
            format!("--repeats {repeats}: the parts of this suite are not repeated; run it again and compare")
        }
        SuiteError::Script(error) => {
            format!("{}, line {}: {}", error.file, error.line, of_line(&error.problem)?)
        }
        _ => return None,
    })
}

fn of_line(problem: &ScriptProblem) -> Option<String> {
    matches!(problem, ScriptProblem::Beyond { .. }).then(|| format!("{problem} with --size"))
}

/// A note of a plan.
pub fn note(note: &Note) -> String {
    match note {
        Note::OnlyReads => "reads only; add --write to measure writes".into(),
        note => note.to_string(),
    }
}
