//! The rules of flash: what breaks one is refused, does nothing, and is told with its address and its cause.

use flashscope_sim::Settings;
use flashscope_sim::nand::{Cause, Geometry, Moment, Nand, Timing};

/// Four blocks of four pages, each good for two erases.
fn flash(tokens: bool) -> Nand {
    let geometry =
        Geometry { blocks: 4, pages_per_block: 4, page_bytes: 4096, stripe: 1, endurance_erases: 2 };
    Nand::new(geometry, Timing::new(&Settings::default().nand), tokens)
}

/// The message of the one fault that `act` commits. It is neither counted nor does it take time.
fn fault(mut nand: Nand, act: impl Fn(&mut Nand)) -> String {
    assert_eq!(nand.fault(), None);
    let (counts, idle_from) = (format!("{:?}", nand.counts()), nand.timing().idle_from());
    act(&mut nand);
    let message = nand.fault().map(ToString::to_string).expect("a rule is broken");
    assert_eq!((format!("{:?}", nand.counts()), nand.timing().idle_from()), (counts, idle_from), "{message}");
    message
}

/// Block 1 with its pages 0 and 2 programmed.
fn written(tokens: bool) -> Nand {
    let mut nand = flash(tokens);
    nand.program(4, 10, 1, Cause::Host, Moment::START);
    nand.program(6, 11, 2, Cause::Host, Moment::START);
    nand
}

#[test]
fn a_page_is_programmed_once_and_in_ascending_order() {
    for (ppn, page) in [(4, 0), (5, 1), (6, 2)] {
        let message = fault(written(false), |nand| {
            nand.program(ppn, 12, 3, Cause::Merge, Moment::START);
        });
        assert!(
            message.contains(&format!("page {page} of block 1")) && message.contains("merge"),
            "{message}"
        );
    }
}

#[test]
fn an_erased_page_is_not_read() {
    for tokens in [false, true] {
        for ppn in [7, 8] {
            let message = fault(written(tokens), |nand| {
                assert_eq!(nand.read(ppn, Cause::Host, Moment::at(5)).done, Moment::at(5));
            });
            let place = format!("page {} of block {}", ppn % 4, ppn / 4);
            assert!(message.contains(&place) && message.contains("read for host"), "{message}");
        }
        let mut erased = written(tokens);
        erased.erase(1, Cause::Gc, Moment::START);
        let message = fault(erased, |nand| {
            nand.read(4, Cause::Gc, Moment::START);
        });
        assert!(message.contains("page 0 of block 1"), "{message}");
        let mut nand = written(tokens);
        assert_eq!(nand.read(6, Cause::Host, Moment::START).token, if tokens { 2 } else { 0 });
        assert_eq!(nand.fault(), None);
    }
}

/// Copies in one go are checked as reads are.
#[test]
fn an_erased_page_is_not_copied() {
    for tokens in [false, true] {
        let mut nand = written(tokens);
        nand.copy_all(&[6, 7], 2, Cause::Gc, Moment::START);
        let message = nand.fault().map(ToString::to_string).expect("page 3 of block 1 holds nothing");
        assert!(message.contains("page 3 of block 1 read for gc"), "{message}");
    }
}

/// In token mode a page that was skipped is as good as erased, but for the scan after a loss of power.
#[test]
fn a_skipped_page_holds_nothing() {
    let message = fault(written(true), |nand| {
        nand.read(5, Cause::Merge, Moment::START);
    });
    assert!(message.contains("page 1 of block 1 read for merge"), "{message}");
    let mut nand = written(true);
    nand.read(5, Cause::Map, Moment::START);
    assert_eq!((nand.fault(), nand.counts().reads_for(Cause::Map)), (None, 1));
}

#[test]
fn there_is_nothing_outside_the_device() {
    type Act = fn(&mut Nand);
    let acts: [Act; 3] = [
        |nand| _ = nand.read(16, Cause::Host, Moment::START),
        |nand| _ = nand.program(16, 0, 1, Cause::Host, Moment::START),
        |nand| _ = nand.erase(4, Cause::Host, Moment::START),
    ];
    for act in acts {
        let message = fault(flash(false), act);
        assert!(message.contains("block 4") && message.contains("4 blocks"), "{message}");
    }
}

#[test]
fn a_block_wears_out() {
    let mut nand = flash(false);
    for _ in 0..2 {
        nand.erase(3, Cause::Gc, Moment::START);
    }
    assert_eq!(nand.fault(), None);
    nand.erase(3, Cause::Gc, Moment::START);
    let fault = nand.fault().expect("two erases are the limit");
    assert!(fault.is_wear_out() && fault.to_string().contains("block 3 is worn out"), "{fault}");
}
