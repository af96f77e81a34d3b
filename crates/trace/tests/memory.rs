//! Memory does not grow with the length of a trace. A program of its own: the peak is the whole process's.

use std::io::Read;

use flashscope_trace::{Records, open};

/// An endless trace, cut after so many bytes.
struct Endless {
    line: &'static [u8],
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        for byte in buffer.iter_mut() {
            *byte = self.line[self.at];
            self.at = (self.at + 1) % self.line.len();
        }
        Ok(buffer.len())
    }
}

/// The most memory this process has ever held.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_hundred_megabytes_cost_no_more_than_one() {
    const LINE: &[u8] =
        b"kworker/0:1H-44 [000] ..... 1746.412174: block_rq_issue: 7,3 W 69632 () 532480 + 136 be,0,4 [k]\n";
    // As above, but what is in flight never completes; and something else does, so that it is waited for.
    const WAITING: &[u8] =
        b"kworker/0:1H-44 [000] ..... 1746.412174: block_rq_issue: 7,3 W 69632 () 532480 + 136 be,0,4 [k]\n\
          ksoftirqd/1-22 [001] ..s.. 1746.412179: block_rq_complete: 7,3 WS () 532480 + 128 be,0,4 [0]\n";
    for line in [LINE, WAITING] {
        let read = |lines: u64| {
            let bytes = lines * line.len() as u64;
            let mut reader = open(Endless { line, at: 0 }.take(bytes), None, false).unwrap();
            let mut batch = Vec::new();
            while reader.next_batch(&mut batch).unwrap() > 0 {}
            assert_eq!(reader.counts().records, lines);
            peak_kib()
        };
        let one = read(30_000);
        let hundred = read(1_000_000);
        assert!(hundred <= one + 1024, "{one} KiB grew to {hundred} KiB");
    }
}
