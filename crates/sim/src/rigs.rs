//! The rigs that flashscope brings along: one file in `rigs/` and one line here for each.

use crate::error::SimError;
use crate::rig::RigSpec;

/// Every built-in rig: its name and its text.
const LIST: &[(&str, &str)] = &[
    ("memoright", include_str!("../rigs/memoright.toml")),
    ("mtron", include_str!("../rigs/mtron.toml")),
    ("samsung", include_str!("../rigs/samsung.toml")),
    ("transcend-module", include_str!("../rigs/transcend-module.toml")),
    ("transcend-mlc", include_str!("../rigs/transcend-mlc.toml")),
    ("kingston-dthx", include_str!("../rigs/kingston-dthx.toml")),
    ("kingston-dti", include_str!("../rigs/kingston-dti.toml")),
    ("plain", include_str!("../rigs/plain.toml")),
    ("slc-cliff", include_str!("../rigs/slc-cliff.toml")),
    ("slow-decay", include_str!("../rigs/slow-decay.toml")),
    ("gc-sawtooth", include_str!("../rigs/gc-sawtooth.toml")),
    ("lingering-reads", include_str!("../rigs/lingering-reads.toml")),
    ("misaligned", include_str!("../rigs/misaligned.toml")),
];

/// The names of all built-in rigs, in the order of the list.
pub const NAMES: [&str; LIST.len()] = {
    let mut names = [""; LIST.len()];
    let mut i = 0;
    while i < LIST.len() {
        names[i] = LIST[i].0;
        i += 1;
    }
    names
};

/// The text of a built-in rig, a model for one's own.
pub fn text(name: &str) -> Option<&'static str> {
    LIST.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The built-in rig of this name.
pub fn get(name: &str) -> Option<RigSpec> {
    text(name).map(|text| RigSpec::parse(name, text).expect("built-in rigs are right: a test reads each"))
}

/// The built-in rig of this name, or an error that lists the names there are.
///
/// # Errors
/// [`SimError::Unknown`].
pub fn find(name: &str) -> Result<RigSpec, SimError> {
    get(name).ok_or_else(|| SimError::Unknown { name: name.into(), known: NAMES.join(", ") })
}
