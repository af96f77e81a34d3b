//! Paper 001: uFLIP, its method and what it found of eleven devices. One file for what is run together.

mod classes;
mod devices;
mod granularity;
mod hints;
mod locality;
mod patterns;
mod pause;
mod phases;
mod plan;
mod results;
mod state;
mod table_3;

use crate::study::Study;

/// Its studies, a list for each file, in the order of the paper.
pub const FILES: &[&[Study]] = &[
    patterns::STUDIES,
    state::STUDIES,
    phases::STUDIES,
    classes::STUDIES,
    plan::STUDIES,
    pause::STUDIES,
    granularity::STUDIES,
    locality::STUDIES,
    table_3::STUDIES,
    results::STUDIES,
    devices::STUDIES,
    hints::STUDIES,
];
