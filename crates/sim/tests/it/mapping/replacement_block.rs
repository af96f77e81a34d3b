use flashscope_core::Bytes;
use flashscope_sim::Ssd;
use flashscope_sim::ftl::replacement_block::ReplacementBlockFtl;
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::Initial;

use super::harness::{Drive, PAGE_BYTES, serves_random_work, small, survives_power_loss};

fn drive(chain_max: u32) -> Drive {
    let mut settings = small("replacement-block", Initial::Full);
    settings.replacement_block.chain_max = chain_max;
    Drive::new(settings)
}

#[test]
fn every_read_returns_the_last_write() {
    for chain_max in [2, 4, 100] {
        serves_random_work(|settings| settings.replacement_block.chain_max = chain_max, "replacement-block");
    }
}

#[test]
fn it_comes_back_after_a_loss_of_power() {
    for chain_max in [2, 4, 100] {
        survives_power_loss::<ReplacementBlockFtl>(
            |settings| settings.replacement_block.chain_max = chain_max,
            "replacement-block",
        );
    }
}

#[test]
fn two_spare_blocks_are_enough() {
    let least = |settings: &mut flashscope_sim::Settings| {
        settings.capacity = Bytes(PAGE_BYTES * 8 * 20);
        settings.over_provisioning = 0.1;
    };
    serves_random_work(least, "replacement-block");
    survives_power_loss::<ReplacementBlockFtl>(least, "replacement-block");
}

#[test]
fn a_page_written_again_and_again_grows_the_chain_and_folds_it() {
    let mut drive = drive(3);
    // Page 0 goes to a second and to a third block; the next time the chain of three is folded: pages 1 to 7
    // of the first block can be copied behind page 0 in the third one.
    for _ in 0..2 {
        drive.write(0, 1);
    }
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (0, 0));
    drive.write(0, 1);
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (7, 2));
}

#[test]
fn a_last_block_with_the_end_alone_is_copied_with_the_rest_to_a_fresh_one() {
    let mut drive = drive(2);
    drive.write(7, 1);
    drive.write(7, 1);
    assert_eq!((drive.merged_pages(), drive.counts().erases()), (8, 2));
}

#[test]
fn sequential_writes_copy_nothing() {
    for chain_max in [2, 4] {
        let mut drive = drive(chain_max);
        for _ in 0..6 {
            for page in 0..24 * 8 - 3 {
                drive.write(page, 1);
            }
        }
        assert_eq!(drive.counts().programs_for(Cause::Merge), 0);
        assert_eq!(drive.write_amplification(), 1.0);
    }
}

#[test]
fn a_chain_of_one_block_is_refused() {
    let mut settings = small("replacement-block", Initial::Empty);
    settings.replacement_block.chain_max = 1;
    let problem = Ssd::new("small", settings, 1).map(|_| ()).unwrap_err().to_string();
    assert!(problem.starts_with("replacement_block.chain_max"), "{problem}");
}
