//! What can go wrong with results on disk, and the ways out.

use std::path::{Path, PathBuf};
use std::{fmt, io};

use thiserror::Error;

/// An error of somebody else's making.
pub(crate) type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Something on disk that could not be written or read. Its text names the file, the cause and the way out;
/// [`StoreError::problem`] and [`StoreError::remedy`] give them apart.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The system refused to read or write a file.
    File {
        /// The file.
        path: PathBuf,
        /// What was tried: `write`, `read`, `create`.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A file's content is not what flashscope writes.
    Content {
        /// The file.
        path: PathBuf,
        /// Its line, from 1, where that means something.
        line: Option<usize>,
        /// What is wrong.
        source: Cause,
        /// What to do.
        remedy: Remedy,
    },
    /// A folder to be made anew is not empty.
    Occupied {
        /// The folder.
        path: PathBuf,
        /// What is in it.
        by: Occupant,
    },
    /// A folder that another process writes.
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A folder without a result in it.
    NoResult {
        /// The folder.
        path: PathBuf,
        /// Whether it has a manifest, of something else.
        has_manifest: bool,
    },
    /// A result of another version of flashscope.
    Version {
        /// Its manifest.
        path: PathBuf,
        /// The version of its schema.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// A result that a format of exports can hold nothing of.
    Unfit {
        /// The folder.
        path: PathBuf,
        /// Why.
        problem: Unfit,
    },
    /// A place where a file is not to be written.
    Place {
        /// The place.
        path: PathBuf,
        /// Why not.
        problem: PlaceProblem,
    },
    /// A file that was named as a result and is no pack.
    NoPack {
        /// The file.
        path: PathBuf,
    },
    /// A pack that cannot be opened.
    Pack {
        /// The pack.
        path: PathBuf,
        /// Why not.
        #[source]
        problem: PackProblem,
    },
    /// A file that is damaged, so that what identifies cannot be left out of it.
    Unredactable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Cause,
    },
    /// Stopped from outside.
    Interrupted,
}

/// What a folder holds that was to be made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A result of flashscope.
    Result,
    /// Something else.
    Other,
}

/// Why a format of exports can hold nothing of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// The format holds measured IO patterns alone.
    Kind {
        /// What the folder holds: `a replay`.
        holds: &'static str,
        /// The format's name.
        format: &'static str,
    },
    /// No run is finished.
    NoRun,
}

