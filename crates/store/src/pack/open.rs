//! A result to read: a folder as it is, or a pack unpacked for as long as it is read.

use std::borrow::Cow;
use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use flashscope_core::plain::is_steering;
use serde::Deserialize;

use super::{LABEL, PACK_EXTENSION, PACK_VERSION, is_part};
use crate::error::{PackProblem, StoreError};
use crate::result_file::DOCUMENT_BYTES_MAX;
use crate::unfinished;

/// What zstd puts at the beginning of a file.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The most bytes that a pack may hold: hundreds of times more than a long run leaves.
const BYTES_MAX: u64 = 64 << 30;
/// Of a file's name, which is read into memory.
const NAME_BYTES_MAX: u64 = 4096;
/// The most files.
const FILES_MAX: u64 = 100_000;
/// zstd's window: what is unpacked needs so much memory, 2^27 bytes.
const WINDOW_LOG_MAX: u32 = 27;

/// A result folder. An unpacked one is gone when this is dropped.
#[derive(Debug)]
pub struct Opened {
    folder: PathBuf,
    unpacked: Option<Unpacked>,
}

#[derive(Debug)]
struct Unpacked {
    pack: PathBuf,
    _folder: TemporaryFolder,
}

/// The folder of an unpacked pack, and what to show in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    folder: String,
    shown: String,
}

impl Opened {
    /// A folder as it is, or a pack, which is unpacked into a temporary folder.
    ///
    /// # Errors
    /// It is a file and no pack, or a pack of a newer flashscope; it is damaged, or holds what no result has;
    /// there is no room to unpack it; it was interrupted. Whoever reads a folder finds out whether it holds a
    /// result.
    pub fn of(path: &Path, interrupted: &AtomicBool) -> Result<Opened, StoreError> {
        if !path.is_file() {
            return Ok(Opened { folder: path.to_path_buf(), unpacked: None });
        }
        if !is_pack(path).map_err(|cause| StoreError::file("read", path, cause))? {
            return Err(StoreError::NoPack { path: path.to_path_buf() });
        }
        let failed = |failure| match failure {
            Failure::Interrupted => StoreError::Interrupted,
            Failure::Problem(problem) => StoreError::Pack { path: path.to_path_buf(), problem },
        };
        let temporary = TemporaryFolder::create().map_err(|problem| failed(problem.into()))?;
        let folder = temporary.0.join(path.file_stem().unwrap_or(path.as_os_str()));
        unpack(path, &folder, interrupted).map_err(failed)?;
        Ok(Opened { folder, unpacked: Some(Unpacked { pack: path.to_path_buf(), _folder: temporary }) })
    }

    /// Where it is to be read.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What to show in place of the folder's name; none where it is the one that was named.
    pub fn alias(&self) -> Option<Alias> {
        let unpacked = self.unpacked.as_ref()?;
        // As it may stand in JSON and in a page.
        let plain = |c: char| if is_steering(c) || "\n\t\"\\<>&".contains(c) { '_' } else { c };
        let shown = unpacked.pack.display().to_string().chars().map(plain).collect();
        Some(Alias { folder: self.folder.display().to_string(), shown })
    }
}

impl AsRef<Path> for Opened {
    fn as_ref(&self) -> &Path {
        &self.folder
    }
}

impl Alias {
    /// A text with the pack's name wherever it names the folder.
    pub fn replace_in<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match text.contains(&self.folder) {
            true => Cow::Owned(text.replace(&self.folder, &self.shown)),
            false => Cow::Borrowed(text),
        }
    }

    /// The same for all of them.
    pub fn replace_all<'a>(all: &[Alias], text: &'a str) -> Cow<'a, str> {
        all.iter().fold(Cow::Borrowed(text), |text, alias| match alias.replace_in(&text) {
            Cow::Owned(replaced) => Cow::Owned(replaced),
            Cow::Borrowed(_) => text,
        })
    }
}

/// Whether a file is packed as packs are.
///
/// # Errors
/// It cannot be read.
pub fn is_pack(path: &Path) -> io::Result<bool> {
    let mut magic = [0; MAGIC.len()];
    match File::open(path)?.read_exact(&mut magic) {
        Ok(()) => Ok(magic == MAGIC),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// A folder that only this user may read, and that goes when this is dropped.
#[derive(Debug)]
struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    fn create() -> Result<TemporaryFolder, PackProblem> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let above = std::env::temp_dir();
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = above.join(format!("{PACK_EXTENSION}-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    unfinished::begun(&path);
                    return Ok(TemporaryFolder(path));
                }
                // Left by a kill, or somebody else's.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(source) => return Err(PackProblem::Unpacking { path: above, source }),
            }
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        unfinished::over(&self.0);
    }
}

