//! What went wrong, and whose affair it is.

use std::fmt;

use flashscope_bench::BenchError;
use flashscope_core::{PatternError, TargetError};
use flashscope_device::DeviceError;
use flashscope_sim::SimError;
use flashscope_store::StoreError;
use flashscope_trace::TraceError;

/// Whose affair an error is: what a caller does about it, and what a program's exit status is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for cannot be: a name, a setting, settings that contradict each other.
    Usage,
    /// Refused for safety: data could be lost, or nobody confirmed that it may be.
    Refused,
    /// Stopped by the caller before there was a result to keep.
    Interrupted,
    /// It failed at work: an IO, a file, a disk that is full.
    Failed,
}

/// The way out of an error, as data: who shows the error says how it is taken there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Ask for leave to write to the target.
    AllowWriting,
    /// Ask for leave to write, or replay the reads alone.
    AllowWritingOrReadOnly,
    /// Give the confirmation of the device, its serial.
    Confirm,
    /// Leave the named option out.
    LeaveOut(&'static str),
    /// Give the named option.
    Give(&'static str),
    /// Finish the run that the folder holds, or name another folder.
    ResumeOrOtherFolder,
    /// Measure it as a single pattern.
    MeasureInstead,
    /// Measure or characterise the target, for it is no simulated SSD.
    MeasureTarget,
    /// Name a file that a simulation saved its device in.
    SavedState,
    /// A smaller warm-up, or more IOs.
    SmallerWarmup,
    /// Finish the run with its own suite, or begin another run.
    FinishOrBegin,
    /// Leave the engine out, or ask for one IO in flight.
    OneInFlight,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::AllowWriting => f.write_str("allow writing first"),
            Remedy::AllowWritingOrReadOnly => f.write_str("allow writing, or replay the reads alone"),
            Remedy::Confirm => f.write_str("confirm the device by its serial number"),
            Remedy::LeaveOut(option) => write!(f, "leave out {option}"),
            Remedy::Give(option) => write!(f, "give {option}"),
            Remedy::ResumeOrOtherFolder => f.write_str("resume that run, or choose another folder"),
            Remedy::MeasureInstead => f.write_str("measure a single pattern instead"),
            Remedy::MeasureTarget => f.write_str("measure or characterise it instead"),
            Remedy::SavedState => f.write_str("name what a simulation saved"),
            Remedy::FinishOrBegin => f.write_str("resume it with its own suite, or start a new run"),
            Remedy::OneInFlight => f.write_str("leave the engine out, or ask for one IO in flight"),
            Remedy::SmallerWarmup => f.write_str("use a shorter warm-up or more IOs"),
        }
    }
}

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The one error of the lab: a kind to act on, what was tried, the way out, and the cause.
///
/// Its text names the thing, the place and the way out; causes come by [`std::error::Error::source`].
pub struct Error {
    kind: ErrorKind,
    /// The setting of the request that is wrong, by the name of its field.
    setting: Option<&'static str>,
    /// What was tried or is wrong; none where the source says it all.
    text: Option<String>,
    remedy: Option<Remedy>,
    source: Option<Cause>,
}

