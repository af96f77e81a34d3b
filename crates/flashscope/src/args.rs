//! Flags that several commands share. Those of one command stand in its own file.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use flashscope_device::{DataPattern, Engine};

/// Flags of every command.
#[derive(Debug, Args)]
pub struct Global {
    /// Print only the result and errors: no progress, no remarks
    #[arg(long, short, global = true, display_order = 900)]
    pub quiet: bool,
    /// More detail on standard error
    #[arg(long, short, global = true, display_order = 900)]
    pub verbose: bool,
    /// Paint the result and remarks [default: auto, on a terminal without NO_COLOR]
    #[arg(long, value_name = "WHEN", global = true, display_order = 900, hide_short_help = true)]
    pub color: Option<When>,
}

/// When something is done that depends on the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// As the terminal allows it.
    #[default]
    Auto,
    /// Wherever the text goes.
    Always,
    /// Not at all.
    Never,
}

/// What a run enforces first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StateArg {
    /// Random writes of random size over the whole space: stable (uFLIP's state)
    Random,
    /// One sequential pass: faster to reach, less stable
    Sequential,
    /// The device as it is
    AsIs,
}

/// Leave to write, and its proof.
#[derive(Debug, Args)]
pub struct WriteArgs {
    /// Allow writing: destroys the data on the target
    #[arg(long)]
    pub write: bool,
    /// Confirm a block device by its serial number, as shown by `flashscope check`
    #[arg(long, value_name = "SERIAL")]
    pub confirm: Option<String>,
    /// Allow writing to a regular file that flashscope did not create
    #[arg(long)]
    pub overwrite_existing_data: bool,
}

/// How the target is driven and where the result goes.
#[derive(Debug, Args)]
pub struct LabArgs {
    /// IO engine on real targets: sync or io_uring [default: sync; io_uring where IOs overlap]
    #[arg(long)]
    pub engine: Option<Engine>,
    /// Data to write: random, zeros, counter, age or numbered
    #[arg(long, default_value = "random", value_name = "PATTERN")]
    pub data: DataPattern,
    /// Seed of all randomness [default: a new one, shown and stored]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Result folder [default: ./flashscope-TARGET-DATE]
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    pub json: bool,
    /// Exit with status 4 if part of the result is not reliable (for the machine: flashscope doctor --strict)
    #[arg(long)]
    pub strict: bool,
}
