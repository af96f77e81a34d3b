//! The format passes the kit that the formats of flashscope pass, and stands among them.

use flashscope_trace::kit::Kit;
use flashscope_trace::{Formats, Records};

const SAMPLE: &[u8] = b"# time_us op first_byte bytes device\n\
    1200 W 4096 8192 nvme0n1\n\
    1200 R 0 512 nvme1n1\n\
    1350 W 12288 4096 nvme0n1\n";

/// One test: the memory of the whole process is looked at.
#[test]
fn the_format_keeps_its_promises() {
    let kit = Kit::new(&own_format::FORMAT, SAMPLE, b"1400 W four 512 nvme0n1\n");
    kit.check_memory().unwrap();
    kit.check().unwrap();

    let formats = Formats::builtin().with(&own_format::FORMAT);
    let mut trace = formats.open(SAMPLE, None, false).unwrap();
    assert_eq!((trace.next_batch(&mut Vec::new()), trace.format()), (Ok(3), "own"));
}
