//! Small files in which a person describes something: a profile, a rig, a suite, a pattern, a job.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flashscope_core::number::size;
use flashscope_store::kind_name;

use crate::{Error, Result};

/// The largest description.
pub const DESCRIPTION_BYTES_MAX: u64 = 1 << 20;

/// The text of a description; `kind` is what it describes, for the error. Only a file is read, and none that
/// is larger than [`DESCRIPTION_BYTES_MAX`]: a pipe might never end or never begin.
///
/// # Errors
/// It cannot be read, is no file, too large, or no text.
pub fn read_description(kind: &str, path: &Path) -> Result<String> {
    let refuse = |why: String| Error::usage(format!("cannot read the {kind} {}: {why}", path.display()));
    let unread = |error: std::io::Error| refuse(error.to_string());
    let there = path.metadata().map_err(unread)?;
    if !there.is_file() {
        return Err(refuse(format!("it is {}; give a file", kind_name(there.file_type()))));
    }
    let mut text = String::new();
    // What /proc shows as empty files is not.
    let mut whole = File::open(path).map_err(unread)?.take(DESCRIPTION_BYTES_MAX + 1);
    let too_large = || {
        let most = size(DESCRIPTION_BYTES_MAX as f64);
        refuse(format!("it is larger than {most}, and no {kind} is; give the right file"))
    };
    if there.len() > DESCRIPTION_BYTES_MAX {
        return Err(too_large());
    }
    whole.read_to_string(&mut text).map_err(unread)?;
    if text.len() as u64 > DESCRIPTION_BYTES_MAX { Err(too_large()) } else { Ok(text) }
}
