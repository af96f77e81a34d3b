//! `flashscope trace convert`: a trace in another format.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_core::number::{self, counted};
use flashscope_lab::open_end;
use flashscope_store::{Output, check_not_input};
use flashscope_trace::{Compress, FORMATS, Losses, Records, Writer};

use super::open::{ReadArgs, named, open};
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
    let (trace, written) = screen.during(&format!("converting {}", args.input.display()), || {
        let mut trace = open(&args.input, &args.read)?;
        let written = write_trace(&mut trace, &args.input, &args.output, format)?;
        anyhow::Ok((trace, written))
    })?;
    screen.note(&summary(&written, &*trace, &args.output, format));
    Ok(if written.complete { Done::Well } else { Done::Interrupted })
}

/// What was written.
pub struct WrittenTrace {
    /// What the format could not hold.
    pub losses: Losses,
    /// Requests that are in it; those the format could not hold are not.
    pub records: u64,
    /// Whether it is the whole trace.
    pub complete: bool,
    /// Whether it is there: a part of a trace is left in a pipe, but not in a file.
    pub is_there: bool,
}

/// Writes all of `trace`, read from `input`, to the file `output`, or to standard output. A file that exists
/// is replaced when the new one is whole; when the trace fails, is interrupted, or leaves nothing to write,
/// it stays as it was.
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
    let (mut failure, mut is_cut) = (None, false);
    while count > 0 && !interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        writer.write(&batch, trace.devices()).map_err(|error| named(output, error))?;
        records += count as u64;
        count = match trace.next_batch(&mut batch) {
            Ok(count) => count,
            Err(error) => {
                // Whoever reads along gets what was in order before the error.
                writer.write(&batch, trace.devices()).map_err(|error| named(output, error))?;
                is_cut = error.is_interruption();
                failure = (!is_cut).then(|| named(input, error));
                0
            }
        };
    }
    let losses = writer.finish().map_err(|error| named(output, error))?;
    if let Some(error) = failure {
        return Err(error);
    }
    let complete = count == 0 && !is_cut;
    let is_there = complete || file.is_stream();
    let written = WrittenTrace { losses, records: records - losses.left_out(), complete, is_there };
    if complete && written.records == 0 {
        return Err(nothing_left(&written, trace, format).into());
    }
    if complete {
        file.keep()?;
    }
    Ok(written)
}

/// What to say if no request came through.
fn nothing_left(written: &WrittenTrace, trace: &dyn Records, format: &str) -> Usage {
    let remedy = match written.losses.left_out() {
        0 => "select more of the trace".into(),
        _ => format!("format {format} cannot hold these requests; choose another one with --to"),
    };
    let lines = [vec![format!("no request of the trace is left; {remedy}")], what_changed(written, trace)];
    Usage(lines.concat().join("\n"))
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
                Err(Usage(format!("--to: unknown format '{name}'; choose one of {}", names.join(", ")))
                    .into())
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
            "cannot tell the format from the name {output}; add --to with one of {}",
            names.join(", ")
        ))
        .into()
    })
}

/// What a person reads afterwards.
pub fn summary(written: &WrittenTrace, trace: &dyn Records, output: &Path, format: &str) -> String {
    let begin = if written.complete { "" } else { "interrupted: " };
    let output = output.display();
    if !written.is_there {
        return format!("{begin}{output} was not written");
    }
    let requests = counted(written.records, "request");
    let first = format!("{begin}{requests} written to {output} as {format}");
    [vec![first], what_changed(written, trace)].concat().join("\n")
}

/// What differs from the trace that was read, and what it was like.
fn what_changed(written: &WrittenTrace, trace: &dyn Records) -> Vec<String> {
    let mut lines: Vec<String> = trace.notes().iter().map(|note| format!("  {note}")).collect();
    lines.extend(
        written.losses.iter().map(|(loss, count)| format!("  {}: {}", loss.about(), number::count(count))),
    );
    lines.extend(trace.reading().map(|reading| format!("  read as {reading}")));
    let counts = trace.counts();
    if counts.bad_lines > 0 {
        let first = trace.first_bad_line().map(|error| format!("; the first: {}", error.with_remedy(None)));
        let lines_left_out = number::count(counts.bad_lines);
        lines.push(format!("  unreadable lines skipped: {lines_left_out}{}", first.unwrap_or_default()));
    }
    if counts.other_lines > 0 {
        lines.push(format!("  {} of the input without a request", counted(counts.other_lines, "line")));
    }
    if counts.unsorted > 0 {
        lines.push(format!("  requests out of time order: {}", number::count(counts.unsorted)));
    }
    lines.extend(open_end(trace).map(|text| format!("  {text}")));
    lines
}