/// What the lab's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind with nothing behind it.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error { kind, setting: None, text: Some(text.into()), remedy: None, source: None }
    }

    /// What was asked for cannot be.
    pub fn usage(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Usage, text)
    }

    /// A setting of the request that cannot be: the name of its field, and what is wrong with it, as in
    /// "precision must be more than 0".
    pub fn setting(name: &'static str, problem: impl Into<String>) -> Error {
        Error { setting: Some(name), ..Error::usage(problem) }
    }

    /// Refused for safety.
    pub fn refused(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Refused, text)
    }

    /// It failed at work.
    pub fn failed(text: impl Into<String>) -> Error {
        Error::new(ErrorKind::Failed, text)
    }

    /// Stopped by the caller.
    pub fn interrupted() -> Error {
        Error::new(ErrorKind::Interrupted, "interrupted before there was a result to keep")
    }

    /// What another error says, as one of this kind.
    pub fn of(kind: ErrorKind, source: impl Into<Cause>) -> Error {
        Error { kind, setting: None, text: None, remedy: None, source: Some(source.into()) }
    }

    /// What a journal or a lab of ours could not do. Its own error comes out as it went in.
    pub fn of_cause(cause: Cause) -> Error {
        match cause.downcast::<Error>() {
            Ok(error) => *error,
            Err(cause) => match cause.downcast::<StoreError>() {
                Ok(error) => (*error).into(),
                Err(cause) => Error::of(ErrorKind::Failed, cause),
            },
        }
    }

    /// The same with a way out.
    #[must_use]
    pub fn with(self, remedy: Remedy) -> Error {
        Error { remedy: Some(remedy), ..self }
    }

    /// The same as the cause of what was tried. The kind stays.
    #[must_use]
    pub fn context(self, text: impl Into<String>) -> Error {
        let (kind, text) = (self.kind, Some(text.into()));
        Error { kind, setting: None, text, remedy: None, source: Some(Box::new(self)) }
    }

    /// Whose affair it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the caller stopped it.
    pub fn is_interruption(&self) -> bool {
        self.kind == ErrorKind::Interrupted
    }

    /// The setting of the request that is wrong, by the name of its field.
    pub fn setting_name(&self) -> Option<&'static str> {
        self.setting
    }

    /// The way out, if it is of the lab's own making.
    pub fn remedy(&self) -> Option<Remedy> {
        self.remedy
    }

    /// The nearest cause of a type.
    pub fn find<T: std::error::Error + 'static>(&self) -> Option<&T> {
        let mut next = std::error::Error::source(self);
        while let Some(cause) = next {
            if let Some(found) = cause.downcast_ref() {
                return Some(found);
            }
            next = cause.source();
        }
        None
    }

    /// What is wrong, without setting and way out.
    pub fn problem(&self) -> String {
        match (&self.text, &self.source) {
            (Some(text), _) => text.clone(),
            (None, Some(source)) => source.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The text and those of all causes that it does not hold already, as one line.
    pub fn message(&self) -> String {
        message(self, ToString::to_string)
    }
}

/// The text of an error and those of all its causes that it does not hold already, as one line; `worded` says
/// what the text of each is.
pub fn message(
    error: &(dyn std::error::Error + 'static),
    worded: impl Fn(&(dyn std::error::Error + 'static)) -> String,
) -> String {
    let mut text = worded(error);
    let mut next = error.source();
    while let Some(cause) = next {
        let words = worded(cause);
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        next = cause.source();
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setting.map_or(Ok(()), |setting| write!(f, "{setting} "))?;
        f.write_str(&self.problem())?;
        self.remedy.map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

/// As its message, so that `main() -> Result<(), Error>` prints what a person can read.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // One that is the whole text stays in the chain as well, so that it can be asked for its type.
        self.source.as_deref().map(|source| source as _)
    }
}

impl ErrorKind {
    /// Whose affair an error of one of flashscope's libraries is; none of another's.
    pub fn of(error: &(dyn std::error::Error + 'static)) -> Option<ErrorKind> {
        if let Some(error) = error.downcast_ref::<Error>() {
            return Some(error.kind);
        }
        let usage = |is_usage: bool| if is_usage { ErrorKind::Usage } else { ErrorKind::Failed };
        if let Some(error) = error.downcast_ref::<DeviceError>() {
            return Some(match error {
                DeviceError::Refused { .. } | DeviceError::Changed { .. } => ErrorKind::Refused,
                DeviceError::FileSize { .. } | DeviceError::QueueDepth { .. } => ErrorKind::Usage,
                DeviceError::Path { source, .. } => usage(source.kind() == std::io::ErrorKind::NotFound),
                DeviceError::Engine { .. } => ErrorKind::Failed,
            });
        }
        if let Some(error) = error.downcast_ref::<BenchError>() {
            return Some(usage(!matches!(error, BenchError::Target(_) | BenchError::Journal(_))));
        }
        if let Some(error) = error.downcast_ref::<StoreError>() {
            return Some(match error.is_interruption() {
                true => ErrorKind::Interrupted,
                false => usage(error.is_callers()),
            });
        }
        if let Some(error) = error.downcast_ref::<TraceError>() {
            return Some(match error.is_interruption() {
                true => ErrorKind::Interrupted,
                false => usage(error.is_usage()),
            });
        }
        let is_usage = error.is::<PatternError>() || error.is::<SimError>();
        (is_usage || error.is::<TargetError>()).then(|| usage(is_usage))
    }
}

macro_rules! from {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Error {
                Error::of(ErrorKind::of(&error).unwrap_or(ErrorKind::Failed), error)
            }
        })*
    };
}

from!(TargetError, PatternError, SimError, DeviceError, StoreError, std::io::Error, serde_json::Error);

impl From<TraceError> for Error {
    fn from(error: TraceError) -> Error {
        match ErrorKind::of(&error) {
            Some(ErrorKind::Interrupted) => Error::interrupted(),
            kind => Error::of(kind.unwrap_or(ErrorKind::Failed), error),
        }
    }
}

impl From<BenchError> for Error {
    fn from(error: BenchError) -> Error {
        match error {
            BenchError::Journal(cause) => Error::of_cause(cause),
            error => Error::of(ErrorKind::of(&error).unwrap_or(ErrorKind::Failed), error),
        }
    }
}

/// Says what was tried when an error came.
pub trait Context<T> {
    /// What was tried, at hand.
    ///
    /// # Errors
    /// The error, as the cause of `text`.
    fn context(self, text: impl Into<String>) -> Result<T>;

    /// What was tried, made only for an error.
    ///
    /// # Errors
    /// The error, as the cause of the text.
    fn with_context<S: Into<String>>(self, text: impl FnOnce() -> S) -> Result<T>;
}

impl<T, E: Into<Error>> Context<T> for std::result::Result<T, E> {
    fn context(self, text: impl Into<String>) -> Result<T> {
        self.map_err(|error| error.into().context(text))
    }

    fn with_context<S: Into<String>>(self, text: impl FnOnce() -> S) -> Result<T> {
        self.map_err(|error| error.into().context(text()))
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::io;

    use super::*;

    #[test]
    fn the_kind_goes_through_contexts_and_the_message_names_all_causes_once() {
        let cause = Error::usage("unknown gc 'foo'").with(Remedy::LeaveOut("gc"));
        let error = Err::<(), _>(cause).context("device 3").context("the sweep stopped").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        assert_eq!(error.message(), "the sweep stopped: device 3: unknown gc 'foo'; leave out gc");
        assert!(error.source().is_some());
    }

    #[test]
    fn a_wrapped_error_speaks_for_itself_and_keeps_its_type() {
        let error = Error::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!(error.message(), "broken pipe");
        assert_eq!(error.kind(), ErrorKind::Failed);
        assert!(error.find::<io::Error>().is_some() && error.find::<TargetError>().is_none());
        let error = error.context("the first").context("the second");
        assert_eq!(error.find::<io::Error>().map(io::Error::kind), Some(io::ErrorKind::BrokenPipe));
        assert_eq!(error.message(), "the second: the first: broken pipe");
    }
}
