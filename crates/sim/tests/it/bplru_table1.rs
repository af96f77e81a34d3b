//! Paper 002, table 1: 14 scattered sectors, 4 to a block, through a buffer of eight sectors into a log-block
//! FTL with two log blocks. Merges are replacements of log blocks; the buffer is flushed at the end, the logs
//! that are then in use are not merged. And figures 3, 4 and 5 of that paper, on the buffer alone.

use flashscope_sim::Settings;
use flashscope_sim::buffer::{AnyBuffer, BufferSetup, Evicted, Evictions, WriteBuffer};
use flashscope_sim::ftl::log_block::LogBlockFtl;
use flashscope_sim::ftl::{Ftl, Setup};
use flashscope_sim::nand::{Cause, Geometry, Lpn, Moment, Nand, Timing};

const SECTORS_PER_BLOCK: u32 = 4;
const WRITTEN: [Lpn; 14] = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14];

fn buffer(settings: &Settings, name: &str, sectors: u32) -> AnyBuffer {
    let settings = Settings { buffer: name.into(), ..settings.clone() };
    let setup = BufferSetup {
        pages: sectors,
        pages_per_block: SECTORS_PER_BLOCK,
        logical_pages: 5 * SECTORS_PER_BLOCK,
        settings: &settings,
    };
    AnyBuffer::new(&setup, &()).expect("the settings are good")
}

/// What `written` makes the buffer write, its final flush included.
fn flushed(mut buffer: AnyBuffer, written: &[Lpn]) -> Vec<Lpn> {
    let mut out = Evictions::default();
    for (i, &lpn) in written.iter().enumerate() {
        buffer.write(lpn, i as u64 + 1, &mut out);
    }
    buffer.flush(&mut out);
    out.pages.iter().map(|page| page.lpn).collect()
}

/// Merges of a log-block FTL over a full device that is written so.
fn merges(sectors: &[Lpn], log_blocks: u32) -> u64 {
    let mut settings = Settings::default();
    settings.log_block.log_blocks = log_blocks;
    let geometry = Geometry {
        blocks: 5 + log_blocks + 1,
        pages_per_block: SECTORS_PER_BLOCK,
        page_bytes: 2048,
        stripe: 1,
        endurance_erases: 1000,
    };
    let setup = Setup { settings: &settings, geometry, logical_pages: 20, seed: 1 };
    let mut ftl = LogBlockFtl::new(&setup, &()).expect("the settings are good");
    let mut nand = Nand::new(geometry, Timing::new(&settings.nand), false);
    for lpn in 0..20 {
        ftl.write(&mut nand, lpn, 0, Cause::Host, Moment::START);
    }
    ftl.restart();
    for &lpn in sectors {
        ftl.write(&mut nand, lpn, 0, Cause::Host, Moment::START);
    }
    assert_eq!(nand.fault(), None);
    let merges = ftl.merges();
    merges.total()
}

#[test]
fn table_1() {
    //  policy      | written to the log blocks                     | merges
    let rows: [(&str, &[Lpn], u64); 2] = [
        ("lru", &[0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14], 12),
        ("block-lru", &[12, 16, 0, 1, 8, 9, 17, 2, 4, 5, 6, 10, 13, 14], 7),
    ];
    for (policy, expected, expected_merges) in rows {
        let sectors = flushed(buffer(&Settings::default(), policy, 8), &WRITTEN);
        assert_eq!(sectors, expected, "{policy}");
        assert_eq!(merges(&sectors, 2), expected_merges, "{policy}");
    }
}

/// The techniques of section 3 one by one: without any it is LRU, and with the first alone block-level LRU.
#[test]
fn table_1_with_the_switches_of_bplru() {
    for (block_lru, expected_merges) in [(false, 12), (true, 7)] {
        let mut settings = Settings::default();
        (settings.bplru.block_lru, settings.bplru.padding) = (block_lru, false);
        settings.bplru.compensation = false;
        let sectors = flushed(buffer(&settings, "bplru", 8), &WRITTEN);
        assert_eq!(merges(&sectors, 2), expected_merges, "block_lru {block_lru}");
    }
}

/// Without block-level LRU the victim is one page. It leaves alone, or padded with its whole block; and a
/// stream's pages are the next ones to leave, in order.
#[test]
fn padding_and_compensation_work_on_single_pages_too() {
    let mut settings = Settings::default();
    settings.bplru.block_lru = false;
    for (padding, compensation, written, expected) in [
        (false, false, [1, 13, 2, 8, 3], &[1, 13, 2, 8, 3][..]),
        (true, false, [1, 13, 2, 8, 3], &[0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11]),
        (false, true, [1, 8, 9, 10, 11], &[8, 9, 10, 11, 1]),
        (false, false, [1, 8, 9, 10, 11], &[1, 8, 9, 10, 11]),
    ] {
        (settings.bplru.padding, settings.bplru.compensation) = (padding, compensation);
        assert_eq!(flushed(buffer(&settings, "bplru", 8), &written), expected, "{padding} {compensation}");
    }
}

