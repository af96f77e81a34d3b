//! The guard: whether a target may be used as intended, with everything that speaks against it.
//!
//! It changes nothing and asks nobody; the caller shows the verdict and has it confirmed. What it cannot find
//! out counts against writing. [`crate::Handle::open`] repeats the examination on the opened and held device,
//! so that nothing can slip in between check and use.

mod reason;
mod usage;

use std::fs::File;
use std::path::{Path, PathBuf};

pub use reason::{Finding, Reason};
use serde::Serialize;
pub(crate) use usage::stack_below;

use crate::error::DeviceError;
use crate::handle::{Purpose, open_file};
use crate::identify::{Identity, Kind, identify};
use crate::provenance::{Provenance, provenance};
use crate::signature::{Signature, find_wipefs, probe_table, probe_wipefs};
use crate::sparse::unwritten_bytes;

/// What a run wants to do with a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Whether it writes.
    pub write: bool,
    /// Bytes from the start of the target that it may touch; zero for whatever is there.
    pub span_bytes: u64,
    /// The greatest unit of which every offset and length is a multiple; zero where that is not known yet.
    pub io_unit_bytes: u64,
    /// Whether a regular file that flashscope did not create may be overwritten. Says nothing of devices.
    pub overwrite_existing_data: bool,
    /// Whether IOs go through the page cache rather than past it. What it holds of the target is dropped
    /// first.
    pub buffered: bool,
}

impl Intent {
    /// Only reads, anywhere.
    pub const READ: Intent = Intent {
        write: false,
        span_bytes: 0,
        io_unit_bytes: 0,
        overwrite_existing_data: false,
        buffered: false,
    };
    /// Writes, anywhere.
    pub const WRITE: Intent = Intent { write: true, ..Intent::READ };
}

/// The guard's answer.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// What the path is.
    pub identity: Identity,
    /// Everything that forbids the intended use; none means that it may be used.
    pub refused: Vec<Reason>,
    /// What a person should know, but does not forbid the use.
    pub findings: Vec<Finding>,
}

impl Verdict {
    /// Whether nothing speaks against it.
    pub fn allowed(&self) -> bool {
        self.refused.is_empty()
    }
}

/// Whether `path` may be used as intended. Changes not one byte of it.
///
/// # Errors
/// When the path leads nowhere; everything else is part of the verdict.
pub fn check(path: &Path, intent: &Intent) -> Result<Verdict, DeviceError> {
    check_with(path, intent, find_wipefs())
}

/// [`check`] with a given `wipefs`; `None` leaves the search for signatures to the own table alone.
///
/// # Errors
/// As [`check`].
pub fn check_with(path: &Path, intent: &Intent, wipefs: Option<PathBuf>) -> Result<Verdict, DeviceError> {
    let identity = identify(path)?;
    let opened = open_file(&identity, intent, Purpose::Check);
    let Examined { refused, findings, .. } = examine(&identity, intent, opened.as_ref(), wipefs.as_deref());
    Ok(Verdict { identity, refused, findings })
}

/// What an examination found.
#[derive(Debug, Default)]
pub(crate) struct Examined {
    /// Everything that forbids the intended use.
    pub refused: Vec<Reason>,
    /// What does not.
    pub findings: Vec<Finding>,
    /// Of a regular file to be written: whose data it holds.
    pub whose: Option<Provenance>,
}

/// The examination itself, on a target that was opened, or on one that could not be and why; that is then
/// among the reasons.
pub(crate) fn examine(
    identity: &Identity,
    intent: &Intent,
    opened: Result<&File, &Reason>,
    wipefs: Option<&Path>,
) -> Examined {
    if !matches!(identity.kind, Kind::File | Kind::BlockDevice) {
        let refused = vec![Reason::NotATarget { kind: identity.kind }];
        return Examined { refused, ..Examined::default() };
    }
    let mut refused = misfits(identity, intent);
    let (mut findings, mut whose) = (Vec::new(), None);
    let uses = usage::uses(identity);
    if intent.write {
        refused.extend(uses);
        // What cannot be opened for writing may still be read, to name everything at once.
        let reopened = if opened.is_err() { File::open(&identity.canonical_path).ok() } else { None };
        if let Some(file) = opened.ok().or(reopened.as_ref()) {
            // Of a file that a run is at work on nothing can be said, and reading it would disturb that run.
            let is_free = !matches!(opened, Err(Reason::HeldByOther));
            let is_asked = identity.kind == Kind::File && is_free;
            whose = is_asked.then(|| provenance(file, &identity.canonical_path));
            refused.extend(contents(file, identity, intent, whose, wipefs, &mut findings));
        }
    } else {
        // A partition table is no use by somebody else as long as nothing is written.
        let others = uses.into_iter().filter(|reason| reason.is_use());
        findings.extend(others.map(|reason| Finding::shared(&reason)));
    }
    let neighbours = usage::neighbours(identity).into_iter();
    findings.extend(neighbours.map(|reason| Finding::shared(&reason)));
    if intent.write && identity.kind == Kind::BlockDevice && usage::root_is_hidden() {
        findings.push(Finding::RootHidden);
    }
    if let Err(reason) = opened
        && !refused.contains(reason)
    {
        refused.push(reason.clone());
    }
    findings.extend(medium(identity, intent, opened.ok()));
    if intent.buffered {
        findings.push(Finding::PageCache);
    }
    Examined { refused, findings, whose }
}

