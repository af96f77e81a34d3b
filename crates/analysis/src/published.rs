//! What was published of devices that everybody compares with.

/// A row of paper 001's table 3, as printed; `=` is a factor of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The rig of this name stands for the device, and so does the profile `NAME-2009`.
    pub name: &'static str,
    /// SR, RR, SW and RW of 32 KiB, in ms.
    pub times_ms: [f64; 4],
    /// The pause that makes random writes as fast as sequential ones; none where no pause does.
    pub pause_ms: Option<f64>,
    /// The area in MiB in which random writes are fast, and what they take there in sequential writes.
    pub locality: Option<(f64, f64)>,
    /// Concurrent sequential streams, and what a write to one of them takes in writes to a single one.
    pub partitions: (f64, f64),
    /// Reverse and in-place writes in sequential writes, writes with large steps in random ones.
    pub order: [f64; 3],
}

/// Paper 001, table 3: the key characteristics of seven devices, in its order.
pub const TABLE_3: [Row; 7] = [
    row("memoright", [0.3, 0.4, 0.3, 5.0], Some(5.0), Some((8.0, 1.0)), (8.0, 1.0), [1.0, 1.0, 4.0]),
    row("mtron", [0.4, 0.5, 0.4, 9.0], Some(9.0), Some((8.0, 2.0)), (4.0, 1.5), [1.0, 1.0, 2.0]),
    row("samsung", [0.5, 0.5, 0.6, 18.0], None, Some((16.0, 1.5)), (4.0, 2.0), [1.5, 0.6, 2.0]),
    row("transcend-module", [1.2, 1.3, 1.7, 18.0], None, Some((4.0, 2.0)), (4.0, 2.0), [3.0, 2.0, 2.0]),
    row("transcend-mlc", [1.4, 3.0, 2.6, 233.0], None, Some((4.0, 1.0)), (4.0, 2.0), [2.0, 2.0, 1.0]),
    row("kingston-dthx", [1.3, 1.5, 1.8, 270.0], None, Some((16.0, 20.0)), (8.0, 20.0), [7.0, 6.0, 1.0]),
    row("kingston-dti", [1.9, 2.2, 2.9, 256.0], None, None, (4.0, 5.0), [8.0, 40.0, 1.0]),
];

const fn row(
    name: &'static str,
    times_ms: [f64; 4],
    pause_ms: Option<f64>,
    locality: Option<(f64, f64)>,
    partitions: (f64, f64),
    order: [f64; 3],
) -> Row {
    Row { name, times_ms, pause_ms, locality, partitions, order }
}
