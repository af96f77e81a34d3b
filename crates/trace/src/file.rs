//! Traces as files: opened by their path, any number of times, interruptible.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::OFlags;

use crate::columns::Columns;
use crate::error::{STDIN, TraceError};
use crate::format::Formats;
use crate::format::blktrace::CpuFiles;
use crate::interrupt::{InterruptibleFile, Stop};
use crate::output::Compress;
use crate::pipeline::Reopen;
use crate::reader::ReadOptions;
use crate::reading::{Stage, StatedUnits};
use crate::records::Records;
use crate::seekable::is_read_from_its_end;

/// A trace file, and how it is read. Errors of its records do not name it; errors of opening do
/// ([`TraceError::In`]).
#[derive(Clone, Default)]
pub struct TraceFile {
    /// Where it is; `-` is standard input. Any of blktrace's files of one for each CPU, or what stands before
    /// `.blktrace.0`, names all of them.
    pub path: PathBuf,
    /// The name of its format; none to recognise it.
    pub format: Option<String>,
    /// What it may be of.
    pub formats: Formats,
    /// Bad lines are left out and counted.
    pub lenient: bool,
    /// As in [`ReadOptions::stage`].
    pub stage: Option<Stage>,
    /// As in [`ReadOptions::units`].
    pub units: StatedUnits,
    /// As in [`ReadOptions::columns`].
    pub columns: Option<Columns>,
    /// When reading ends before the end.
    pub stop: Stop,
    /// Called with the bytes of each read, but not where a format is read from its end.
    pub on_read: Option<OnRead>,
}

/// Called with a number of bytes.
pub type OnRead = Arc<dyn Fn(u64) + Send + Sync>;

impl TraceFile {
    /// The file of this name, its format recognised, read strictly.
    pub fn new(path: impl Into<PathBuf>) -> TraceFile {
        TraceFile { path: path.into(), ..TraceFile::default() }
    }

    /// Opens it. Its records end with [`TraceError::Interrupted`] where [`TraceFile::stop`] says, however
    /// little of what is read comes through.
    ///
    /// # Errors
    /// A file that cannot be read, or is no trace.
    pub fn open(&self) -> Result<Box<dyn Records>, TraceError> {
        self.open_until(self.stop.clone())
    }

    fn open_until(&self, stop: Stop) -> Result<Box<dyn Records>, TraceError> {
        match self.records(&stop) {
            Ok(records) => Ok(Box::new(stop.end(records))),
            Err(_) if stop.alone().is_due() => Err(TraceError::Interrupted),
            Err(error) => Err(error.in_file(&self.path)),
        }
    }

    fn records(&self, stop: &Stop) -> Result<Box<dyn Records>, TraceError> {
        let options = self.options();
        if is_single(&self.path) {
            let file = file(&self.path)?;
            let is_table = self.columns.is_some();
            if !is_table && is_read_from_its_end(&file, self.format.as_deref()) {
                return self.formats.open_file_with(file, &options);
            }
            return Ok(Box::new(self.formats.open_with(self.bytes_of(file, stop), &options)?));
        }
        Ok(Box::new(self.formats.open_with(self.all_bytes(stop)?, &options)?))
    }

    fn options(&self) -> ReadOptions {
        let (name, _) = Compress::of_name(self.path.to_str().unwrap_or_default());
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        ReadOptions {
            format: self.format.clone(),
            extension: extension.unwrap_or_default().into(),
            lenient: self.lenient,
            stage: self.stage,
            units: self.units,
            columns: self.columns.clone(),
            ..ReadOptions::default()
        }
    }

