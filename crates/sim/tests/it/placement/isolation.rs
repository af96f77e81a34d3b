//! Data of different handles in one block: never, or only where a collection put them there.

use std::collections::{BTreeMap, BTreeSet};

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Op, Request, Target};
use flashscope_sim::ftl::fdp::Isolation;
use flashscope_sim::nand::{Block, NO_TOKEN, Ppn, Token};
use flashscope_sim::settings::Initial;
use flashscope_sim::ssd::background::When;
use flashscope_sim::testing::random_pause;
use flashscope_sim::{Settings, Ssd};

const PAGE_BYTES: u64 = 2048;
const HANDLES: u32 = 4;

/// 32 logical blocks of 8 pages, empty, in token mode. Some FTL with four handles.
fn device(ftl: &str, isolation: Isolation) -> Settings {
    let mut settings = Settings {
        ftl: ftl.into(),
        initial: Initial::Empty,
        capacity: Bytes(32 * 8 * PAGE_BYTES),
        over_provisioning: 0.4,
        ..Settings::default()
    };
    settings.nand.data = true;
    settings.nand.page = Bytes(PAGE_BYTES);
    settings.nand.pages_per_block = 8;
    settings.ram.size = Bytes(16 * PAGE_BYTES);
    settings.page.idle_blocks = 10;
    (settings.fdp.handles, settings.fdp.isolation) = (HANDLES, isolation);
    settings.multi_stream.streams = HANDLES;
    settings.multi_stream.shares_relocated = isolation == Isolation::Initial;
    settings
}

/// What the host knows of a write, by its token: the n-th write of a page carries token n.
#[derive(Clone, Copy)]
struct Written {
    handle: u16,
    /// The block in which it was found first, and how often that had been erased.
    first: Option<(Block, u32)>,
}

/// A drive, and all that was ever written to it.
struct Watched {
    ssd: Ssd,
    written: Vec<Written>,
    random: Random,
}

impl Watched {
    fn new(settings: Settings, seed: u64) -> Watched {
        let ssd = Ssd::new("isolation", settings, seed).expect("the settings are right");
        Watched { ssd, written: Vec::new(), random: Random::new(seed) }
    }

    /// Writes any page with any handle. False if the power went.
    fn write(&mut self) -> bool {
        random_pause(&mut self.ssd, &mut self.random);
        let lpn = self.random.below(self.ssd.logical_pages().into());
        let placement = self.random.below(HANDLES.into()) as u16;
        let offset_bytes = lpn * PAGE_BYTES;
        let length_bytes = PAGE_BYTES as u32;
        let request = Request { op: Op::Write, offset_bytes, length_bytes, placement, ..Request::default() };
        self.written.push(Written { handle: placement, first: None });
        let served = self.ssd.serve(&request);
        assert_eq!(served.is_err(), self.ssd.is_off(), "{served:?}");
        served.is_ok()
    }

    /// Programmed pages that hold something, with their tokens.
    fn pages(&self) -> impl Iterator<Item = (Ppn, Token)> + '_ {
        let nand = self.ssd.nand();
        let all = 0..nand.blocks() * nand.pages_per_block();
        all.map(|ppn| (ppn, nand.token(ppn))).filter(|(_, token)| *token != NO_TOKEN)
    }

    /// Notes where pages are that were not in the flash before. Called after each write: what is new there
    /// was written by the host, whatever a collection moved before it.
    fn note_first_places(&mut self) {
        let places: Vec<_> = self.pages().collect();
        for (ppn, token) in places {
            let (nand, written) = (self.ssd.nand(), &mut self.written[token as usize - 1]);
            let block = nand.block_of(ppn);
            written.first.get_or_insert((block, nand.erases(block)));
        }
    }

    /// The handles in each block: of all its pages, or of those that the host wrote there.
    fn handles(&self, only_host: bool) -> BTreeMap<Block, BTreeSet<u16>> {
        let mut handles: BTreeMap<Block, BTreeSet<u16>> = BTreeMap::new();
        let nand = self.ssd.nand();
        for (ppn, token) in self.pages() {
            let (block, written) = (nand.block_of(ppn), self.written[token as usize - 1]);
            if !only_host || written.first == Some((block, nand.erases(block))) {
                handles.entry(block).or_default().insert(written.handle);
            }
        }
        handles
    }
}

