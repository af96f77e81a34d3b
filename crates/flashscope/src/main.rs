//! The command line of flashscope: parse, resolve, wire, print. The only place that prints.

#![forbid(unsafe_code)]

mod args;
mod budget;
mod cli;
mod commands;
mod confirm;
mod exit;
mod facts;
mod fio_words;
mod help;
mod pages;
mod pattern_args;
mod progress;
mod remedy;
mod schemas;
mod screen;
mod shell;
mod signal;
mod traces;

use std::process::ExitCode;

use clap::FromArgMatches;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let mut command = help::command();
    let parsed = command.try_get_matches_from_mut(std::env::args_os());
    let parsed = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error.format(&mut command)),
    };
    let screen = screen::Screen::new(&cli.global);
    let result = match &cli.command {
        Command::Run(args) => commands::run::run(args, &screen),
        Command::Measure(args) => commands::measure::run(args, &screen),
        Command::Sim(args) => commands::sim::run(args, &screen),
        Command::Replay(args) => commands::replay::run(args, &screen),
        Command::Trace(args) => commands::trace::run(args, &screen),
        Command::Check(args) => commands::check::run(args, &screen),
        Command::Doctor(args) => commands::doctor::run(args, &screen),
        Command::Create(args) => commands::create::run(args, &screen),
        Command::Reproduce(args) => commands::reproduce::run(args, &screen),
        Command::Show(args) => commands::show::run(args, &screen),
        Command::Compare(args) => commands::compare::run(args, &screen),
        Command::Report(args) => commands::report::run(args, &screen),
        Command::Site(args) => commands::site::run(args, &screen),
        Command::Pack(args) => commands::pack::run(args, &screen),
        Command::Export(args) => commands::export::run(args, &screen),
        Command::Import(args) => commands::import::run(args, &screen),
        Command::List(args) => commands::list::run(args, &screen),
        Command::Completions(args) => commands::completions::run(args, &screen),
        Command::Man(args) => commands::man::run(args, &screen),
    };
    exit::code(result, &screen)
}
