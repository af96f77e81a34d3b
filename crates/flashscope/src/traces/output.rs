//! Where a trace or a page is written: a file that is whole under its name or not there, a pipe, or standard
//! output.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::exit::Usage;
use crate::whole::Whole;

/// An output that was opened.
pub struct Output {
    /// None if bytes go where they cannot be called back.
    file: Option<Whole>,
    /// What is written: `the trace`.
    what: &'static str,
}

impl Output {
    /// Opens the output of this name; `-` is standard output. A file gets another name until it is whole.
    ///
    /// # Errors
    /// What cannot be written, or must not be: a folder, a block device.
    pub fn create(name: &Path) -> Result<(Output, Box<dyn Write + Send>)> {
        Output::of("the trace", name)
    }

    /// The same for something else than a trace.
    pub fn of(what: &'static str, name: &Path) -> Result<(Output, Box<dyn Write + Send>)> {
        if name == Path::new("-") {
            return Ok((Output { file: None, what }, Box::new(std::io::stdout())));
        }
        let unwritable = || format!("cannot write {what} {}", name.display());
        let before = fs::metadata(name).ok();
        let kind = before.as_ref().map(fs::Metadata::file_type);
        if let Some(kind) = kind.filter(|kind| !kind.is_file() || is_descriptor(name)) {
            if kind.is_dir() || kind.is_block_device() {
                let what = if kind.is_dir() { "a folder" } else { "a block device" };
                return Err(Usage(format!("{}: it is {what}; name a file", unwritable())).into());
            }
            let stream = OpenOptions::new().write(true).open(name).with_context(unwritable)?;
            return Ok((Output { file: None, what }, Box::new(stream)));
        }
        let (file, writer) = Whole::create(name).with_context(unwritable)?;
        Ok((Output { file: Some(file), what }, Box::new(writer)))
    }

    /// Gives the file, which is whole now, its name.
    pub fn keep(self) -> Result<()> {
        let Some(file) = self.file else { return Ok(()) };
        let failed = format!("cannot write {} {}", self.what, file.name().display());
        file.keep().context(failed)
    }

    /// Leaves what there is of the file under the name it has, which is returned.
    pub fn keep_part(self) -> Option<PathBuf> {
        self.file.and_then(Whole::keep_part)
    }
}

/// Something that is already open, `/dev/stdout` as a rule.
pub fn is_descriptor(name: &Path) -> bool {
    ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"].iter().any(|open| name.starts_with(open))
}

/// Refuses to write where the trace is read from.
pub fn check_not_input(input: &Path, output: &Path) -> Result<()> {
    let file = |name: &Path, standard: &str| {
        let name = if name == Path::new("-") { Path::new(standard) } else { name };
        fs::metadata(name).ok().filter(fs::Metadata::is_file).map(|file| (file.dev(), file.ino()))
    };
    match (file(input, "/dev/stdin"), file(output, "/dev/stdout")) {
        (Some(input), Some(same)) if input == same => {
            let name = output.display();
            Err(Usage(format!("{name} is the trace that is read; name another file to write")).into())
        }
        _ => Ok(()),
    }
}
