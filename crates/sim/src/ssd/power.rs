//! Loss of power at any flash operation, and what is left after it (paper 002, conclusion: a write buffer in
//! RAM loses what was not flushed).
//!
//! Trims go to a small journal outside the flash at once. If they waited for a flush, a collection could
//! erase the trimmed copy, and an older one would come back.

use serde::{Deserialize, Serialize};

use super::Ssd;
use super::path::Path;
use crate::buffer::{BufferSetup, Evictions, WriteBuffer};
use crate::error::SimError;
use crate::ftl::{Ftl, Setup};
use crate::nand::{Cause, Lpn, Moment};

/// What a loss of power took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerLoss {
    /// Pages whose last acknowledged write is gone, which no flush had followed: a volatile buffer may
    /// do that.
    pub acknowledged_pages_lost: u64,
    /// Pages that a flush had made durable and that hold nothing now: a defect.
    pub flushed_pages_lost: u64,
    /// Pages that hold something older than what a flush or a trim had made durable: a defect.
    pub stale_pages: u64,
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// Cuts the power after `operations` more programs and erases. The request in whose course it goes, and
    /// all after it, fail until [`Ssd::power_cycle`].
    pub fn cut_power_after(&mut self, operations: u64) {
        self.path.nand.cut_power_after(operations);
    }

    /// Whether the device has no power.
    pub fn is_off(&self) -> bool {
        self.path.nand.power().is_off()
    }

    /// Switches the power off, if it is not, and on again: the FTL is rebuilt from spare areas, and the
    /// buffer is empty unless `ram.survives_power_loss`. Says what is lost; reads are checked against what
    /// is there.
    ///
    /// # Errors
    /// [`SimError::Setting`] without `nand.data`, or as [`Ftl::rebuild`].
    pub fn power_cycle(&mut self) -> Result<PowerLoss, SimError> {
        let Some(trims) = self.path.trims() else {
            return Err(SimError::setting("nand.data", "is off, and a rebuild needs it", "set it to true"));
        };
        let Ssd { settings, path, logical_pages, seed, ftl_options, buffer_options, .. } = self;
        let (geometry, logical_pages) = (*path.nand.geometry(), *logical_pages);
        path.nand.restore_power();
        let setup = Setup { settings, geometry, logical_pages, seed: *seed };
        self.ftl = F::rebuild(&setup, ftl_options, &mut path.nand, &trims)?;
        if settings.buffer_survives() {
            path.write_rescued(&mut self.ftl);
        } else {
            let setup = BufferSetup {
                pages: settings.buffer_pages()?,
                pages_per_block: geometry.pages_per_block,
                logical_pages,
                settings,
            };
            path.buffer = B::new(&setup, buffer_options)?;
        }
        self.flight = crate::flight::Flight::default();
        path.forget_requests();
        if let Some(queues) = &mut self.queues {
            queues.clear();
        }
        let loss = path.recover(&mut self.ftl, logical_pages);
        path.nand.timing_mut().begin();
        self.watch_again();
        Ok(loss)
    }
}

impl<B: WriteBuffer> Path<B> {
    /// What the capacitor saved on its way from the buffer to the flash.
    fn write_rescued<F: Ftl>(&mut self, ftl: &mut F) {
        for page in std::mem::take(&mut self.rescued) {
            self.write_evicted(ftl, page.lpn, page.token, Moment::START);
        }
    }

    /// Compares every page with what it should hold. The reads count as the FTL's own.
    fn recover<F: Ftl>(&mut self, ftl: &mut F, logical_pages: u32) -> PowerLoss {
        self.evictions = Evictions::default();
        self.ahead.drop_all();
        let mut loss = PowerLoss::default();
        for lpn in 0..logical_pages as Lpn {
            let found = match self.buffer.read(lpn) {
                Some(token) => token,
                None => ftl.read(&mut self.nand, lpn, Cause::Map, Moment::START).token,
            };
            self.judge(lpn, found, &mut loss);
        }
        self.forget_pending();
        loss
    }
}
