//! A result to read: a folder as it is, or a pack unpacked for as long as it is read.

use std::fs::{self, DirBuilder, File};
use std::io::{self, BufReader, ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use super::{ENDING, LABEL, PACK_VERSION, is_part};
use crate::exit::{Interrupted, Usage};
use crate::screen::Screen;
use crate::signal;

/// What zstd puts at the beginning of a file.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The most bytes that a pack may hold: hundreds of times more than a long run leaves.
const BYTES_MAX: u64 = 64 << 30;
/// Of the label, and of all documents that are read as a whole.
const DOCUMENT_BYTES_MAX: u64 = 1 << 30;
/// The most files.
const FILES_MAX: u64 = 100_000;
/// zstd's window: what is unpacked needs so much memory, 2^27 bytes.
const WINDOW_LOG_MAX: u32 = 27;

/// A result folder. An unpacked one is gone when this is dropped.
#[derive(Debug)]
pub struct Opened {
    folder: PathBuf,
    _unpacked: Option<Meanwhile>,
}

impl Opened {
    /// What a person named: a folder, or a pack. From now on the screen shows an unpacked folder by the
    /// pack's name.
    ///
    /// # Errors
    /// It is a file and no pack, or a pack of a newer flashscope; it is damaged, or holds what no result has;
    /// there is no room to unpack it.
    pub fn of(path: &Path, screen: &Screen) -> Result<Opened> {
        if !path.is_file() {
            // Whoever reads the folder says what is wrong with it.
            return Ok(Opened { folder: path.to_path_buf(), _unpacked: None });
        }
        let shown = path.display();
        if !is_pack(path).with_context(|| format!("cannot read {shown}"))? {
            let problem = format!(
                "{shown} is neither a result folder nor a pack of flashscope; `flashscope pack DIR` makes one"
            );
            return Err(Usage(problem).into());
        }
        let meanwhile = Meanwhile::create()?;
        let folder = meanwhile.0.join(path.file_stem().unwrap_or(path.as_os_str()));
        unpack(path, &folder).with_context(|| format!("cannot open the pack {shown}"))?;
        screen.rename(&folder, path);
        Ok(Opened { folder, _unpacked: Some(meanwhile) })
    }

    /// Those of several.
    ///
    /// # Errors
    /// As of one.
    pub fn all(paths: &[PathBuf], screen: &Screen) -> Result<Vec<Opened>> {
        paths.iter().map(|path| Opened::of(path, screen)).collect()
    }

    /// Where it is to be read.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl AsRef<Path> for Opened {
    fn as_ref(&self) -> &Path {
        &self.folder
    }
}

/// Whether a file is packed as packs are.
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
struct Meanwhile(PathBuf);

impl Meanwhile {
    fn create() -> Result<Meanwhile> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let above = std::env::temp_dir();
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = above.join(format!("{ENDING}-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Meanwhile(path)),
                // Left by a kill, or somebody else's.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let advice = "packs are unpacked there; TMPDIR names another place";
                    return Err(error).with_context(|| format!("cannot write {}: {advice}", above.display()));
                }
            }
        }
    }
}

impl Drop for Meanwhile {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[derive(Deserialize)]
struct Label {
    pack_version: u32,
    flashscope_version: String,
}

/// Unpacks into a new folder. A name decides nothing but which known part of a result it is.
fn unpack(pack: &Path, folder: &Path) -> Result<()> {
    let file = BufReader::new(File::open(pack)?);
    let mut decoder = zstd::stream::read::Decoder::with_buffer(file)?;
    decoder.window_log_max(WINDOW_LOG_MAX)?;
    let mut archive = tar::Archive::new(decoder);
    let mut entries = archive.entries()?;
    let first = entries.next().transpose().map_err(damaged)?;
    label(first.context("it is empty; it was not made by `flashscope pack`")?)?;
    fs::create_dir(folder)?;
    let (mut files, mut room_bytes) = (0, BYTES_MAX);
    for entry in entries {
        let mut entry = entry.map_err(damaged)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if entry.header().entry_type() != tar::EntryType::Regular || !is_part(&name) {
            bail!("it holds {name:?}, which is no part of a result; do not trust where it came from");
        }
        let most = if name.ends_with(".parquet") { room_bytes } else { room_bytes.min(DOCUMENT_BYTES_MAX) };
        files += 1;
        if entry.size() > most || files > FILES_MAX {
            bail!("it holds more than any result has ({name}); do not trust where it came from");
        }
        if signal::flag().load(Ordering::Relaxed) {
            return Err(Interrupted.into());
        }
        room_bytes -= entry.size();
        keep(&mut entry, &folder.join(&name))?;
    }
    Ok(())
}

/// Refuses what is no pack, or of a newer version.
fn label(mut entry: tar::Entry<'_, impl Read>) -> Result<()> {
    let foreign = "it was not made by `flashscope pack`";
    if entry.path_bytes() != LABEL.as_bytes() || entry.size() > (1 << 16) {
        bail!("{foreign}: it does not begin with {LABEL}");
    }
    let mut text = String::new();
    entry.read_to_string(&mut text).map_err(damaged)?;
    let label: Label =
        serde_json::from_str(&text).with_context(|| format!("{foreign}: its {LABEL} is foreign"))?;
    if label.pack_version != PACK_VERSION {
        bail!(
            "it is of version {}, made by flashscope {}; this one knows {PACK_VERSION}: use that one",
            label.pack_version,
            label.flashscope_version
        );
    }
    Ok(())
}

fn keep(entry: &mut impl Read, path: &Path) -> Result<()> {
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    // A name that comes twice is refused.
    let mut file = File::create_new(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut buffer = [0; 1 << 16];
    loop {
        match entry.read(&mut buffer).map_err(damaged)? {
            0 => return Ok(()),
            bytes => io::Write::write_all(&mut file, &buffer[..bytes])
                .with_context(|| format!("cannot write {}; TMPDIR names another place", path.display()))?,
        }
    }
}

fn damaged(cause: io::Error) -> anyhow::Error {
    anyhow::Error::new(cause).context("it is damaged or incomplete; have it sent again")
}
