//! Which suite the flags or a stored result ask for, and what it says of a stored result.

use std::path::Path;

use anyhow::Result;
use flashscope_analysis::{Context, Finished, Reading};
use flashscope_bench::suite::Program;
use flashscope_bench::{Suite, SuiteRequest, Suites};
use flashscope_store::Manifest;

use crate::cli::RunArgs;
use crate::exit::Usage;

/// What the flags ask for, and the suite itself. What looks like a path is one.
///
/// # Errors
/// A name that is no suite, a file that cannot be read, a flag that means nothing to the suite.
pub fn requested(args: &RunArgs) -> Result<(SuiteRequest, Suite)> {
    let known = Suites::builtin();
    let mut request = SuiteRequest::default();
    let Some(name) = &args.suite else {
        if !args.set.is_empty() {
            return Err(Usage("--set is for the settings of a suite: add --suite NAME".into()).into());
        }
        let suite = request.suite(&known)?;
        return Ok((request, suite));
    };
    request.name.clone_from(name);
    let looks_like_a_path = name.contains(['/', '.']);
    if looks_like_a_path || (known.find(name).is_err() && Path::new(name).is_file()) {
        let text = std::fs::read_to_string(name)
            .map_err(|error| Usage(format!("cannot read the suite {name}: {error}")))?;
        request.text = Some(text);
    }
    for pair in &args.set {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Usage(format!("--set {pair}: write KEY=VALUE")).into());
        };
        request.values.push((key.trim().into(), value.trim().into()));
    }
    let suite = request.suite(&known)?;
    refuse_flags_without_effect(args, &suite)?;
    Ok((request, suite))
}

/// What was asked for when a folder was made: uFLIP, if it does not say.
pub fn stored(manifest: &Manifest) -> SuiteRequest {
    serde_json::from_value(manifest.options["suite"].clone()).unwrap_or_default()
}

/// What the suite says of these runs; none of uFLIP, which has a view of its own.
pub fn reading(request: &SuiteRequest, context: &Context, finished: &[Finished]) -> Option<Reading> {
    (!request.is_uflip()).then(|| request.reading(&Suites::builtin(), context, finished))
}

fn refuse_flags_without_effect(args: &RunArgs, suite: &Suite) -> Result<(), Usage> {
    let is_file = match suite.program {
        Program::Uflip => return Ok(()),
        Program::Script(_) => true,
        Program::Acts(_) => false,
    };
    let flags = [
        ("--only", args.only.is_some(), "it has no micro-benchmarks"),
        ("--full", args.full, "it uses the whole target unless --quick or --size says otherwise"),
        ("--state", args.state.is_some(), "it says itself what is written before its runs"),
        ("--bs", args.bs.is_some() && suite.bs.is_none(), "its sizes are its own"),
        ("--precision", args.precision.is_some() && !is_file, "its runs are as long as it says"),
        ("--repeats", args.repeats.is_some() && is_file, "write repeats=N on its lines"),
        ("--set", !args.set.is_empty() && is_file, "write it on its lines"),
    ];
    match flags.iter().find(|(_, is_given, _)| *is_given) {
        Some((flag, _, why)) => {
            Err(Usage(format!("{flag} has no effect on the suite {}: {why}", suite.name)))
        }
        None => Ok(()),
    }
}
