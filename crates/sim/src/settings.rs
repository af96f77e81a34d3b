//! Everything that can be set about a simulated SSD: the keys of a profile, of `--set` and of
//! `sim:PROFILE?key=value`. Doc comments and defaults here are what `flashscope list settings` prints.

use flashscope_core::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::buffer::{self, BufferSettings};
use crate::error::SimError;
use crate::ftl;
use crate::gc::GcSettings;
use crate::nand::{AgingSettings, EnergySettings, NandSettings, SchedulerSettings};
use crate::ssd::background::BackgroundSettings;
use crate::ssd::queues::QueueSettings;

/// The most of [`Settings::over_provisioning`].
pub const OVER_PROVISIONING_MAX: f64 = 100.0;

/// A part of something.
///
/// # Errors
/// [`SimError::Setting`] if it is less than nothing or more than all.
pub(crate) fn check_share(key: &str, share: f64) -> Result<(), SimError> {
    if (0.0..=1.0).contains(&share) {
        return Ok(());
    }
    let problem = format!("is {share}, not between 0 and 1");
    Err(SimError::setting(key, &problem, "give a share, 0.5 for a half"))
}

/// What a device holds before the first IO that counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Initial {
    /// Every page written once, in order.
    #[default]
    Full,
    /// Nothing.
    Empty,
    /// Full, and then every page written once more in one random order.
    Random,
}

/// The way between host and flash.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostSettings {
    /// Controller time of every command, without data transfer, in microseconds.
    pub command_us: f64,
    /// Commands that the controller processes in parallel; others wait.
    pub parallel_commands: u32,
    /// Whether commands overlap. If not, the device starts a command when the previous one is done, like a
    /// drive without command queueing.
    pub command_queue: bool,
    /// Speed of the link in megabytes (10^6) a second; 0 for no limit.
    pub mb_s: f64,
    /// Flush commands do nothing.
    pub ignore_flush: bool,
    /// A capacitor saves all that was acknowledged: a flush, and a write that must be durable, costs no more
    /// than its command.
    pub power_loss_protection: bool,
    /// Reads do nothing.
    pub ignore_reads: bool,
}

impl Default for HostSettings {
    fn default() -> HostSettings {
        HostSettings {
            command_us: 0.0,
            parallel_commands: 1,
            command_queue: true,
            mb_s: 0.0,
            ignore_flush: false,
            power_loss_protection: false,
            ignore_reads: false,
        }
    }
}

/// How erases are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Levelling {
    /// Free blocks are used in the order in which they became free.
    #[default]
    None,
    /// The free block with the fewest erases is used first.
    Dynamic,
    /// And blocks that never change are moved when they fall behind: the page FTL alone can.
    Static,
}

/// Wear levelling.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WearSettings {
    /// `none`, `dynamic` or `static`.
    pub levelling: Levelling,
    /// With `static`: erases by which a block lags behind one just erased before its data are moved there.
    /// Erase counts then differ by at most about twice that.
    pub threshold_erases: u32,
}

impl Default for WearSettings {
    fn default() -> WearSettings {
        WearSettings { levelling: Levelling::None, threshold_erases: 20 }
    }
}

