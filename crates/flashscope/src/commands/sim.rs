//! `flashscope sim`: simulated SSDs under a pattern or a trace, one or many side by side.

use std::path::Path;

use anyhow::{Context as _, Result};
use flashscope_lab::sweep::{Case, Entry, Save};
use flashscope_lab::{Error, PlannedSweep, SweepResult};
use flashscope_show::sweep::{Axis, view};
use flashscope_sim::Ssd;
use flashscope_store::Product;

use crate::cli::SimArgs;
use crate::exit::{Done, Usage};
use crate::pages::leave;
use crate::progress::cases_bar;
use crate::screen::Screen;
use crate::signal;
use crate::simulate::{ignored, request};

/// Runs the command.
pub fn run(args: &SimArgs, screen: &Screen) -> Result<Done> {
    let interrupt = signal::interrupt();
    let planned = PlannedSweep::new(&request(args)?, args.output.is_some(), interrupt)?;
    let devices = planned.cases().len();
    if args.save_state.is_some() && devices > 1 {
        return Err(Usage(format!("--save-state keeps one device, and the lists make {devices}")).into());
    }
    notes(args, &planned, screen);
    let figure = args.figure.as_deref().map(|path| figure(path, planned.cases())).transpose()?;
    let product = args.save_state.as_deref().map(state).transpose()?;
    let save = |state: &[u8]| {
        let write = |product: &Product| {
            product.write(state).map_err(|error| Error::from(error).context("--save-state"))
        };
        product.as_ref().map_or(Ok(()), write)
    };
    let bar = cases_bar(screen, devices as u64);
    let save: Option<Save<'_>> = product.is_some().then_some(&save);
    let ran = planned.run(args.output.as_deref(), save, &mut |_| bar.inc(1), interrupt);
    bar.finish_and_clear();
    let SweepResult { entries, error } = ran;
    // What could not be kept or drawn takes nothing from what was simulated.
    let drawn = figure.map_or(Ok(()), |(axis, product)| match axis.draw(&entries) {
        Some(picture) => product.write(picture.as_bytes()),
        None => Ok(()),
    });
    if error.is_none() || entries.len() > 1 || entries.iter().any(|entry| entry.report().is_some()) {
        show(args, &entries, screen)?;
        if let Some(place) = &args.output {
            leave(place, screen);
        }
    }
    error.map_or(Ok(()), Err)?;
    drawn?;
    Ok(if entries.iter().all(Entry::is_complete) { Done::Well } else { Done::Interrupted })
}

/// What a person may not have meant.
fn notes(args: &SimArgs, planned: &PlannedSweep, screen: &Screen) {
    ignored(planned).for_each(|flag| screen.note(&format!("note: {flag}")));
    if args.trace.is_none() && args.pattern.given("rw").is_none() && !args.pattern.has_file() {
        screen.note("note: nothing but reads; to write: --rw randwrite --bs 4k, or --trace FILE");
    }
}

fn show(args: &SimArgs, entries: &[Entry], screen: &Screen) -> Result<()> {
    if args.json {
        return screen.print(&serde_json::to_string_pretty(entries)?);
    }
    screen.print(&view(entries, args.output.as_deref()))
}

/// The place of a saved device.
fn state(path: &Path) -> Result<Product> {
    Product::of(path, "a saved state", Ssd::is_state).context("--save-state")
}

/// The axis of the picture and its place, if it can be drawn and kept.
fn figure(path: &Path, cases: &[Case]) -> Result<(Axis, Product)> {
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        let problem = format!("--figure {}: the picture is an SVG; give a name in .svg", path.display());
        return Err(Usage(problem).into());
    }
    let product = Product::picture(path).context("--figure")?;
    let axis = Axis::of(cases).ok_or_else(|| {
        Usage(
            "--figure needs an axis: two or more values of --buffer-size, --capacity or --over-provisioning, \
             such as --buffer-size 1m,2m,4m"
                .into(),
        )
    })?;
    Ok((axis, product))
}