/// Where the target and the IOs do not fit each other.
fn misfits(identity: &Identity, intent: &Intent) -> Vec<Reason> {
    let sector_bytes = identity.logical_block_bytes;
    let need_bytes = intent.span_bytes.max(u64::from(sector_bytes));
    let mut reasons = Vec::new();
    if identity.size_bytes < need_bytes {
        reasons.push(Reason::TooSmall { size_bytes: identity.size_bytes, need_bytes });
    }
    if !intent.io_unit_bytes.is_multiple_of(u64::from(sector_bytes)) {
        reasons.push(Reason::SectorSize { sector_bytes, io_unit_bytes: intent.io_unit_bytes });
    }
    if intent.write && identity.kind == Kind::BlockDevice && is_read_only(identity) {
        reasons.push(Reason::ReadOnly);
    }
    reasons
}

pub(crate) fn is_read_only(identity: &Identity) -> bool {
    identity.hardware.as_ref().is_some_and(|hardware| hardware.read_only)
}

/// Whose data would be lost.
fn contents(
    file: &File,
    identity: &Identity,
    intent: &Intent,
    whose: Option<Provenance>,
    wipefs: Option<&Path>,
    findings: &mut Vec<Finding>,
) -> Vec<Reason> {
    if wipefs.is_none() {
        findings.push(Finding::NoWipefs);
    }
    let is_chance = |signature: &Signature| is_chance(signature, file, whose);
    let signatures = match signatures(file, identity, wipefs) {
        Ok(signatures) => signatures.into_iter().filter(|signature| !is_chance(signature)),
        Err(error) => return vec![Reason::CouldNotProbe { what: format!("its contents: {error}") }],
    };
    if identity.kind == Kind::File && intent.overwrite_existing_data {
        findings.extend(signatures.map(|signature| Finding::Overwritten { signature }));
        return Vec::new();
    }
    let mut reasons: Vec<_> =
        signatures.map(|signature| Reason::Signature { signature, kind: identity.kind }).collect();
    reasons.extend(match whose {
        None | Some(Provenance::Ours(_)) => None,
        Some(Provenance::Changed { unfinished: true, at_bytes }) => Some(Reason::Unfinished { at_bytes }),
        Some(Provenance::Changed { unfinished: false, .. }) => Some(Reason::NotOurs { changed: true }),
        Some(Provenance::Foreign) => Some(Reason::NotOurs { changed: false }),
    });
    reasons
}

/// Whether a signature is our own random data: some magics are two bytes, which one sector of 32,768 begins
/// with.
fn is_chance(signature: &Signature, file: &File, whose: Option<Provenance>) -> bool {
    match whose {
        Some(Provenance::Ours(key)) => key.holds_at(file, signature.offset_bytes).unwrap_or(false),
        _ => false,
    }
}

/// What either probe sees, each once.
fn signatures(file: &File, identity: &Identity, wipefs: Option<&Path>) -> std::io::Result<Vec<Signature>> {
    let mut found = match wipefs {
        Some(wipefs) => probe_wipefs(wipefs, &identity.canonical_path)?,
        None => Vec::new(),
    };
    for signature in probe_table(file, identity.size_bytes)? {
        if found.iter().all(|known| known.offset_bytes != signature.offset_bytes) {
            found.push(signature);
        }
    }
    Ok(found)
}

/// What makes a measurement there mean less than it seems.
fn medium(identity: &Identity, intent: &Intent, opened: Option<&File>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let filesystem = identity.filesystem.as_ref().map(|filesystem| filesystem.name.as_str());
    if let Some(name @ ("tmpfs" | "ramfs" | "devtmpfs")) = filesystem {
        findings.push(Finding::Memory { filesystem: name.into() });
    }
    let unwritten = opened.filter(|_| identity.kind == Kind::File).map_or(0, unwritten_bytes);
    if unwritten > 0 {
        findings.push(Finding::Sparse {
            unwritten_bytes: unwritten,
            size_bytes: identity.size_bytes,
            write: intent.write,
        });
    }
    findings
}
