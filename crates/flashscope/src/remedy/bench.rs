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
                "{size} of {name} are too few: it takes at least {need} at this size of IOs; choose a target \
                 or --size of {need} or more, {less}or measure a single pattern with `flashscope measure`"
            ))
        }
        BenchError::NoBlockSize => Some("--bs 0: an IO has at least one byte".into()),
        BenchError::Suite(error) => of_suite(error),
        _ => None,
    }
}

fn of_suite(error: &SuiteError) -> Option<String> {
    Some(match error {
        SuiteError::UnknownSetting { suite, name, known } if known.is_empty() => {
            format!("--set {name}: the suite {suite} has no settings of its own")
        }
        SuiteError::UnknownSetting { suite, name, known } => {
            format!("--set {name}: the suite {suite} has no such setting; it has: {}", known.join(", "))
        }
        SuiteError::SettingTwice { name, first, second } => {
            format!("--set {name} is given twice, as {first} and as {second}: write it once")
        }
        SuiteError::Setting { name, value, problem } => format!("--set {name}={value}: {problem}"),
        SuiteError::OnlyWrites { except } => {
            let but = except.map_or(String::new(), |runs| format!(" but its {runs}"));
            format!("every run of this suite{but} writes: add --write")
        }
        SuiteError::Repeats { repeats } => {
            format!("--repeats {repeats}: each part is one long run; run the suite again and compare")
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
        Note::OnlyReads => "only reads: nothing writes without --write".into(),
        note => note.to_string(),
    }
}