/// Why a file is not to be written somewhere.
#[derive(Debug)]
pub enum PlaceProblem {
    /// It is no file but `a folder`, `a pipe`, ..
    NoFile(&'static str),
    /// There is a file that is not `an SVG`, or whatever is to be written.
    Foreign(&'static str),
    /// It is the file that is read.
    Input,
    /// What is there cannot be read.
    Unreadable(io::Error),
    /// Nothing can be made there.
    Unwritable(io::Error),
}

/// Why a pack cannot be opened.
#[derive(Debug, Error)]
pub enum PackProblem {
    /// It begins with something else than a label.
    #[error("it is not a valid pack: {0}")]
    Foreign(&'static str),
    /// It is of another version.
    #[error("it has version {found}, made by flashscope {by}; this flashscope reads version {known}")]
    Version {
        /// The pack's version.
        found: u32,
        /// The version of packs that is known.
        known: u32,
        /// The flashscope that made it.
        by: String,
    },
    /// It cannot be unpacked to its end.
    #[error("it is damaged or incomplete: {0}")]
    Damaged(#[source] io::Error),
    /// It holds a file that no result has, or one twice.
    #[error("it holds {0:?}, which does not belong to a result")]
    UnknownPart(String),
    /// It holds more than any result has.
    #[error("it is larger than any result ({0})")]
    TooLarge(String),
    /// The place for temporary files cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unpacking {
        /// What was to be written there.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// The way out of an error, as data: who shows the error says how it is taken there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Make room, or write elsewhere.
    FreeSpace,
    /// Write where one may.
    WritableFolder,
    /// The folder's name is a file's: take another.
    OtherThanFile,
    /// See whether the path is right.
    CheckPath,
    /// Something is wrong with the file system: see to it, or write elsewhere.
    CheckFileSystem,
    /// Take a folder that is empty, or not there yet.
    NewFolder,
    /// Wait for the other process, or take another folder.
    WaitOrOtherFolder,
    /// Name a result folder.
    NameResult,
    /// Read it with the flashscope that wrote it.
    OtherVersion,
    /// Restore the file, or measure again.
    Restore,
    /// Restore the file, or make the result again.
    MakeAgain,
    /// The IOs of one experiment are lost: measure it again.
    MeasureAgain,
    /// A fault of the program.
    Report,
    /// Export it to the format that holds every kind of result.
    ExportCsv,
    /// Finish the run first.
    FinishRun,
    /// Name a file.
    NameFile,
    /// Name another file.
    NameOtherFile,
    /// Name another file, or remove the one that is there.
    NameOtherOrRemove,
    /// Name a file in a folder that exists and may be written.
    ExistingFolder,
    /// Make a pack of a result folder.
    MakePack,
    /// Have the pack sent again.
    SendAgain,
    /// Do not trust whoever made it.
    Distrust,
    /// Name another place for temporary files.
    OtherTemporary,
    /// Pack it with what identifies.
    KeepIdentity,
    /// Ask for every IO too.
    SingleIos,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Remedy::FreeSpace => "free some space, or write the results elsewhere",
            Remedy::WritableFolder => "choose a writable folder",
            Remedy::OtherThanFile => "that is a file; choose another folder",
            Remedy::CheckPath => "check the path",
            Remedy::CheckFileSystem => "check that file system, or write the results elsewhere",
            Remedy::NewFolder => "choose an empty or a new folder",
            Remedy::WaitOrOtherFolder => "wait for it, or choose another folder",
            Remedy::NameResult => "name a result folder",
            Remedy::OtherVersion => "read it with a newer flashscope",
            Remedy::Restore => {
                "the file was changed or damaged after it was written; restore it, or measure again"
            }
            Remedy::MakeAgain => "the file was changed or damaged after it was written; repeat that run",
            Remedy::MeasureAgain => "it is not a complete file of IOs; measure that experiment again",
            Remedy::Report => "please report this",
            Remedy::ExportCsv => "export it as csv",
            Remedy::FinishRun => "finish that run, or measure again",
            Remedy::NameFile => "name a file",
            Remedy::NameOtherFile => "name another file to write",
            Remedy::NameOtherOrRemove => "name another, or remove it",
            Remedy::ExistingFolder => "name a file in an existing, writable folder",
            Remedy::MakePack => "make a pack of a result folder first",
            Remedy::SendAgain => "have it sent again",
            Remedy::Distrust => "do not trust its source",
            Remedy::OtherTemporary => "packs are unpacked there; set TMPDIR to use another folder",
            Remedy::KeepIdentity => "pack it with identifying details",
            Remedy::SingleIos => "every IO on demand",
        })
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem())?;
        self.remedy().map_or(Ok(()), |remedy| write!(f, "; {remedy}"))
    }
}

