use flashscope_sim::ftl::hybrid::HybridFtl;
use flashscope_sim::settings::Initial;

use super::harness::{Drive, serves_random_work, small, survives_power_loss};

fn drive(initial: Initial, open_blocks: u32) -> Drive {
    let mut settings = small("hybrid", initial);
    settings.hybrid.open_blocks = open_blocks;
    Drive::new(settings)
}

#[test]
fn every_read_returns_the_last_write() {
    for open_blocks in [0, 1, 3] {
        serves_random_work(|settings| settings.hybrid.open_blocks = open_blocks, "hybrid");
    }
}

#[test]
fn it_comes_back_after_a_loss_of_power() {
    for open_blocks in [0, 1, 3] {
        survives_power_loss::<HybridFtl>(|settings| settings.hybrid.open_blocks = open_blocks, "hybrid");
    }
}

#[test]
fn an_empty_block_takes_its_pages_in_any_order() {
    let mut drive = drive(Initial::Empty, 0);
    for page in [7, 0, 3, 3, 6, 1, 5, 2] {
        drive.write(page, 1);
    }
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (0, 0));
    // The block is full: 7 pages are valid, and 6 of them are not being written again.
    drive.write(3, 1);
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (6, 1));
    // The fresh block has 7 of its 8 pages in use: one more is free.
    drive.write(0, 1);
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (6, 1));
    drive.verify();
}

#[test]
fn in_the_pure_form_a_full_block_is_copied_for_each_page() {
    let mut drive = drive(Initial::Full, 0);
    for page in 0..8 {
        drive.write(page, 1);
    }
    assert_eq!(drive.merged_pages(), 8 * 7);
    assert_eq!(drive.counts().erases(), 8);
}

#[test]
fn with_a_second_block_sequential_writes_copy_nothing() {
    let mut drive = drive(Initial::Full, 1);
    for page in 0..24 {
        drive.write(page, 1);
    }
    assert_eq!(drive.write_amplification(), 1.0);
    assert_eq!(drive.counts().erases(), 3);
}

#[test]
fn the_second_block_keeps_room_for_what_is_left_in_the_first() {
    let mut drive = drive(Initial::Full, 1);
    // Page 0 opens the block: 7 are left, and there is room for 7 more. Page 0 again would take the room of
    // one of them: the 7 are copied first, and the block, full again, gets another one.
    drive.write(0, 1);
    assert_eq!(drive.merged_pages(), 0);
    drive.write(0, 1);
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (7, 1));
}
