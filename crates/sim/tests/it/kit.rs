//! The test kit finds what it is for: parts with one defect each, beside the same part without it.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use flashscope_sim::buffer::{BufferSetup, Evictions, NoBuffer, WriteBuffer};
use flashscope_sim::ftl::page::PageFtl;
use flashscope_sim::ftl::{Ftl, Setup, Tombstone};
use flashscope_sim::gc::{PolicySetup, VictimPolicy};
use flashscope_sim::nand::{Block, Cause, Lpn, Moment, Nand, PageRead, Token};
use flashscope_sim::testing::{Kit, check_buffer, check_policy, small_device};
use flashscope_sim::{Settings, SimError, Ssd};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Defect {
    None,
    LosesAWrite,
    ForgetsTrims,
    ProgramsTwice,
    Varies,
    KeepsAnOldCopy,
    ProgramsAtOnce,
    IsDoneBeforeItBegan,
}

/// The `page` FTL with a defect.
struct Broken {
    page: PageFtl,
    defect: Defect,
    writes: u64,
}

thread_local! {
    /// What differs from run to run.
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

impl Ftl for Broken {
    const NAME: &'static str = "broken";
    type Options = Defect;

    fn new(setup: &Setup<'_>, defect: &Defect) -> Result<Broken, SimError> {
        Ok(Broken { page: PageFtl::new(setup, &())?, defect: *defect, writes: 0 })
    }

    fn rebuild(
        setup: &Setup<'_>,
        defect: &Defect,
        nand: &mut Nand,
        trims: &[Tombstone],
    ) -> Result<Broken, SimError> {
        let trims = if *defect == Defect::ForgetsTrims { &[] } else { trims };
        Ok(Broken { page: PageFtl::rebuild(setup, &(), nand, trims)?, defect: *defect, writes: 0 })
    }

    fn read(&mut self, nand: &mut Nand, lpn: Lpn, cause: Cause, at: Moment) -> PageRead {
        let mut read = self.page.read(nand, lpn, cause, at);
        if self.defect == Defect::Varies {
            CALLS.set(CALLS.get() + 1);
            read.done = nand.later(read.done, CALLS.get() % 7);
        }
        read
    }

    fn write(&mut self, nand: &mut Nand, lpn: Lpn, token: Token, cause: Cause, at: Moment) -> Moment {
        self.writes += 1;
        match self.defect {
            Defect::LosesAWrite if self.writes.is_multiple_of(3_000) => return at,
            Defect::ProgramsTwice => _ = self.page.write(nand, lpn, token, cause, at),
            _ => {}
        }
        let done = self.page.write(nand, lpn, token, cause, at);
        match self.defect {
            Defect::ProgramsAtOnce => at,
            Defect::IsDoneBeforeItBegan => Moment::at(at.known_ns().unwrap_or(0) / 2),
            _ => done,
        }
    }

    fn trim(&mut self, nand: &mut Nand, lpn: Lpn, at: Moment) {
        if self.defect != Defect::KeepsAnOldCopy {
            self.page.trim(nand, lpn, at);
        }
    }

    fn reserve_blocks(&self) -> u32 {
        self.page.reserve_blocks()
    }

    fn free_blocks(&self) -> u32 {
        self.page.free_blocks()
    }
}

/// Whether a check fails.
fn fails(check: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(check)).is_err()
}

#[test]
fn an_ftl_with_any_defect_fails_and_without_one_passes() {
    for (defect, is_defect) in [
        (Defect::None, false),
        (Defect::LosesAWrite, true),
        (Defect::ForgetsTrims, true),
        (Defect::ProgramsTwice, true),
        (Defect::Varies, true),
        (Defect::KeepsAnOldCopy, true),
        (Defect::ProgramsAtOnce, true),
        (Defect::IsDoneBeforeItBegan, true),
    ] {
        let device = Ssd::builder("broken", small_device()).ftl::<Broken>(defect).buffer::<NoBuffer>(());
        assert_eq!(fails(|| Kit::new(device, 5).check()), is_defect, "{defect:?}");
    }
}

/// Pages in the order in which they came, and one too many of them, or each of them one version behind.
#[derive(Clone)]
struct Hoard {
    pages: Vec<(Lpn, Token)>,
    pages_max: usize,
    versions_behind: u64,
}

impl WriteBuffer for Hoard {
    const NAME: &'static str = "hoard";
    /// Pages too many, versions behind.
    type Options = (usize, u64);

    fn new(setup: &BufferSetup<'_>, options: &(usize, u64)) -> Result<Hoard, SimError> {
        let pages_max = setup.pages as usize + options.0;
        Ok(Hoard { pages: Vec::new(), pages_max, versions_behind: options.1 })
    }

    fn write(&mut self, lpn: Lpn, token: Token, out: &mut Evictions) -> bool {
        if let Some(page) = self.pages.iter_mut().find(|page| page.0 == lpn) {
            page.1 = token;
            return true;
        }
        if self.pages.len() == self.pages_max {
            let (lpn, token) = self.pages.remove(0);
            out.write(lpn, token - self.versions_behind);
        }
        self.pages.push((lpn, token));
        false
    }

    fn read(&mut self, lpn: Lpn) -> Option<Token> {
        self.pages.iter().find(|page| page.0 == lpn).map(|page| page.1)
    }

    fn flush(&mut self, out: &mut Evictions) {
        self.pages.drain(..).for_each(|(lpn, token)| out.write(lpn, token));
    }

    fn discard(&mut self, lpn: Lpn) {
        self.pages.retain(|page| page.0 != lpn);
    }

    fn dirty_pages(&self) -> u32 {
        self.pages.len() as u32
    }
}

#[test]
fn a_buffer_that_holds_too_much_or_writes_back_an_older_version_fails() {
    for (options, is_defect) in [((0, 0), false), ((1, 0), true), ((0, 1), true)] {
        let check = || check_buffer::<Hoard>(&Settings::default(), &options, 6, 5);
        assert_eq!(fails(check), is_defect, "{options:?}");
    }
}

/// Closed blocks, the last one first. A stubborn policy names a victim that it named before.
struct Stack {
    closed: Vec<Block>,
    is_stubborn: bool,
}

impl VictimPolicy for Stack {
    const NAME: &'static str = "stack";
    type Options = bool;

    fn new(_: &PolicySetup<'_>, is_stubborn: &bool) -> Result<Stack, SimError> {
        Ok(Stack { closed: Vec::new(), is_stubborn: *is_stubborn })
    }

    fn closed(&mut self, block: Block, _valid: u32, _host_writes: u64) {
        self.closed.push(block);
    }

    fn invalidated(&mut self, _block: Block, _valid: u32) {}

    fn pick(&mut self, _valid: &[u32], _host_writes: u64) -> Option<Block> {
        if self.is_stubborn { self.closed.last().copied() } else { self.closed.pop() }
    }

    fn remove(&mut self, block: Block) {
        self.closed.retain(|other| *other != block);
    }
}

#[test]
fn a_policy_that_names_a_victim_twice_fails() {
    for is_stubborn in [false, true] {
        assert_eq!(fails(|| check_policy::<Stack>(&is_stubborn, 5)), is_stubborn);
    }
}
