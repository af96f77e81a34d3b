//! The result folder of a sweep: what is in it besides the files of IOs. docs/results.md documents it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use flashscope_store::{Manifest, ResultFile, ResultFolder, SCHEMA_VERSION, Stored};
use serde_json::{Value, json};

use super::case::Case;
use super::changes::{Changes, flat};
use super::report::Entry;
use super::workload::Workload;
use crate::error::{Context as _, Result};
use crate::time::now_text;

/// The list of the sweep's devices and what each gave.
const RUNS: &str = flashscope_store::ResultKind::Sweep.document().expect("it has one");

/// A folder's list is not written more often than this: a sweep may have hundreds of short simulations.
const WRITE_PAUSE: Duration = Duration::from_secs(1);

/// The folder of a sweep at work. At any moment its list says what is there and what is missing.
pub struct SweepFolder {
    folder: ResultFolder,
    written: Instant,
}

impl SweepFolder {
    /// Makes a new one, with nothing simulated yet.
    pub fn create(
        path: &Path,
        cases: &[Case],
        workload: &Workload,
        seed: u64,
        entries: &[Entry],
    ) -> Result<SweepFolder> {
        let folder = ResultFolder::create(path, &manifest(cases, workload, seed)?)?;
        let mut made = SweepFolder { folder, written: Instant::now() };
        made.write(entries)?;
        Ok(made)
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().to_path_buf()
    }

    /// Keeps what there is, unless that was done a moment ago.
    pub fn keep(&mut self, entries: &[Entry]) -> Result<()> {
        if self.written.elapsed() < WRITE_PAUSE { Ok(()) } else { self.write(entries) }
    }

    /// Keeps what there is.
    pub fn write(&mut self, entries: &[Entry]) -> Result<()> {
        self.written = Instant::now();
        Ok(self.folder.write_text(RUNS, &serde_json::to_string_pretty(entries)?)?)
    }
}

fn manifest(cases: &[Case], workload: &Workload, seed: u64) -> Result<Manifest> {
    let first = &cases[0];
    let device =
        |case: &Case| json!({ "profile": case.profile, "label": case.label, "settings": case.settings });
    Ok(Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        created: now_text(),
        device: cases.iter().map(device).collect(),
        target: first.info()?,
        state: format!("{:?}", first.settings.initial).to_lowercase(),
        kernel: String::new(),
        scheduler: None,
        clock: Value::Null,
        engine: "sim".into(),
        data_pattern: "none".into(),
        seed,
        plan: json!([workload.describe()]),
        options: Value::Null,
        warnings: Vec::new(),
    })
}

/// The file of one device's IOs, relative to the folder.
pub fn records_name(number: usize, name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.+".contains(c) { c } else { '-' };
    format!("ios/{number:04}-sim-{}.parquet", name.chars().map(plain).collect::<String>())
}

/// What `flashscope sim` left in a folder.
pub struct StoredSweep {
    /// The folder.
    pub path: PathBuf,
    /// When the sweep began, as RFC 3339.
    pub created: String,
    /// The flashscope that simulated.
    pub flashscope_version: String,
    /// One entry for each device.
    pub entries: Vec<Entry>,
    /// All settings of each device.
    pub settings: Vec<Changes>,
}

impl StoredSweep {
    /// Reads a folder; none if it is no sweep's, but perhaps a run's.
    ///
    /// # Errors
    /// Something in it cannot be read, is damaged, or is of another version of flashscope.
    pub fn read(path: &Path) -> Result<Option<StoredSweep>> {
        let file = ResultFile::new(path, RUNS);
        if !file.is_there() {
            return Ok(None);
        }
        // Says of the folder as a whole whether it can be read.
        let stored = Stored::read(path)?;
        let advice = || {
            format!(
                "{} cannot be read: it was damaged, or written by another version of flashscope; read it \
                 with that one, or simulate again",
                file.path().display()
            )
        };
        let text = file.json().with_context(advice)?;
        let entries: Vec<Entry> = serde_json::from_str(&text).with_context(advice)?;
        let devices = &stored.manifest.device;
        let settings = (0..entries.len()).map(|number| flat(&devices[number]["settings"])).collect();
        let Manifest { created, flashscope_version, .. } = stored.manifest;
        Ok(Some(StoredSweep { path: path.to_path_buf(), created, flashscope_version, entries, settings }))
    }
}
