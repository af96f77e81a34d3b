//! Traces opened by their name on the command line, with errors that name the file.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use anyhow::{Context as _, Result};
use clap::Args;
use flashscope_trace::{CpuFiles, Records, Remedy, TraceError, is_read_from_its_end, open_file};
use indicatif::ProgressBar;
use rustix::fs::OFlags;

use super::heeding::{HeedingFile, Until, heeding};
use crate::exit::{Interrupted, Usage};
use crate::signal;

/// What every command takes that reads a trace.
#[derive(Clone, Debug, Default, Args)]
pub struct ReadArgs {
    /// The trace's format [default: found out]
    #[arg(long, value_name = "NAME")]
    pub from: Option<String>,
    /// Leave out bad lines and count them
    #[arg(long)]
    pub lenient: bool,
}

/// Opens the trace of this name; `-` is standard input. It ends with [`TraceError::Interrupted`] once the
/// person interrupts it, however little of what is read comes through.
pub fn open(path: &Path, read: &ReadArgs) -> Result<Box<dyn Records>> {
    open_until(path, read, Until::CtrlC, &ProgressBar::hidden())
}

/// As [`open`], ending as `until` says. The bar moves by the bytes that are read, but not where a format is
/// read from its end.
pub fn open_until(path: &Path, read: &ReadArgs, until: Until, bar: &ProgressBar) -> Result<Box<dyn Records>> {
    signal::listen();
    let (format, lenient) = (read.from.as_deref(), read.lenient);
    let bytes = |file| HeedingFile { file, until: until.clone(), bar: bar.clone() };
    let opened = match is_single(path).then(|| file(path)).transpose()? {
        Some(file) if is_read_from_its_end(&file, format) => open_file(file, format, lenient),
        Some(file) => flashscope_trace::open(bytes(file), format, lenient).map(|trace| Box::new(trace) as _),
        None => {
            let all = bytes_of(path, |file| Box::new(bytes(file)))?;
            flashscope_trace::open(all, format, lenient).map(|trace| Box::new(trace) as _)
        }
    };
    match opened {
        Ok(records) => Ok(Box::new(heeding(records, until))),
        Err(_) if signal::flag().load(Ordering::Relaxed) => Err(Interrupted.into()),
        Err(error) => Err(named(path, error)),
    }
}

/// How many bytes reading it takes, if that is known and seen as they are read.
pub fn bytes_to_read(path: &Path, read: &ReadArgs) -> Option<u64> {
    if path == Path::new("-") {
        return None;
    }
    let bytes =
        |path: &PathBuf| std::fs::metadata(path).ok().filter(|file| file.is_file()).map(|file| file.len());
    match cpu_files(path) {
        Some(files) => files.iter().map(bytes).sum(),
        // A pipe is not even opened: who writes to it would meet one that is closed again.
        None => bytes(&path.to_path_buf())
            .filter(|_| file(path).is_ok_and(|file| !is_read_from_its_end(&file, read.from.as_deref()))),
    }
}

/// Whether the name is of one file.
fn is_single(path: &Path) -> bool {
    path != Path::new("-") && cpu_files(path).is_none()
}

/// The bytes of the file of this name; `-` is standard input. Of blktrace's files of one for each CPU, any,
/// or what stands before `.blktrace.0`, names all.
pub fn input(path: &Path) -> Result<Box<dyn Read + Send>> {
    let (until, bar) = (Until::CtrlC, ProgressBar::hidden());
    bytes_of(path, |file| Box::new(HeedingFile { file, until: until.clone(), bar: bar.clone() }))
}

fn bytes_of(path: &Path, open: impl Fn(File) -> Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    if path == Path::new("-") {
        let stdin = std::io::stdin().as_fd().try_clone_to_owned();
        return Ok(open(stdin.context("cannot read standard input")?.into()));
    }
    let Some(files) = cpu_files(path) else { return Ok(open(file(path)?)) };
    let files = files.iter().map(|path| Ok(open(file(path)?))).collect::<Result<_>>()?;
    Ok(Box::new(CpuFiles::new(files).map_err(|error| named(path, error))?))
}

fn file(path: &Path) -> Result<File> {
    let unreadable = |cause| Usage(format!("cannot read the trace {}: {cause}", path.display()));
    // Opening a named pipe does not wait for who writes to it: reading does.
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let file = file.map_err(|error| unreadable(format!("{error}; check the path")))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(unreadable("it is a folder; name a file in it".into()).into());
    }
    Ok(file)
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

/// Whether a trace gives its bytes only once: a pipe, or standard input.
pub fn is_read_once(path: &Path) -> bool {
    let is_pipe = |metadata: std::fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    path == Path::new("-") || std::fs::metadata(path).is_ok_and(is_pipe)
}

/// Refuses a trace that gives its bytes only once: a pipe, or standard input.
pub fn check_file(path: &Path, why: &str) -> Result<(), Usage> {
    if !is_read_once(path) {
        return Ok(());
    }
    Err(Usage(format!("{why}, and {} gives it only once: store it in a file first", path.display())))
}

/// What to say of a trace whose last line has no end: a number in it may be cut, and still be one.
pub fn open_end(trace: &dyn Records) -> Option<String> {
    let text = "the trace's last line has no end: if the file was cut there, its last request may be wrong";
    trace.counts().is_last_line_open.then(|| text.into())
}

/// A way out as flags.
fn flags(remedy: &Remedy) -> Option<&'static str> {
    match remedy {
        Remedy::ReadLeniently => Some("mend it, or add --lenient to leave it out"),
        Remedy::OneDevice => {
            Some("choose one with --device, or make one of all with --fit modulo --concatenate")
        }
        Remedy::Fit => Some("take a larger target, or add --fit modulo, compact or linear"),
        Remedy::Align => Some("take a target with smaller blocks, or add --align with their size"),
        Remedy::Other(_) => None,
    }
}

/// An error of a trace in the words of the command line, with the trace's name.
pub fn message(path: &Path, error: &TraceError) -> String {
    let name = if path == Path::new("-") { PathBuf::from("standard input") } else { path.to_path_buf() };
    let text = match error.remedy().and_then(flags) {
        Some(flags) => error.with_remedy(Some(flags)),
        None => error.to_string(),
    };
    let several = match error {
        TraceError::NoSuchDevice { device, .. } if device.contains(',') => {
            "; --device names one, and may be given several times"
        }
        _ => "",
    };
    format!("{}: {text}{several}", name.display())
}

/// An error of a trace, with its name. One that a flag could have avoided is the caller's.
pub fn named(path: &Path, error: TraceError) -> anyhow::Error {
    if error.is_interruption() {
        return Interrupted.into();
    }
    let text = message(path, &error);
    match error {
        TraceError::UnknownFormat { .. } | TraceError::UnwrittenFormat { .. } | TraceError::Empty => {
            Usage(text).into()
        }
        _ => anyhow::anyhow!(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace/samples")
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
        let mut trace = open(&samples().join("hand-made"), &ReadArgs::default()).unwrap();
        let mut batch = Vec::new();
        while trace.next_batch(&mut batch).unwrap() > 0 {}
        assert_eq!((trace.format(), trace.counts().records, trace.counts().unsorted), ("blktrace", 48, 0));
    }
}