    /// Its bytes as they are.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn bytes(&self) -> Result<Box<dyn Read + Send>, TraceError> {
        self.all_bytes(&self.stop).map_err(|error| error.in_file(&self.path))
    }

    fn all_bytes(&self, stop: &Stop) -> Result<Box<dyn Read + Send>, TraceError> {
        if self.path == Path::new(STDIN) {
            let stdin = std::io::stdin().as_fd().try_clone_to_owned();
            let stdin = stdin.map_err(|error| TraceError::Open { cause: error.into() })?;
            return Ok(Box::new(self.bytes_of(stdin.into(), stop)));
        }
        let Some(files) = cpu_files(&self.path) else {
            return Ok(Box::new(self.bytes_of(file(&self.path)?, stop)));
        };
        let open = |path: &PathBuf| Ok(Box::new(self.bytes_of(file(path)?, stop)) as Box<dyn Read + Send>);
        let files = files.iter().map(open).collect::<Result<_, TraceError>>()?;
        Ok(Box::new(CpuFiles::new(files)?))
    }

    fn bytes_of(&self, file: File, stop: &Stop) -> InterruptibleFile<impl FnMut(u64) + Send + use<>> {
        let on_read = self.on_read.clone();
        InterruptibleFile::new(file, stop.clone(), move |bytes| {
            if let Some(on_read) = &on_read {
                on_read(bytes);
            }
        })
    }

    /// How many bytes reading it takes, if known and reported to [`TraceFile::on_read`].
    pub fn bytes_to_read(&self) -> Option<u64> {
        if self.path == Path::new(STDIN) {
            return None;
        }
        let bytes = |path: &PathBuf| {
            std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())
        };
        match cpu_files(&self.path) {
            Some(files) => files.iter().map(bytes).sum(),
            // A pipe is not even opened: who writes to it would meet one that is closed again.
            None => bytes(&self.path).filter(|_| {
                file(&self.path).is_ok_and(|file| !is_read_from_its_end(&file, self.format.as_deref()))
            }),
        }
    }

    /// Whether it gives its bytes only once: a pipe, or standard input.
    pub fn is_read_once(&self) -> bool {
        let is_pipe = |metadata: std::fs::Metadata| !metadata.is_file() && !metadata.is_dir();
        self.path == Path::new(STDIN) || std::fs::metadata(&self.path).is_ok_and(is_pipe)
    }
}

impl Reopen for TraceFile {
    fn open(&self) -> Result<Box<dyn Records>, TraceError> {
        TraceFile::open(self)
    }

    fn open_for_survey(&self) -> Result<Box<dyn Records>, TraceError> {
        self.open_until(self.stop.alone())
    }

    fn is_read_once(&self) -> bool {
        TraceFile::is_read_once(self)
    }
}

/// Whether the name is of one file.
fn is_single(path: &Path) -> bool {
    path != Path::new(STDIN) && cpu_files(path).is_none()
}

fn file(path: &Path) -> Result<File, TraceError> {
    // Opening a named pipe does not wait for who writes to it: reading does.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| TraceError::Open { cause: error.into() })?;
    match file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        true => Err(TraceError::Folder),
        false => Ok(file),
    }
}

/// The files that blktrace wrote beside this one, it included, in the order of the CPUs; none if it is no
/// such file, and no beginning of such a name.
pub fn cpu_files(path: &Path) -> Option<Vec<PathBuf>> {
    const MARK: &str = ".blktrace.";
    let cpu = |digits: &str| digits.parse::<u32>().ok();
    let name = path.file_name()?.to_str()?;
    let base = match name.rsplit_once(MARK) {
        Some((base, digits)) if cpu(digits).is_some() => base,
        _ if path.exists() => return None,
        _ => name,
    };
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let number = |path: &Path| cpu(path.file_name()?.to_str()?.strip_prefix(base)?.strip_prefix(MARK)?);
    let entries = parent.read_dir().ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut files: Vec<_> = entries.filter_map(|path| Some((number(&path)?, path))).collect();
    files.sort();
    (!files.is_empty()).then(|| files.into_iter().map(|(_, path)| path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
    }

    #[test]
    fn blktraces_files_are_found_by_any_of_them_or_by_what_they_share() {
        let expected: Vec<_> =
            (0..3).map(|cpu| samples().join(format!("hand-made.blktrace.{cpu}"))).collect();
        for name in ["hand-made", "hand-made.blktrace.0", "hand-made.blktrace.2"] {
            assert_eq!(cpu_files(&samples().join(name)).as_ref(), Some(&expected), "{name}");
        }
        for name in ["hand", "hand-made.blktrace", "hand-made-big-endian.blktrace", "hand-made-1.vscsi", ""] {
            assert_eq!(cpu_files(&samples().join(name)), None, "{name}");
        }
    }

    #[test]
    fn a_set_of_files_is_read_as_one_trace() {
        let mut trace = TraceFile::new(samples().join("hand-made")).open().unwrap();
        let mut batch = Vec::new();
        while trace.next_batch(&mut batch).unwrap() > 0 {}
        assert_eq!((trace.format(), trace.counts().records, trace.counts().unsorted), ("blktrace", 48, 0));
    }
}
