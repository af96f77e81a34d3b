//! Suites of runs: named or in a file, and what they say of a stored result.

use std::path::Path;

use flashscope_analysis::{Context, Finished, Reading, points};
use flashscope_bench::{SuiteRequest, Suites};
use flashscope_store::Manifest;

use crate::description::read_description;
use crate::error::Result;

/// The suite of this name, or in the file of this name: what looks like a path is one. The file is read now,
/// as it may change before a run of it is finished.
///
/// # Errors
/// The file cannot be read.
pub fn suite(name: &str, known: &Suites) -> Result<SuiteRequest> {
    let mut request = SuiteRequest::named(name);
    let looks_like_a_path = name.contains(['/', '.']);
    if looks_like_a_path || (known.find(name).is_err() && Path::new(name).is_file()) {
        request.text = Some(read_description("suite", Path::new(name))?);
    }
    Ok(request)
}

/// The suite that a stored run was measured with: uFLIP, if its manifest does not say.
pub fn suite_of(manifest: &Manifest) -> SuiteRequest {
    serde_json::from_value(manifest.options["suite"].clone()).unwrap_or_default()
}

/// What a suite says of these runs; none of uFLIP, which has a view of its own.
pub fn reading(
    request: &SuiteRequest,
    known: &Suites,
    context: &Context,
    finished: &[Finished],
) -> Option<Reading> {
    (!request.is_uflip()).then(|| request.reading(known, context, finished).weighed(&points(finished)))
}
