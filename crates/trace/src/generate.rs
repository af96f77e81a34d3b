//! The registry of generated traces: one file and one line for each.
//!
//! A generator is a `Workload`: it appends requests, a few at a time, in memory that does not grow with
//! them. A seed means the same requests on every machine and for ever. What stands for a workload of paper
//! 002 (Kim and Ahn, "BPLRU", FAST 2008, section 4.1) is a model of it: each module says what is taken from
//! the paper and what is assumed.

pub mod compile;
pub mod database;
pub mod hot_cold;
pub mod internet_files;
pub mod iometer;
pub mod mp3;
pub mod office_install;
pub mod p2p;
pub mod pcmark;
pub mod postmark;
pub mod sequential_streams;
pub mod uniform;
pub mod untar;
pub mod zipf;

pub use crate::settings::{Key, Settings};

use crate::error::TraceError;
use crate::model::Emit;
use crate::reader::{BATCH, Counts};
use crate::record::Record;
use crate::records::Records;

/// A kind of trace that is made up.
pub struct Generator {
    /// Its name on the command line.
    pub name: &'static str,
    /// The workload of paper 002 that it is a model of, such as `W7`; empty if none.
    pub paper: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// What can be set.
    pub keys: &'static [Key],
    pub(crate) make: fn(&Settings) -> Result<Box<dyn Workload>, TraceError>,
}

/// All generators.
pub const GENERATORS: &[Generator] = &[
    uniform::GENERATOR,
    zipf::GENERATOR,
    hot_cold::GENERATOR,
    sequential_streams::GENERATOR,
    database::GENERATOR,
    office_install::GENERATOR,
    internet_files::GENERATOR,
    pcmark::GENERATOR,
    iometer::GENERATOR,
    mp3::GENERATOR,
    p2p::GENERATOR,
    untar::GENERATOR,
    compile::GENERATOR,
    postmark::GENERATOR,
];

/// The requests of a workload, some more each time.
pub(crate) trait Workload: Send {
    /// Appends some requests, a few thousand at most; false once there are no more.
    fn step(&mut self, emit: &mut Emit) -> bool;
}

/// What to generate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of the device.
    pub size_bytes: u64,
    /// The most requests; none for as many as the workload has.
    pub number_ios: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
    /// Settings of this generator, key and value.
    pub set: Vec<(String, String)>,
}

impl Default for Options {
    /// The device of paper 002: 1 GiB.
    fn default() -> Options {
        Options { size_bytes: 1 << 30, number_ios: None, seed: 1, set: Vec::new() }
    }
}

/// The trace of the generator of this name, or of the one that is a model of this workload of paper 002.
///
/// # Errors
/// A name or setting that is not known, a value out of range, a device that is too small.
pub fn generate(name: &str, options: &Options) -> Result<Generated, TraceError> {
    let is_it = |generator: &&Generator| {
        generator.name == name || (!name.is_empty() && generator.paper.eq_ignore_ascii_case(name))
    };
    let generator = GENERATORS.iter().find(is_it).ok_or_else(|| {
        let known: Vec<_> = GENERATORS.iter().map(|generator| generator.name).collect();
        TraceError::UnknownGenerator { name: name.into(), known: known.join(", ") }
    })?;
    let settings = Settings::new(generator, options)?;
    Ok(Generated {
        name: generator.name,
        workload: (generator.make)(&settings)?,
        emit: Emit::new(options.seed),
        left: options.number_ios.unwrap_or(u64::MAX),
        given: 0,
        devices: [String::from("0")],
        at_end: false,
    })
}

/// A trace as it is made up.
pub struct Generated {
    name: &'static str,
    workload: Box<dyn Workload>,
    emit: Emit,
    left: u64,
    given: u64,
    devices: [String; 1],
    at_end: bool,
}

impl Records for Generated {
    fn next_batch(&mut self, records: &mut Vec<Record>) -> Result<usize, TraceError> {
        records.clear();
        while !self.at_end && self.emit.records.len() < BATCH {
            self.at_end = !self.workload.step(&mut self.emit);
        }
        let count = self.emit.records.len().min(BATCH).min(self.left.try_into().unwrap_or(usize::MAX));
        records.extend(self.emit.records.drain(..count));
        self.left -= count as u64;
        self.given += count as u64;
        Ok(count)
    }

    fn format(&self) -> &'static str {
        self.name
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn counts(&self) -> Counts {
        Counts { records: self.given, ..Counts::default() }
    }

    fn first_bad_line(&self) -> Option<&TraceError> {
        None
    }
}
