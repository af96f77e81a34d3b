//! Generated traces: the registry of those that come with the crate (one file and one line for each), and
//! what a generator of one's own is made of.
//!
//! A generator is a [`Workload`]: it appends requests, a few at a time, in memory that does not grow with
//! them. A seed means the same requests on every machine and for ever. What stands for a workload of paper
//! 002 (Kim and Ahn, "BPLRU", FAST 2008, section 4.1) is a model of it: each module says what is taken from
//! the paper and what is assumed.
//!
//! ```
//! use flashscope_core::{Flags, Op};
//! use flashscope_trace::Records;
//! use flashscope_trace::generate::{Emit, Generator, Generators, Key, Options, Workload};
//!
//! /// Reads every other block, 1 ms apart.
//! struct EveryOther {
//!     block: u64,
//!     left: u64,
//! }
//!
//! impl Workload for EveryOther {
//!     fn step(&mut self, emit: &mut Emit) -> bool {
//!         emit.issue(Op::Read, self.block * 4096, 4096, Flags::NONE);
//!         emit.pass(1_000_000);
//!         (self.block, self.left) = (self.block + 2, self.left - 1);
//!         self.left > 0
//!     }
//! }
//!
//! static EVERY_OTHER: Generator = Generator {
//!     name: "every-other",
//!     paper: "",
//!     about: "reads of every other block",
//!     keys: &[Key { name: "ios", default: "1000", about: "requests" }],
//!     make: |settings| Ok(Box::new(EveryOther { block: 0, left: settings.number("ios")? })),
//! };
//! let mut trace = Generators::builtin().with(&EVERY_OTHER).generate("every-other", &Options::default())?;
//! assert_eq!(trace.next_batch(&mut Vec::new())?, 1000);
//! # Ok::<(), flashscope_trace::TraceError>(())
//! ```

mod compile;
mod database;
mod hot_cold;
mod internet_files;
mod iometer;
mod mp3;
mod office_install;
mod p2p;
mod pcmark;
mod postmark;
mod sequential_streams;
mod uniform;
mod untar;
mod zipf;

pub use crate::model::Emit;
pub use crate::settings::{Key, Settings};

use std::fmt;

use crate::error::TraceError;
use crate::record::Record;
use crate::records::{BATCH, Counts, Note, Records};

/// A kind of trace that is made up.
pub struct Generator {
    /// Its name in the registry.
    pub name: &'static str,
    /// The workload of paper 002 that it is a model of, such as `W7`; empty if none.
    pub paper: &'static str,
    /// What it is, in a line of help.
    pub about: &'static str,
    /// What can be set.
    pub keys: &'static [Key],
    /// Makes it. A value that it cannot take is refused with [`TraceError::Setting`].
    pub make: fn(&Settings) -> Result<Box<dyn Workload>, TraceError>,
}

impl fmt::Debug for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All generators that come with the crate.
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
pub trait Workload: Send {
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

impl Generator {
    /// Its trace.
    ///
    /// # Errors
    /// A setting that is not known, a value out of range, a device that is too small.
    pub fn generate(&self, options: &Options) -> Result<Generated, TraceError> {
        let Options { set, size_bytes, seed, number_ios } = options;
        let set = self.enough(set, number_ios.unwrap_or(0));
        let settings = Settings::new(self.keys, &set, *size_bytes, *seed)?;
        Ok(Generated {
            name: self.name,
            workload: (self.make)(&settings)?,
            emit: Emit::new(options.seed),
            left: options.number_ios.unwrap_or(u64::MAX),
            asked: options.number_ios,
            given: 0,
            devices: [String::from("0")],
            at_end: false,
        })
    }

    /// The settings, with as many requests as are asked for where the default is fewer: what is not set is no
    /// limit.
    fn enough(&self, set: &[(String, String)], number_ios: u64) -> Vec<(String, String)> {
        let is_count = |key: &&Key| matches!(key.name, "ios" | "transactions");
        let is_short = |key: &&Key| key.default.parse().is_ok_and(|default: u64| default < number_ios);
        let is_free = |key: &&Key| set.iter().all(|(name, _)| name != key.name);
        let count = self.keys.iter().find(|key| is_count(key) && is_short(key) && is_free(key));
        let more = count.map(|key| (key.name.to_string(), number_ios.to_string()));
        set.iter().cloned().chain(more).collect()
    }
}

/// The generators to choose from: those that come with the crate, and others.
#[derive(Clone, Debug)]
pub struct Generators {
    list: Vec<&'static Generator>,
}

impl Default for Generators {
    fn default() -> Generators {
        Generators::builtin()
    }
}

impl Generators {
    /// Those that come with the crate.
    pub fn builtin() -> Generators {
        Generators { list: GENERATORS.iter().collect() }
    }

    /// The same and this one, which takes the place of one of the same name.
    pub fn with(mut self, generator: &'static Generator) -> Generators {
        self.list.retain(|known| known.name != generator.name);
        self.list.push(generator);
        self
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &'static Generator> + '_ {
        self.list.iter().copied()
    }

    /// The generator of this name, or the one that is a model of this workload of paper 002.
    ///
    /// # Errors
    /// An unknown name; the error lists the known ones.
    pub fn find(&self, name: &str) -> Result<&'static Generator, TraceError> {
        let is_it = |generator: &&Generator| {
            generator.name == name || (!name.is_empty() && generator.paper.eq_ignore_ascii_case(name))
        };
        self.iter().find(is_it).ok_or_else(|| {
            let known: Vec<_> = self.iter().map(|generator| generator.name).collect();
            TraceError::UnknownGenerator { name: name.into(), known: known.join(", ") }
        })
    }

    /// The trace of the generator of this name, as [`Generators::find`] finds it.
    ///
    /// # Errors
    /// A name or setting that is not known, a value out of range, a device that is too small.
    pub fn generate(&self, name: &str, options: &Options) -> Result<Generated, TraceError> {
        self.find(name)?.generate(options)
    }
}

/// As [`Generators::generate`], of the generators that come with the crate.
///
/// # Errors
/// As [`Generators::generate`].
pub fn generate(name: &str, options: &Options) -> Result<Generated, TraceError> {
    Generators::builtin().generate(name, options)
}

/// A trace as it is made up.
pub struct Generated {
    name: &'static str,
    workload: Box<dyn Workload>,
    emit: Emit,
    left: u64,
    asked: Option<u64>,
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

    fn notes(&self) -> Vec<Note> {
        let missing = self.asked.filter(|_| self.at_end).map_or(0, |asked| asked.saturating_sub(self.given));
        Note::some(missing, "requests asked for that the workload does not have").into_iter().collect()
    }
}
