//! Paper 002, sections 4.4 and 5: six traces replayed on the prototype, beside the simulation of its
//! operation counts (figure 20), and its buffer saved when the power fails.
//!
//! The prototype is a simulated board that pays for what the paper's simulation left out: the USB link and
//! the copies in RAM. On a person's device the same six traces are replayed, and their order is compared.

use flashscope_core::Bytes;
use flashscope_core::pattern::{Pattern, Rw};
use flashscope_lab::Result;
use flashscope_show::html::document::{Axis, Block, Chart};

use crate::claim::Claim;
use crate::claim::{ANY, LOST_PICTURES};
use crate::devices::{BOARD, SLC_SSD};
use crate::papers::BPLRU;
use crate::picture::{Line, chart};
use crate::session::{greatest, median};
use crate::stage::Stage;
use crate::stage::{Set, over_all};
use crate::study::{Found, Study};
use crate::work::Work;

const ALL: &[&str] = &["none", "lru", "fab", "bplru"];
/// As in the paper's simulation: operation counts alone.
const COUNTS: [Set<'static>; 3] =
    [("ram.size", "8MiB"), ("host.ignore_flush", "true"), ("host.ignore_reads", "true")];
/// What a USB 2.0 stick of the time pays besides: a command, and 25 MB/s.
const USB: [Set<'static>; 3] = [("ram.size", "8MiB"), ("host.command_us", "300"), ("host.mb_s", "25")];
/// And with a buffer a copy into it and one out of it, by a processor of 200 MHz at 50 MB/s, while the link
/// waits: 12.5 MB/s in all.
const USB_AND_COPIES: [Set<'static>; 3] =
    [("ram.size", "8MiB"), ("host.command_us", "300"), ("host.mb_s", "12.5")];

/// Nearer is a tie.
const TIE: f64 = 0.02;
const FIGURE_20: &str = "section 4.4 and figure 20";

/// All of them.
pub const STUDIES: &[Study] = &[
    Study {
        name: "bplru-prototype",
        paper: &BPLRU,
        place: "section 4.4, figures 19 and 20",
        about: "Six traces replayed one request after the other, their flush included, on a board with a USB \
                link, 8 MiB and its copies; beside the same traces by operation counts alone.",
        claims: &[
            Claim::shape(
                "trends",
                "the trends of prototype and simulation are very similar",
                "similar",
                "% of pairs",
            )
            .near(
                90.0,
                100.0,
                "pairs of a task's buffers in the same order; without those less than 2 % apart",
            )
            .kind(70.0, 100.0)
            .at(FIGURE_20),
            Claim::shape("mp3", "for the MP3 files the RAM buffer is worse than none", "worse", "x")
                .near(0.3, 0.95, "the best of the three buffers against none; visibly: by a twentieth")
                .kind(0.3, 0.98)
                .because(
                    "W5 as generated on FAT16, the paper's; that copies in RAM go at 50 MB/s is chosen, and \
                     decides how much worse",
                )
                .at(FIGURE_20),
            Claim::shape("mp3-recorded", "the same of MP3 files recorded on ext3", "worse", "x")
                .near(0.3, 0.95, "as above")
                .kind(0.3, 0.98)
                .because(
                    "ext3's journal comes between the files' blocks, so that the log blocks need full merges \
                     which a buffer avoids; FAT16, which the paper used, has none",
                )
                .at(FIGURE_20),
            Claim::shape(
                "slightly",
                "BPLRU is slightly better in the simulation than on the prototype",
                "slightly",
                "%",
            )
            .near(0.5, 10.0, "the median of the six tasks: visible, and no more than a tenth")
            .kind(0.5, 30.0)
            .because(
                "the cost of a command and of copies is chosen (300 µs, 50 MB/s): the paper's is not \
                 specified",
            )
            .at(FIGURE_20),
            Claim::figure(
                "block",
                "1 GB of MLC flash, whose 128 pages of 2 KB make a block of 256 KB, with seven log blocks, \
                 on an ARM940T at 200 MHz with 32 MB of SDRAM; a Pentium 4 of 2.4 GHz with 512 MB as its \
                 host",
                256.0,
                "KiB",
            )
            .near(
                256.0,
                256.0,
                "the board's geometry, exactly; of the processors only links and copies \
                                 are run",
            )
            .set()
            .at("section 4.4 and figure 19"),
            Claim::not_here(
                "values",
                "the heights of figure 20, and of the lines of figures 7 to 18",
                "pictures",
                LOST_PICTURES,
            )
            .at(FIGURE_20),
        ],
        run: figure_20,
    },
    Study {
        name: "bplru-table-2",
        paper: &BPLRU,
        place: "sections 2 and 4.2; table 2",
        about: "A block of the board written page by page: what the last page takes beyond the others.",
        claims: &[
            Claim::figure(
                "erase",
                "a block's erase takes 1.5 ms (on the prototype it may depend on the block)",
                1.5,
                "ms",
            )
            .near(1.485, 1.515, "a parameter: exactly")
            .set(),
            Claim::shape("longer", "an erase takes longer than the write of a page", "longer", "x")
                .near(1.1, ANY, "the time of the erase over the median page's")
                .set()
                .at("section 2"),
            Claim::not_here(
                "pages",
                "table 2's times to read and to write a page",
                "two times",
                "the table's figures are not in the text; the profile has those of chips of the time: 60 and \
                 800 µs, and 61 µs for a page on the bus",
            ),
        ],
        run: |stage| {
            stage.needs_block_bounds()?;
            let mut bench = stage.device(BOARD, &[("buffer", "none")])?;
            let mut times = Vec::new();
            let block = Pattern { number_ios: Some(128), ..over_all(&bench, Rw::Write, 2 << 10) };
            stage.every_io(&mut bench, &block, &mut |io| times.push(io.response.as_ms()))?;
            let mut found = Found::default();
            let erase = Some(times[times.len() - 1] - median(&times)).filter(|ms| *ms > 0.0);
            found.measured_if("erase", erase);
            found.measured_if("longer", erase.map(|ms| ms / median(&times)));
            Ok(found)
        },
    },
    Study {
        name: "bplru-power-loss",
        paper: &BPLRU,
        place: "section 5",
        about: "8 MiB written in order to erased blocks, as a drive without power would save its buffer.",
        claims: &[Claim::shape(
            "saved",
            "8 MB are copied to reserved flash in less than 1 s",
            "below 1 s",
            "s",
        )
        .kind(0.0, 1.0)
        .tolerated("an SSD with eight channels")
        .because("the board's one chip, at 2.4 MB/s, would take 3.5 s")],
        run: |stage| {
            let settings = [("capacity", "1GiB"), ("initial", "empty")];
            stage.needs_flash()?;
            let mut bench = stage.device(SLC_SSD, &settings)?;
            let buffer = over_all(&bench, Rw::Write, 1 << 20);
            let written = stage.timed(&mut bench, &Pattern { number_ios: Some(8), ..buffer }, None)?;
            let mut found = Found::default();
            found.measured("saved", 8.0 * f64::from(1 << 20) / 1e6 / written.mb_s());
            Ok(found)
        },
    },
];

/// Six tasks; which six the paper's picture shows is not in its text, but the MP3 files are among them.
fn tasks() -> [(&'static str, Work); 6] {
    [
        ("install", Work::Sample("install-ext3")),
        ("mp3", Work::Generated("W5", &[])),
        ("p2p", Work::Generated("W6", &[])),
        ("untar", Work::Sample("untar-ext3")),
        ("compile", Work::Sample("compile-ext3")),
        ("postmark", Work::Sample("postmark-ext3")),
    ]
}

/// MB/s of a task: by operation counts, and replayed.
struct Pair {
    task: &'static str,
    buffer: &'static str,
    counted: f64,
    replayed: f64,
}

/// MB/s of a task with a buffer, replayed.
fn replayed(stage: &Stage<'_>, buffer: &str, work: &Work) -> Result<f64> {
    let paid = if buffer == "none" { USB } else { USB_AND_COPIES };
    let settings: Vec<Set<'_>> = paid.into_iter().chain([("buffer", buffer)]).collect();
    stage.replay(&mut *stage.device(BOARD, &settings)?, work)
}

fn figure_20(stage: &Stage<'_>) -> Result<Found> {
    // A device has the buffer that it has, unless it is a simulated SSD.
    let buffers = if stage.takes_settings() { ALL } else { &ALL[..1] };
    let mut pairs = Vec::new();
    for (task, work) in tasks() {
        for &buffer in buffers {
            let replayed = replayed(stage, buffer, &work)?;
            let settings: Vec<Set<'_>> = COUNTS.into_iter().chain([("buffer", buffer)]).collect();
            let counted = stage.as_the_paper().simulate(BOARD, &settings, &work)?.mb_s;
            pairs.push(Pair { task, buffer, counted, replayed });
        }
    }
    let mut found = Found::default();
    found.measured("trends", agreeing_percent(&pairs, buffers.len()));
    if buffers.len() > 1 {
        let block = Pattern { number_ios: Some(1), ..Pattern::baseline(Rw::Write, Bytes(0), Bytes(1 << 20)) };
        let board = stage.simulate(BOARD, &[], &Work::Pattern(block))?;
        found.measured("block", board.erase_unit_bytes as f64 / 1024.0);
        let of = |buffer: &'static str| pairs.iter().filter(move |pair| pair.buffer == buffer);
        let mp3 = |buffer: &'static str| {
            of(buffer).find(|pair| pair.task == "mp3").map_or(f64::NAN, |pair| pair.replayed)
        };
        found.measured("mp3", greatest(ALL[1..].iter().map(|buffer| mp3(buffer))) / mp3("none"));
        let recorded = |buffer: &&str| replayed(stage, buffer, &Work::Sample("mp3-ext3"));
        let recorded = ALL.iter().map(recorded).collect::<Result<Vec<f64>>>()?;
        found.measured("mp3-recorded", greatest(recorded[1..].iter().copied()) / recorded[0]);
        let lost: Vec<f64> = of("bplru").map(|pair| 100.0 * (pair.counted / pair.replayed - 1.0)).collect();
        found.measured("slightly", median(&lost));
    }
    found.unknown = Some("the buffer of this device cannot be changed");
    found.blocks = pictures(&pairs);
    Ok(found)
}

/// How many pairs have the same order both ways: of the buffers of a task, or, with one buffer, of tasks.
/// What is a tie either way has no order.
fn agreeing_percent(pairs: &[Pair], buffers: usize) -> f64 {
    let order = |a: f64, b: f64| Some(a < b).filter(|_| (a / b).ln().abs() >= TIE);
    let (mut all, mut agreeing) = (0, 0);
    for (i, one) in pairs.iter().enumerate() {
        for other in pairs[..i].iter().filter(|other| buffers == 1 || other.task == one.task) {
            let orders = order(one.counted, other.counted).zip(order(one.replayed, other.replayed));
            all += u32::from(orders.is_some());
            agreeing += u32::from(orders.is_some_and(|(counted, replayed)| counted == replayed));
        }
    }
    100.0 * f64::from(agreeing) / f64::from(all)
}

/// Figure 20, a picture for each side.
fn pictures(pairs: &[Pair]) -> Vec<Block> {
    vec![
        picture("simulated", "(a) operation counts", pairs, |pair| pair.counted),
        picture("replayed", "(b) replay on the device", pairs, |pair| pair.replayed),
    ]
}

fn picture(id: &str, title: &str, pairs: &[Pair], value: fn(&Pair) -> f64) -> Block {
    let names: Vec<&str> = tasks().iter().map(|(task, _)| *task).collect();
    let number = |task: &str| names.iter().position(|name| *name == task).unwrap_or(0) as f64 + 1.0;
    let line = |buffer: &&str| {
        let of_buffer = pairs.iter().filter(|pair| pair.buffer == *buffer);
        (buffer.to_string(), of_buffer.map(|pair| (number(pair.task), value(pair))).collect())
    };
    let axes = [Axis::linear("task", ""), Axis::linear("throughput", "MB/s")];
    let caption = names.iter().enumerate().map(|(i, name)| format!("{} {name}", i + 1));
    Block::Chart(Chart {
        caption: format!("Tasks: {}.", caption.collect::<Vec<_>>().join(", ")),
        ..chart(
            id,
            title,
            axes,
            ALL.iter().map(line).filter(|(_, points): &Line| !points.is_empty()).collect(),
        )
    })
}
