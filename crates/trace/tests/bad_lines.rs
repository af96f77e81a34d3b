//! Every field of every line is checked: what is wrong with it is said, with the line's number.

use std::io::Cursor;

use flashscope_trace::{Records, TraceError, open};

/// A line of a format, and what stands before it.
struct Good {
    format: &'static str,
    before: &'static str,
    line: &'static str,
}

impl Good {
    fn read(&self, lines: &str) -> Result<u64, TraceError> {
        let text = format!("{}{lines}", self.before);
        let mut reader = open(Cursor::new(text.into_bytes()), Some(self.format), false)?;
        let mut batch = Vec::new();
        while reader.next_batch(&mut batch)? > 0 {}
        Ok(reader.counts().records)
    }

    /// Replaces the first `from` of the line by `to` in each case; the problem must be told.
    fn each_is_told(&self, cases: &[(&str, &str, &str)]) {
        let Good { format, before, line: good } = self;
        assert_eq!(self.read(&format!("{good}\r\n{good}\n")), Ok(2), "{format}");
        let number = before.lines().count() as u64 + 2;
        for (from, to, problem) in cases {
            let bad = good.replacen(from, to, 1);
            assert_ne!(bad, *good, "{format}: {from}");
            match self.read(&format!("{good}\n{bad}\n{good}\n")) {
                Err(TraceError::Line { line, problem: said, text }) => {
                    assert_eq!(line, number, "{format}: {bad}");
                    assert!(said.contains(problem), "{format}: {bad}: {said}");
                    assert!(bad.starts_with(text.trim_end_matches("...")), "{format}: {text}");
                }
                other => panic!("{format}: {bad}: {other:?}"),
            }
        }
    }
}

/// The largest number and one more.
const TOO_LARGE: &str = "18446744073709551616";

#[test]
fn alibaba() {
    Good { format: "alibaba", before: "", line: "419,W,8792731648,16384,1577808144360767" }.each_is_told(&[
        ("419", "-419", "the device"),
        ("419", "", "the device"),
        ("419", "4x9", "the device"),
        ("W", "w", "the operation"),
        ("W", "", "the operation"),
        ("W", "WS", "the operation"),
        ("8792731648", "-1", "the offset"),
        ("8792731648", TOO_LARGE, "the offset"),
        ("8792731648", "18446744073709551615", "64 bits"),
        ("16384", "", "the length"),
        ("16384", "0x40", "the length"),
        ("16384", "0", "the length is zero"),
        ("1577808144360767", "1577808144.5", "the time"),
        ("1577808144360767", "1577808144360767,9", "the time"),
        ("1577808144360767", "1577808144360767 ", "the time"),
        ("1577808144360767", "18446744073709552", "64 bits of nanoseconds"),
        (",1577808144360767", "", "the length"),
    ]);
}

#[test]
fn tencent() {
    Good { format: "tencent", before: "", line: "1538323200,12910952,128,0,1063" }.each_is_told(&[
        ("1538323200", "1538323200.5", "the time"),
        ("1538323200", "-1", "the time"),
        ("1538323200", "18446744074", "64 bits of nanoseconds"),
        ("12910952", "x", "the offset"),
        ("12910952", "36028797018963968", "64 bits"),
        ("128", "", "the size"),
        ("128", "0", "the length is zero"),
        (",0,", ",2,", "the operation"),
        (",0,", ",R,", "the operation"),
        ("1063", "", "the volume"),
        ("1063", "1063,1", "the volume"),
        (",1063", "", "the operation"),
    ]);
}

#[test]
fn k5cloud() {
    Good { format: "k5cloud", before: "", line: "1157,3.828359000,W,7155568640,4096" }.each_is_told(&[
        ("1157", "", "the ID"),
        ("1157", "a", "the ID"),
        ("3.828359000", "-3.8", "the time"),
        ("3.828359000", "3.", "the time"),
        ("3.828359000", "18446744073.709551616", "the time"),
        ("W", "X", "the operation"),
        ("7155568640", "7155568640.0", "the offset"),
        ("7155568640", "18446744073709551615", "64 bits"),
        ("4096", "0", "the length is zero"),
        ("4096", "4096,", "the length"),
        (",4096", "", "the offset"),
    ]);
}

#[test]
fn cloudphysics_csv() {
    Good { format: "cloudphysics-csv", before: "", line: "7,6218919,w,4096" }.each_is_told(&[
        ("7", "7.5", "the time"),
        ("7", "-7", "the time"),
        ("7", "18446744073709552", "64 bits of nanoseconds"),
        ("6218919", "", "the sector"),
        ("6218919", "36028797018963968", "64 bits"),
        ("6218919", "36028797018963967", "64 bits"),
        ("w", "W", "the operation"),
        ("4096", "4096 ", "the length"),
        ("4096", "0", "the length is zero"),
    ]);
}

#[test]
fn systor17() {
    let line = "1456095145.133076000,0.000806000,R,0,899056122368,131072";
    let good = Good { format: "systor17", before: "", line };
    good.each_is_told(&[
        ("1456095145.133076000", "x", "the time"),
        ("1456095145.133076000", "18446744074.0", "the time"),
        ("0.000806000", "-0.1", "the response"),
        ("0.000806000", "0.", "the response"),
        ("R", "D", "the IOType"),
        (",0,", ",,", "the LUN"),
        (",0,", ",a,", "the LUN"),
        ("899056122368", "", "the offset"),
        ("899056122368", "18446744073709551615", "64 bits"),
        ("131072", "0", "the length is zero"),
        ("131072", "131072;", "the size"),
    ]);
    // Without an answer it is no request, and still a whole line.
    assert_eq!(good.read(&format!("{line}\n1456095145.133076000,,,0,8,512\n")), Ok(1));
    assert!(good.read(&format!("{line}\n1456095145.133076000,,,0,8\n")).is_err());
}
