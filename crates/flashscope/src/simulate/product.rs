//! Files that a sweep makes besides its result folder: a saved device, a picture. What is something else at
//! their place is never replaced, and that is found out before anything is simulated.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flashscope_sim::Ssd;

use crate::exit::Usage;
use crate::traces::output::is_descriptor;
use crate::whole::Whole;

/// Enough to know a file by.
const HEAD_BYTES: u64 = 256;

/// A file to be made, whose place was looked at.
pub struct Product {
    flag: &'static str,
    path: PathBuf,
}

impl Product {
    /// The place of a saved device.
    ///
    /// # Errors
    /// It cannot be written, or must not be: something else is there.
    pub fn state(path: &Path) -> Result<Product, Usage> {
        Product::of("--save-state", path, "a saved state", Ssd::is_state)
    }

    /// The place of a picture.
    ///
    /// # Errors
    /// It is no SVG's name; it cannot be written, or must not be: something else is there.
    pub fn picture(path: &Path) -> Result<Product, Usage> {
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
            let message = format!("--figure {}: the picture is an SVG; give a name in .svg", path.display());
            return Err(Usage(message));
        }
        Product::of("--figure", path, "an SVG", is_svg)
    }

    fn of(flag: &'static str, path: &Path, own: &str, is_own: fn(&[u8]) -> bool) -> Result<Product, Usage> {
        let refuse = |problem: String| Usage(format!("{flag} {}: {problem}", path.display()));
        if let Ok(there) = fs::metadata(path) {
            if !there.is_file() || is_descriptor(path) {
                let what = kind(there.file_type());
                return Err(refuse(format!("it is {what}, which is not replaced; name a file")));
            }
            let head = head(path).map_err(|error| refuse(format!("cannot be read: {error}")))?;
            if !head.is_empty() && !is_own(&head) {
                let problem = format!(
                    "there is a file that is not {own}, which is not replaced; name another, or remove it"
                );
                return Err(refuse(problem));
            }
        }
        // Makes a part and removes it: what cannot be made now cannot be made at the end.
        Whole::create(path).map_err(|error| {
            refuse(format!("cannot be written: {error}; give a file in a folder that exists and is yours"))
        })?;
        Ok(Product { flag, path: path.to_path_buf() })
    }

    /// Makes it; it is there whole or not at all.
    ///
    /// # Errors
    /// It cannot be written; what was there before is still there.
    pub fn write(&self, content: &[u8]) -> Result<()> {
        let written = Whole::create(&self.path).and_then(|(whole, mut file)| {
            file.write_all(content)?;
            file.sync_all()?;
            whole.keep()
        });
        written.with_context(|| format!("{}: cannot write {}", self.flag, self.path.display()))
    }
}

/// The beginning of a file.
///
/// # Errors
/// It cannot be read.
pub fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

/// What something that is no plain file is.
pub fn kind(kind: fs::FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_block_device() || kind.is_char_device() => "a device",
        kind if kind.is_socket() => "a socket",
        _ => "open already",
    }
}

fn is_svg(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    head.starts_with(b"<svg") || head.starts_with(b"<?xml")
}
