//! What a host has to know of a target with zones before it writes to it.

use serde::{Deserialize, Serialize};

/// Zones of equal size, each written in order from its start and reset as a whole (NVMe Zoned Namespace
/// Command Set 1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ZoneLayout {
    /// From the start of a zone to the start of the next, in bytes.
    pub size_bytes: u64,
    /// What of each can be written, from its start on, in bytes; at most `size_bytes`.
    pub capacity_bytes: u64,
    /// Zones that may be begun and not full at a time; 0 for no limit.
    pub active_max: u32,
    /// Whether a zone that holds data is reset when its first page is written again.
    pub resets_on_rewrite: bool,
}
