//! Writes a pack.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, Result, bail};
use flashscope_store::{Footer, Manifest, Stored};
use serde_json::{Value, json};

use super::veil::Veil;
use super::{DOCUMENTS, FOLDERS, LABEL, PACK_VERSION, is_part};
use crate::signal::must_go_on;

/// zstd's own default: numbers that are packed already gain little from more.
const LEVEL: i32 = 3;

/// What was put into a pack, and what was not.
pub struct Packed {
    /// Files in it.
    pub files: u64,
    /// What was left out or replaced, a line each.
    pub veiled: Vec<String>,
    /// Files of the folder that are not in it.
    pub left: Vec<String>,
}

/// Packs the result in `folder`, unless the person stops it.
///
/// # Errors
/// There is no result, or a damaged one; a file cannot be read or written; the person stopped it.
pub fn write(folder: &Path, identify: bool, out: &mut dyn Write, interrupted: &AtomicBool) -> Result<Packed> {
    let manifest = Stored::read(folder)?.manifest;
    let (files, left) = files(folder)?;
    let mut veil = if identify { None } else { Some(veil(folder, &manifest)?) };
    let mut archive = tar::Builder::new(zstd::stream::write::Encoder::new(out, LEVEL)?);
    let label = json!({
        "pack_version": PACK_VERSION,
        "flashscope_version": env!("CARGO_PKG_VERSION"),
        "identifies": identify,
    });
    put(&mut archive, LABEL, Content::of(serde_json::to_vec_pretty(&label)?))?;
    for name in &files {
        must_go_on(interrupted)?;
        let path = folder.join(name);
        let content = match &mut veil {
            None => Content::whole(&path),
            Some(veil) => veiled(&path, name, veil),
        };
        let shown = veil.as_mut().map_or(name.clone(), |veil| veil.text(name));
        put(&mut archive, &shown, content?).with_context(|| format!("cannot pack {}", path.display()))?;
    }
    must_go_on(interrupted)?;
    archive.into_inner()?.finish()?.flush()?;
    let veiled = veil.iter().flat_map(Veil::lines).collect();
    Ok(Packed { files: files.len() as u64, veiled, left })
}

/// What there is in the folder: the parts of the result in a fixed order, and the rest.
fn files(folder: &Path) -> Result<(Vec<String>, Vec<String>)> {
    let mut found = Vec::new();
    for below in std::iter::once("").chain(FOLDERS.map(|(name, _)| name)) {
        let path = folder.join(below);
        if !path.is_dir() {
            continue;
        }
        for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = if below.is_empty() { name } else { format!("{below}/{name}") };
            if !FOLDERS.iter().any(|(folder, _)| *folder == name) {
                // A link could lead out of the folder.
                found.push((name, entry.file_type()?.is_file()));
            }
        }
    }
    let place = |name: &str| DOCUMENTS.iter().position(|known| *known == name).unwrap_or(DOCUMENTS.len());
    found.sort_by_cached_key(|(name, _)| (place(name), name.clone()));
    let (parts, left): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(name, is_file)| *is_file && is_part(name));
    let names = |all: Vec<(String, bool)>| all.into_iter().map(|(name, _)| name).collect();
    Ok((names(parts), names(left)))
}

fn veil(folder: &Path, manifest: &Manifest) -> Result<Veil> {
    let named = ["sim.json", "replay.json", "stats.json"].map(|name| folder.join(name));
    let named = named.iter().filter(|path| path.is_file()).map(|path| document(path));
    Ok(Veil::of(folder, manifest, &named.collect::<Result<Vec<Value>>>()?))
}

fn document(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| unreadable(path))
}

fn unreadable(path: &Path) -> String {
    format!(
        "{} is damaged, so what identifies cannot be left out of it; --identify packs it as it is",
        path.display()
    )
}

/// A file for the archive: bytes of a file, and bytes after them.
struct Content {
    file: Option<(File, u64)>,
    after: Vec<u8>,
}

impl Content {
    fn of(after: Vec<u8>) -> Content {
        Content { file: None, after }
    }

    fn whole(path: &Path) -> Result<Content> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let length = file.metadata()?.len();
        Ok(Content { file: Some((file, length)), after: Vec::new() })
    }
}

/// A file without what identifies.
fn veiled(path: &Path, name: &str, veil: &mut Veil) -> Result<Content> {
    if name.ends_with(".parquet") {
        let footer = Footer::reworded(path, &mut |text| veil.text(text))?;
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(Content { file: Some((file, footer.columns_bytes)), after: footer.bytes });
    }
    if name.ends_with(".jsonl") {
        return lines(path, veil).map(Content::of);
    }
    let mut document = document(path)?;
    if let Some(device) = document.get_mut("device").filter(|device| device.is_object()) {
        *device = veil.device(device.take());
    }
    Ok(Content::of(serde_json::to_vec_pretty(&veil.value(document))?))
}

/// The whole lines; a torn last one is left out as all readers do.
fn lines(path: &Path, veil: &mut Veil) -> Result<Vec<u8>> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = std::str::from_utf8(&bytes[..whole]).with_context(|| unreadable(path))?;
    let mut out = Vec::with_capacity(whole);
    for line in text.lines() {
        let value = serde_json::from_str(line).with_context(|| unreadable(path))?;
        serde_json::to_writer(&mut out, &veil.value(value))?;
        out.push(b'\n');
    }
    Ok(out)
}

/// Adds a file that says nothing of who made it or when.
fn put<W: Write>(archive: &mut tar::Builder<W>, name: &str, content: Content) -> Result<()> {
    let mut header = tar::Header::new_gnu();
    let Content { file, after } = content;
    let columns_bytes = file.as_ref().map_or(0, |(_, length)| *length);
    header.set_size(columns_bytes + after.len() as u64);
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::Regular);
    match file {
        None => archive.append_data(&mut header, name, &after[..])?,
        Some((file, length)) => {
            archive.append_data(&mut header, name, file.take(length).chain(&after[..]))?;
            if !after.is_empty() && length == 0 {
                bail!("it has no columns");
            }
        }
    }
    Ok(())
}
