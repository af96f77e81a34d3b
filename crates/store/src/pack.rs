//! A result in one file that can be sent: a tar archive, packed by zstd, that begins with a label. What
//! identifies a person or a machine is left out unless asked for. docs/results.md documents it.

mod open;
mod redact;
mod write;

pub use open::{Alias, Opened, is_pack};
pub use write::{Packed, write_pack};

use crate::kind::ResultKind;

/// How packs are called: the extension of their names.
pub const PACK_EXTENSION: &str = "flashscope";

/// The first file of a pack.
const LABEL: &str = "flashscope-pack.json";

/// The version of the label and of what follows it.
const PACK_VERSION: u32 = 1;

/// The files of a result besides those in folders.
fn documents() -> impl Iterator<Item = &'static str> {
    let of_kinds = ResultKind::all().filter_map(ResultKind::document);
    ["manifest.json", "context.json", "runs.jsonl"].into_iter().chain(of_kinds).chain(["addresses.json"])
}

/// Its folders, and how their files end.
const FOLDERS: [(&str, &str); 2] = [("ios", ".parquet"), ("inside", ".json")];

/// Whether a file of this name, relative to the folder, is a part of a result.
fn is_part(name: &str) -> bool {
    let is_plain =
        |name: &str| !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    match name.split_once('/') {
        None => documents().any(|known| known == name),
        Some((folder, file)) => {
            FOLDERS.iter().any(|(known, ending)| *known == folder && file.ends_with(ending)) && is_plain(file)
        }
    }
}
