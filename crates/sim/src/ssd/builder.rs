//! A device made of parts: those of the registries, or others.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use flashscope_core::number::size;

use super::batch::Calls;
use super::path::Path;
use super::queues::{Arbiter, HostQueues, MakeArbiter};
use super::{Ssd, info_of};
use crate::buffer::{AnyBuffer, BufferSetup, WriteBuffer};
use crate::error::SimError;
use crate::flight::Flight;
use crate::ftl::{AnyFtl, Ftl, Setup};
use crate::nand::{BackEnd, Lpn, Nand, NandSettings, Token};
use crate::settings::Settings;

/// A description of an [`Ssd`], from which any number of them can be made.
///
/// ```
/// use flashscope_sim::buffer::lru::Lru;
/// use flashscope_sim::ftl::page::PageFtl;
/// use flashscope_sim::gc::fifo::Fifo;
/// use flashscope_sim::{Settings, Ssd};
///
/// let settings = Settings { capacity: "64MiB".parse()?, ..Settings::default() };
/// // The types may be your own: they implement `Ftl`, `VictimPolicy` and `WriteBuffer`.
/// let ssd = Ssd::builder("mine", settings).ftl::<PageFtl<Fifo>>(()).buffer::<Lru>(()).seed(7).build()?;
/// assert_eq!(ssd.report().gc.as_deref(), Some("fifo"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SsdBuilder<F: Ftl = AnyFtl, B: WriteBuffer = AnyBuffer> {
    name: String,
    settings: Settings,
    seed: u64,
    ftl: F::Options,
    buffer: B::Options,
    back_end: Option<BackEnd>,
    arbiter: Option<MakeArbiter>,
}

impl<F: Ftl, B: WriteBuffer> Clone for SsdBuilder<F, B> {
    fn clone(&self) -> SsdBuilder<F, B> {
        SsdBuilder {
            name: self.name.clone(),
            settings: self.settings.clone(),
            seed: self.seed,
            ftl: self.ftl.clone(),
            buffer: self.buffer.clone(),
            back_end: self.back_end,
            arbiter: self.arbiter.clone(),
        }
    }
}

impl Ssd {
    /// The device that `settings` describe, for a start; its seed is 0.
    pub fn builder(name: &str, settings: Settings) -> SsdBuilder {
        SsdBuilder {
            name: name.into(),
            settings,
            seed: 0,
            ftl: (),
            buffer: (),
            back_end: None,
            arbiter: None,
        }
    }
}

impl<F: Ftl, B: WriteBuffer> SsdBuilder<F, B> {
    /// Seed of everything random in the device.
    pub fn seed(self, seed: u64) -> SsdBuilder<F, B> {
        SsdBuilder { seed, ..self }
    }

    /// Another FTL than the one that the settings name.
    pub fn ftl<G: Ftl>(self, options: G::Options) -> SsdBuilder<G, B> {
        let SsdBuilder { name, settings, seed, buffer, back_end, arbiter, .. } = self;
        SsdBuilder { name, settings, seed, ftl: options, buffer, back_end, arbiter }
    }

    /// Another write buffer than the one that the settings name.
    pub fn buffer<C: WriteBuffer>(self, options: C::Options) -> SsdBuilder<F, C> {
        let SsdBuilder { name, settings, seed, ftl, back_end, arbiter, .. } = self;
        SsdBuilder { name, settings, seed, ftl, buffer: options, back_end, arbiter }
    }

