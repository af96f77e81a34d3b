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
    let read = |bytes: u64| {
        let mut reader = open(Endless { line: LINE, at: 0 }.take(bytes), None, false).unwrap();
        let mut batch = Vec::new();
        while reader.next_batch(&mut batch).unwrap() > 0 {}
        assert_eq!(reader.counts().records, bytes / LINE.len() as u64);
        peak_kib()
    };
    let one = read(10_000 * LINE.len() as u64);
    let hundred = read(1_000_000 * LINE.len() as u64);
    assert!(hundred <= one + 1024, "{one} KiB grew to {hundred} KiB");
}
