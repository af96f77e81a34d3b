//! From the settings to a device in its initial state: what they must keep to, the first fill, a restart.

use std::sync::atomic::{AtomicBool, Ordering};

use flashscope_core::number::size;
use flashscope_core::permutation::Permutation;
use flashscope_core::seed::derive;
use flashscope_core::{Bytes, Op, Request, TargetError};

use super::Ssd;
use super::background::When;
use super::path::Path;
use crate::buffer::{AnyBuffer, WriteBuffer};
use crate::error::SimError;
use crate::ftl::slc_cache::SlcCacheSettings;
use crate::ftl::{AnyFtl, Ftl, FtlWork};
use crate::nand::geometry::{PartialPage, Planes};
use crate::nand::timing::TimingMode;
use crate::nand::{BackEnd, Geometry, Lpn, Moment, NandSettings, Timing};
use crate::settings::{Initial, Levelling, OVER_PROVISIONING_MAX, Settings};

impl Settings {
    /// An error unless they describe a device: names of the registries, and everything that
    /// [`Settings::geometry`] and [`Settings::buffer_pages`] look at.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn check(&self) -> Result<(), SimError> {
        let mut named = self.clone();
        AnyFtl::name_in(&mut named)?;
        AnyBuffer::name_in(&mut named)?;
        self.geometry()?;
        self.buffer_pages()?;
        Ok(())
    }

    /// The flash that these settings ask for, and the pages that the host sees. Names are not looked at: they
    /// may be those of parts from outside.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn geometry(&self) -> Result<(Geometry, u32), SimError> {
        self.validate()?;
        let nand = &self.nand;
        let stripe = nand.stripe_blocks();
        let page_bytes = nand.page.0;
        let all_pages = u64::from(nand.pages_per_block) * u64::from(stripe);
        let pages_per_block =
            u32::try_from(all_pages).ok().filter(|pages| *pages <= 1 << 28).ok_or_else(|| {
                SimError::setting(
                    "nand.pages_per_block",
                    "times the blocks of nand.stripe is more than 2^28 pages erased as one",
                    "use fewer pages, or a smaller stripe",
                )
            })?;
        let logical_pages = self.capacity.0 / page_bytes;
        let physical_pages = logical_pages as f64 * (1.0 + self.over_provisioning);
        let blocks = (physical_pages / f64::from(pages_per_block)).ceil() as u64
            + SlcCacheSettings::blocks(self, pages_per_block);
        if blocks * u64::from(pages_per_block) >= u64::from(u32::MAX) {
            return Err(SimError::setting(
                "capacity",
                "has more than 2^32 pages",
                "use a smaller capacity or larger pages",
            ));
        }
        let geometry = Geometry {
            blocks: blocks as u32,
            pages_per_block,
            page_bytes: page_bytes as u32,
            stripe,
            endurance_erases: nand.endurance(),
        };
        Ok((geometry, logical_pages as u32))
    }

    /// How long operations take on that flash.
    pub fn timing(&self, geometry: &Geometry) -> Timing {
        let back_end = if self.is_booking_exact() { BackEnd::Booking } else { BackEnd::Events };
        let timing = Timing::new(&self.nand).with_back_end(back_end).with_scheduler(&self.scheduler);
        match self.slc_blocks(geometry) {
            0 => timing,
            slc => {
                let SlcCacheSettings { read_us, program_us, .. } = self.slc_cache;
                timing.with_slc(geometry.blocks - slc, read_us, program_us)
            }
        }
    }

    /// Whether booking gives the same times as queues do: where each operation is ready before all that are
    /// asked for after it. On one die an operation waits for the host, or for older operations of that die,
    /// which are done when it has its turn; so it is enough that the host's are ready in order. Commands are
    /// understood in order. Data written overtake none where the link costs nothing or nothing comes beside
    /// them, pages from RAM make nothing later where that costs nothing or no flash operation follows, and
    /// work in the background finds no command waiting where those cost nothing or come one by one. A read
    /// with priority finds programs that were asked for earlier, and one that is tried again finds what came
    /// meanwhile. Where a die takes data beside a program it is free before that is done, and what waits for
    /// it is overtaken.
    pub fn is_booking_exact(&self) -> bool {
        let NandSettings { timing, partial_page, .. } = &self.nand;
        let one_die = *timing == TimingMode::Serial || self.nand.units() == 1;
        let link_keeps_order = self.host.mb_s == 0.0 || !self.host.command_queue;
        let reads_rest = self.buffer != "none" && *partial_page == PartialPage::ReadModifyWrite;
        let ram_keeps_order = self.ram.access_us == 0.0 || !(reads_rest || self.ram.read_ahead.0 > 0);
        let is_idle_free =
            self.background.when == When::Never || self.host.command_us == 0.0 || !self.host.command_queue;
        let is_each_read_one = !self.aging.has_retries() && !self.scheduler.read_priority;
        let is_one_at_work = !self.nand.cache_program;
        is_each_read_one && is_one_at_work && one_die && link_keeps_order && ram_keeps_order && is_idle_free
    }

    /// Blocks in SLC mode, the last ones of the device.
    pub fn slc_blocks(&self, geometry: &Geometry) -> u32 {
        SlcCacheSettings::blocks(self, geometry.pages_per_block) as u32
    }

    /// Whether what the write buffer holds is there after a loss of power.
    pub fn buffer_survives(&self) -> bool {
        self.ram.survives_power_loss || self.host.power_loss_protection
    }

    /// Pages of the write buffer.
    ///
    /// # Errors
    /// [`SimError::Setting`] if it holds less than one page or more than the device.
    pub fn buffer_pages(&self) -> Result<u32, SimError> {
        let Bytes(bytes) = self.ram.size;
        let pages = bytes / self.nand.page.0;
        if self.buffer != "none" && (pages == 0 || bytes > self.capacity.0) {
            return Err(SimError::Setting {
                key: "ram.size".into(),
                problem: format!("is {}", size(self.ram.size.0 as f64)),
                remedy: format!(
                    "choose between one page ({}) and the device's capacity ({})",
                    size(self.nand.page.0 as f64),
                    size(self.capacity.0 as f64)
                ),
            });
        }
        Ok(pages.min(u64::from(u32::MAX)) as u32)
    }

    fn validate(&self) -> Result<(), SimError> {
        self.validate_space()?;
        self.validate_shape()?;
        self.validate_parts()?;
        self.validate_aging()?;
        self.queues.check(self.host.command_us > 0.0 && self.host.command_queue)?;
        check(
            self.wear.levelling != Levelling::Static || self.ftl == "page",
            "wear.levelling",
            "is static, and only the page FTL moves cold blocks",
            "set it to dynamic, or ftl to page",
        )?;
        check(
            self.ram.serve_reads || !self.ram.cache_reads,
            "ram.cache_reads",
            "caches pages that are never used while ram.serve_reads = false",
            "set ram.serve_reads = true, or leave ram.cache_reads out",
        )?;
        self.validate_slc_cache()?;
        let nand = &self.nand;
        for (key, times) in [
            ("nand.read_us", nand.read_us.as_slice()),
            ("nand.program_us", &nand.program_us),
            ("nand.second_program_us", &[nand.second_program_us]),
            ("nand.erase_us", &[nand.erase_us]),
            ("nand.transfer_us", &[nand.transfer_us]),
            ("host.command_us", &[self.host.command_us]),
            ("ram.access_us", &[self.ram.access_us]),
            ("background.after_us", &[self.background.after_us]),
            ("slc_cache.read_us", &[self.slc_cache.read_us]),
            ("slc_cache.program_us", &[self.slc_cache.program_us]),
            ("scheduler.program_suspend_us", &[self.scheduler.program_suspend_us]),
            ("scheduler.erase_suspend_us", &[self.scheduler.erase_suspend_us]),
            ("scheduler.resume_us", &[self.scheduler.resume_us]),
        ] {
            let good = times.iter().all(|us| (0.0..=1e6).contains(us));
            check(good, key, "is not between 0 and a second", "use microseconds from 0 to 1000000")?;
        }
        for (key, energy_uj) in [
            ("energy.read_uj", self.energy.read_uj),
            ("energy.program_uj", self.energy.program_uj),
            ("energy.erase_uj", self.energy.erase_uj),
        ] {
            let good = (0.0..=1e9).contains(&energy_uj);
            check(good, key, "is not between 0 and a kilojoule", "use microjoules from 0 to 1000000000")?;
        }
        let mb_s = self.host.mb_s;
        check(
            mb_s == 0.0 || (0.001..=1e6).contains(&mb_s),
            "host.mb_s",
            "is out of range",
            "use 0 for no limit, or 0.001 to 1000000",
        )
    }

    fn validate_slc_cache(&self) -> Result<(), SimError> {
        check(
            self.ftl != "slc-cache" || self.slc_cache.size.0 > 0,
            "slc_cache.size",
            "is 0",
            "choose a size, or ftl = \"page\" for no cache",
        )?;
        let until = self.slc_cache.dynamic_until;
        check(
            until > 0.0 && until <= 1.0,
            "slc_cache.dynamic_until",
            "is not more than 0 and at most 1",
            "give a share of the capacity",
        )
    }

    fn validate_aging(&self) -> Result<(), SimError> {
        self.aging.check(self.nand.endurance())?;
        let refreshes = ["page", "slc-cache", "multi-stream", "fdp"].contains(&self.ftl.as_str());
        check(
            self.aging.block_reads_max == 0 || refreshes,
            "aging.block_reads_max",
            "needs an FTL that moves what was read often",
            "leave it out, or set ftl to page, slc-cache, multi-stream or fdp",
        )
    }

    fn validate_space(&self) -> Result<(), SimError> {
        let page = self.nand.page.0;
        check(
            page.is_power_of_two() && (512..=1 << 20).contains(&page),
            "nand.page",
            "is not a power of two from 512B to 1MiB",
            "use 2KiB, 4KiB or 16KiB",
        )?;
        if self.capacity.0 == 0 || !self.capacity.0.is_multiple_of(page) {
            let pages = (self.capacity.0.saturating_add(page / 2) / page).max(1);
            let problem =
                format!("is {}, not a positive multiple of nand.page, {}", self.capacity, Bytes(page));
            let remedy = format!("choose a whole number of pages; the nearest is {}", Bytes(pages * page));
            return Err(SimError::setting("capacity", &problem, &remedy));
        }
        check(
            self.over_provisioning.is_finite()
                && (0.0..=OVER_PROVISIONING_MAX).contains(&self.over_provisioning),
            "over_provisioning",
            "is not between 0 and 100",
            "give (physical - logical) / logical, 0.07 for 7 %",
        )
    }

    fn validate_shape(&self) -> Result<(), SimError> {
        let nand = &self.nand;
        for (key, value) in [
            ("nand.channels", nand.channels),
            ("nand.dies", nand.dies),
            ("nand.planes", nand.planes),
            ("nand.pages_per_block", nand.pages_per_block),
            ("nand.pages_per_program", nand.pages_per_program),
            ("nand.second_program_after", nand.second_program_after),
            ("host.parallel_commands", self.host.parallel_commands),
        ] {
            check((1..=65_536).contains(&value), key, "is not from 1 to 65536", "choose one in that range")?;
        }
        let all = u64::from(nand.channels) * u64::from(nand.dies) * u64::from(nand.planes);
        let stripe = u64::from(nand.stripe);
        check(
            all <= 65_536
                && (stripe == 0 || all.is_multiple_of(stripe))
                && Self::stripe_fits(nand.planes, nand.stripe),
            "nand.stripe",
            "does not divide the planes of all dies, or cuts a die that has more planes",
            "use 0 for all planes, 1, or a divisor that is a multiple of nand.planes",
        )?;
        check(
            nand.pages_per_block.is_multiple_of(nand.pages_per_program),
            "nand.pages_per_program",
            "does not divide nand.pages_per_block",
            "use a divisor",
        )?;
        self.validate_modes()
    }

    /// What a die may do besides plain reads and programs.
    fn validate_modes(&self) -> Result<(), SimError> {
        let NandSettings { planes, pages_per_program, timing, .. } = self.nand;
        let is_serial = timing == TimingMode::Serial;
        check(
            !is_serial || self.nand.plane_mode == Planes::InStep,
            "nand.plane_mode",
            "is independent, and nothing overlaps while nand.timing is serial",
            "set nand.timing to parallel, or leave it out",
        )?;
        check(
            !self.nand.cache_program || !is_serial,
            "nand.cache_program",
            "overlaps data with programs, and nothing overlaps while nand.timing is serial",
            "set nand.timing to parallel, or leave it out",
        )?;
        check(
            !self.nand.cache_program || !self.scheduler.suspend_programs,
            "nand.cache_program",
            "cannot be with scheduler.suspend_programs: the registers of a suspended program are taken",
            "leave one of them out",
        )?;
        let moves_alone = pages_per_program == 1 && self.nand.planes_of_unit().1 == 1;
        check(
            !self.nand.copy_back || moves_alone,
            "nand.copy_back",
            &format!("needs pages that are programmed one by one, not {}", pages_per_program * planes),
            "set nand.pages_per_program = 1, and nand.planes = 1 or nand.plane_mode = \"independent\"",
        )?;
        check(
            !self.nand.copy_back || self.nand.second_program_us == 0.0,
            "nand.copy_back",
            "moves pages without their controller, which needs them for nand.second_program_us",
            "leave one of them out",
        )?;
        check(
            !self.nand.copy_back || !self.aging.has_retries(),
            "nand.copy_back",
            "moves pages that nobody corrects, and aging.retries says that they need it",
            "leave one of them out",
        )
    }

    fn stripe_fits(planes: u32, stripe: u32) -> bool {
        stripe <= 1 || stripe.is_multiple_of(planes)
    }
}

