//! `flashscope trace merge`: several traces as one, in the order of time.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_store::check_not_input;
use flashscope_trace::transform::Merge;
use flashscope_trace::{Records, Through, TraceError};

use super::convert::{WriteFormat, output_format, summary, write_trace};
use super::open::{ReadArgs, open};
use crate::exit::{Done, Usage};
use crate::screen::Screen;

/// `flashscope trace merge`.
#[derive(Debug, Args)]
#[command(override_usage = "flashscope trace merge [OPTIONS] <IN> <IN>... <OUT>")]
pub struct MergeArgs {
    /// The traces, two or more, and at last what to write
    #[arg(required = true, num_args = 3.., value_name = "IN IN .. OUT")]
    pub files: Vec<PathBuf>,
    /// Align the first requests of all traces, instead of using their timestamps
    #[arg(long)]
    pub together: bool,
    #[command(flatten)]
    /// How they are read.
    pub read: ReadArgs,
    #[command(flatten)]
    /// How it is written.
    pub write: WriteFormat,
}

/// Runs the command.
pub fn run(args: &MergeArgs, screen: &Screen) -> Result<Done> {
    let Some((output, inputs)) = args.files.split_last() else {
        return Err(Usage("name the traces, then the output".into()).into());
    };
    let format = output_format(output, args.write.to.as_deref())?;
    let (merged, written) = screen.during("merging", || {
        let mut traces: Vec<Box<dyn Records>> = Vec::new();
        for path in inputs {
            check_not_input(path, output)?;
            let records = open(path, &args.read)?;
            traces.push(Box::new(one_of_several(records, path.clone(), args.together)));
        }
        let mut merged = Merge::new(traces);
        let written = write_trace(&mut merged, Path::new("the traces"), output, format)?;
        anyhow::Ok((merged, written))
    })?;
    screen.note(&summary(&written, &merged, output, format));
    Ok(if written.complete { Done::Well } else { Done::Interrupted })
}

/// A trace whose errors name it, and which starts at 0 if the traces are aligned.
fn one_of_several(records: Box<dyn Records>, path: PathBuf, together: bool) -> impl Records {
    let mut from_ns = None;
    Through::new(records, move |records, batch| {
        let read = records.next_batch(batch);
        if let (true, Some(first)) = (together, batch.first()) {
            let from_ns = *from_ns.get_or_insert(first.time_ns);
            // What is earlier than the first request comes with it.
            batch.iter_mut().for_each(|record| record.time_ns = record.time_ns.saturating_sub(from_ns));
        }
        read.map_err(|error| TraceError::In { file: path.display().to_string(), error: Box::new(error) })
    })
}