/// A simulated SSD, described.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// One sentence.
    pub about: String,
    /// Bytes that the host sees.
    #[schemars(with = "String")]
    pub capacity: Bytes,
    /// (physical - logical) / logical, at least: 0.07 for 7 %. The flash is rounded up to whole blocks.
    pub over_provisioning: f64,
    /// The flash translation layer.
    pub ftl: String,
    /// How the FTLs `page`, `multi-stream` and `fdp` choose their victims.
    pub gc: String,
    /// The write buffer's policy.
    pub buffer: String,
    /// Initial content of the device: `full`, `empty` or `random`.
    pub initial: Initial,
    /// `[nand]`
    pub nand: NandSettings,
    /// `[aging]`
    pub aging: AgingSettings,
    /// `[energy]`
    pub energy: EnergySettings,
    /// `[scheduler]`
    pub scheduler: SchedulerSettings,
    /// `[host]`
    pub host: HostSettings,
    /// `[queues]`
    pub queues: QueueSettings,
    /// `[wear]`
    pub wear: WearSettings,
    /// `[background]`
    pub background: BackgroundSettings,
    /// `[victim]`
    pub victim: GcSettings,
    /// `[ram]`
    pub ram: BufferSettings,
    /// `[batch]`
    pub batch: buffer::batch::BatchSettings,
    /// `[bplru]`
    pub bplru: buffer::bplru::BplruSettings,
    /// `[cflru]`
    pub cflru: buffer::cflru::CflruSettings,
    /// `[lirs]`
    pub lirs: buffer::lirs::LirsSettings,
    /// `[fab]`
    pub fab: buffer::fab::FabSettings,
    /// `[page]`
    pub page: ftl::page::PageSettings,
    /// `[multi_stream]`
    pub multi_stream: ftl::multi_stream::MultiStreamSettings,
    /// `[fdp]`
    pub fdp: ftl::fdp::FdpSettings,
    /// `[hot_cold]`
    pub hot_cold: ftl::hot_cold::HotColdSettings,
    /// `[slc_cache]`
    pub slc_cache: ftl::slc_cache::SlcCacheSettings,
    /// `[log_block]`
    pub log_block: ftl::log_block::LogBlockSettings,
    /// `[banked_log]`
    pub banked_log: ftl::banked_log::BankedLogSettings,
    /// `[block]`
    pub block: ftl::block::BlockSettings,
    /// `[chunk]`
    pub chunk: ftl::chunk::ChunkSettings,
    /// `[hybrid]`
    pub hybrid: ftl::hybrid::HybridSettings,
    /// `[replacement_block]`
    pub replacement_block: ftl::replacement_block::ReplacementBlockSettings,
    /// `[fast]`
    pub fast: ftl::fast::FastSettings,
    /// `[dftl]`
    pub dftl: ftl::dftl::DftlSettings,
    /// `[superblock]`
    pub superblock: ftl::superblock::SuperblockSettings,
    /// `[zns]`
    pub zns: ftl::zns::ZnsSettings,
}

impl Settings {
    /// Whether the FTL has the victim policy that `gc` names, and says so in reports.
    pub fn reads_gc(&self) -> bool {
        ["page", "multi-stream", "fdp"].contains(&self.ftl.as_str())
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            about: String::new(),
            capacity: Bytes(1 << 30),
            over_provisioning: 0.07,
            ftl: "page".into(),
            gc: "greedy".into(),
            buffer: "none".into(),
            initial: Initial::Full,
            nand: NandSettings::default(),
            aging: AgingSettings::default(),
            energy: EnergySettings::default(),
            scheduler: SchedulerSettings::default(),
            host: HostSettings::default(),
            queues: QueueSettings::default(),
            wear: WearSettings::default(),
            background: BackgroundSettings::default(),
            victim: GcSettings::default(),
            ram: BufferSettings::default(),
            batch: buffer::batch::BatchSettings::default(),
            bplru: buffer::bplru::BplruSettings::default(),
            cflru: buffer::cflru::CflruSettings::default(),
            lirs: buffer::lirs::LirsSettings::default(),
            fab: buffer::fab::FabSettings::default(),
            page: ftl::page::PageSettings::default(),
            multi_stream: ftl::multi_stream::MultiStreamSettings::default(),
            fdp: ftl::fdp::FdpSettings::default(),
            hot_cold: ftl::hot_cold::HotColdSettings::default(),
            slc_cache: ftl::slc_cache::SlcCacheSettings::default(),
            log_block: ftl::log_block::LogBlockSettings::default(),
            banked_log: ftl::banked_log::BankedLogSettings::default(),
            block: ftl::block::BlockSettings::default(),
            chunk: ftl::chunk::ChunkSettings::default(),
            hybrid: ftl::hybrid::HybridSettings::default(),
            replacement_block: ftl::replacement_block::ReplacementBlockSettings::default(),
            fast: ftl::fast::FastSettings::default(),
            dftl: ftl::dftl::DftlSettings::default(),
            superblock: ftl::superblock::SuperblockSettings::default(),
            zns: ftl::zns::ZnsSettings::default(),
        }
    }
}
