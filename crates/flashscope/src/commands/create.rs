//! `flashscope create`: a file to measure.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::Result;
use clap::Args;
use flashscope_core::Bytes;
use flashscope_core::number::size;
use flashscope_device::create_file;

use crate::exit::Done;
use crate::progress::bytes_bar;
use crate::screen::Screen;
use crate::shell::quoted;
use crate::signal;

/// `flashscope create`.
#[derive(Debug, Args)]
pub struct CreateArgs {
    /// The file to create
    pub file: PathBuf,
    /// Its size
    #[arg(allow_negative_numbers = true)]
    pub size: Bytes,
}

/// Runs the command.
pub fn run(args: &CreateArgs, screen: &Screen) -> Result<Done> {
    let interrupted = signal::listen();
    let bar = bytes_bar(screen, args.size.0, "writing");
    let seed = flashscope_lab::fresh_seed();
    let result = create_file(&args.file, args.size.0, seed, &mut |done_bytes| {
        bar.set_position(done_bytes);
        if interrupted.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    if interrupted.load(Ordering::Relaxed) {
        return Ok(Done::Interrupted);
    }
    result?;
    screen.print(&format!(
        "{}: {} of random data; try: flashscope run {} --quick --write",
        args.file.display(),
        size(args.size.0 as f64),
        quoted(&args.file)
    ))?;
    Ok(Done::Well)
}