fn has_mixed(handles: &BTreeMap<Block, BTreeSet<u16>>) -> bool {
    handles.values().any(|handles| handles.len() > 1)
}

/// With idle time, buffers and both kinds of frontiers: what is asked of a device for each write.
fn variants(isolation: Isolation) -> impl Iterator<Item = Settings> {
    let all = ["multi-stream", "fdp"].into_iter().flat_map(|ftl| {
        let frontiers = [1, 2].into_iter();
        frontiers.flat_map(move |frontiers| [When::Never, When::Idle].map(|when| (ftl, frontiers, when)))
    });
    all.map(move |(ftl, frontiers, when)| {
        let mut settings = device(ftl, isolation);
        (settings.page.frontiers, settings.background.when) = (frontiers, when);
        settings
    })
}

#[test]
fn persistently_isolated_data_never_share_a_block_with_those_of_another_handle() {
    for (seed, settings) in (1..).zip(variants(Isolation::Persistent)) {
        for buffer in ["none", "lru"] {
            let mut drive = Watched::new(Settings { buffer: buffer.into(), ..settings.clone() }, seed);
            for write in 0..4_000 {
                assert!(drive.write());
                if write % 8 == 0 {
                    assert!(!has_mixed(&drive.handles(false)), "{settings:?}, {buffer}, write {write}");
                }
            }
            let report = drive.ssd.report();
            assert!(report.programs_by_cause.gc > 1_000, "a collection moved pages: {report:?}");
            let all: BTreeSet<u16> = drive.handles(false).into_values().flatten().collect();
            assert_eq!(all.len(), HANDLES as usize, "each handle has data");
        }
    }
}

#[test]
fn initially_isolated_data_share_a_block_only_where_a_collection_moved_them() {
    for (seed, settings) in (1..).zip(variants(Isolation::Initial)) {
        let (mut drive, mut was_mixed) = (Watched::new(settings.clone(), seed), false);
        for write in 0..4_000 {
            assert!(drive.write());
            drive.note_first_places();
            assert!(!has_mixed(&drive.handles(true)), "{settings:?}, write {write}");
            was_mixed |= has_mixed(&drive.handles(false));
        }
        assert!(was_mixed, "collections have mixed handles, or this says nothing: {settings:?}");
    }
}

/// Tags in the spare area say what a block holds: a rebuilt FTL keeps apart what was apart.
#[test]
fn data_stay_apart_when_the_power_goes() {
    for (seed, settings) in (1..).zip(variants(Isolation::Persistent)) {
        let mut drive = Watched::new(settings.clone(), seed);
        for cut in 0..60 {
            drive.ssd.cut_power_after(cut * 7 % 90 + 20);
            while drive.write() {}
            let loss = drive.ssd.power_cycle().unwrap();
            assert_eq!((loss.flushed_pages_lost, loss.stale_pages), (0, 0), "{settings:?}, cut {cut}");
            assert!(!has_mixed(&drive.handles(false)), "{settings:?}, cut {cut}");
        }
    }
}

/// Three handles have a block that is begun when the power goes; the fourth has just filled one.
#[test]
fn units_that_a_loss_of_power_closed_early_are_counted() {
    let mut ssd = Ssd::new("early", device("fdp", Isolation::Initial), 1).unwrap();
    for (handle, pages) in [(0, 3), (1, 8 + 1), (2, 8), (3, 5)] {
        for page in 0..pages {
            let (offset_bytes, length_bytes) =
                ((u64::from(handle) * 16 + page) * PAGE_BYTES, PAGE_BYTES as u32);
            let write = Request { op: Op::Write, offset_bytes, length_bytes, ..Request::default() };
            ssd.serve(&Request { placement: handle, ..write }).unwrap();
        }
    }
    let placement = ssd.report().placement.expect("it knows handles");
    assert_eq!((placement.host_pages, placement.closed_early), (vec![3, 9, 8, 5], 0));
    ssd.power_cycle().unwrap();
    assert_eq!(ssd.report().placement.expect("it knows handles").closed_early, 3);
}
