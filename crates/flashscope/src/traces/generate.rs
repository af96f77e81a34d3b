//! `flashscope trace generate`: a workload made up, as a trace.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_core::Bytes;
use flashscope_trace::TraceError;
use flashscope_trace::generate::{Generated, Options, generate};

use super::convert::{WriteFormat, output_format, summary, write_trace};
use crate::exit::{Done, Usage};
use crate::screen::Screen;
use flashscope_lab::fresh_seed;

/// `flashscope trace generate`.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// What to generate, see `flashscope list generators`
    pub name: String,
    /// What to write, compressed if its name ends in .gz, .zst or .xz; - is standard output
    pub output: PathBuf,
    #[command(flatten)]
    /// What is made up.
    pub generator: GeneratorArgs,
    #[command(flatten)]
    /// How it is written.
    pub write: WriteFormat,
}

/// How a workload is made up.
#[derive(Clone, Debug, Args)]
pub struct GeneratorArgs {
    /// Bytes of the device
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub size: Bytes,
    /// The most requests [default: as many as the workload has]
    #[arg(long, value_name = "N")]
    pub number_ios: Option<u64>,
    /// Seed of everything random [default: a new one, shown]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Any setting of the generator; may be given many times
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

impl GeneratorArgs {
    /// The workload of this name.
    ///
    /// # Errors
    /// A name, key or value that there is not.
    pub fn generate(&self, name: &str, seed: u64) -> Result<Generated> {
        let options = Options {
            size_bytes: self.size.0,
            number_ios: self.number_ios,
            seed,
            set: self.set.iter().map(|text| pair(text)).collect::<Result<_>>()?,
        };
        generate(name, &options).map_err(|error| {
            let is_key = |key: &str| self.set.iter().any(|text| text.split('=').next() == Some(key));
            let place = match &error {
                TraceError::Setting { key, .. } if key == "size" && !is_key(key) => "--",
                TraceError::Setting { .. } => "--set ",
                _ => "",
            };
            Usage(format!("{place}{error}")).into()
        })
    }
}

fn pair(text: &str) -> Result<(String, String)> {
    let (key, value) = text
        .split_once('=')
        .ok_or_else(|| Usage(format!("--set {text}: write KEY=VALUE, such as ios=1000")))?;
    Ok((key.trim().into(), value.trim().into()))
}

/// Runs the command.
pub fn run(args: &GenerateArgs, screen: &Screen) -> Result<Done> {
    let format = output_format(&args.output, args.write.to.as_deref())?;
    if args.generator.number_ios == Some(0) {
        return Err(Usage("--number-ios must be at least 1".into()).into());
    }
    let seed = args.generator.seed.unwrap_or_else(fresh_seed);
    let mut trace = args.generator.generate(&args.name, seed)?;
    let written = screen.during(&format!("generating {}", args.name), || {
        write_trace(&mut trace, Path::new(""), &args.output, format)
    })?;
    let summary = summary(&written, &trace, &args.output, format);
    let (first, rest) = summary.split_once('\n').unwrap_or((&summary, ""));
    screen.note(format!("{first}, seed {seed}\n{rest}").trim_end());
    Ok(if written.complete { Done::Well } else { Done::Interrupted })
}
