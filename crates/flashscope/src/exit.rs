//! Exit statuses: 0 done, 1 failed while running, 2 usage or configuration, 3 refused for safety, 4 done but
//! unreliable (with --strict), 5 a condition of --fail-if holds, 6 unknown if it holds, 130 interrupted.

use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind as ClapErrorKind};
use flashscope_analysis::{Answer, Answered};
use flashscope_lab::ErrorKind;

use crate::screen::Screen;
use crate::{fio_words, remedy};

/// How a command ended, when nothing failed: what comes behind hides what is before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Done {
    /// As asked.
    Well,
    /// Done, but whether a condition under which it is to fail holds is unknown.
    Unknown,
    /// Done, but part of the result is not reliable (only with `--strict`).
    Unreliable,
    /// Done, and such a condition holds.
    Failing,
    /// Stopped by the person; what was measured is kept.
    Interrupted,
    /// `check` found reasons against the target.
    Refused,
}

impl Done {
    /// The same with answers to conditions: one that holds comes before all but an interruption, one that is
    /// unknown after what is not reliable.
    pub fn with(self, answers: &[Answered]) -> Done {
        let holds = answers.iter().any(|answered| answered.answer == Answer::Holds);
        let is_unknown = answers.iter().any(|answered| answered.answer.is_unknown());
        self.max(match (holds, is_unknown) {
            (true, _) => Done::Failing,
            (false, true) => Done::Unknown,
            (false, false) => Done::Well,
        })
    }
}

/// An error that is the caller's: a wrong flag, name or setting.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Refuses a span of time in which nothing can be measured.
pub fn not_zero<T: Default + PartialEq>(flag: &str, amount: Option<T>) -> Result<(), Usage> {
    if amount == Some(T::default()) {
        return Err(Usage(format!("{flag} must be more than 0")));
    }
    Ok(())
}

/// Prints clap's own message; help and version go to standard output and are no error.
pub fn usage(error: &clap::Error) -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned()).collect();
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) => unknown.as_str(),
        _ => "",
    };
    let hint = negative(&arguments, unknown).or_else(|| fio_words::hint(&arguments, unknown));
    let Some(message) = hint.or_else(|| no_count(error)) else {
        let _ = error.print();
        return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
    };
    let _ = clap::Error::raw(ClapErrorKind::ValueValidation, message + "\n").print();
    ExitCode::from(2)
}

/// What to say of `--bs -4k`, which clap takes for an unknown flag `-4`.
fn negative(arguments: &[String], unknown: &str) -> Option<String> {
    unknown.strip_prefix('-')?.chars().next().filter(char::is_ascii_digit)?;
    // Plain numbers are the values of other flags: `--stride -1`.
    let is_it = |argument: &String| argument.starts_with(unknown) && argument.parse::<f64>().is_err();
    let at = arguments.iter().position(is_it)?;
    let flag = at.checked_sub(1).map(|before| &arguments[before]).filter(|before| before.starts_with("--"));
    let place = flag.map_or(String::new(), |flag| format!("{flag}: "));
    let text = &arguments[at];
    let file =
        if flag.is_some() { String::new() } else { format!("; for a file of that name write ./{text}") };
    Some(format!("{place}'{text}' is negative; sizes, times and counts are 0 or more{file}"))
}

/// What to say of a count such as `-1`, `2.5` or a forbidden 0, of which the parser only says that a digit is
/// invalid.
fn no_count(error: &clap::Error) -> Option<String> {
    let parse = std::error::Error::source(error)?.downcast_ref::<ParseIntError>()?;
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text),
        _ => None,
    };
    let (flag, value) = (context(ContextKind::InvalidArg)?, context(ContextKind::InvalidValue)?);
    let least = u8::from(*parse.kind() == IntErrorKind::Zero);
    Some(format!("{flag}: '{value}' is not a count; write a whole number, {least} or more"))
}

/// Prints what went wrong and gives the status.
pub fn code(result: anyhow::Result<Done>, screen: &Screen) -> ExitCode {
    let error = match result {
        Ok(Done::Well) => return ExitCode::SUCCESS,
        Ok(Done::Unreliable) => return ExitCode::from(4),
        Ok(Done::Failing) => return ExitCode::from(5),
        Ok(Done::Unknown) => return ExitCode::from(6),
        Ok(Done::Interrupted) => return ExitCode::from(130),
        Ok(Done::Refused) => return ExitCode::from(3),
        Err(error) => error,
    };
    if is_broken_pipe(&error) {
        return ExitCode::SUCCESS;
    }
    screen.error(&message(&error));
    ExitCode::from(status(&error))
}

/// The error and its causes, without those that it names itself.
pub fn message(error: &anyhow::Error) -> String {
    remedy::message(error.as_ref())
}

fn status(error: &anyhow::Error) -> u8 {
    for cause in error.chain() {
        if cause.is::<Usage>() {
            return 2;
        }
        match ErrorKind::of(cause) {
            Some(ErrorKind::Usage) => return 2,
            Some(ErrorKind::Refused) => return 3,
            Some(ErrorKind::Interrupted) => return 130,
            Some(ErrorKind::Failed) => return 1,
            None => {}
        }
    }
    1
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}
