//! Paper 000, table 3.1: the rows of twelve flash devices that no other study is of. Each is a stick whose
//! settings are chosen from its own row; two of the eight figures then follow.

use flashscope_lab::Result;

use super::table_3_1::row;
use crate::claim::Claim;
use crate::devices::MLC_LOG_BLOCKS;
use crate::papers::AJWANI;
use crate::stage::Set;
use crate::stage::Stage;
use crate::study::{Found, Study};

/// Of all twelve. The spare blocks are those that logs need in units of up to 4 MiB.
const COMMON: [Set<'static>; 2] = [("capacity", "512MiB"), ("over_provisioning", "0.25")];

const LOOK_UP: &str = "here every page is found at once; what makes random reads slower than sequential ones \
                       on this device (a table to be fetched, or reading ahead) is not specified";
const GATHER: &str = "how a device gathers the pieces of a page is not specified: here each is written by \
    itself, \
                      in pages of 2 or 16 KiB, or a buffer of 64 KiB joins them";
const UNIT: &str = "one size of what is mapped cannot give both this figure and that of 512 B";

/// A figure that a setting was chosen from.
const fn set(name: &'static str, words: &'static str, figure: f64, reason: &'static str) -> Claim {
    const FITTED: &str = "set from this row: within a factor of 1.5";
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, FITTED).because(reason).set()
}

/// A figure that follows from the settings: a simulated device without look-ups reads at random as in order.
const fn follows(name: &'static str, words: &'static str, figure: f64, reason: &'static str) -> Claim {
    const OTHERS: &str = "follows from sequential reads, set from this row: within a factor of 1.5";
    Claim::figure(name, words, figure, "MB/s").within(1.5, 3.0, OTHERS).because(reason).set()
}

/// Name and words of a device; its row; its link, its command, a program, pages of a block and channels; what
/// else it has.
macro_rules! table {
    ($($name:literal, $words:literal,
       [$sr:literal, $rr:literal, $sw:literal, $rw:literal],
       [$large_sr:literal, $large_rr:literal, $large_sw:literal, $large_rw:literal],
       [$mb_s:literal, $command_us:literal, $program_us:literal, $pages:literal, $channels:literal],
       $more:expr;)*) => {
        const CLAIMS: &[Claim] = &[$(
            set(concat!($name, "-sr-512"), concat!($words, ": sequential reads of 512 B"), $sr, UNIT),
            follows(concat!($name, "-rr-512"), concat!($words, ": random reads of 512 B"), $rr, LOOK_UP),
            set(concat!($name, "-sw-512"), concat!($words, ": sequential writes of 512 B"), $sw, GATHER),
            set(concat!($name, "-rw-512"), concat!($words, ": random writes of 512 B"), $rw, UNIT),
            set(concat!($name, "-sr-2m"), concat!($words, ": sequential reads of 2 MB"), $large_sr, UNIT),
            follows(concat!($name, "-rr-2m"), concat!($words, ": random reads of 2 MB"), $large_rr, LOOK_UP),
            set(concat!($name, "-sw-2m"), concat!($words, ": sequential writes of 2 MB"), $large_sw, UNIT),
            set(concat!($name, "-rw-2m"), concat!($words, ": random writes of 2 MB"), $large_rw, UNIT),
        )*];
        const DEVICES: &[([Set<'static>; 5], &[Set<'static>])] = &[$((
            [
                ("host.mb_s", $mb_s),
                ("host.command_us", $command_us),
                ("nand.program_us", $program_us),
                ("nand.pages_per_block", $pages),
                ("nand.channels", $channels),
            ],
            $more,
        ),)*];
    };
}

