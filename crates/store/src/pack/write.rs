//! Writes a pack.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::redact::Redactor;
use super::{FOLDERS, LABEL, PACK_VERSION, documents, is_pack, is_part};
use crate::atomic_file::AtomicFile;
use crate::error::{PlaceProblem, StoreError};
use crate::folder::{Manifest, Stored};
use crate::footer::Footer;
use crate::ios::IoFile;
use crate::kind::ResultKind;
use crate::output::kind_name;
use crate::result_file::{ResultFile, entries};

/// zstd's own default: numbers that are packed already gain little from more.
const LEVEL: i32 = 3;

/// What was put into a pack, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// Files in it.
    pub files: u64,
    /// The pack's size.
    pub size_bytes: u64,
    /// What was removed or replaced because it identifies somebody, a line each.
    pub redacted: Vec<String>,
    /// Files of the folder that are not in it, for they are no part of the result.
    pub left_out: Vec<String>,
}

/// Packs the result in `folder` into the file `output`, which is there whole at the end or not at all. With
/// `identify` it keeps what says whose device and machine it was.
///
/// # Errors
/// There is no result, or a damaged one; a file cannot be read or written; at `output` is something else than
/// a pack; it was interrupted.
pub fn write_pack(
    folder: &Path,
    output: &Path,
    identify: bool,
    interrupted: &AtomicBool,
) -> Result<Packed, StoreError> {
    check_place(output)?;
    let unwritable = |cause| StoreError::file("write", output, cause);
    let (place, mut file) = AtomicFile::create(output).map_err(unwritable)?;
    let mut packed = pack(folder, &mut file, identify, interrupted)?;
    packed.size_bytes = file.metadata().map_err(unwritable)?.len();
    drop(file);
    place.keep().map_err(unwritable)?;
    Ok(packed)
}

/// Refuses to write over what is no pack.
fn check_place(output: &Path) -> Result<(), StoreError> {
    let refuse = |problem| Err(StoreError::Place { path: output.to_path_buf(), problem });
    match fs::metadata(output) {
        Ok(there) if !there.is_file() => refuse(PlaceProblem::NoFile(kind_name(there.file_type()))),
        Ok(_) if !is_pack(output).is_ok_and(|is_pack| is_pack) => {
            refuse(PlaceProblem::Foreign("a pack of flashscope"))
        }
        _ => Ok(()),
    }
}

fn pack(
    folder: &Path,
    out: &mut File,
    identify: bool,
    interrupted: &AtomicBool,
) -> Result<Packed, StoreError> {
    let go_on = || match interrupted.load(Ordering::Relaxed) {
        true => Err(StoreError::Interrupted),
        false => Ok(()),
    };
    let failed = |cause| StoreError::file("pack", folder, cause);
    let manifest = Stored::read(folder)?.manifest;
    let (files, left_out) = files(folder)?;
    let mut redactor = if identify { None } else { Some(redactor(folder, &manifest)?) };
    let mut archive = tar::Builder::new(zstd::stream::write::Encoder::new(out, LEVEL).map_err(failed)?);
    let label = json!({
        "pack_version": PACK_VERSION,
        "flashscope_version": env!("CARGO_PKG_VERSION"),
        "identifies": identify,
    });
    put(&mut archive, LABEL, Content::of(to_json(&label)), interrupted).map_err(failed)?;
    for name in &files {
        go_on()?;
        let file = ResultFile::new(folder, name);
        let content = match &mut redactor {
            None => Content::whole(&file, name),
            Some(redactor) => redacted(&file, name, redactor),
        };
        let shown = redactor.as_mut().map_or(name.clone(), |redactor| redactor.text(name));
        let written = put(&mut archive, &shown, content?, interrupted);
        go_on()?;
        written.map_err(|cause| StoreError::file("pack", &file.path(), cause))?;
    }
    let ended = archive.into_inner().and_then(|encoder| encoder.finish()?.flush());
    ended.map_err(failed)?;
    let redacted = redactor.iter().flat_map(Redactor::lines).collect();
    Ok(Packed { files: files.len() as u64, size_bytes: 0, redacted, left_out })
}

