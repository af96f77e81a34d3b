//! A device's whole state as bytes, so that an expensive preconditioning is paid once.
//!
//! Layout: a line of text with name and version, the settings as TOML (so that a person can read what it is),
//! then all counts, tables and tokens, and a checksum over everything. The same device gives the same
//! bytes on every machine.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::batch::Calls;
use super::{Path, Ssd, info_of};
use crate::buffer::WriteBuffer;
use crate::error::SimError;
use crate::flight::Flight;
use crate::ftl::Ftl;
use crate::settings::Settings;
use crate::ssd::queues::HostQueues;

const MAGIC: &[u8] = b"flashscope device state 11\n";
/// How the states of all versions begin.
const BEGINS: &[u8] = b"flashscope device state ";
const CHECKSUM_BYTES: usize = 8;

/// Everything, in the order of the bytes. Options of `()`, which all parts of the registries have, take none.
#[derive(Serialize)]
#[serde(bound = "F: Serialize, B: Serialize, F::Options: Serialize, B::Options: Serialize")]
struct Kept<'a, F: Ftl, B: WriteBuffer> {
    name: &'a str,
    seed: u64,
    settings: String,
    clock: u64,
    logical_pages: u32,
    path: &'a Path<B>,
    ftl: &'a F,
    ftl_options: &'a F::Options,
    buffer_options: &'a B::Options,
}

/// How every state begins, whatever its parts.
#[derive(Deserialize)]
struct Head {
    name: String,
    seed: u64,
    settings: String,
}

/// What follows, which depends on them.
#[derive(Deserialize)]
#[serde(bound(deserialize = "F: DeserializeOwned, B: DeserializeOwned, \
                   F::Options: DeserializeOwned, B::Options: DeserializeOwned"))]
struct Rest<F: Ftl, B: WriteBuffer> {
    clock: u64,
    logical_pages: u32,
    path: Path<B>,
    ftl: F,
    ftl_options: F::Options,
    buffer_options: B::Options,
}

impl<F, B> Ssd<F, B>
where
    F: Ftl<Options: Serialize> + Serialize,
    B: WriteBuffer<Options: Serialize> + Serialize,
{
    /// Everything about the device.
    ///
    /// # Panics
    /// If an IO is in flight.
    pub fn save(&self) -> Vec<u8> {
        assert_eq!(
            self.flight.len() + self.path.pending.len() + self.waiting(),
            0,
            "a device is saved between runs"
        );
        let settings = toml::to_string(&self.settings).expect("settings came from TOML or are plain data");
        let kept = Kept {
            name: &self.info.name,
            seed: self.seed,
            settings,
            clock: self.clock,
            logical_pages: self.logical_pages,
            path: &self.path,
            ftl: &self.ftl,
            ftl_options: &self.ftl_options,
            buffer_options: &self.buffer_options,
        };
        let bytes = postcard::to_extend(&kept, MAGIC.to_vec()).expect("plain data can be written to memory");
        let sum = checksum(&bytes);
        [bytes, sum.to_le_bytes().to_vec()].concat()
    }
}

impl Ssd {
    /// Whether a file that begins so is a saved device, of whatever version.
    pub fn is_state(head: &[u8]) -> bool {
        head.starts_with(BEGINS)
    }

    /// The device that was saved, at the instant at which it was. One with a part from
    /// outside the registries:
    /// [`Ssd::restore`].
    ///
    /// # Errors
    /// [`SimError::State`] if the bytes are of another version, cut or changed.
    pub fn load(bytes: &[u8]) -> Result<Ssd, SimError> {
        Ssd::restore(bytes)
    }
}

impl<F, B> Ssd<F, B>
where
    F: Ftl<Options: DeserializeOwned> + DeserializeOwned,
    B: WriteBuffer<Options: DeserializeOwned> + DeserializeOwned,
{
    /// As [`Ssd::load`], for a device with any parts.
    ///
    /// # Errors
    /// [`SimError::State`] if the bytes are of another version, cut or changed, or of a device
    /// with other parts.
    pub fn restore(bytes: &[u8]) -> Result<Ssd<F, B>, SimError> {
        let content = checked(bytes)?;
        let (Head { name, seed, settings }, rest) =
            postcard::take_from_bytes(content).map_err(|error| ends_early(&error))?;
        let settings: Settings = toml::from_str(&settings)
            .map_err(|error| damaged(&format!("has other settings: {}", error.message())))?;
        check_names::<F, B>(&settings)?;
        let (geometry, logical_pages) =
            settings.geometry().map_err(|error| damaged(&format!("has other settings: {error}")))?;
        let rest: Rest<F, B> = postcard::from_bytes(rest).map_err(|error| ends_early(&error))?;
        if (rest.path.nand.geometry(), rest.logical_pages) != (&geometry, logical_pages) {
            return Err(damaged("is not the device that its settings describe"));
        }
        Ok(Ssd {
            queues: HostQueues::new(&settings, None),
            info: info_of::<F>(&name, &settings, &rest.ftl_options, rest.logical_pages),
            ftl_options: rest.ftl_options,
            buffer_options: rest.buffer_options,
            settings,
            seed,
            logical_pages: rest.logical_pages,
            path: rest.path,
            ftl: rest.ftl,
            calls: Calls::compiled(),
            clock: rest.clock,
            flight: Flight::default(),
            watch: None,
            sample_due_ns: u64::MAX,
        })
    }
}

fn damaged(problem: &str) -> SimError {
    SimError::State { problem: problem.into() }
}

fn ends_early(error: &postcard::Error) -> SimError {
    damaged(&format!("is truncated: {error}"))
}

/// What is between the first line and the checksum.
fn checked(bytes: &[u8]) -> Result<&[u8], SimError> {
    let Some((body, sum)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
        return Err(damaged("is too short"));
    };
    let Some(content) = body.strip_prefix(MAGIC) else {
        return Err(damaged("has an unknown header"));
    };
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err(damaged("is truncated or changed: its checksum is wrong"));
    }
    Ok(content)
}

/// An error unless these are the parts that were saved.
fn check_names<F: Ftl, B: WriteBuffer>(settings: &Settings) -> Result<(), SimError> {
    let mut named = settings.clone();
    let known = F::name_in(&mut named).and_then(|()| B::name_in(&mut named));
    let same = (&named.ftl, &named.gc, &named.buffer) == (&settings.ftl, &settings.gc, &settings.buffer);
    if known.is_ok() && same {
        return Ok(());
    }
    let Settings { ftl, gc, buffer, .. } = settings;
    Err(damaged(&format!("has other parts: ftl '{ftl}', gc '{gc}', buffer '{buffer}'")))
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