/// A buffer that joins the pieces of a page.
const JOINED: &[Set<'static>] = &[("buffer", "fifo"), ("ram.size", "64KiB")];
/// Chips that program 16 KiB at once, behind a slow bus: chosen because small sequential writes are so slow.
const COARSE: &[Set<'static>] = &[("nand.page", "16KiB"), ("nand.planes", "1"), ("nand.transfer_us", "400")];

table! {
    "dt-secure", "Kingston DT Secure of 512 MB", [0.97, 0.97, 0.64, 0.012], [33.14, 33.12, 14.72, 9.85],
    ["39.9", "460", "[1230]", "32", "8"], JOINED;
    "mini-traveldrive", "Memorex Mini TravelDrive of 512 MB", [0.79, 0.79, 0.37, 0.002],
    [13.15, 13.15, 5.0, 5.0], ["15.2", "560", "[2010]", "128", "4"], &[];
    "transmemory-512m", "Toshiba TransMemory of 512 MB", [0.78, 0.78, 0.075, 0.003],
    [12.69, 12.69, 4.19, 4.14], ["19", "200", "[2600]", "64", "1"], COARSE;
    "cruzer-micro", "SanDisk U3 Cruzer Micro of 512 MB", [0.55, 0.45, 0.32, 0.013], [12.8, 12.8, 5.2, 4.8],
    ["17.1", "840", "[940]", "32", "2"], &[];
    "mdrive", "M-Systems mDrive of 1 GB", [0.8, 0.8, 0.24, 0.005], [26.4, 26.4, 15.97, 15.97],
    ["35.9", "560", "[440]", "128", "4"], &[];
    "mdrive-100", "M-Systems mDrive 100 of 1 GB", [0.78, 0.78, 0.075, 0.002], [12.4, 12.4, 3.7, 3.7],
    ["18.5", "200", "[2950]", "64", "1"], COARSE;
    "smi", "SMI flash device of 1 GB", [0.97, 0.54, 0.65, 0.01], [13.34, 13.28, 9.18, 7.82],
    ["15.4", "440", "[580]", "64", "4"], JOINED;
    "dt-elite-2g", "Kingston DT Elite HS 2.0 of 2 GB", [0.8, 0.8, 0.22, 0.004], [24.9, 24.8, 12.79, 6.2],
    ["28.6", "560", "[1260]", "128", "8"], &[];
    "dt-elite-4g", "Kingston DT Elite HS 2.0 of 4 GB", [0.8, 0.8, 0.22, 0.003], [25.14, 25.14, 12.79, 6.2],
    ["28.9", "560", "[1250]", "128", "8"], &[];
    "td-classic", "Memorex TD Classic 003C of 4 GB", [0.79, 0.17, 0.12, 0.002], [12.32, 12.15, 5.15, 5.15],
    ["14", "550", "[1900]", "128", "4"], &[];
    "cf-120x", "120x CF card of 8 GB", [0.68, 0.44, 0.96, 0.004], [19.7, 19.5, 18.16, 16.15],
    ["22", "680", "[160]", "256", "8"], JOINED;
    "supertalent", "SuperTalent solid state drive of 16 GB", [1.4, 0.45, 0.82, 0.028],
    [12.65, 12.60, 9.84, 9.61], ["16.9", "270", "[200]", "32", "2"], JOINED;
}

/// All of them.
pub const STUDIES: &[Study] = &[Study {
    name: "ajwani-table-3-1-others",
    paper: &AJWANI,
    place: "table 3.1, twelve further flash devices",
    about: "Twelve rows, each of a stick of 512 MiB with log blocks: its link, the time of a command and of \
            a program, and the size of what is mapped are set from its row, and so is whether small \
            writes are joined in a buffer, or each takes a page of 2 or of 16 KiB: chosen because of \
            that figure, not known. Random reads follow.",
    claims: CLAIMS,
    run,
}];

fn run(stage: &Stage<'_>) -> Result<Found> {
    stage.needs_several_devices()?;
    let mut found = Found::default();
    for ((settings, more), claims) in DEVICES.iter().zip(CLAIMS.chunks(8)) {
        let all: Vec<Set<'_>> = COMMON.iter().chain(settings).chain(*more).copied().collect();
        let mut bench = stage.device(MLC_LOG_BLOCKS, &all)?;
        let row = row(stage, &mut bench)?;
        claims.iter().zip(row).for_each(|(claim, mb_s)| found.measured(claim.name, mb_s));
    }
    Ok(found)
}
