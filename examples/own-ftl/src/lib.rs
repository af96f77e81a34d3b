//! Parts of a simulated SSD that flashscope does not have, each in a file of its own: an FTL ([`RingLog`]), a
//! write buffer ([`CScan`]) and a victim policy ([`WindowedGreedy`]). `cargo test` puts them through
//! flashscope's test kit, `cargo run --release` measures them beside the FTL `page`.

mod c_scan;
mod ring_log;
mod windowed_greedy;

pub use c_scan::{CScan, CScanOptions};
pub use ring_log::{RingLog, RingLogOptions};
pub use windowed_greedy::{Window, WindowedGreedy};
