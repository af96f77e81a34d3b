use flashscope_core::Bytes;
use flashscope_sim::Ssd;
use flashscope_sim::ftl::chunk::ChunkFtl;
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::{Initial, Settings};

use super::harness::{Drive, PAGE_BYTES, serves_random_work, small, survives_power_loss};

/// Chunks of two blocks.
fn two_blocks(open_chunks: u32) -> impl Fn(&mut Settings) {
    move |settings| {
        settings.chunk.size = Bytes(16 * PAGE_BYTES);
        settings.chunk.open_chunks = open_chunks;
    }
}

/// Full, with chunks of 128 pages in two erase blocks.
fn drive() -> Drive {
    let mut settings = small("chunk", Initial::Full);
    settings.nand.pages_per_block = 64;
    settings.capacity = Bytes(8 * 128 * PAGE_BYTES);
    settings.chunk.size = Bytes(128 * PAGE_BYTES);
    Drive::new(settings)
}

#[test]
fn every_read_returns_the_last_write() {
    for open_chunks in [1, 2] {
        serves_random_work(two_blocks(open_chunks), "chunk");
    }
}

#[test]
fn it_comes_back_after_a_loss_of_power() {
    for open_chunks in [1, 2] {
        survives_power_loss::<ChunkFtl>(two_blocks(open_chunks), "chunk");
    }
}

#[test]
fn pages_in_turn_to_two_chunks_copy_the_rest_of_a_chunk_each_time() {
    let mut drive = drive();
    let mut copies = Vec::new();
    for i in 0..10 {
        let before = drive.counts().programs_for(Cause::Merge);
        drive.write((i % 2) * 128, 1);
        copies.push(drive.counts().programs_for(Cause::Merge) - before);
    }
    assert_eq!(copies[0], 0, "the first one only opens its chunk");
    assert_eq!(copies[1..], [127; 9]);
    assert_eq!(drive.counts().erases(), 9 * 2, "two blocks for each chunk that was closed");
}

#[test]
fn the_copies_do_not_depend_on_where_in_the_chunk_the_page_is() {
    let mut drive = drive();
    for page in [0, 1, 63, 64, 100, 127] {
        let before = drive.counts().programs_for(Cause::Merge);
        drive.write(page, 1);
        drive.write(128 + page, 1);
        drive.write(0, 128);
        // Closing the last chunk here is done by the next round's first write at the latest.
        drive.write(256, 128);
        assert_eq!(drive.counts().programs_for(Cause::Merge) - before, 2 * 127, "page {page}");
    }
}

#[test]
fn whole_chunks_are_written_without_reading_the_old_ones() {
    let mut drive = drive();
    for chunk in [3, 0, 5, 2, 7, 3] {
        drive.write(chunk * 128, 128);
    }
    assert_eq!(drive.write_amplification(), 1.0);
    assert_eq!(drive.counts().reads(), 0);
    assert_eq!(drive.counts().erases(), 6 * 2);
}

#[test]
fn sequential_writes_of_any_size_copy_nothing() {
    let mut drive = drive();
    for i in 0..8 * 128 / 4 {
        drive.write(i * 4, 4);
    }
    assert_eq!(drive.write_amplification(), 1.0);
}

#[test]
fn a_chunk_that_is_no_whole_number_of_blocks_is_refused() {
    for size in [0, 3000, 12 * PAGE_BYTES, 1 << 40] {
        let mut settings = small("chunk", Initial::Empty);
        settings.chunk.size = Bytes(size);
        let problem = Ssd::new("small", settings, 1).map(|_| ()).unwrap_err().to_string();
        assert!(problem.starts_with("chunk.size"), "{problem}");
    }
}
