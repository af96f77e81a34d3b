//! Paper 002's table of buffers and their sizes, on its simulated board: what figures 7 to 18 are made of.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block};

use crate::devices::BOARD;
use crate::picture::lines;
use crate::stage::Stage;
use crate::stage::{Set, Simulated};
use crate::study::Found;
use crate::work::Work;

/// As in the paper's simulation: no flush commands, no reads.
pub const RULES: [Set<'static>; 2] = [("host.ignore_flush", "true"), ("host.ignore_reads", "true")];
/// The paper's sizes of the buffer.
pub const SIZES_MIB: [u64; 5] = [1, 2, 4, 8, 16];
const BUFFERS: [&str; 3] = ["lru", "fab", "bplru"];

/// What is accepted as a figure of the paper.
pub const TRACE: &str = "another trace of the same kind: the figure within a factor of 1.5";
/// Why a figure is met in kind only.
pub const OTHER_TRACE: &str =
    "direction as published; how large it is depends on the trace, see docs/bplru.md";
/// W2, its small changes, of the browser's index, spread over a thirtieth of the partition. Within the
/// generator's own 4 MiB both buffers hold them all, and the rest is files in order.
pub const W2: Work = Work::Generated("W2", &[("index", "32MiB")]);
/// W4.
pub const W4: Work = Work::Generated("W4", &[("ios", "30000")]);

/// Writes of `bs` bytes in order, over the whole board.
pub fn in_order(bs: u64, ios: u64) -> Work {
    let pattern = Pattern::baseline(Rw::Write, Bytes(0), Bytes(1 << 30));
    Work::Pattern(Pattern { bs: Bytes(bs), number_ios: Some(ios), ..pattern })
}

/// What is compared: its name, its buffer, and settings besides.
pub type Variant = (&'static str, &'static str, &'static [Set<'static>]);

/// Each variant with each buffer size.
pub struct Table {
    names: Vec<&'static str>,
    rows: Vec<(&'static str, u64, Simulated)>,
}

impl Table {
    /// The paper's three buffers.
    pub fn of(stage: &Stage<'_>, work: &Work) -> Result<Table> {
        Table::comparing(stage, work, &BUFFERS.map(|buffer| (buffer, buffer, &[][..])))
    }

    /// These variants.
    pub fn comparing(stage: &Stage<'_>, work: &Work, variants: &[Variant]) -> Result<Table> {
        let mut rows = Vec::new();
        for (name, buffer, more) in variants {
            for mib in SIZES_MIB {
                rows.push((*name, mib, buffered(stage, buffer, mib, more, work)?));
            }
        }
        Ok(Table { names: variants.iter().map(|variant| variant.0).collect(), rows })
    }

    /// What a variant did with so much RAM.
    pub fn at(&self, name: &str, mib: u64) -> &Simulated {
        let row = self.rows.iter().find(|row| row.0 == name && row.1 == mib);
        &row.expect("every variant has every size").2
    }

    /// How much faster one variant is than another.
    pub fn faster_percent(&self, one: &str, other: &str, mib: u64) -> f64 {
        100.0 * (self.ratio(one, other, mib) - 1.0)
    }

    /// Throughput of one variant over that of another.
    pub fn ratio(&self, one: &str, other: &str, mib: u64) -> f64 {
        self.at(one, mib).mb_s / self.at(other, mib).mb_s
    }

    /// How much faster BPLRU is than FAB.
    pub fn lead_percent(&self, mib: u64) -> f64 {
        self.faster_percent("bplru", "fab", mib)
    }

    /// How much less it erases.
    pub fn saved_percent(&self, mib: u64) -> f64 {
        100.0 * (1.0 - self.at("bplru", mib).erases() / self.at("fab", mib).erases())
    }

    /// With how many sizes it erases less.
    pub fn sizes_saved(&self) -> f64 {
        SIZES_MIB.iter().filter(|mib| self.saved_percent(**mib) > 0.0).count() as f64
    }

    /// The paper's two pictures of a workload.
    pub fn found(&self, workload: &str) -> Found {
        let mut found = self.found_of_throughput(workload);
        found.blocks.push(self.chart(workload, ("block erases", "erases"), Simulated::erases));
        found
    }

    /// The first of them alone.
    pub fn found_of_throughput(&self, workload: &str) -> Found {
        let throughput = self.chart(workload, ("throughput", "MB/s"), |simulated| simulated.mb_s);
        Found { blocks: vec![throughput], ..Found::default() }
    }

    fn chart(&self, workload: &str, (what, unit): (&str, &str), value: fn(&Simulated) -> f64) -> Block {
        let line = |name: &&str| {
            let rows = self.rows.iter().filter(|row| row.0 == *name);
            (name.to_string(), rows.map(|row| ((row.1 << 20) as f64, value(&row.2))).collect())
        };
        let id = format!("{workload}-{what}").replace(' ', "-").to_lowercase();
        let title = format!("{workload}: {what} by buffer size");
        let size = Axis::log("buffer size", "bytes");
        let axes = [size, Axis::linear(what, unit)];
        lines(&id, &title, axes, self.names.iter().map(line).collect())
    }
}

/// One workload with one buffer.
pub fn buffered(
    stage: &Stage<'_>,
    buffer: &str,
    mib: u64,
    more: &[Set<'_>],
    work: &Work,
) -> Result<Simulated> {
    let size = format!("{mib}MiB");
    let mut settings = RULES.to_vec();
    settings.extend([("buffer", buffer), ("ram.size", size.as_str())]);
    settings.extend(more);
    stage.simulate(BOARD, &settings, work)
}