    /// Another way to arbitrate between host queues (`queues.number`, 2 or more) than those that the settings
    /// name. It is no part of a saved state: what is restored has one of those.
    #[must_use]
    pub fn arbiter<A: Arbiter + 'static>(
        self,
        make: impl Fn(u32) -> A + Send + Sync + 'static,
    ) -> SsdBuilder<F, B> {
        let make: MakeArbiter = Arc::new(move |queues| Box::new(make(queues)));
        SsdBuilder { arbiter: Some(make), ..self }
    }

    /// The settings, to change them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// Another way to its times than the one that it would choose: to compare them.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn back_end(self, back_end: BackEnd) -> SsdBuilder<F, B> {
        SsdBuilder { back_end: Some(back_end), ..self }
    }

    /// What its FTL is made of.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn ftl_parts(&self) -> (&Settings, &F::Options) {
        (&self.settings, &self.ftl)
    }

    /// The device in its initial state, at time zero.
    ///
    /// # Errors
    /// [`SimError::Setting`] names the first setting that cannot be.
    pub fn build(self) -> Result<Ssd<F, B>, SimError> {
        let never = AtomicBool::new(false);
        Ok(self.build_unless(&never)?.expect("it was not interrupted"))
    }

    /// As [`SsdBuilder::build`], but gives up once `interrupted` is set, and returns none.
    ///
    /// # Errors
    /// As [`SsdBuilder::build`].
    pub fn build_unless(self, interrupted: &AtomicBool) -> Result<Option<Ssd<F, B>>, SimError> {
        let mut ssd = self.build_unwritten()?;
        Ok(ssd.precondition(interrupted).then_some(ssd))
    }

    fn build_unwritten(self) -> Result<Ssd<F, B>, SimError> {
        let SsdBuilder { name, mut settings, seed, back_end, arbiter, .. } = self;
        let (ftl_options, buffer_options) = (self.ftl, self.buffer);
        F::name_in(&mut settings)?;
        B::name_in(&mut settings)?;
        if arbiter.is_some() && settings.queues.number < 2 {
            let problem = "is 1, and one queue needs no arbiter";
            return Err(SimError::setting("queues.number", problem, "choose 2 or more"));
        }
        let (geometry, logical_pages) = settings.geometry()?;
        check_memory(table_bytes(&settings, geometry.pages(), logical_pages))?;
        let setup = Setup { settings: &settings, geometry, logical_pages, seed };
        let ftl = F::new(&setup, &ftl_options)?;
        let placements = F::placements(&settings, &ftl_options);
        let timing = settings.timing(&geometry);
        let back_end = back_end.unwrap_or(timing.back_end());
        let nand = Nand::new(geometry, timing.with_back_end(back_end), settings.nand.data);
        let NandSettings { channels, dies, planes, .. } = settings.nand;
        let nand = nand.aged(&settings.aging, channels * dies * planes, seed)?;
        let setup = BufferSetup {
            pages: settings.buffer_pages()?,
            pages_per_block: geometry.pages_per_block,
            logical_pages,
            settings: &settings,
        };
        let buffer = B::new(&setup, &buffer_options)?;
        Ok(Ssd {
            info: info_of::<F>(&format!("sim:{name}"), &settings, &ftl_options, logical_pages),
            path: Path::new(&settings, nand, buffer, logical_pages, placements),
            ftl,
            calls: Calls::compiled(),
            clock: 0,
            flight: Flight::default(),
            queues: HostQueues::new(&settings, arbiter.as_ref()),
            settings,
            ftl_options,
            buffer_options,
            seed,
            logical_pages,
            watch: None,
            sample_due_ns: u64::MAX,
        })
    }
}

/// About what the tables of a device take: owner and token of each flash page, address, buffer's place and
/// last write of each page of the host.
fn table_bytes(settings: &Settings, flash_pages: u32, logical_pages: u32) -> usize {
    let keeps_tokens = settings.nand.data;
    let flash = size_of::<Lpn>() + if keeps_tokens { size_of::<Token>() } else { 0 };
    let host = 2 * size_of::<Lpn>() + if keeps_tokens { 2 * size_of::<Token>() } else { 0 };
    flash_pages as usize * flash + logical_pages as usize * host
}

/// Refuses tables for which there is no memory, before any of them is made: without it the program ends.
fn check_memory(bytes: usize) -> Result<(), SimError> {
    let mut tables = Vec::<u8>::new();
    let is_there = tables.try_reserve_exact(bytes);
    // Memory that nobody looks at would not be asked for.
    std::hint::black_box(&tables);
    is_there.map_err(|_| {
        let problem = format!("needs {} of memory, which is not there", size(bytes as f64));
        SimError::setting("capacity", &problem, "use a smaller capacity or larger pages")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_memory_for_its_tables_is_refused_with_what_they_need() {
        check_memory(1 << 20).expect("a megabyte is there");
        let error = check_memory(1 << 60).expect_err("an exabyte is not").to_string();
        let what = "capacity needs 1,024 PiB of memory, which is not there";
        assert_eq!(error, format!("{what}; use a smaller capacity or larger pages"));
    }
}
