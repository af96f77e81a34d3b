//! Paper 002, section 4.1: what the text says of its workloads, held against the models that stand for them.

use flashscope_core::Bytes;
use flashscope_lab::Result;
use flashscope_trace::generate::{Options, generate};
use flashscope_trace::stats::{Stats, Summary};
use flashscope_trace::{Record, Records, samples};

use crate::claim::Claim;
use crate::papers::BPLRU;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// The partition of the paper.
const PARTITION: Bytes = Bytes(1 << 30);

const AT_RANDOM: &str = "writes that begin where one ended: 1 % at most";
const NEARLY: &str = "writes that begin where one ended: \"almost\", a fifth at most";

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "bplru-workloads",
    paper: &BPLRU,
    place: "section 4.1",
    about: "The generated traces that stand for the paper's, with the settings of the other studies, and a \
            recorded one, as statistics of traces see them. Their files and \
            sizes are set to the paper's: what is found is what the file system adds, and in which order. \
            The paper's programs (Office 2003 with the full options, PCMark05, linux-2.6.21 with 1,285 \
            folders unpacked and compiled), whose traces are not to be had, are stood for by others of \
            their kind.",
    claims: &[
        Claim::figure("w2-bytes", "W2 fills a folder of a 1-GB partition with 100 MB", 100.0, "MB")
            .near(90.0, 120.0, "the files, and a fifth for what the file system adds")
            .kind(50.0, 200.0)
            .because(
                "an index of 32 MiB, as figure 8 is run, and blocks of 4 KiB that small files leave \
                      half empty",
            )
            .computed(),
        Claim::shape("w2-small", "several small files", "small", "KiB")
            .near(0.5, 16.0, "the mean write: a few blocks")
            .computed(),
        Claim::shape("w4-whole", "W4's file has the size of the partition", "all of it", "%")
            .near(85.0, 100.0, "first address to last; NTFS keeps an eighth for its table of files")
            .computed(),
        Claim::shape("w4-random", "it overwrites it purely at random", "random", "%")
            .near(0.0, 1.0, AT_RANDOM)
            .computed(),
        Claim::figure("w5-mean", "W5: 90 files of 4.8 MB on average", 4.8, "MB")
            .near(4.3, 5.3, "bytes written for each of the 90, within 10 %: a sample of 90 sizes")
            .computed(),
        Claim::shape("w5-sequential", "copied in order", "sequential", "%")
            .near(80.0, 100.0, "writes that begin where one ended; the rest is the file system's")
            .computed(),
        Claim::figure("w5-recorded", "the same of the recorded trace", 4.8, "MB")
            .near(4.3, 5.3, "within 10 %")
            .computed(),
        Claim::figure("w6-bytes", "W6 downloads a film of 634 MB", 634.0, "MB")
            .near(627.0, 650.0, "within 2.5 %: blocks, and the program's state")
            .computed(),
        Claim::shape("w6-random", "in small parts, almost at random", "random", "%")
            .near(0.0, 20.0, NEARLY)
            .computed(),
        Claim::figure("w7-bytes", "W7: 21,594 files of 10.7 KB", 231.0, "MB")
            .near(220.0, 280.0, "21,594 times 10.7 KB, and a fifth for what the file system adds")
            .kind(160.0, 370.0)
            .because("half a block, an inode and a share of a journal are added to each small file")
            .computed(),
        Claim::shape("w9-systems", "W9 runs on all three file systems", "3", "file systems")
            .near(3.0, 3.0, "traces that differ in first address and in what they touch; the system is set")
            .computed(),
    ],
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    let mut found = Found::default();
    let w2 = generated(stage, "W2", &[("index", "32MiB")])?;
    found.measured("w2-bytes", mb(w2.write_footprint_bytes));
    found.measured("w2-small", w2.written_bytes as f64 / w2.writes as f64 / 1024.0);
    let w4 = generated(stage, "W4", &[("ios", "30000")])?;
    found.measured("w4-whole", spanned_percent(&w4));
    found.measured("w4-random", 100.0 * w4.sequential.write_sequential_share);
    let w5 = generated(stage, "W5", &[])?;
    found.measured("w5-mean", mb(w5.write_footprint_bytes) / 90.0);
    found.measured("w5-sequential", 100.0 * w5.sequential.write_sequential_share);
    let recorded = summary(stage, samples::open("mp3-ext3")?)?;
    found.measured("w5-recorded", mb(recorded.write_footprint_bytes) / 90.0);
    let w6 = generated(stage, "W6", &[])?;
    found.measured("w6-bytes", mb(w6.write_footprint_bytes));
    found.measured("w6-random", 100.0 * w6.sequential.write_sequential_share);
    found.measured("w7-bytes", mb(generated(stage, "W7", &[])?.write_footprint_bytes));
    let systems = ["ntfs", "fat16", "ext3"];
    let of = |fs: &str| -> Result<(u64, u64)> {
        let w9 = generated(stage, "W9", &[("fs", fs)])?;
        Ok((w9.addresses.map_or(0, |at| at.first_bytes), w9.write_footprint_bytes))
    };
    let mut touched = systems.into_iter().map(of).collect::<Result<Vec<_>>>()?;
    touched.sort_unstable();
    touched.dedup();
    found.measured("w9-systems", touched.len() as f64);
    Ok(found)
}

fn generated(stage: &Stage<'_>, name: &str, set: &[(&str, &str)]) -> Result<Summary> {
    let set = set.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let options = Options { size_bytes: PARTITION.0, seed: stage.seed, set, ..Options::default() };
    summary(stage, Box::new(generate(name, &options)?))
}

/// What `trace stats` says of a whole trace.
fn summary(stage: &Stage<'_>, mut trace: Box<dyn Records>) -> Result<Summary> {
    let mut stats = Stats::default();
    let mut records: Vec<Record> = Vec::new();
    while trace.next_batch(&mut records)? > 0 {
        stage.check_interrupt()?;
        stats.add(&records);
    }
    Ok(stats.summary(&*trace, true))
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn spanned_percent(summary: &Summary) -> f64 {
    let spanned = summary.addresses.map_or(0, |at| at.end_bytes - at.first_bytes);
    100.0 * spanned as f64 / PARTITION.0 as f64
}
