//! `flashscope trace capture`: what a block device does, recorded by the kernel.

mod command;
mod disk;
mod form;
mod record;
mod view;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use clap::Args;
use flashscope_core::{Bytes, Nanos};
use flashscope_store::Output;
use flashscope_trace::capture::Capture;

use crate::exit::{Done, Usage, not_zero};
use crate::screen::Screen;
use crate::signal;
use command::{Command, How, until};
use disk::{Disk, holds};
use form::Form;
use record::{Recorded, record};
use view::Captured;

/// `flashscope trace capture`.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// The block device: a whole disk, or a partition, of whose disk the requests to its sectors are recorded
    pub device: PathBuf,
    /// The trace to write: .tracefs is the kernel's own text, else as `trace convert`; compressed if the name
    /// ends in .gz, .zst or .xz; - is standard output
    pub output: PathBuf,
    /// Record while this command runs, in a shell; what it prints goes to standard error. Everything is
    /// synced before and after
    #[arg(long, value_name = "CMD")]
    pub during: Option<String>,
    /// Record for so long [default: until Ctrl-C]
    #[arg(long, value_name = "T", conflicts_with = "during")]
    pub time: Option<Nanos>,
    /// The format to write [default: as the output's name ends]
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
    /// Do not sync before and after the command: what it wrote may come later, and is missing then
    #[arg(long, requires = "during")]
    pub no_sync: bool,
    /// The kernel's buffer, for all processors together
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    pub buffer: Bytes,
    /// Print what was recorded as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if the kernel lost events
    #[arg(long)]
    pub strict: bool,
}

/// Runs the command.
pub fn run(args: &CaptureArgs, screen: &Screen) -> Result<Done> {
    not_zero("--time", args.time)?;
    if args.json && args.output == Path::new("-") {
        return Err(
            Usage("--json and the trace cannot both go to standard output; name a file".into()).into()
        );
    }
    let form = Form::of(&args.output, args.to.as_deref())?;
    let disk = Disk::find(&args.device)?;
    let (out, file) = Output::create(&args.output)?;
    if holds(&disk.name, &args.output) {
        let (out, disk) = (args.output.display(), &disk.name);
        screen.note(&format!(
            "warning: {out} is on {disk} itself, so writing it is recorded too; use another disk, or memory \
             such as /dev/shm"
        ));
    }
    let captured = capture(args, &disk, &form, file, screen)?;
    out.keep()?;
    if args.json {
        screen.print(&serde_json::to_string_pretty(&captured.json(args, &disk, form.name()))?)?;
    }
    screen.note(&captured.summary(&args.output, form.name()));
    done(args, &captured)
}

/// Records until the command or the time is over, and until all that was recorded is written.
fn capture(
    args: &CaptureArgs,
    disk: &Disk,
    form: &Form,
    file: Box<dyn Write + Send>,
    screen: &Screen,
) -> Result<Captured> {
    let syncs = args.during.is_some() && !args.no_sync;
    if syncs {
        rustix::fs::sync();
    }
    let (interrupted, again) = signal::listen_twice();
    let (capture, stream) = Capture::start(&disk.subject, args.buffer.0)?;
    if args.during.is_none() && args.time.is_none() {
        screen.note(&format!("recording {} until Ctrl-C", disk.name));
    }
    thread::scope(|scope| {
        // Dropped in here, also after a failure, which ends the stream and with it the recorder.
        let capture = capture;
        let recorder = scope.spawn(|| record(stream, form, file, &args.output));
        let start = Instant::now();
        let command = args.during.as_deref().map(Command::start).transpose()?;
        let deadline = args.time.map(|time| start + Duration::from_nanos(time.0));
        let has_failed = || recorder.is_finished();
        let wait = || until(command, deadline, [interrupted, again], has_failed, screen);
        // A command has the screen to itself.
        let how = match args.during {
            Some(_) => wait(),
            None => screen.during(&format!("recording {}", disk.name), wait),
        }?;
        if syncs && how != How::Failed {
            rustix::fs::sync();
        }
        let seconds = start.elapsed().as_secs_f64();
        capture.stop()?;
        let recorded = recorder.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let recorded: Recorded = recorded?;
        Ok(Captured { how, seconds, recorded, dropped: capture.dropped()? })
    })
}

/// How flashscope ends: an interruption first, then a command that failed, then events that are missing.
fn done(args: &CaptureArgs, captured: &Captured) -> Result<Done> {
    let is_asked_to_stop = args.during.is_some() || args.time.is_some();
    match &captured.how {
        How::Interrupted(_) if is_asked_to_stop => return Ok(Done::Interrupted),
        How::Ended(status) if !status.success() => {
            let out = args.output.display();
            return Err(anyhow!("the command ended with {status}; its IO until then is in {out}"));
        }
        _ => {}
    }
    let is_whole = captured.dropped.total() == 0;
    Ok(if args.strict && !is_whole { Done::Unreliable } else { Done::Well })
}
