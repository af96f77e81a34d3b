//! A suite as a person asks for it, and as a result keeps it.

use flashscope_analysis::{Context, Finished, Reading};
use flashscope_core::TargetInfo;
use serde::{Deserialize, Serialize};

use super::{Suite, Suites, UFLIP, file};
use crate::error::{BenchError, SuiteError};
use crate::plan::{Plan, Settings};

/// Which suite, and how it is set: what has to be kept of it so that its result can be finished and read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteRequest {
    /// Its name, or the path of its file.
    pub name: String,
    /// What is in the file: it may change before the run is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its settings that differ from their defaults: name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(String, String)>,
}

impl Default for SuiteRequest {
    /// uFLIP.
    fn default() -> SuiteRequest {
        SuiteRequest::named(UFLIP)
    }
}

impl SuiteRequest {
    /// The suite of that name, as it is set by default.
    pub fn named(name: &str) -> SuiteRequest {
        SuiteRequest { name: name.into(), text: None, values: Vec::new() }
    }

    /// Whether it is uFLIP, whose result has a view of its own.
    pub fn is_uflip(&self) -> bool {
        self.text.is_none() && self.name == UFLIP
    }

    /// Whether it is in a file.
    pub fn is_file(&self) -> bool {
        self.text.is_some()
    }

    /// The suite itself.
    ///
    /// # Errors
    /// An unknown suite, or a file that cannot be run.
    pub fn suite(&self, known: &Suites) -> Result<Suite, SuiteError> {
        match &self.text {
            Some(text) => Ok(file::parse(&self.name, text)?.into()),
            None => known.find(&self.name).cloned(),
        }
    }

    /// Plans it.
    ///
    /// # Errors
    /// As of [`SuiteRequest::suite`] and [`Plan::of`].
    pub fn plan(&self, known: &Suites, target: &TargetInfo, settings: &Settings) -> Result<Plan, BenchError> {
        Plan::of(&self.suite(known)?, &self.values, target, settings)
    }

    /// What it says of these runs. Of a suite that is not among the known, every run can still be shown.
    pub fn reading(&self, known: &Suites, context: &Context, finished: &[Finished]) -> Reading {
        let reading = self.suite(known).map_or(file::reading as super::Read, |suite| suite.reading);
        reading(context, finished)
    }
}
