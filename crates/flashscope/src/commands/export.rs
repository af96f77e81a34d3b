//! `flashscope export`: stored results in another program's format.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use flashscope_core::number::counted;
use flashscope_store::{AtomicFolder, EXPORTS, Export, Material, Remedy, export};

use crate::exit::{Done, Usage};
use crate::remedy::store::way_out;
use crate::screen::Screen;
use crate::signal;

/// `flashscope export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Result folders or packs; several become one export
    #[arg(required = true)]
    pub dirs: Vec<PathBuf>,
    /// fio (JSON and logs, as fio-plot expects them), uflip or csv
    #[arg(long, value_name = "FORMAT")]
    pub to: String,
    /// New folder for the export [default: ./DIR-FORMAT]
    #[arg(long, short, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// With --to csv: include every IO
    #[arg(long)]
    pub ios: bool,
}

/// A format in the list of all.
fn line(format: &Export) -> String {
    let more = format.more.map_or(String::new(), |remedy| format!("; {}", way_out(remedy)));
    format!("\n  {:<6} {}{more}", format.name, format.about)
}

/// Runs the command.
pub fn run(args: &ExportArgs, screen: &Screen) -> Result<Done> {
    let format = EXPORTS.iter().find(|format| format.name == args.to).ok_or_else(|| {
        let known: Vec<String> = EXPORTS.iter().map(line).collect();
        Usage(format!("--to: unknown format '{}'; choose one of:{}", args.to, known.concat()))
    })?;
    if args.ios && format.more != Some(Remedy::SingleIos) {
        let problem = format!("--ios has no effect: {} always includes every IO; leave it out", format.name);
        return Err(Usage(problem).into());
    }
    let opened = args.dirs.iter().map(|dir| screen.open(dir)).collect::<Result<Vec<_>>>()?;
    let read = || opened.iter().map(|dir| Material::read(dir.folder())).collect::<Result<Vec<_>, _>>();
    let materials = screen.during("reading the results", read)?;
    let name =
        args.output.clone().unwrap_or_else(|| PathBuf::from(format!("{}-{}", materials[0].name, args.to)));
    let folder = AtomicFolder::create(&name)?;
    let done = screen.during(&format!("writing {}", name.display()), || {
        export(format, &materials, folder.part(), args.ios, signal::listen())
    });
    let done = match done {
        Err(error) if error.is_interruption() => {
            screen.note(&format!("interrupted: {} was not written", name.display()));
            return Ok(Done::Interrupted);
        }
        done => done?,
    };
    for line in done.losses.lines() {
        screen.note(&line);
    }
    if done.files == 0 {
        return Err(Usage(format!("{} can hold none of it; use --to csv", args.to)).into());
    }
    folder.keep()?;
    screen.print(&format!("{} in {}/", counted(done.files, "file"), name.display()))?;
    Ok(Done::Well)
}