fn check(good: bool, key: &str, problem: &str, remedy: &str) -> Result<(), SimError> {
    if good { Ok(()) } else { Err(SimError::setting(key, problem, remedy)) }
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// Brings the new device into its initial state, and sets clock and counts back. False if it was
    /// interrupted before.
    pub(super) fn precondition(&mut self, interrupted: &AtomicBool) -> bool {
        let Ssd { path, ftl, settings, seed, logical_pages, .. } = self;
        let (initial, retention_days) = (settings.initial, settings.aging.retention_days);
        ftl.run(Fill { path, initial, retention_days, seed: *seed, pages: *logical_pages, interrupted })
    }

    /// Everything that the buffer holds goes to the flash, as at the end of a run.
    ///
    /// # Errors
    /// What broke on the way: a worn-out block, for example.
    pub fn flush(&mut self) -> Result<(), TargetError> {
        self.path.nand.timing_mut().run_until(self.clock);
        let done = self.path.flush(&mut self.ftl, Moment::at(self.clock));
        self.clock = self.path.nand.time_of(done);
        self.check(Some(&Request { op: Op::Flush, ..Request::default() }))
    }

    /// Counts, clock and busy times begin anew, after a warm-up. Nothing may be in flight.
    pub fn restart(&mut self) {
        let in_flight = self.flight.len() + self.path.pending.len() + self.waiting();
        assert_eq!(in_flight, 0, "a device is restarted between runs");
        self.clock = 0;
        self.path.restart();
        self.ftl.restart();
        self.watch_again();
    }
}

