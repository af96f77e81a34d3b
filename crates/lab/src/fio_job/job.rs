//! What a job becomes, as data: who shows or runs it has words of its own.

use std::fmt;

use flashscope_bench::{Company, LatencyTarget, OnError};
use flashscope_core::{Nanos, Pattern, Share};
use flashscope_device::{DataPattern, Engine};

/// A job that can be measured: fields of [`MeasureRequest`](crate::MeasureRequest), and what is set outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its section's name.
    pub name: String,
    /// `filename`, if there is one.
    pub target: Option<String>,
    /// What it does.
    pub pattern: Pattern,
    /// Engine for single IOs; none chooses.
    pub engine: Option<Engine>,
    /// Seed of everything random.
    pub seed: Option<u64>,
    /// Finds the largest queue depth up to the pattern's that meets this.
    pub latency_target: Option<LatencyTarget>,
    /// Ends when the mean is known so well.
    pub precision: Option<Share>,
    /// Ends after this long.
    pub runtime: Option<Nanos>,
    /// Gives up on the precision after this long.
    pub budget: Option<Nanos>,
    /// Whether IOs go through the page cache.
    pub buffered: bool,
    /// What writes contain.
    pub data: DataPattern,
    /// What a failed IO does.
    pub on_error: OnError,
    /// What means something else here.
    pub notes: Vec<Remark>,
    /// It runs at the same time as the job before it.
    pub is_beside: bool,
    /// It runs in one process with the others of its time.
    pub is_together: bool,
    /// How it goes on beside the others of its time.
    pub company: Company,
    /// What is set for the whole process before it starts, the first outermost.
    pub starters: Vec<Starter>,
}

/// What the system sets for a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Starter {
    /// IO priority: class 1 to 3, and a level of 0 to 7 in classes 1 and 2.
    IoPriority {
        /// 1 real time, 2 best effort, 3 idle.
        class: u8,
        /// 0 is the highest.
        level: Option<u8>,
    },
    /// NUMA nodes.
    Numa {
        /// Nodes whose processors are used.
        processors: Option<String>,
        /// Where memory comes from.
        memory: Option<NumaMemory>,
    },
    /// Numbers and ranges of processors.
    Processors(String),
    /// -20 to 19.
    Niceness(i8),
}

/// Nodes that memory comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumaMemory {
    /// The node of the processor.
    Local,
    /// This one if it has some.
    Preferred(String),
    /// These alone.
    Bound(String),
    /// These in turn.
    Interleaved(String),
}

/// Something that cannot be taken over: where, what, why and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Line of the file, from 1.
    pub line: usize,
    /// The option, `name=value`.
    pub option: String,
    /// Why not, and the nearest way.
    pub why: Remark,
}

/// Why an option is refused, or how its meaning differs: `option: what`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// In words.
    pub text: String,
    /// What does it here.
    pub nearest: Option<Nearest>,
}

/// The nearest way, where it is none of fio's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearest {
    /// Move all addresses by a shift.
    Shift,
    /// Replay the trace.
    Replay,
    /// Replay a trace whose reads are compared with what was written.
    ReplayVerified,
    /// Mix in a share of another pattern.
    Mix,
    /// Choose what writes contain.
    Contents,
    /// Allow that existing data is overwritten.
    OverwriteExistingData,
    /// End after so many IOs.
    NumberIos(u64),
}

impl From<&str> for Remark {
    fn from(text: &str) -> Remark {
        Remark { text: text.into(), nearest: None }
    }
}

impl From<String> for Remark {
    fn from(text: String) -> Remark {
        Remark { text, nearest: None }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        self.nearest.map_or(Ok(()), |nearest| write!(f, "; {nearest}"))
    }
}

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nearest::Shift => f.write_str("move all of them by a shift"),
            Nearest::Replay => f.write_str("replay it"),
            Nearest::ReplayVerified => f.write_str("replay a trace with verification"),
            Nearest::Mix => f.write_str("mix in a share of another pattern"),
            Nearest::Contents => f.write_str("choose other contents"),
            Nearest::OverwriteExistingData => f.write_str("allow to overwrite existing data"),
            Nearest::NumberIos(ios) => write!(f, "end it after {ios} IOs"),
        }
    }
}
