use flashscope_core::Bytes;
use flashscope_sim::ftl::block::BlockFtl;
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::Initial;
use flashscope_sim::{Settings, Ssd};

use super::harness::{Drive, serves_random_work, small, survives_power_loss};

fn drive(open_blocks: u32) -> Drive {
    let mut settings = small("block", Initial::Full);
    settings.block.open_blocks = open_blocks;
    Drive::new(settings)
}

#[test]
fn every_read_returns_the_last_write() {
    for open_blocks in [0, 1, 3] {
        serves_random_work(|settings| settings.block.open_blocks = open_blocks, "block");
    }
}

#[test]
fn it_comes_back_after_a_loss_of_power() {
    for open_blocks in [0, 1, 3] {
        survives_power_loss::<BlockFtl>(|settings| settings.block.open_blocks = open_blocks, "block");
    }
}

#[test]
fn in_the_pure_form_every_overwrite_rewrites_its_block() {
    let mut drive = drive(0);
    for page in 0..8 {
        drive.write(page, 1);
    }
    assert_eq!(drive.counts().programs_for(Cause::Merge), 8 * 7);
    assert_eq!(drive.counts().erases(), 8);
}

#[test]
fn with_an_open_block_sequential_writes_copy_nothing() {
    let mut drive = drive(1);
    for page in 0..16 {
        drive.write(page, 1);
    }
    assert_eq!(drive.counts().programs(), 16);
    assert_eq!(drive.counts().erases(), 2);
    assert_eq!(drive.write_amplification(), 1.0);
}

#[test]
fn a_page_below_the_last_one_closes_the_block() {
    let mut drive = drive(1);
    // Page 5 opens the block and brings pages 0 to 4 with it. Page 5 again closes it (6 and 7) and opens it
    // anew (0 to 4).
    drive.write(5, 1);
    assert_eq!(drive.counts().programs_for(Cause::Merge), 5);
    drive.write(5, 1);
    assert_eq!(drive.counts().programs_for(Cause::Merge), 5 + 2 + 5);
    assert_eq!(drive.counts().erases(), 1);
}

#[test]
fn an_empty_block_takes_ascending_pages_in_place() {
    let mut drive = Drive::new(small("block", Initial::Empty));
    drive.write(2, 1);
    drive.write(5, 2);
    assert_eq!((drive.counts().programs(), drive.counts().erases()), (3, 0));
    // Page 3 lies below: the block is rewritten, with the one page before it, and later the two behind it.
    drive.write(3, 1);
    assert_eq!(drive.counts().programs_for(Cause::Merge), 1);
    drive.write(8, 1);
    assert_eq!(drive.counts().programs_for(Cause::Merge), 1, "an empty block needs no place of its own");
}

#[test]
fn it_needs_a_block_for_each_open_one_and_one_more() {
    let mut settings = small("block", Initial::Empty);
    settings.block.open_blocks = 2;
    settings.capacity = Bytes(2048 * 8 * 100);
    settings.over_provisioning = 0.02;
    let problem = Ssd::new("small", Settings { ..settings.clone() }, 1).map(|_| ()).unwrap_err().to_string();
    assert!(problem.contains("2 of the 3 spare blocks that the FTL block needs"), "{problem}");
    settings.over_provisioning = 0.03;
    assert!(Ssd::new("small", settings, 1).is_ok());
}