/// What there is in the folder: the parts of the result in a fixed order, and the rest.
fn files(folder: &Path) -> Result<(Vec<String>, Vec<String>), StoreError> {
    let mut found = Vec::new();
    for below in std::iter::once("").chain(FOLDERS.map(|(name, _)| name)) {
        for (name, is_file) in entries(folder, below)? {
            let name = if below.is_empty() { name } else { format!("{below}/{name}") };
            if is_file || !FOLDERS.iter().any(|(folder, _)| *folder == name) {
                found.push((name, is_file));
            }
        }
    }
    let place = |name: &str| documents().position(|known| known == name).unwrap_or(usize::MAX);
    found.sort_by_cached_key(|(name, _)| (place(name), name.clone()));
    let (parts, rest): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(name, is_file)| *is_file && is_part(name));
    let names = |all: Vec<(String, bool)>| all.into_iter().map(|(name, _)| name).collect();
    Ok((names(parts), names(rest)))
}

fn redactor(folder: &Path, manifest: &Manifest) -> Result<Redactor, StoreError> {
    let named = ResultKind::all().filter_map(ResultKind::document).map(|name| ResultFile::new(folder, name));
    let named = named.filter(ResultFile::is_there).map(|file| document(&file));
    Ok(Redactor::of(folder, manifest, &named.collect::<Result<Vec<Value>, _>>()?))
}

fn document(file: &ResultFile) -> Result<Value, StoreError> {
    serde_json::from_slice(&file.bytes()?).map_err(|cause| damaged(file, cause))
}

fn damaged(file: &ResultFile, cause: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unredactable { path: file.path(), source: cause.into() }
}

fn to_json(value: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("a value is plain data")
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

    fn whole(named: &ResultFile, name: &str) -> Result<Content, StoreError> {
        if !name.ends_with(".parquet") {
            return named.bytes().map(Content::of);
        }
        // What is not one is not packed, however large it says it is.
        IoFile::open(named)?;
        let file = named.open()?;
        let length = file.metadata().map_err(|cause| StoreError::file("read", &named.path(), cause))?.len();
        Ok(Content { file: Some((file, length)), after: Vec::new() })
    }
}

/// A file without what identifies.
fn redacted(file: &ResultFile, name: &str, redactor: &mut Redactor) -> Result<Content, StoreError> {
    if name.ends_with(".parquet") {
        let footer = Footer::reworded(file, &mut |text| redactor.text(text))?;
        return Ok(Content { file: Some((file.open()?, footer.columns_bytes)), after: footer.bytes });
    }
    if name.ends_with(".jsonl") {
        return lines(file, redactor).map(Content::of);
    }
    let mut document = document(file)?;
    if let Some(device) = document.get_mut("device").filter(|device| device.is_object()) {
        *device = redactor.device(device.take());
    }
    Ok(Content::of(to_json(&redactor.value(document))))
}

/// The whole lines; a torn last one is left out as all readers do.
fn lines(file: &ResultFile, redactor: &mut Redactor) -> Result<Vec<u8>, StoreError> {
    let bytes = file.bytes()?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = std::str::from_utf8(&bytes[..whole]).map_err(|cause| damaged(file, cause))?;
    let mut out = Vec::with_capacity(whole);
    for line in text.lines() {
        let value = serde_json::from_str(line).map_err(|cause| damaged(file, cause))?;
        out.extend(redactor.value(value).to_string().into_bytes());
        out.push(b'\n');
    }
    Ok(out)
}

/// Adds a file that says nothing of who made it or when.
fn put<W: Write>(
    archive: &mut tar::Builder<W>,
    name: &str,
    content: Content,
    interrupted: &AtomicBool,
) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    let Content { file, after } = content;
    let columns_bytes = file.as_ref().map_or(0, |(_, length)| *length);
    header.set_size(columns_bytes + after.len() as u64);
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::Regular);
    match file {
        None => archive.append_data(&mut header, name, &after[..]),
        Some((file, length)) => {
            let file = Stoppable { file, interrupted }.take(length);
            archive.append_data(&mut header, name, file.chain(&after[..]))
        }
    }
}

/// A file of which no more is read once somebody interrupts.
struct Stoppable<'a> {
    file: File,
    interrupted: &'a AtomicBool,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}
