//! `flashscope pack`: a result in one file that can be sent.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use flashscope_core::number::{counted, size};
use flashscope_store::{PACK_EXTENSION, Packed, write_pack};

use crate::exit::{Done, Usage};
use crate::screen::Screen;
use crate::signal;

/// `flashscope pack`.
#[derive(Debug, Args)]
pub struct PackArgs {
    /// A result folder
    pub dir: PathBuf,
    /// Output file [default: ./DIR.flashscope]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Keep identifying details: serial number, names, paths
    #[arg(long)]
    pub identify: bool,
}

/// Runs the command.
pub fn run(args: &PackArgs, screen: &Screen) -> Result<Done> {
    let opened = screen.open(&args.dir)?;
    let output = args.output.clone().map_or_else(|| name_of(&args.dir), Ok)?;
    let packed = screen.during(&format!("packing {}", args.dir.display()), || {
        write_pack(opened.folder(), &output, args.identify, signal::listen())
    });
    let packed = match packed {
        Err(error) if error.is_interruption() => {
            screen.note(&format!("interrupted: {} was not written", output.display()));
            return Ok(Done::Interrupted);
        }
        packed => packed?,
    };
    tell(&packed, args.identify, screen);
    let files = counted(packed.files, "file");
    screen.print(&format!("{}   ({files}, {})", output.display(), size(packed.size_bytes as f64)))?;
    Ok(Done::Well)
}

/// The folder's name, here.
fn name_of(dir: &Path) -> Result<PathBuf> {
    let unreadable = |cause| Usage(format!("cannot read {}: {cause}; check the path", dir.display()));
    let whole = std::fs::canonicalize(dir).map_err(unreadable)?;
    let mut name = whole.file_name().unwrap_or("result".as_ref()).to_owned();
    if !whole.is_dir() {
        return Err(Usage("name the new pack with -o".into()).into());
    }
    name.push(format!(".{PACK_EXTENSION}"));
    Ok(PathBuf::from(name))
}

/// Says what is not in it.
fn tell(packed: &Packed, identify: bool, screen: &Screen) {
    if identify {
        screen.note("identifying details are included (--identify)");
    } else if packed.redacted.is_empty() {
        screen.note("no identifying details found");
    } else {
        screen.note("identifying details removed or replaced:");
        packed.redacted.iter().for_each(|line| screen.note(&format!("  {line}")));
        screen.note("(--identify keeps them)");
    }
    if !packed.left_out.is_empty() {
        let pictures = packed.left_out.iter().filter(|name| name.ends_with(".svg")).count() as u64;
        let mut named: Vec<&str> =
            packed.left_out.iter().filter(|name| !name.ends_with(".svg")).map(String::as_str).collect();
        let pictures = counted(pictures, "picture");
        named.push(&pictures);
        screen.note(&format!("not packed (not part of the result): {}", named.join(", ")));
    }
}
