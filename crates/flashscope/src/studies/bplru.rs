//! Paper 002: BPLRU, by simulation and by replay. One file for what is run together.

mod buffers;
mod example;
mod ftls;
mod linux;
mod prototype;
mod table;
mod techniques;
mod workloads;

use super::Study;

/// Its studies, a list for each file, in the order of the paper.
pub const FILES: &[&[Study]] = &[
    example::STUDIES,
    ftls::STUDIES,
    workloads::STUDIES,
    buffers::STUDIES,
    linux::STUDIES,
    techniques::STUDIES,
    prototype::STUDIES,
];