/// Why unpacking ended.
enum Failure {
    Interrupted,
    Problem(PackProblem),
}

impl From<PackProblem> for Failure {
    fn from(problem: PackProblem) -> Failure {
        Failure::Problem(problem)
    }
}

#[derive(Deserialize)]
struct Label {
    pack_version: u32,
    flashscope_version: String,
}

/// Unpacks into a new folder. A name decides nothing but which known part of a result it is.
fn unpack(pack: &Path, folder: &Path, interrupted: &AtomicBool) -> Result<(), Failure> {
    let file = File::open(pack).map_err(PackProblem::Damaged)?;
    let mut decoder = zstd::stream::read::Decoder::new(BufReader::new(file)).map_err(PackProblem::Damaged)?;
    decoder.window_log_max(WINDOW_LOG_MAX).map_err(PackProblem::Damaged)?;
    let mut archive = tar::Archive::new(decoder);
    // Raw: what is said of an entry ahead of it, such as a long name, would be read into memory unlimited.
    let mut entries = archive.entries().map_err(PackProblem::Damaged)?.raw(true);
    let first = entries.next().transpose().map_err(PackProblem::Damaged)?;
    check_label(first.ok_or(PackProblem::Foreign("it is empty"))?)?;
    fs::create_dir(folder).map_err(|source| unpacking(folder, source))?;
    let (mut files, mut room_bytes) = (0, BYTES_MAX);
    let mut long_name = None;
    for entry in entries {
        if interrupted.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        let mut entry = entry.map_err(PackProblem::Damaged)?;
        if entry.header().entry_type() == tar::EntryType::GNULongName && long_name.is_none() {
            long_name = Some(name_in(&mut entry)?);
            continue;
        }
        let of_header = || String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let name = long_name.take().unwrap_or_else(of_header);
        if entry.header().entry_type() != tar::EntryType::Regular || !is_part(&name) {
            return Err(PackProblem::UnknownPart(name).into());
        }
        let most = if name.ends_with(".parquet") { room_bytes } else { room_bytes.min(DOCUMENT_BYTES_MAX) };
        files += 1;
        if entry.size() > most || files > FILES_MAX {
            return Err(PackProblem::TooLarge(name).into());
        }
        room_bytes -= entry.size();
        keep(&mut entry, &folder.join(&name), &name)?;
    }
    Ok(())
}

/// The name of the next entry, where it is too long for its header.
fn name_in(entry: &mut tar::Entry<'_, impl Read>) -> Result<String, PackProblem> {
    if entry.size() > NAME_BYTES_MAX {
        return Err(PackProblem::TooLarge("a name".into()));
    }
    let mut name = Vec::new();
    entry.read_to_end(&mut name).map_err(PackProblem::Damaged)?;
    let name = name.strip_suffix(b"\0").unwrap_or(&name);
    Ok(String::from_utf8_lossy(name).into_owned())
}

/// Refuses what is no pack, or of a newer version.
fn check_label(mut entry: tar::Entry<'_, impl Read>) -> Result<(), PackProblem> {
    if entry.path_bytes() != LABEL.as_bytes() || entry.size() > (1 << 16) {
        return Err(PackProblem::Foreign("it does not begin with a label"));
    }
    let mut text = Vec::new();
    entry.read_to_end(&mut text).map_err(PackProblem::Damaged)?;
    let label: Label =
        serde_json::from_slice(&text).map_err(|_| PackProblem::Foreign("its label has another format"))?;
    match label.pack_version {
        PACK_VERSION => Ok(()),
        found => Err(PackProblem::Version { found, known: PACK_VERSION, by: label.flashscope_version }),
    }
}

fn keep(entry: &mut impl Read, path: &Path, name: &str) -> Result<(), PackProblem> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(|source| unpacking(above, source))?;
    }
    let mut file = File::create_new(path).map_err(|source| match source.kind() {
        // A name that comes twice.
        ErrorKind::AlreadyExists => PackProblem::UnknownPart(name.into()),
        _ => unpacking(path, source),
    })?;
    let mut buffer = [0; 1 << 16];
    loop {
        match entry.read(&mut buffer).map_err(PackProblem::Damaged)? {
            0 => return Ok(()),
            bytes => file.write_all(&buffer[..bytes]).map_err(|source| unpacking(path, source))?,
        }
    }
}

fn unpacking(path: &Path, source: io::Error) -> PackProblem {
    PackProblem::Unpacking { path: path.to_path_buf(), source }
}
