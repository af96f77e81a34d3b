//! Paper 002: BPLRU, by simulation and by replay. One file for what is run together.

mod ablation;
mod background;
mod buffers;
mod drawings;
mod ftls;
mod linux;
mod prototype;
mod table;
mod workloads;

use crate::study::Study;

/// Its studies, a list for each file, in the order of the paper.
pub const FILES: &[&[Study]] = &[
    background::STUDIES,
    drawings::STUDIES,
    ftls::STUDIES,
    workloads::STUDIES,
    buffers::STUDIES,
    linux::STUDIES,
    ablation::STUDIES,
    prototype::STUDIES,
];
