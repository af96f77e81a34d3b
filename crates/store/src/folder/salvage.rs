//! What can still be read of a folder that was damaged: everything that is whole, and a warning for the rest.

use std::path::Path;

use flashscope_analysis::{Context, Finished, Warning};
use flashscope_core::TargetInfo;
use serde_json::{Value, json};

use super::stored::{self, Stored};
use super::{CONTEXT, MANIFEST, Manifest, RUNS, SCHEMA_VERSION};
use crate::error::StoreError;
use crate::result_file::ResultFile;
use flashscope_core::number::counted;

impl Stored {
    /// Reads what is whole in the folder. Missing or damaged parts are listed in the warnings returned; it is
    /// left out, or (of the manifest) taken from the other files.
    ///
    /// # Errors
    /// There is no folder or no result, or it is of another version of flashscope.
    pub fn salvage(path: &Path) -> Result<(Stored, Vec<Warning>), StoreError> {
        stored::check(path)?;
        let mut damage = Vec::new();
        let mut lost = |error: StoreError, left: &str| {
            damage.push(Warning { seen: error.problem(), remedy: left.into() });
        };
        let context: Option<Context> =
            stored::optional(&ResultFile::new(path, CONTEXT)).unwrap_or_else(|error| {
                lost(error, "the device state and the harness overhead are unknown");
                None
            });
        let manifest: Option<Manifest> =
            stored::optional(&ResultFile::new(path, MANIFEST)).unwrap_or_else(|error| {
                lost(error, "facts about device and machine are missing");
                None
            });
        let manifest = manifest.unwrap_or_else(|| unknown(path, context.as_ref()));
        let runs = ResultFile::new(path, RUNS);
        let finished = match runs.json() {
            Ok(text) => whole_lines(&runs.path(), &text, &mut damage),
            Err(error) => {
                lost(error, "the runs are unknown, except for their files in ios/");
                Vec::new()
            }
        };
        let missing = finished.iter().filter_map(|run| stored::records_missing(path, run));
        let warnings = manifest.warnings.iter().cloned().chain(missing).collect();
        Ok((Stored { path: path.to_path_buf(), manifest, context, finished, warnings }, damage))
    }
}

/// The runs that can be read; the torn last line of a kill is no damage.
fn whole_lines(path: &Path, text: &str, damage: &mut Vec<Warning>) -> Vec<Finished> {
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut all = Vec::new();
    let mut bad = Vec::new();
    for (i, line) in whole.lines().enumerate() {
        match serde_json::from_str(line) {
            Ok(finished) => all.push(finished),
            Err(cause) => bad.push((i + 1, cause)),
        }
    }
    if let Some((line, cause)) = bad.first() {
        let count = counted(bad.len() as u64, "run");
        damage.push(Warning {
            seen: format!("{}:{line}: {cause}", path.display()),
            remedy: format!("{count} cannot be read and are skipped; the others are shown").into(),
        });
    }
    stored::without_repeated(all)
}

/// In the place of a manifest that is lost.
fn unknown(path: &Path, context: Option<&Context>) -> Manifest {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into());
    let nothing = TargetInfo {
        name,
        size_bytes: 0,
        logical_block_bytes: 512,
        virtual_time: false,
        engine: String::new(),
        queue_depth_max: 1,
        placements: 1,
        zones: None,
    };
    Manifest {
        schema_version: SCHEMA_VERSION,
        flashscope_version: String::new(),
        created: String::new(),
        device: Value::Null,
        target: context.map_or(nothing, |context| context.target.clone()),
        state: context.map_or("unknown".into(), |context| context.state.clone()),
        kernel: String::new(),
        scheduler: None,
        clock: Value::Null,
        engine: String::new(),
        data_pattern: String::new(),
        seed: 0,
        plan: json!([]),
        options: Value::Null,
        warnings: Vec::new(),
    }
}