/// The first fill of a device.
struct Fill<'a, B> {
    path: &'a mut Path<B>,
    initial: Initial,
    retention_days: f64,
    seed: u64,
    pages: u32,
    interrupted: &'a AtomicBool,
}

impl<B: WriteBuffer> FtlWork for Fill<'_, B> {
    /// False if it was interrupted before it had written all.
    type Output = bool;

    fn run<F: Ftl>(self, ftl: &mut F) -> bool {
        let Fill { path, initial, retention_days, seed, pages, interrupted } = self;
        let order = Permutation::new(u64::from(pages), derive(seed, 0x7072_6570));
        let shuffled = (0..pages).map(|i| order.at(u64::from(i)) as Lpn);
        let filled = match initial {
            Initial::Empty => true,
            Initial::Full => path.fill(ftl, 0..pages, interrupted),
            Initial::Random => path.fill(ftl, (0..pages).chain(shuffled), interrupted),
        };
        ftl.settle(&mut path.nand);
        path.restart();
        path.nand.rest(retention_days);
        ftl.restart();
        filled
    }
}

impl<B: WriteBuffer> Path<B> {
    /// Writes pages past the buffer. False if it was interrupted before it had written all.
    fn fill<F: Ftl>(&mut self, ftl: &mut F, pages: impl Iterator<Item = Lpn>, stop: &AtomicBool) -> bool {
        // Pages between two looks at the flag: about a millisecond.
        const LOOK_PAGES: usize = 1 << 14;
        for (i, lpn) in pages.enumerate() {
            if i % LOOK_PAGES == 0 && stop.load(Ordering::Relaxed) {
                return false;
            }
            self.write_through(ftl, lpn);
        }
        true
    }
}
