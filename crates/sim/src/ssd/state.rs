//! A device's whole state as bytes, so that an expensive preconditioning is paid once.
//!
//! Layout: a line of text with name and version, the settings as TOML (so that a person can read what it is),
//! then all counts, tables and tokens, and a checksum over everything. The same device gives the same
//! bytes on every machine.

use serde::{Deserialize, Serialize};

use super::{Path, Ssd};
use crate::error::SimError;
use crate::flight::Flight;
use crate::ftl::AnyFtl;
use crate::settings::Settings;

const MAGIC: &[u8] = b"flashscope device state 3\n";
/// How the states of all versions begin.
const BEGINS: &[u8] = b"flashscope device state ";
const CHECKSUM_BYTES: usize = 8;

#[derive(Serialize)]
struct Kept<'a> {
    name: &'a str,
    seed: u64,
    settings: String,
    clock: u64,
    logical_pages: u32,
    path: &'a Path,
    ftl: &'a AnyFtl,
}

#[derive(Deserialize)]
struct Found {
    name: String,
    seed: u64,
    settings: String,
    clock: u64,
    logical_pages: u32,
    path: Path,
    ftl: AnyFtl,
}

impl Ssd {
    /// Everything about the device.
    ///
    /// # Panics
    /// If an IO is in flight.
    pub fn save(&self) -> Vec<u8> {
        assert_eq!(self.flight.len(), 0, "a device is saved between runs");
        let settings = toml::to_string(&self.settings).expect("settings came from TOML or are plain data");
        let kept = Kept {
            name: &self.info.name,
            seed: self.seed,
            settings,
            clock: self.clock,
            logical_pages: self.logical_pages,
            path: &self.path,
            ftl: &self.ftl,
        };
        let bytes = postcard::to_extend(&kept, MAGIC.to_vec()).expect("plain data can be written to memory");
        let sum = checksum(&bytes);
        [bytes, sum.to_le_bytes().to_vec()].concat()
    }

    /// Whether a file that begins so is a saved device, of whatever version.
    pub fn is_state(head: &[u8]) -> bool {
        head.starts_with(BEGINS)
    }

    /// The device that was saved, at the instant at which it was.
    ///
    /// # Errors
    /// [`SimError::State`] if the bytes are of another version, cut or changed.
    pub fn load(bytes: &[u8]) -> Result<Ssd, SimError> {
        let damaged = |problem: &str| SimError::State { problem: problem.into() };
        let Some((body, sum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(damaged("is too short to be one"));
        };
        let Some(content) = body.strip_prefix(MAGIC) else {
            return Err(damaged("does not begin as this version writes it"));
        };
        if checksum(body) != u64::from_le_bytes(*sum) {
            return Err(damaged("is cut or changed: its checksum is wrong"));
        }
        let found: Found =
            postcard::from_bytes(content).map_err(|error| damaged(&format!("ends early: {error}")))?;
        let settings: Settings = toml::from_str(&found.settings)
            .map_err(|error| damaged(&format!("has other settings: {error}")))?;
        Ok(Ssd {
            info: Ssd::info_of(&found.name, found.logical_pages, settings.nand.page.0),
            settings,
            seed: found.seed,
            logical_pages: found.logical_pages,
            path: found.path,
            ftl: found.ftl,
            clock: found.clock,
            flight: Flight::default(),
            watch: None,
            sample_due_ns: u64::MAX,
        })
    }
}

/// FNV-1a over words of eight bytes.
fn checksum(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let mut sum = 0xcbf2_9ce4_8422_2325;
    for word in &mut words {
        sum = step(sum, u64::from_le_bytes(word.try_into().expect("eight bytes"))).rotate_left(23);
    }
    words.remainder().iter().fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}
