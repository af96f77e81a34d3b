//! What a run did to the device, as numbers: operation counts, merges, wear, write amplification.

use serde::{Deserialize, Serialize};

use super::Ssd;
use super::clipped::Clipped;
use crate::buffer::WriteBuffer;
use crate::ftl::{Ftl, MapUse, Merges, PlacementUse, Setup, SpareUse};
use crate::nand::{AgingUse, Cause, Counts, Energy};

/// A number for each cause of flash operations.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ByCause {
    pub host: u64,
    pub gc: u64,
    pub merge: u64,
    /// For padding blocks that the buffer flushes.
    pub padding: u64,
    /// For the FTL's own tables.
    pub map: u64,
    pub wear: u64,
}

impl ByCause {
    fn of(count: impl Fn(Cause) -> u64) -> ByCause {
        ByCause {
            host: count(Cause::Host),
            gc: count(Cause::Gc),
            merge: count(Cause::Merge),
            padding: count(Cause::Padding),
            map: count(Cause::Map),
            wear: count(Cause::Wear),
        }
    }
}

/// Erases of the least, the average and the most worn block.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wear {
    pub min: u32,
    pub mean: f64,
    pub max: u32,
}

/// The device after a run, since its last restart.
#[allow(missing_docs)] // names that say it need no more
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DeviceReport {
    pub ftl: String,
    /// Its victim policy; none if it has no use for one.
    pub gc: Option<String>,
    /// The write buffer.
    pub buffer: String,
    /// Its RAM; 0 without a buffer.
    pub buffer_bytes: u64,
    /// Bytes that the host sees.
    pub capacity_bytes: u64,
    /// (physical - logical) / logical, as built.
    pub over_provisioning: f64,
    /// The same without the blocks that never hold closed data: the free reserve and open blocks.
    pub effective_over_provisioning: f64,
    /// What the FTL does with the flash beyond the capacity; zeros in results of before it was told.
    #[serde(default)]
    pub spare: SpareUse,
    /// Settings of which the device can use no more than a part.
    #[serde(default)]
    pub clipped: Vec<Clipped>,
    /// What the FTL's tables take; none if it does not say.
    #[serde(default)]
    pub map: Option<MapUse>,
    /// What became of placement handles; none if the FTL knows none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementUse>,
    /// What the operations of the flash took; none where the profile does not know.
    #[serde(default)]
    pub energy: Option<Energy>,
    /// What of the flash's age was felt; none where it does not age.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aging: Option<AgingUse>,
    pub host_reads: u64,
    pub host_writes: u64,
    pub host_read_bytes: u64,
    pub host_written_bytes: u64,
    pub host_flushes: u64,
    pub host_trims: u64,
    pub page_reads: u64,
    pub page_programs: u64,
    /// Physical blocks erased.
    pub block_erases: u64,
    pub merges: Merges,
    /// Programs by what they were for.
    pub programs_by_cause: ByCause,
    /// Reads by what they were for.
    pub reads_by_cause: ByCause,
    /// Page accesses that the buffer answered, at most one for each page of a request.
    pub buffer_hits: u64,
    /// Victims that the buffer chose: pages or blocks, as its policy thinks.
    pub buffer_evictions: u64,
    /// Pages that padding read from flash; missing pages that hold nothing are not read.
    pub padding_reads: u64,
    /// Dirty pages that the buffer still holds.
    pub buffer_dirty_pages: u64,
    /// Acknowledged bytes that a loss of power can cost at most: `ram.size` and `ram.write_behind`, or 0 if
    /// there is no buffer or `ram.survives_power_loss` or `host.power_loss_protection`.
    pub volatile_bytes_max: u64,
    /// Bytes programmed for each byte that the host wrote; none if it wrote nothing.
    pub write_amplification: Option<f64>,
    /// Erases of blocks, over the device's whole life.
    pub wear: Wear,
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// What the device did since it was made or restarted.
    pub fn report(&self) -> DeviceReport {
        let (settings, host, counts) = (&self.settings, &self.path.counts, self.nand().counts());
        let (merges, reserve) = (self.ftl.merges(), self.ftl.reserve_blocks());
        let geometry = self.geometry();
        let logical = f64::from(self.logical_pages);
        let physical = |blocks: u32| f64::from(blocks) * f64::from(geometry.pages_per_block);
        DeviceReport {
            ftl: settings.ftl.clone(),
            gc: settings.reads_gc().then(|| settings.gc.clone()),
            buffer: settings.buffer.clone(),
            buffer_bytes: if settings.buffer == "none" { 0 } else { settings.ram.size.0 },
            capacity_bytes: self.info.size_bytes,
            over_provisioning: physical(geometry.blocks - settings.slc_blocks(geometry)) / logical - 1.0,
            effective_over_provisioning: physical(geometry.blocks.saturating_sub(reserve)) / logical - 1.0,
            spare: self.ftl.spare_use(self.spare_blocks()),
            clipped: self.clipped(),
            map: self.ftl.map_use(),
            placement: self.ftl.placement_use(),
            energy: settings.energy.of(counts),
            aging: self.nand().aging_use(),
            host_reads: host.reads,
            host_writes: host.writes,
            host_read_bytes: host.read_bytes,
            host_written_bytes: host.written_bytes,
            host_flushes: host.flushes,
            host_trims: host.trims,
            page_reads: counts.reads(),
            page_programs: counts.programs(),
            block_erases: counts.erases(),
            merges,
            programs_by_cause: ByCause::of(|cause| counts.programs_for(cause)),
            reads_by_cause: ByCause::of(|cause| counts.reads_for(cause)),
            buffer_hits: host.buffer_hits,
            buffer_evictions: self.path.evictions.victims,
            padding_reads: counts.reads_for(Cause::Padding),
            buffer_dirty_pages: u64::from(self.path.buffer.dirty_pages()),
            volatile_bytes_max: self.volatile_bytes_max(),
            write_amplification: write_amplification(counts, geometry.page_bytes, host.written_bytes),
            wear: self.wear(),
        }
    }

    fn spare_blocks(&self) -> u32 {
        let geometry = self.geometry();
        geometry.blocks.saturating_sub(self.logical_pages.div_ceil(geometry.pages_per_block))
    }

    fn clipped(&self) -> Vec<Clipped> {
        let (settings, geometry) = (&self.settings, *self.geometry());
        Clipped::of(&Setup { settings, geometry, logical_pages: self.logical_pages, seed: self.seed })
    }

    fn volatile_bytes_max(&self) -> u64 {
        let ram = &self.settings.ram;
        let is_volatile = self.settings.buffer != "none" && !self.settings.buffer_survives();
        if is_volatile { ram.size.0.saturating_add(ram.write_behind.0) } else { 0 }
    }

    fn wear(&self) -> Wear {
        let erases = (0..self.nand().blocks()).map(|block| self.nand().erases(block));
        let total: u64 = erases.clone().map(u64::from).sum();
        Wear {
            min: erases.clone().min().unwrap_or(0),
            mean: total as f64 / f64::from(self.nand().blocks().max(1)),
            max: erases.max().unwrap_or(0),
        }
    }
}

fn write_amplification(counts: &Counts, page_bytes: u32, host_bytes: u64) -> Option<f64> {
    let programmed = counts.programs() as f64 * f64::from(page_bytes);
    (host_bytes > 0).then(|| programmed / host_bytes as f64)
}
