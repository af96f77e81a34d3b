//! Paper 000: what low-end flash devices do, and what it means for algorithms. One file for what is run
//! together.

mod algorithms;
mod bfs;
mod burst;
mod chips;
mod devices;
mod disk;
mod exceptions;
mod history;
mod patterns;
mod recovery;
mod spikes;
mod sticks;
mod suite;
mod table_3_1;

use crate::study::Study;

/// Its studies, a list for each file, in the order of the paper.
pub const FILES: &[&[Study]] = &[
    algorithms::STUDIES,
    chips::STUDIES,
    patterns::STUDIES,
    table_3_1::STUDIES,
    sticks::STUDIES,
    disk::STUDIES,
    spikes::STUDIES,
    burst::STUDIES,
    recovery::STUDIES,
    history::STUDIES,
    bfs::STUDIES,
    suite::STUDIES,
    exceptions::STUDIES,
];
