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
use crate::kind::ResultKind;
use crate::output::kind_name;

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
    put(&mut archive, LABEL, Content::of(to_json(&label))).map_err(failed)?;
    for name in &files {
        go_on()?;
        let path = folder.join(name);
        let content = match &mut redactor {
            None => Content::whole(&path),
            Some(redactor) => redacted(&path, name, redactor),
        };
        let shown = redactor.as_mut().map_or(name.clone(), |redactor| redactor.text(name));
        put(&mut archive, &shown, content?).map_err(|cause| StoreError::file("pack", &path, cause))?;
    }
    go_on()?;
    let ended = archive.into_inner().and_then(|encoder| encoder.finish()?.flush());
    ended.map_err(failed)?;
    let redacted = redactor.iter().flat_map(Redactor::lines).collect();
    Ok(Packed { files: files.len() as u64, size_bytes: 0, redacted, left_out })
}

/// What there is in the folder: the parts of the result in a fixed order, and the rest.
fn files(folder: &Path) -> Result<(Vec<String>, Vec<String>), StoreError> {
    let mut found = Vec::new();
    for below in std::iter::once("").chain(FOLDERS.map(|(name, _)| name)) {
        let path = folder.join(below);
        if !path.is_dir() {
            continue;
        }
        let unreadable = |cause| StoreError::file("read", &path, cause);
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = if below.is_empty() { name } else { format!("{below}/{name}") };
            if !FOLDERS.iter().any(|(folder, _)| *folder == name) {
                // A link could lead out of the folder.
                found.push((name, entry.file_type().map_err(unreadable)?.is_file()));
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
    let named = ResultKind::all().filter_map(ResultKind::document).map(|name| folder.join(name));
    let named = named.filter(|path| path.is_file()).map(|path| document(&path));
    Ok(Redactor::of(folder, manifest, &named.collect::<Result<Vec<Value>, _>>()?))
}

fn document(path: &Path) -> Result<Value, StoreError> {
    serde_json::from_slice(&bytes(path)?).map_err(|cause| damaged(path, cause))
}

fn bytes(path: &Path) -> Result<Vec<u8>, StoreError> {
    fs::read(path).map_err(|cause| StoreError::file("read", path, cause))
}

fn damaged(path: &Path, cause: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    StoreError::Unredactable { path: path.to_path_buf(), source: cause.into() }
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

    fn whole(path: &Path) -> Result<Content, StoreError> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|cause| StoreError::file("read", path, cause))?;
        Ok(Content { file: Some((file, length)), after: Vec::new() })
    }
}

/// A file without what identifies.
fn redacted(path: &Path, name: &str, redactor: &mut Redactor) -> Result<Content, StoreError> {
    if name.ends_with(".parquet") {
        let footer = Footer::reworded(path, &mut |text| redactor.text(text))?;
        let file = File::open(path).map_err(|cause| StoreError::file("read", path, cause))?;
        return Ok(Content { file: Some((file, footer.columns_bytes)), after: footer.bytes });
    }
    if name.ends_with(".jsonl") {
        return lines(path, redactor).map(Content::of);
    }
    let mut document = document(path)?;
    if let Some(device) = document.get_mut("device").filter(|device| device.is_object()) {
        *device = redactor.device(device.take());
    }
    Ok(Content::of(to_json(&redactor.value(document))))
}

/// The whole lines; a torn last one is left out as all readers do.
fn lines(path: &Path, redactor: &mut Redactor) -> Result<Vec<u8>, StoreError> {
    let bytes = bytes(path)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let text = std::str::from_utf8(&bytes[..whole]).map_err(|cause| damaged(path, cause))?;
    let mut out = Vec::with_capacity(whole);
    for line in text.lines() {
        let value = serde_json::from_str(line).map_err(|cause| damaged(path, cause))?;
        out.extend(redactor.value(value).to_string().into_bytes());
        out.push(b'\n');
    }
    Ok(out)
}

/// Adds a file that says nothing of who made it or when.
fn put<W: Write>(archive: &mut tar::Builder<W>, name: &str, content: Content) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    let Content { file, after } = content;
    let columns_bytes = file.as_ref().map_or(0, |(_, length)| *length);
    header.set_size(columns_bytes + after.len() as u64);
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::Regular);
    match file {
        None => archive.append_data(&mut header, name, &after[..]),
        Some((file, length)) => archive.append_data(&mut header, name, file.take(length).chain(&after[..])),
    }
}
