//! A trace described: read once, summarised, and kept in a result folder.

use std::path::Path;

use flashscope_core::TargetInfo;
use flashscope_store::{Manifest, ResultFile, ResultFolder, SCHEMA_VERSION};
use flashscope_trace::stats::{Stats, Summary};
use flashscope_trace::{Records, Stop, TraceFile};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::error::{Context as _, Error, Result};
use crate::interrupt::Interrupt;
use crate::time::now_text;

/// The description's file in a result folder.
pub const STATS: &str = flashscope_store::ResultKind::TraceDescription.document().expect("it has one");
/// The map of addresses, which is large and has a file of its own.
const ADDRESSES: &str = "addresses.json";

/// The listener hears of so many requests at once.
const HEARD_REQUESTS: u64 = 1 << 16;

/// What a trace is like.
#[derive(Debug, Serialize, Deserialize)]
pub struct TraceDescription {
    /// Version of this document.
    pub schema_version: u32,
    /// The trace's name.
    pub trace: String,
    /// What it is like.
    #[serde(flatten)]
    pub summary: Summary,
}

impl TraceDescription {
    /// Whether a folder holds one.
    pub fn is_in(folder: &Path) -> bool {
        ResultFile::new(folder, STATS).is_there()
    }

    /// The one that a folder holds, if it holds one.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub fn read(folder: &Path) -> Result<Option<TraceDescription>> {
        if !TraceDescription::is_in(folder) {
            return Ok(None);
        }
        document(&ResultFile::new(folder, STATS)).map(Some)
    }

    /// The same with its map of addresses.
    ///
    /// # Errors
    /// As [`TraceDescription::read`].
    pub fn read_with_map(folder: &Path) -> Result<Option<TraceDescription>> {
        let Some(mut found) = TraceDescription::read(folder)? else { return Ok(None) };
        let map = ResultFile::new(folder, ADDRESSES);
        if map.is_there() {
            found.summary.map = document(&map)?;
        }
        Ok(Some(found))
    }

    fn write(&self, folder: &ResultFolder) -> Result<()> {
        folder.write_text(STATS, &(serde_json::to_string_pretty(self)? + "\n"))?;
        Ok(folder.write_text(ADDRESSES, &serde_json::to_string(&self.summary.map)?)?)
    }
}

fn document<T: serde::de::DeserializeOwned>(file: &ResultFile) -> Result<T> {
    let unreadable = || format!("{} cannot be read; describe the trace again", file.path().display());
    let text = file.json().with_context(unreadable)?;
    serde_json::from_str(&text).with_context(unreadable)
}

/// What came of describing a trace.
pub struct Described {
    /// What it is like, up to where it was read.
    pub description: TraceDescription,
    /// The first line that was left out, if any was.
    pub first_bad_line: Option<String>,
    /// Whether it was read to its end.
    pub complete: bool,
    /// Where the description is kept.
    pub folder: Option<ResultFolder>,
}

/// Reads a trace once and says what it is like; with a folder, the description is kept there. The listener
/// hears how many requests there were, now and then. An interruption ends it with what was read.
///
/// # Errors
/// The trace cannot be read; the folder cannot be made.
///
/// ```
/// use flashscope_lab::{Interrupt, describe};
/// use flashscope_trace::TraceFile;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../trace/samples/hand-made.blktrace.0");
/// let found = describe::describe(&TraceFile::new(path), None, &mut |_| {}, &Interrupt::new())?;
/// assert!(found.complete);
/// # Ok::<(), flashscope_lab::Error>(())
/// ```
pub fn describe(
    file: &TraceFile,
    folder: Option<&Path>,
    listener: &mut dyn FnMut(u64),
    interrupt: &Interrupt,
) -> Result<Described> {
    let named = |error: flashscope_trace::TraceError| Error::from(error.in_file(&file.path));
    let file = TraceFile { stop: Stop::when(interrupt.shared()), ..file.clone() };
    let mut trace = file.open().map_err(named)?;
    let mut batch = Vec::new();
    // The input is looked at before the output is touched.
    let mut count = trace.next_batch(&mut batch).map_err(named)?;
    let folder = folder.map(|path| ResultFolder::create(path, &manifest(&file))).transpose()?;
    let (mut stats, mut heard) = (Stats::default(), 0);
    while count > 0 {
        stats.add(&batch);
        if trace.counts().records >= heard + HEARD_REQUESTS {
            heard = trace.counts().records;
            listener(heard);
        }
        if interrupt.is_set() {
            break;
        }
        count = match trace.next_batch(&mut batch) {
            Err(error) if error.is_interruption() => break,
            read => read.map_err(named)?,
        };
    }
    let complete = count == 0;
    let summary = stats.summary(&*trace, complete);
    let description = TraceDescription { schema_version: SCHEMA_VERSION, trace: name(&file.path), summary };
    if let Some(folder) = &folder {
        description.write(folder)?;
    }
    let first_bad_line = trace.first_bad_line().map(|error| error.with_remedy(None));
    Ok(Described { description, first_bad_line, complete, folder })
}

fn name(path: &Path) -> String {
    match path.file_name() {
        Some(name) if path != Path::new("-") => name.to_string_lossy().into_owned(),
        _ => "standard input".into(),
    }
}

fn manifest(file: &TraceFile) -> Manifest {
    Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: env!("CARGO_PKG_VERSION").into(),
        created: now_text(),
        device: Value::Null,
        target: TargetInfo {
            name: file.path.display().to_string(),
            size_bytes: 0,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "none".into(),
            queue_depth_max: 0,
            placements: 1,
            zones: None,
        },
        state: String::new(),
        kernel: String::new(),
        scheduler: None,
        clock: Value::Null,
        engine: "none".into(),
        data_pattern: "none".into(),
        seed: 0,
        plan: json!(["trace stats"]),
        options: json!({"from": file.format, "lenient": file.lenient}),
        warnings: Vec::new(),
    }
}