impl StoreError {
    /// What is wrong, without the way out.
    pub fn problem(&self) -> String {
        match self {
            StoreError::File { path, doing, source } => {
                format!("cannot {doing} {}: {source}", path.display())
            }
            StoreError::Content { path, line, source, .. } => {
                let line = line.map_or(String::new(), |line| format!(":{line}"));
                format!("{}{line}: {source}", path.display())
            }
            StoreError::Occupied { path, by: Occupant::Result } => {
                format!("{} already holds a result", path.display())
            }
            StoreError::Occupied { path, by: Occupant::Other } => {
                format!("{} exists and is not empty", path.display())
            }
            StoreError::Busy { path } => format!("{}: another flashscope is writing to it", path.display()),
            StoreError::NoResult { path, has_manifest } => {
                let why = if *has_manifest {
                    "its manifest.json has another format"
                } else {
                    "it has no manifest.json"
                };
                format!("{} is not a flashscope result: {why}", path.display())
            }
            StoreError::Version { path, found, known } => {
                format!("{} has schema version {found}; this flashscope reads {known}", path.display())
            }
            StoreError::Unfit { path, problem } => format!("{}: {problem}", path.display()),
            StoreError::Place { path, problem } => problem.of(path),
            StoreError::NoPack { path } => {
                format!("{} is neither a result folder nor a pack", path.display())
            }
            StoreError::Pack { path, problem } => {
                format!("cannot open the pack {}: {problem}", path.display())
            }
            StoreError::Unredactable { path, source } => {
                let path = path.display();
                format!("{path} is damaged, so identifying details cannot be removed: {source}")
            }
            StoreError::Interrupted => "interrupted before the first result".into(),
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            StoreError::File { doing, source, .. } => of_system(doing, source.kind()),
            StoreError::Content { remedy, .. } => *remedy,
            StoreError::Occupied { .. } => Remedy::NewFolder,
            StoreError::Busy { .. } => Remedy::WaitOrOtherFolder,
            StoreError::NoResult { .. } => Remedy::NameResult,
            StoreError::Version { .. } => Remedy::OtherVersion,
            StoreError::Unfit { problem: Unfit::Kind { .. }, .. } => Remedy::ExportCsv,
            StoreError::Unfit { problem: Unfit::NoRun, .. } => Remedy::FinishRun,
            StoreError::Place { problem, .. } => problem.remedy(),
            StoreError::NoPack { .. } => Remedy::MakePack,
            StoreError::Pack { problem, .. } => problem.remedy(),
            StoreError::Unredactable { .. } => Remedy::KeepIdentity,
            StoreError::Interrupted => return None,
        })
    }

    /// Whether a place that was named to be read is not there at all.
    pub fn is_missing(&self) -> bool {
        let StoreError::File { doing, source, .. } = self else { return false };
        *doing == "read" && source.kind() == io::ErrorKind::NotFound
    }

    /// Whether a folder that was to be made anew holds something.
    pub fn is_occupied(&self) -> bool {
        matches!(self, StoreError::Occupied { .. })
    }

    /// Whether a folder that was to be made anew holds a result.
    pub fn holds_result(&self) -> bool {
        matches!(self, StoreError::Occupied { by: Occupant::Result, .. })
    }

    /// Whether it was stopped from outside.
    pub fn is_interruption(&self) -> bool {
        matches!(self, StoreError::Interrupted)
    }

    /// Whether what was asked for cannot be: a place that is not there, or taken, or is no file; a file that
    /// is no result; a format that cannot hold the result.
    pub fn is_callers(&self) -> bool {
        use StoreError::{NoPack, Occupied, Place, Unfit};
        self.is_missing() || matches!(self, Occupied { .. } | Unfit { .. } | Place { .. } | NoPack { .. })
    }

    /// Wraps what the system said about `path`.
    pub(crate) fn file(doing: &'static str, path: &Path, source: io::Error) -> StoreError {
        StoreError::File { path: path.to_path_buf(), doing, source }
    }
}

/// What to do when the system refuses.
fn of_system(doing: &str, kind: io::ErrorKind) -> Remedy {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Remedy::FreeSpace,
        io::ErrorKind::PermissionDenied if doing == "read" => Remedy::CheckPath,
        // No flashscope leaves a link, a pipe or a folder in a file's place, or so large a document.
        io::ErrorKind::InvalidInput | io::ErrorKind::IsADirectory | io::ErrorKind::FileTooLarge
            if doing == "read" =>
        {
            Remedy::Distrust
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Remedy::WritableFolder,
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => Remedy::OtherThanFile,
        io::ErrorKind::NotFound => Remedy::CheckPath,
        _ => Remedy::CheckFileSystem,
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Kind { holds, format } => {
                write!(f, "it holds {holds}, but {format} supports only measured IO patterns")
            }
            Unfit::NoRun => f.write_str("it has no finished run"),
        }
    }
}

impl PlaceProblem {
    fn of(&self, path: &Path) -> String {
        let path = path.display();
        match self {
            PlaceProblem::NoFile(kind) => format!("cannot write {path}: it is {kind}; it is not overwritten"),
            PlaceProblem::Foreign(own) => {
                format!("cannot write {path}: it exists and is not {own}; it is not overwritten")
            }
            PlaceProblem::Input => format!("{path} is the input file"),
            PlaceProblem::Unreadable(cause) => format!("cannot read the existing {path}: {cause}"),
            PlaceProblem::Unwritable(cause) => format!("cannot write {path}: {cause}"),
        }
    }

    fn remedy(&self) -> Remedy {
        match self {
            PlaceProblem::NoFile(_) => Remedy::NameFile,
            PlaceProblem::Foreign(_) => Remedy::NameOtherOrRemove,
            PlaceProblem::Input | PlaceProblem::Unreadable(_) => Remedy::NameOtherFile,
            PlaceProblem::Unwritable(_) => Remedy::ExistingFolder,
        }
    }
}

impl PackProblem {
    fn remedy(&self) -> Remedy {
        match self {
            PackProblem::Foreign(_) => Remedy::MakePack,
            PackProblem::Version { .. } => Remedy::OtherVersion,
            PackProblem::Damaged(_) => Remedy::SendAgain,
            PackProblem::UnknownPart(_) | PackProblem::TooLarge(_) => Remedy::Distrust,
            PackProblem::Unpacking { .. } => Remedy::OtherTemporary,
        }
    }
}
