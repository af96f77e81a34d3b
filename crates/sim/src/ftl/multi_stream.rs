//! Page mapping with streams: what the host writes with one stream number shares blocks, and no other data do
//! (Kang et al., The Multi-streamed Solid-State Drive, HotStorage 2014; the streams of NVMe's directives).
//!
//! The handle is the stream; 0 is that of writes that name none. Data that a collection moves stay in their
//! stream, or go to blocks shared by all streams.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::frontiers::Frontiers;
use super::placed::{PlacedFtl, Placing};
use crate::error::SimError;
use crate::settings::Settings;

/// The table `[multi_stream]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MultiStreamSettings {
    /// Streams, with that of writes that name none: 1 to 128.
    pub streams: u32,
    /// Whether collected pages of all streams share blocks. If not, each stream keeps its own.
    pub shares_relocated: bool,
}

impl Default for MultiStreamSettings {
    fn default() -> MultiStreamSettings {
        MultiStreamSettings { streams: 8, shares_relocated: false }
    }
}

/// Streams, each with an open block.
#[derive(Clone, Copy, Debug)]
pub struct PerStream;

/// The FTL with an open block for each stream.
pub type MultiStreamFtl = PlacedFtl<PerStream>;

impl Placing for PerStream {
    const NAME: &'static str = "multi-stream";

    fn frontiers(settings: &Settings) -> Result<Frontiers, SimError> {
        let MultiStreamSettings { streams, shares_relocated } = settings.multi_stream;
        Frontiers::of_handles(settings, ("multi_stream.streams", streams), !shares_relocated)
    }
}
