//! Results in other programs' formats: the registry of formats, and what all of them share.
//!
//! A format is a function from results to files in a new folder. What it cannot hold it leaves out and counts
//! ([`Losses`]); where it can hold nothing of a result it refuses and says what to do instead.
//! docs/data.md says what each format holds.

mod csv;
mod fio;
mod uflip;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_analysis::Finished;
use flashscope_core::number::count;
use serde_json::Value;

use crate::error::{Remedy, StoreError, Unfit};
use crate::folder::Stored;
use crate::ios::{Io, IoFile, Parts};
use crate::kind::ResultKind;
use crate::result_file::ResultFile;

/// A format that results can be written in.
pub struct Export {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it holds and who reads it.
    pub about: &'static str,
    /// How to have what it holds on demand only.
    pub more: Option<Remedy>,
    /// Writes the results into the outlet's folder.
    write: fn(&[Material], &mut Outlet<'_>) -> Result<(), StoreError>,
}

/// All formats.
pub const EXPORTS: &[Export] = &[fio::EXPORT, uflip::EXPORT, csv::EXPORT];

/// Where a replay keeps its IOs; its document does not name them.
const REPLAYED: &str = "ios/replay.parquet";

/// A result folder to be exported.
pub struct Material {
    /// The folder's name.
    pub name: String,
    /// What is in it.
    pub stored: Stored,
    kind: ResultKind,
    /// The document that only its kind has.
    document: Value,
}

impl Material {
    /// Reads a folder.
    ///
    /// # Errors
    /// It holds no result; a file cannot be read or is damaged.
    pub fn read(path: &Path) -> Result<Material, StoreError> {
        let stored = Stored::read(path)?;
        let kind = ResultKind::of(path);
        let document = kind.document().map_or(Ok(Value::Null), |name| {
            let file = ResultFile::new(path, name);
            let text = file.json()?;
            serde_json::from_str(&text).map_err(|cause| StoreError::Content {
                line: Some(cause.line()),
                source: cause.into(),
                remedy: Remedy::MakeAgain,
                path: file.path(),
            })
        })?;
        let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let name = full.file_name().map_or("result".into(), |name| name.to_string_lossy().into_owned());
        Ok(Material { name, stored, kind, document })
    }

    /// The runs, where the folder holds a run; a format that knows nothing else refuses the other kinds.
    fn runs(&self, format: &'static str) -> Result<&[Finished], StoreError> {
        let refuse = |problem| Err(StoreError::Unfit { path: self.stored.path.clone(), problem });
        match self.kind.document() {
            Some(_) => refuse(Unfit::Kind { holds: self.kind.in_words(), format }),
            None if self.stored.finished.is_empty() => refuse(Unfit::NoRun),
            None => Ok(&self.stored.finished),
        }
    }

    fn is_replay(&self) -> bool {
        self.kind == ResultKind::Replay
    }

    /// The files of IOs that the result names, relative to its folder.
    fn records_names(&self) -> Vec<String> {
        let of_runs = self.stored.finished.iter().filter_map(|finished| finished.run.records.clone());
        let document = &self.document;
        let entries = document.as_array().map_or(std::slice::from_ref(document), Vec::as_slice);
        let of_entries =
            entries.iter().filter_map(|entry| entry.get("records")?.as_str().map(str::to_string));
        let of_replay = self.is_replay().then(|| REPLAYED.to_string());
        of_runs.chain(of_entries).chain(of_replay).collect()
    }

    /// The file of a run's IOs, if it is there.
    fn records(&self, finished: &Finished) -> Option<ResultFile> {
        let file = ResultFile::new(&self.stored.path, finished.run.records.as_ref()?);
        file.is_there().then_some(file)
    }
}

/// What a format could not hold: how many of what, by the sentence that says so.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses(BTreeMap<&'static str, u64>);

impl Losses {
    /// So many more.
    fn add(&mut self, what: &'static str, count: u64) {
        if count > 0 {
            *self.0.entry(what).or_default() += count;
        }
    }

    /// A line for each kind: `runs without DETAILS (..): 3`.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.0.iter().map(|(what, things)| format!("{what}: {}", count(*things)))
    }
}

/// What an export did.
#[derive(Debug, Clone, Default)]
pub struct Exported {
    /// Files written.
    pub files: u64,
    /// What is not in them.
    pub losses: Losses,
}

/// Writes results in a format into an existing empty folder. `single_ios`: also every IO, where that is a
/// choice. The flag `interrupted` is looked at as it goes.
///
/// # Errors
/// The format can hold nothing of a result; a file cannot be read or written; it was interrupted, and what
/// there is, is a part.
pub fn export(
    format: &Export,
    materials: &[Material],
    folder: &Path,
    single_ios: bool,
    interrupted: &AtomicBool,
) -> Result<Exported, StoreError> {
    let mut outlet = Outlet { folder, single_ios, interrupted, done: Exported::default() };
    let written = (format.write)(materials, &mut outlet);
    if interrupted.load(Ordering::Relaxed) {
        return Err(StoreError::Interrupted);
    }
    written.map(|()| outlet.done)
}

/// The folder that is being filled.
struct Outlet<'a> {
    folder: &'a Path,
    single_ios: bool,
    interrupted: &'a AtomicBool,
    done: Exported,
}

impl Outlet<'_> {
    /// Begins a file, with the folders above it.
    fn create(&mut self, relative: &str) -> Result<OutFile, StoreError> {
        let path = self.folder.join(relative);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let file = made.and_then(|()| File::create(&path));
        let file = file.map_err(|cause| StoreError::file("write", &path, cause))?;
        self.done.files += 1;
        Ok(OutFile { path, out: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Writes a small file at once.
    fn write(&mut self, relative: &str, text: &str) -> Result<(), StoreError> {
        let mut file = self.create(relative)?;
        file.line(format_args!("{}", text.trim_end_matches('\n')))?;
        file.finish()
    }

    fn count(&mut self, what: &'static str) {
        self.done.losses.add(what, 1);
    }

    /// Every IO of a file, until somebody interrupts.
    fn each_io(
        &self,
        file: &ResultFile,
        mut take: impl FnMut(&Io) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let file = IoFile::open(file)?;
        let mut batches = file.batches(Parts::All);
        while let Some(ios) = batches.next_batch()? {
            if self.interrupted.load(Ordering::Relaxed) {
                return Err(StoreError::Interrupted);
            }
            ios.iter().try_for_each(&mut take)?;
        }
        Ok(())
    }
}

/// A file of an export; it has to be finished.
struct OutFile {
    path: PathBuf,
    out: BufWriter<File>,
}

impl OutFile {
    fn line(&mut self, text: std::fmt::Arguments<'_>) -> Result<(), StoreError> {
        let written = self.out.write_fmt(text).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|cause| StoreError::file("write", &self.path, cause))
    }

    fn finish(mut self) -> Result<(), StoreError> {
        self.out.flush().map_err(|cause| StoreError::file("write", &self.path, cause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::plain_name;

    #[test]
    fn every_format_has_a_name_of_its_own_and_makes_nothing_of_nothing() {
        let never = AtomicBool::new(false);
        for format in EXPORTS {
            assert_eq!(EXPORTS.iter().filter(|other| other.name == format.name).count(), 1);
            assert!(!format.about.is_empty() && format.name == plain_name(format.name));
            let done = export(format, &[], Path::new("/nowhere"), true, &never).expect("nothing to do");
            assert_eq!((done.files, done.losses), (0, Losses::default()));
        }
    }
}