/// Table 1 says nothing of them: with padding every flush of a block is a switch, and there are more.
#[test]
fn with_padding_table_1_becomes_nine_switches() {
    let mut settings = Settings::default();
    settings.bplru.compensation = false;
    let sectors = flushed(buffer(&settings, "bplru", 8), &WRITTEN);
    assert_eq!(sectors.len(), 9 * 4);
    assert_eq!(merges(&sectors, 2), 9);
}

/// Figure 3: the whole block of the sector that is written goes to the head, and the whole block at the
/// tail leaves.
#[test]
fn figure_3_block_level_lru() {
    let mut buffer = buffer(&Settings::default(), "block-lru", 7);
    let mut out = Evictions::default();
    for lpn in [0, 1, 19, 5, 12, 14, 6] {
        assert!(!buffer.write(lpn, u64::from(lpn), &mut out));
    }
    assert!(buffer.write(1, 100, &mut out), "sector 1 is here: block 0 goes to the head");
    assert_eq!(out.pages, []);
    buffer.write(9, 101, &mut out);
    buffer.write(10, 102, &mut out);
    assert_eq!(lpns(&out), [19, 12, 14], "block 4, then block 3, and block 0 stays");
    buffer.flush(&mut out);
    assert_eq!(lpns(&out), [19, 12, 14, 5, 6, 0, 1, 9, 10], "from the tail to the head");
}

/// Figure 4: the victim holds sectors 12 and 15; 13 and 14 are read, and four are written in order.
#[test]
fn figure_4_page_padding() {
    let mut settings = Settings::default();
    settings.nand.data = true;
    let mut buffer = buffer(&settings, "bplru", 8);
    let mut out = Evictions::default();
    buffer.write(15, 1, &mut out);
    buffer.write(12, 2, &mut out);
    buffer.flush(&mut out);
    let here = |lpn, token| Evicted { lpn, token, missing: false };
    let read = |lpn| Evicted { lpn, token: 0, missing: true };
    assert_eq!(out.pages, [here(12, 2), read(13), read(14), here(15, 1)]);
    let sectors = lpns(&out);
    assert_eq!(merges(&sectors, 2), 1);
}

/// Figure 5: block 2 is written whole and in order. It goes to the tail and is the next victim, although it
/// was written last.
#[test]
fn figure_5_lru_compensation() {
    for (compensation, victim) in [(true, [8, 9, 10, 11]), (false, [0, 1, 2, 3])] {
        let mut settings = Settings::default();
        settings.bplru.compensation = compensation;
        let mut buffer = buffer(&settings, "bplru", 6);
        let mut out = Evictions::default();
        for lpn in [1, 13, 8, 9, 10, 11] {
            buffer.write(lpn, 0, &mut out);
        }
        assert_eq!(out.pages, []);
        buffer.write(18, 0, &mut out);
        assert_eq!(lpns(&out), victim, "compensation {compensation}");
    }
}

/// Two unaligned requests write the sector at their seam twice; that is a stream all the same.
#[test]
fn a_rewrite_of_the_last_sector_does_not_break_a_stream() {
    for (stream, victim) in [([8, 9, 9, 10, 11], 8), ([8, 9, 8, 10, 11], 1), ([9, 8, 9, 10, 11], 8)] {
        let mut buffer = buffer(&Settings::default(), "bplru", 5);
        let mut out = Evictions::default();
        buffer.write(1, 0, &mut out);
        for lpn in stream {
            buffer.write(lpn, 0, &mut out);
        }
        buffer.write(18, 0, &mut out);
        let first = out.pages.iter().find(|page| !page.missing).expect("something left");
        assert_eq!(first.lpn, victim, "{stream:?}");
    }
}

/// With nodes as in figure 6 a header takes one: eight nodes are six pages in two blocks.
#[test]
fn headers_may_take_nodes() {
    let mut settings = Settings::default();
    settings.bplru.header_nodes = 1;
    let mut buffer = buffer(&settings, "bplru", 8);
    let mut out = Evictions::default();
    for lpn in [0, 1, 3, 4, 5, 7] {
        buffer.write(lpn, 0, &mut out);
    }
    assert_eq!((out.pages.len(), buffer.dirty_pages()), (0, 6));
    buffer.write(6, 0, &mut out);
    assert_eq!((lpns(&out), buffer.dirty_pages()), (vec![0, 1, 2, 3], 4));
}

fn lpns(out: &Evictions) -> Vec<Lpn> {
    out.pages.iter().map(|page| page.lpn).collect()
}
