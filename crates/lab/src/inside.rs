//! What the inside of a simulated SSD did, kept beside the file of the IOs that it did it for.

use std::fs;
use std::path::Path;

use flashscope_sim::ssd::inside::Inside;
use flashscope_store::ResultFile;

use crate::error::{Context as _, Error, Result};

/// The file for the IOs of `records`: `inside/0000-sim-lru.json` for `ios/0000-sim-lru.parquet`.
pub fn file_of(records: &str) -> String {
    let name = records.strip_prefix("ios/").unwrap_or(records);
    format!("inside/{}.json", name.strip_suffix(".parquet").unwrap_or(name))
}

/// Keeps it for the IOs of `records`; returns the file's name, relative to the folder.
///
/// # Errors
/// It cannot be written.
pub fn keep(folder: &Path, records: &str, inside: &Inside) -> Result<String> {
    let relative = file_of(records);
    let path = folder.join(&relative);
    let unkept = || format!("cannot store the device's internals in {}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).with_context(unkept)?;
    fs::write(&path, serde_json::to_string(inside)?).with_context(unkept)?;
    Ok(relative)
}

/// What is kept in the file `relative` of a folder; none if there is no such file.
///
/// # Errors
/// It cannot be read, or is damaged.
pub fn kept(folder: &Path, relative: &str) -> Result<Option<Inside>> {
    let file = ResultFile::new(folder, relative);
    if !file.is_there() {
        return Ok(None);
    }
    let damaged =
        || format!("{} cannot be read; the device's internals are not shown", file.path().display());
    let inside: Inside = serde_json::from_str(&file.json().with_context(damaged)?).with_context(damaged)?;
    if !inside.is_whole() {
        return Err(Error::failed(format!("{}: its columns differ in length", file.path().display())));
    }
    Ok(Some(inside))
}
