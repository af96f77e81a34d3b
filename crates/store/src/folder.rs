//! The folder that a run leaves behind. One process at a time writes it ([`ResultFolder`]); anyone may read
//! it at any moment ([`Stored`]), also while it is written and after a kill. docs/results.md documents it.

mod files;
mod salvage;
mod stored;

pub(crate) use files::plain_name;

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flashscope_analysis::{Context, Experiment, Finished, Warning};
use flashscope_core::TargetInfo;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Occupant, StoreError};
use crate::result_file::ResultFile;
pub use stored::Stored;

/// The version of the folder's layout, of `manifest.json` and of what `--json` prints.
pub const SCHEMA_VERSION: u32 = 1;

/// The manifest's name in a result folder.
pub const MANIFEST: &str = "manifest.json";
const CONTEXT: &str = "context.json";
const RUNS: &str = "runs.jsonl";
const IOS: &str = "ios";

/// All that one must know to judge or repeat a run, written before its first IO.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The flashscope that measured.
    pub flashscope_version: String,
    /// When the run began, as RFC 3339.
    pub created: String,
    /// Who the device is: model, serial, firmware, size; null for a virtual one.
    pub device: Value,
    /// What was measured.
    pub target: TargetInfo,
    /// The state it was to be in, and how it was brought there.
    pub state: String,
    /// The kernel's release.
    pub kernel: String,
    /// The block layer's scheduler, where there is one.
    pub scheduler: Option<String>,
    /// The clock's source, resolution and cost.
    pub clock: Value,
    /// What moves the bytes: `sync`, `io_uring`, ...
    pub engine: String,
    /// What was written: `random`, `zeros`, ...
    pub data_pattern: String,
    /// From which all randomness of the run follows.
    pub seed: u64,
    /// What was to be run.
    pub plan: Value,
    /// The options that the person gave.
    pub options: Value,
    /// What about target and machine was to be warned of.
    #[serde(default)]
    pub warnings: Vec<Warning>,
}

/// Where the IOs of a run go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Records {
    /// The file.
    pub path: PathBuf,
    /// The same relative to the folder, for [`flashscope_analysis::Run::records`].
    pub relative: String,
}

/// A result folder that this process writes. Others that try to are refused until it is dropped.
pub struct ResultFolder {
    path: PathBuf,
    runs: File,
    /// The length of the whole lines.
    runs_bytes: u64,
    count: u64,
    _lock: files::Lock,
}

impl ResultFolder {
    /// Makes a new folder.
    ///
    /// # Errors
    /// It is there already and not empty; it cannot be written; somebody else is at it.
    pub fn create(path: &Path, manifest: &Manifest) -> Result<ResultFolder, StoreError> {
        fs::create_dir_all(path).map_err(|cause| StoreError::file("create", path, cause))?;
        let lock = files::lock(path)?;
        ResultFolder::check_free(path)?;
        if let Err(error) = fill(path, manifest) {
            // A folder that is no result yet would be in the way of the next attempt.
            let _ = fs::remove_dir(path.join(IOS));
            let _ = fs::remove_file(path.join(RUNS));
            let _ = fs::remove_dir(path);
            return Err(error);
        }
        ResultFolder::locked(path, lock)
    }

    /// Whether a new folder can be made there, as far as what is there says: nothing, or an empty folder.
    ///
    /// # Errors
    /// It is there already and not empty, or cannot be read.
    pub fn check_free(path: &Path) -> Result<(), StoreError> {
        let occupied = |by| Err(StoreError::Occupied { path: path.to_path_buf(), by });
        let mut entries = match fs::read_dir(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|cause| StoreError::file("read", path, cause))?,
        };
        if path.join(MANIFEST).exists() {
            return occupied(Occupant::Result);
        }
        if entries.next().is_some() { occupied(Occupant::Other) } else { Ok(()) }
    }

    /// Opens a folder to go on with it. What a kill left half-written is removed.
    ///
    /// # Errors
    /// There is no result; a file cannot be read, or was damaged; somebody else is at it.
    pub fn open(path: &Path) -> Result<ResultFolder, StoreError> {
        Stored::read(path)?;
        ResultFolder::locked(path, files::lock(path)?)
    }

    fn locked(path: &Path, lock: files::Lock) -> Result<ResultFolder, StoreError> {
        files::remove_partial(path, IOS)?;
        let file = ResultFile::new(path, RUNS);
        let failed = |cause| StoreError::file("write", &file.path(), cause);
        let text = file.bytes()?;
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let count = text[..whole].iter().filter(|byte| **byte == b'\n').count() as u64;
        let runs = file.open_to_write().map_err(failed)?;
        runs.set_len(whole as u64).map_err(failed)?;
        Ok(ResultFolder { path: path.to_path_buf(), runs, runs_bytes: whole as u64, count, _lock: lock })
    }

    /// Runs whose summary it holds.
    pub fn runs(&self) -> u64 {
        self.count
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the IOs of the next run go.
    pub fn records(&self, experiment: &Experiment, repeat: u32) -> Records {
        let Experiment { micro, curve, label, .. } = experiment;
        let name = format!("{:04}-{micro}-{curve}-{label}-{repeat}", self.count);
        let relative = format!("{IOS}/{}.parquet", plain_name(&name));
        Records { path: self.path.join(&relative), relative }
    }

    /// Keeps a finished run: when this returns it survives a kill and a power cut.
    ///
    /// # Errors
    /// It cannot be written; the runs before it are untouched.
    pub fn append(&mut self, finished: &Finished) -> Result<(), StoreError> {
        let mut line = serde_json::to_vec(finished).expect("a finished run is plain data");
        line.push(b'\n');
        let written = self.append_line(&line);
        if written.is_err() {
            // A torn line is ignored anyhow; without it the next one can be appended.
            let _ = self.runs.set_len(self.runs_bytes);
        }
        written.map_err(|cause| StoreError::file("write", &self.path.join(RUNS), cause))?;
        self.runs_bytes += line.len() as u64;
        self.count += 1;
        Ok(())
    }

    fn append_line(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.runs.seek(SeekFrom::Start(self.runs_bytes))?;
        self.runs.write_all(line)?;
        self.runs.sync_data()
    }

    /// Replaces the facts about the whole run: a reader sees the old ones or the new ones.
    ///
    /// # Errors
    /// They cannot be written; the old ones stay.
    pub fn write_context(&self, context: &Context) -> Result<(), StoreError> {
        files::replace_json(&self.path.join(CONTEXT), context)
    }

    /// Puts a file of text, such as a picture, into the folder, or replaces it.
    ///
    /// # Errors
    /// It cannot be written; the old one stays.
    pub fn write_text(&self, name: &str, text: &str) -> Result<(), StoreError> {
        files::replace(&self.path.join(plain_name(name)), text.as_bytes())
    }

    /// All runs so far.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn finished(&self) -> Result<Vec<Finished>, StoreError> {
        stored::finished(&self.path)
    }
}

/// What every result begins with.
fn fill(path: &Path, manifest: &Manifest) -> Result<(), StoreError> {
    let ios = path.join(IOS);
    fs::create_dir(&ios).map_err(|cause| StoreError::file("create", &ios, cause))?;
    files::replace(&path.join(RUNS), b"")?;
    files::replace_json(&path.join(MANIFEST), manifest)
}
