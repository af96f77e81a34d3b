//! A result folder read back.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flashscope_analysis::{Context, Finished, Warning};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{CONTEXT, MANIFEST, Manifest, RUNS, SCHEMA_VERSION};
use crate::error::{Remedy, StoreError};
use crate::result_file::ResultFile;

/// What a result folder holds.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The folder.
    pub path: PathBuf,
    /// What was known before the first IO.
    pub manifest: Manifest,
    /// What is known of the whole run; none if it was killed before that was written.
    pub context: Option<Context>,
    /// The runs, in order.
    pub finished: Vec<Finished>,
    /// What was known to weaken it beforehand, and what is missing in the folder.
    pub warnings: Vec<Warning>,
}

#[derive(Deserialize)]
struct Version {
    schema_version: u32,
}

impl Stored {
    /// Reads the folder. A torn last line is the trace of a kill and left out; a run whose file of IOs is
    /// missing or incomplete still counts, with a warning.
    ///
    /// # Errors
    /// There is no folder or no result; a file cannot be read, is damaged, or is of a newer flashscope.
    pub fn read(path: &Path) -> Result<Stored, StoreError> {
        check(path)?;
        let file = ResultFile::new(path, MANIFEST);
        let manifest: Manifest = parse(&file.path(), &file.json()?)?;
        let context = optional(&ResultFile::new(path, CONTEXT))?;
        let finished = finished(path)?;
        let missing = finished.iter().filter_map(|run| records_missing(path, run));
        let warnings = manifest.warnings.iter().cloned().chain(missing).collect();
        Ok(Stored { path: path.to_path_buf(), manifest, context, finished, warnings })
    }

    /// The state that the target was in, as far as it is known.
    pub fn state(&self) -> &str {
        self.context.as_ref().map_or(&self.manifest.state, |context| &context.state)
    }
}

/// Whether there is a result of this version; a manifest that cannot be read says nothing against it.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    fs::metadata(path).map_err(|cause| StoreError::file("read", path, cause))?;
    let file = ResultFile::new(path, MANIFEST);
    let has_runs = ResultFile::new(path, RUNS).is_there();
    let foreign = |has_manifest| StoreError::NoResult { path: path.to_path_buf(), has_manifest };
    if !file.is_listed() {
        return if has_runs { Ok(()) } else { Err(foreign(false)) };
    }
    let (text, file) = (file.json()?, file.path());
    match serde_json::from_str::<Version>(&text) {
        Ok(Version { schema_version: SCHEMA_VERSION }) => Ok(()),
        Ok(Version { schema_version: found }) => {
            Err(StoreError::Version { path: file, found, known: SCHEMA_VERSION })
        }
        Err(_) if has_runs => Ok(()),
        Err(cause) if cause.is_data() => Err(foreign(true)),
        Err(cause) => Err(damaged(&file, cause.line(), cause)),
    }
}

/// The content of a file of JSON; none if there is no such file.
pub(super) fn optional<T: DeserializeOwned>(file: &ResultFile) -> Result<Option<T>, StoreError> {
    if file.is_listed() { parse(&file.path(), &file.json()?).map(Some) } else { Ok(None) }
}

/// The whole lines of `runs.jsonl`.
pub(super) fn finished(folder: &Path) -> Result<Vec<Finished>, StoreError> {
    let file = ResultFile::new(folder, RUNS);
    let (text, path) = (file.json()?, file.path());
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let parse =
        |(i, line): (usize, &str)| serde_json::from_str(line).map_err(|cause| damaged(&path, i + 1, cause));
    let all: Vec<Finished> = whole.lines().enumerate().map(parse).collect::<Result<_, _>>()?;
    Ok(without_repeated(all))
}

/// Of a run that was measured again, the last; one that was cut short, or whose IOs could not be kept, gives
/// way to one that is whole.
pub(super) fn without_repeated(all: Vec<Finished>) -> Vec<Finished> {
    let place = |done: &Finished| (done.experiment.id(), done.repeat);
    let worth = |done: &Finished| (done.run.is_kept(), !done.run.outcome.stopped_because.is_early());
    let mut best: BTreeMap<_, usize> = BTreeMap::new();
    for (number, done) in all.iter().enumerate() {
        let known = best.entry(place(done)).or_insert(number);
        if worth(done) >= worth(&all[*known]) {
            *known = number;
        }
    }
    let is_best = |(number, done): &(usize, Finished)| best[&place(done)] == *number;
    all.into_iter().enumerate().filter(is_best).map(|(_, done)| done).collect()
}

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|cause| damaged(path, cause.line(), cause))
}

fn damaged(path: &Path, line: usize, cause: serde_json::Error) -> StoreError {
    let source = cause.into();
    StoreError::Content { path: path.to_path_buf(), line: Some(line), source, remedy: Remedy::Restore }
}

pub(super) fn records_missing(folder: &Path, finished: &Finished) -> Option<Warning> {
    let relative = finished.run.records.as_ref()?;
    let cause = match ends_as_parquet(&ResultFile::new(folder, relative)) {
        Ok(true) => return None,
        Ok(false) => "is incomplete".to_string(),
        Err(cause) => format!("cannot be read ({cause})"),
    };
    let id = finished.experiment.id();
    Some(Warning {
        seen: format!("{relative} (IOs of {id}, repeat {}) {cause}", finished.repeat + 1),
        remedy: "its mean and phases are valid; measure it again if you need its IOs".into(),
    })
}

fn ends_as_parquet(file: &ResultFile) -> io::Result<bool> {
    let mut file = file.try_open()?;
    if file.metadata()?.len() < 12 {
        return Ok(false);
    }
    let mut magic = [0; 4];
    file.seek(SeekFrom::End(-4))?;
    file.read_exact(&mut magic)?;
    Ok(&magic == b"PAR1")
}
