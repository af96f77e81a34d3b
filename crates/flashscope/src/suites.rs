//! Which suite a person asked for, by name or as a file, and what it says of a stored result.

use std::path::Path;

use anyhow::Result;
use flashscope_analysis::{Context, Finished, Reading};
use flashscope_bench::suite::file::{self, Script};
use flashscope_bench::suite::{Order, Program, Suite};
use flashscope_bench::{Plan, Settings};
use flashscope_core::{Bytes, TargetInfo};
use flashscope_store::Manifest;
use serde::{Deserialize, Serialize};

use crate::cli::RunArgs;
use crate::exit::Usage;

/// A suite as it is kept in the manifest, so that its result can be finished and read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Its name, or the path of its file.
    pub name: String,
    /// What is in the file: it may change before the run is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its settings that differ from their defaults.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    values: Vec<(String, String)>,
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { name: "uflip".into(), text: None, values: Vec::new() }
    }
}

impl Wanted {
    /// What the flags ask for. What looks like a path is one.
    ///
    /// # Errors
    /// A name that is no suite, a file that cannot be read, a flag that means nothing to the suite.
    pub fn from_args(args: &RunArgs) -> Result<Wanted> {
        let mut wanted = Wanted::default();
        let Some(name) = &args.suite else {
            return if args.set.is_empty() {
                Ok(wanted)
            } else {
                Err(Usage("--set is for the settings of a suite: add --suite NAME".into()).into())
            };
        };
        wanted.name.clone_from(name);
        let looks_like_a_path = name.contains(['/', '.']);
        if looks_like_a_path || (Suite::find(name).is_err() && Path::new(name).is_file()) {
            let text = std::fs::read_to_string(name)
                .map_err(|error| Usage(format!("cannot read the suite {name}: {error}")))?;
            wanted.text = Some(text);
        }
        for pair in &args.set {
            let Some((key, value)) = pair.split_once('=') else {
                return Err(Usage(format!("--set {pair}: write KEY=VALUE")).into());
            };
            wanted.values.push((key.trim().into(), value.trim().into()));
        }
        let chosen = wanted.chosen()?;
        chosen.must_heed(args, &wanted)?;
        Ok(wanted)
    }

    /// The suite itself.
    ///
    /// # Errors
    /// There is none of this name, or its file says nothing that can be done.
    pub fn chosen(&self) -> Result<Chosen> {
        Ok(match &self.text {
            Some(text) => Chosen::File(file::parse(&self.name, text)?),
            None => Chosen::Built(Suite::find(&self.name)?),
        })
    }

    /// Whether it is uFLIP, which has a view of its own.
    pub fn is_uflip(&self) -> bool {
        self.text.is_none() && self.name == "uflip"
    }

    /// What was asked for when a folder was made: uFLIP, if it does not say.
    pub fn of(manifest: &Manifest) -> Wanted {
        serde_json::from_value(manifest.options["suite"].clone()).unwrap_or_default()
    }

    /// What the suite says of these runs; none of uFLIP.
    pub fn reading(&self, context: &Context, finished: &[Finished]) -> Option<Reading> {
        if self.is_uflip() {
            return None;
        }
        Some(match self.chosen() {
            Ok(Chosen::Built(suite)) => (suite.reading)(context, finished),
            // Of a suite that this flashscope does not know, every run can still be shown.
            Ok(Chosen::File(_)) | Err(_) => file::reading(context, finished),
        })
    }
}

/// A suite, found.
pub enum Chosen {
    /// One of ours.
    Built(&'static Suite),
    /// One in a file.
    File(Script),
}

impl Chosen {
    /// Runs of every experiment where no number is asked for.
    pub fn repeats(&self) -> u32 {
        if let Chosen::Built(suite) = self { suite.repeats } else { 1 }
    }

    /// IOSize where none is asked for.
    pub fn bs(&self) -> Option<Bytes> {
        if let Chosen::Built(suite) = self { suite.bs } else { None }
    }

    /// Plans it.
    ///
    /// # Errors
    /// A setting that it does not have or cannot take; a target that is too small for it.
    pub fn plan(
        &self,
        wanted: &Wanted,
        info: &TargetInfo,
        settings: &Settings,
        can_trim: bool,
    ) -> Result<Plan> {
        match self {
            Chosen::Built(suite) => {
                let order = Order { suite, values: &wanted.values, can_trim };
                Ok(Plan::of(&order, info, settings)?)
            }
            Chosen::File(script) => Ok(Plan::of_script(script, info, settings)?),
        }
    }

    /// Refuses flags that would have no effect.
    fn must_heed(&self, args: &RunArgs, wanted: &Wanted) -> Result<(), Usage> {
        let name = &wanted.name;
        if let Chosen::Built(Suite { program: Program::Uflip, .. }) = self {
            return Ok(());
        }
        let is_file = matches!(self, Chosen::File(_));
        let flags = [
            ("--only", args.only.is_some(), "it has no micro-benchmarks"),
            ("--full", args.full, "it uses the whole target unless --quick or --size says otherwise"),
            ("--state", args.state.is_some(), "it says itself what is written before its runs"),
            ("--bs", args.bs.is_some() && self.bs().is_none(), "its sizes are its own"),
            ("--precision", args.precision.is_some() && !is_file, "its runs are as long as it says"),
            ("--repeats", args.repeats.is_some() && is_file, "write repeats=N on its lines"),
            ("--set", !args.set.is_empty() && is_file, "write it on its lines"),
        ];
        match flags.iter().find(|(_, is_given, _)| *is_given) {
            Some((flag, _, why)) => Err(Usage(format!("{flag} has no effect on the suite {name}: {why}"))),
            None => Ok(()),
        }
    }
}
