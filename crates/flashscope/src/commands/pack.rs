//! `flashscope pack`: a result in one file that can be sent.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flashscope_core::number::{counted, size};
use flashscope_store::AtomicFile;

use crate::cli::PackArgs;
use crate::exit::{Done, Interrupted, Usage};
use crate::pack::{ENDING, Opened, Packed, is_pack, write};
use crate::screen::Screen;
use crate::signal;

/// Runs the command.
pub fn run(args: &PackArgs, screen: &Screen) -> Result<Done> {
    let opened = Opened::of(&args.dir, screen)?;
    let output = args.output.clone().map_or_else(|| name_of(&args.dir), Ok)?;
    may_replace(&output)?;
    let unwritable = || format!("cannot write the pack {}", output.display());
    // Before there is anything to clean up.
    let interrupted = signal::listen();
    let (kept, mut file) = AtomicFile::create(&output).with_context(unwritable)?;
    let packed = match write(opened.folder(), args.identify, &mut file, interrupted) {
        Err(error) if error.is::<Interrupted>() => {
            screen.note(&format!("interrupted: {} was not written", output.display()));
            return Ok(Done::Interrupted);
        }
        packed => packed?,
    };
    let bytes = file.metadata().with_context(unwritable)?.len();
    drop(file);
    kept.keep().with_context(unwritable)?;
    tell(&packed, args.identify, screen);
    let files = counted(packed.files, "file");
    screen.print(&format!("{}   ({files}, {})", output.display(), size(bytes as f64)))?;
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
    name.push(format!(".{ENDING}"));
    Ok(PathBuf::from(name))
}

/// Refuses to write over what is no pack.
fn may_replace(output: &Path) -> Result<()> {
    if !output.exists() || (output.is_file() && is_pack(output).is_ok_and(|is_pack| is_pack)) {
        return Ok(());
    }
    let problem = format!("{} is there and no pack of flashscope; choose another -o", output.display());
    Err(Usage(problem).into())
}

/// Says what is not in it.
fn tell(packed: &Packed, identify: bool, screen: &Screen) {
    if identify {
        screen.note("everything is in it that says whose device and machine this was (--identify)");
    } else if packed.veiled.is_empty() {
        screen.note("nothing that identifies a person or a machine was found in it");
    } else {
        screen.note("left out or replaced, because it says whose device or machine this was:");
        packed.veiled.iter().for_each(|line| screen.note(&format!("  {line}")));
        screen.note("--identify keeps it");
    }
    if !packed.left.is_empty() {
        let pictures = packed.left.iter().filter(|name| name.ends_with(".svg")).count() as u64;
        let mut named: Vec<&str> =
            packed.left.iter().filter(|name| !name.ends_with(".svg")).map(String::as_str).collect();
        let pictures = counted(pictures, "picture");
        named.push(&pictures);
        screen.note(&format!("not packed, no data of the result: {}", named.join(", ")));
    }
}
