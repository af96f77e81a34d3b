//! `flashscope trace convert`: a trace in another format.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_trace::{Compress, FORMATS, Losses, Records, Writer};

use super::open::{ReadArgs, named, open};
use super::output::{Output, check_not_input};
use crate::exit::{Done, Usage};
use crate::screen::Screen;
use crate::signal;

/// `flashscope trace convert`.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The trace; - is standard input
    pub input: PathBuf,
    /// What to write, compressed if its name ends in .gz, .zst or .xz; - is standard output
    pub output: PathBuf,
    #[command(flatten)]
    /// How it is read.
    pub read: ReadArgs,
    #[command(flatten)]
    /// How it is written.
    pub write: WriteFormat,
}

/// What every command takes that writes a trace.
#[derive(Clone, Debug, Args)]
pub struct WriteFormat {
    /// The format to write [default: as the output's name ends]
    #[arg(long, value_name = "NAME")]
    pub to: Option<String>,
}

/// Runs the command.
pub fn run(args: &ConvertArgs, screen: &Screen) -> Result<Done> {
    let format = output_format(&args.output, args.write.to.as_deref())?;
    let mut trace = open(&args.input, args.read.from.as_deref(), args.read.lenient)?;
    let written = write_trace(&mut trace, &args.input, &args.output, format)?;
    screen.note(&summary(&written, &*trace, &args.output, format));
    Ok(if written.complete { Done::Well } else { Done::Interrupted })
}

/// What was written.
pub struct WrittenTrace {
    /// What the format could not hold.
    pub losses: Losses,
    /// Requests, those included that were left out.
    pub records: u64,
    /// Whether it is the whole trace.
    pub complete: bool,
    /// The file's name, if it is not the one that was asked for because it is not complete.
    pub part: Option<PathBuf>,
}

/// Writes all of `trace`, read from `input`, to the file `output`, or to standard output. A file that exists
/// is replaced when the new one is whole; when the trace fails, it stays as it was.
pub fn write_trace(
    trace: &mut dyn Records,
    input: &Path,
    output: &Path,
    format: &str,
) -> Result<WrittenTrace> {
    check_not_input(input, output)?;
    let interrupted = signal::listen();
    let mut batch = Vec::new();
    // The input is looked at before the output is touched.
    let mut count = trace.next_batch(&mut batch).map_err(|error| named(input, error))?;
    let (file, bytes) = Output::create(output)?;
    let mut writer = Writer::new(bytes, format, compression(output)).map_err(|error| named(output, error))?;
    let mut records = 0;
    let mut failure = None;
    while count > 0 && !interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        writer.write(&batch, trace.devices()).map_err(|error| named(output, error))?;
        records += count as u64;
        count = match trace.next_batch(&mut batch) {
            Ok(count) => count,
            Err(error) => {
                // Whoever reads along gets what was in order before the error.
                writer.write(&batch, trace.devices()).map_err(|error| named(output, error))?;
                failure = Some(named(input, error));
                0
            }
        };
    }
    let losses = writer.finish().map_err(|error| named(output, error))?;
    if let Some(error) = failure {
        return Err(error);
    }
    let complete = count == 0;
    let part = if complete { file.keep().map(|()| None)? } else { file.keep_part() };
    Ok(WrittenTrace { losses, records, complete, part })
}

/// As the output's name ends.
fn compression(output: &Path) -> Compress {
    Compress::of_name(output.to_str().unwrap_or_default()).1
}

/// The format to write: as asked, or as the name ends.
pub fn output_format<'a>(output: &Path, asked: Option<&'a str>) -> Result<&'a str> {
    let known = FORMATS.iter().filter(|format| format.is_written());
    if let Some(name) = asked {
        return match known.clone().any(|format| format.name == name) {
            true => Ok(name),
            false => {
                let names: Vec<_> = known.map(|format| format.name).collect();
                Err(Usage(format!("--to {name}: write one of {}", names.join(", "))).into())
            }
        };
    }
    let (name, _) = Compress::of_name(output.to_str().unwrap_or_default());
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let named = known.clone().find(|format| format.extensions.contains(&extension));
    named.map(|format| format.name).ok_or_else(|| {
        let names: Vec<_> = known.map(|format| format.name).collect();
        let output = output.display();
        Usage(format!(
            "the name {output} does not tell the format; add --to with one of {}",
            names.join(", ")
        ))
        .into()
    })
}

/// What a person reads afterwards.
pub fn summary(written: &WrittenTrace, trace: &dyn Records, output: &Path, format: &str) -> String {
    let WrittenTrace { losses, records, complete, part } = written;
    let begin = if *complete { "" } else { "interrupted: " };
    let output = part.as_deref().unwrap_or(output).display();
    let mut lines = vec![format!("{begin}{records} requests written to {output} as {format}")];
    for note in trace.notes() {
        lines.push(format!("  {} {}", note.count, note.about));
    }
    for (loss, count) in losses.iter() {
        lines.push(format!("  {count} {}", loss.about()));
    }
    let counts = trace.counts();
    if counts.bad_lines > 0 {
        let first = trace.first_bad_line().map(|error| format!("; the first: {error}")).unwrap_or_default();
        lines.push(format!("  {} bad lines of the input are left out{first}", counts.bad_lines));
    }
    if counts.unsorted > 0 {
        lines.push(format!(
            "  {} requests of the input are earlier than the one before them",
            counts.unsorted
        ));
    }
    if counts.is_last_line_open {
        lines.push("  the input's last line has no end: the file may have been cut".into());
    }
    lines.join("\n")
}
