//! The settings of a pattern as flags: one flag for each row of the settings' own table, so that the command
//! line, TOML and text never differ.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use flashscope_core::Pattern;
use flashscope_core::pattern::KEYS;
use flashscope_lab::read_description;

use crate::exit::Usage;

/// The flags as they were given.
#[derive(Clone, Debug, Default)]
pub struct PatternArgs {
    file: Option<PathBuf>,
    pairs: Vec<(&'static str, String)>,
}

impl PatternArgs {
    /// The pattern: the file's settings, then the flags'.
    pub fn pattern(&self) -> Result<Pattern> {
        let mut pattern = match &self.file {
            None => Pattern::default(),
            Some(path) => {
                let text = read_description("pattern", path)?;
                toml::from_str(&text)
                    .map_err(|error| Usage(error.to_string()))
                    .with_context(|| path.display().to_string())?
            }
        };
        let given: Vec<(&str, String)> =
            self.pairs.iter().map(|(name, value)| (*name, value.clone())).collect();
        pattern
            .set_all(given.into_iter())
            .map_err(|error| Usage(format!("--{}: {}", error.key.replace('_', "-"), error.problem)))?;
        Ok(pattern)
    }

    /// The value of one flag, where it was given.
    pub fn given(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.as_str())
    }

    /// The first flag that was given and is not among `others`.
    pub fn first_given(&self, others: &[&str]) -> Option<&'static str> {
        self.pairs.iter().map(|(key, _)| *key).find(|key| !others.contains(key))
    }

    /// Whether a file of settings was named.
    pub fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// The flags without one of them.
    pub fn without(&self, name: &str) -> PatternArgs {
        let pairs = self.pairs.iter().filter(|(key, _)| *key != name).cloned().collect();
        PatternArgs { file: self.file.clone(), pairs }
    }
}

impl FromArgMatches for PatternArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PatternArgs, clap::Error> {
        let value = |name: &'static str| matches.get_one::<String>(name).map(|value| (name, value.clone()));
        let pairs = KEYS.iter().filter_map(|key| value(key.name)).collect();
        Ok(PatternArgs { file: matches.get_one::<PathBuf>("pattern").cloned(), pairs })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = PatternArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for PatternArgs {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new("pattern")
            .long("pattern")
            .value_name("FILE.toml")
            .value_parser(clap::value_parser!(PathBuf));
        let mut command = command
            .next_help_heading("Pattern")
            .arg(file.help("Read the pattern's settings from a file; flags override it"));
        for key in KEYS {
            // clap keeps names for as long as the program runs, and this happens once.
            let flag: &'static str = key.name.replace('_', "-").leak();
            let arg = Arg::new(key.name)
                .long(flag)
                .value_name(key.example)
                .help(key.help)
                .allow_negative_numbers(true);
            command = command.arg(arg);
        }
        command.next_help_heading("Options")
    }

    fn augment_args_for_update(command: Command) -> Command {
        PatternArgs::augment_args(command)
    }
}
