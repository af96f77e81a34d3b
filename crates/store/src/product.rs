//! Files that are made besides a result folder: a saved device, a picture. What is something else at their
//! place is never replaced, and that is found out before the work begins.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::atomic_file::AtomicFile;
use crate::error::{PlaceProblem, StoreError};
use crate::output::{is_descriptor, kind_name};

/// Enough to know a file by.
const HEAD_BYTES: u64 = 256;

/// A file to be made, whose place was looked at.
pub struct Product {
    path: PathBuf,
}

impl Product {
    /// The place at `path`, where nothing may be but a file that begins as `is_own` says. `own` is what that
    /// is in words: `an SVG`.
    ///
    /// # Errors
    /// It cannot be written, or must not be: something else is there.
    pub fn of(path: &Path, own: &'static str, is_own: fn(&[u8]) -> bool) -> Result<Product, StoreError> {
        let refuse = |problem| StoreError::Place { path: path.to_path_buf(), problem };
        if let Ok(there) = fs::metadata(path) {
            if !there.is_file() || is_descriptor(path) {
                return Err(refuse(PlaceProblem::NoFile(kind_name(there.file_type()))));
            }
            let head = head(path).map_err(|cause| refuse(PlaceProblem::Unreadable(cause)))?;
            if !head.is_empty() && !is_own(&head) {
                return Err(refuse(PlaceProblem::Foreign(own)));
            }
        }
        // Makes a part and removes it: what cannot be made now cannot be made at the end.
        AtomicFile::create(path).map_err(|cause| refuse(PlaceProblem::Unwritable(cause)))?;
        Ok(Product { path: path.to_path_buf() })
    }

    /// The place of a picture.
    ///
    /// # Errors
    /// As of [`Product::of`].
    pub fn picture(path: &Path) -> Result<Product, StoreError> {
        Product::of(path, "an SVG", is_svg)
    }

    /// Makes it; it is there whole or not at all.
    ///
    /// # Errors
    /// It cannot be written; what was there before is still there.
    pub fn write(&self, content: &[u8]) -> Result<(), StoreError> {
        let written = AtomicFile::create(&self.path).and_then(|(place, mut file)| {
            file.write_all(content)?;
            file.sync_all()?;
            place.keep()
        });
        written.map_err(|cause| StoreError::file("write", &self.path, cause))
    }
}

/// The beginning of a file.
fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD_BYTES).read_to_end(&mut head)?;
    Ok(head)
}

fn is_svg(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    head.starts_with(b"<svg") || head.starts_with(b"<?xml")
}
