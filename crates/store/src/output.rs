//! Where a trace or a page is written: a file that is whole under its name or not there, a pipe, or standard
//! output.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use crate::atomic_file::AtomicFile;
use crate::error::{PlaceProblem, StoreError};

/// An output that was opened.
pub struct Output {
    /// None if bytes go where they cannot be called back.
    file: Option<AtomicFile>,
}

impl Output {
    /// Opens the output of this name; `-` is standard output. A file gets another name until it is whole.
    ///
    /// # Errors
    /// What cannot be written, or must not be: a folder, a block device.
    pub fn create(name: &Path) -> Result<(Output, Box<dyn Write + Send>), StoreError> {
        if name == Path::new("-") {
            return Ok((Output { file: None }, Box::new(std::io::stdout())));
        }
        let unwritable = |cause| StoreError::file("write", name, cause);
        let before = fs::metadata(name).ok();
        let kind = before.as_ref().map(fs::Metadata::file_type);
        if let Some(kind) = kind.filter(|kind| !kind.is_file() || is_descriptor(name)) {
            if kind.is_dir() || kind.is_block_device() {
                let problem = PlaceProblem::NoFile(kind_name(kind));
                return Err(StoreError::Place { path: name.to_path_buf(), problem });
            }
            let stream = OpenOptions::new().write(true).open(name).map_err(unwritable)?;
            return Ok((Output { file: None }, Box::new(stream)));
        }
        let (file, writer) = AtomicFile::create(name).map_err(unwritable)?;
        Ok((Output { file: Some(file) }, Box::new(writer)))
    }

    /// Gives the file, which is whole now, its name.
    ///
    /// # Errors
    /// It cannot be renamed; then it is gone.
    pub fn keep(self) -> Result<(), StoreError> {
        let Some(file) = self.file else { return Ok(()) };
        let name = file.name().to_path_buf();
        file.keep().map_err(|cause| StoreError::file("write", &name, cause))
    }

    /// Whether what is written is there at once, as in a pipe.
    pub fn is_stream(&self) -> bool {
        self.file.is_none()
    }
}

/// Something that is already open, `/dev/stdout` as a rule.
pub fn is_descriptor(name: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| name.starts_with(open))
}

/// What something that is no plain file is: `a pipe`.
pub fn kind_name(kind: fs::FileType) -> &'static str {
    match kind {
        kind if kind.is_dir() => "a folder",
        kind if kind.is_fifo() => "a pipe",
        kind if kind.is_block_device() => "a block device",
        kind if kind.is_char_device() => "a device",
        kind if kind.is_socket() => "a socket",
        _ => "open already",
    }
}

/// Refuses to write where something is read from; `-` is standard input and output.
///
/// # Errors
/// It is the same file.
pub fn check_not_input(input: &Path, output: &Path) -> Result<(), StoreError> {
    let file = |name: &Path, standard: &str| {
        let name = if name == Path::new("-") { Path::new(standard) } else { name };
        fs::metadata(name).ok().filter(fs::Metadata::is_file).map(|file| (file.dev(), file.ino()))
    };
    match (file(input, "/dev/stdin"), file(output, "/dev/stdout")) {
        (Some(input), Some(same)) if input == same => {
            Err(StoreError::Place { path: output.to_path_buf(), problem: PlaceProblem::Input })
        }
        _ => Ok(()),
    }
}
