//! Each field of each text format is checked: a good line behind which one with a bad field stands. The
//! problem names the field, and the line.

use std::io::Cursor;

use flashscope_trace::{Records, TraceError, open};

/// Reads it with the strict reader, to the end.
fn read(text: &str, format: &str) -> Result<u64, TraceError> {
    let mut reader = open(Cursor::new(text.as_bytes().to_vec()), Some(format), false)?;
    let mut batch = Vec::new();
    while reader.next_batch(&mut batch)? > 0 {}
    Ok(reader.counts().records)
}

/// Of each case, the first is replaced by the second in `line`, and the problem must say the third.
fn check(format: &str, heading: &str, line: &str, cases: &[(&str, &str, &str)]) {
    assert_eq!(read(&format!("{heading}{line}\n"), format), Ok(1), "{format}");
    for (from, to, problem) in cases {
        let bad = line.replacen(from, to, 1);
        assert_ne!(bad, line, "{format}: {from}");
        let number = heading.lines().count() as u64 + 2;
        match read(&format!("{heading}{line}\n{bad}"), format) {
            Err(TraceError::Line { line, problem: said, text }) => {
                assert!(said.contains(problem), "{format}: {bad}: {said}");
                assert_eq!(line, number);
                // A long line is cut.
                assert!(bad.starts_with(text.trim_end_matches("...")), "{text}");
            }
            other => panic!("{format}: {bad}: {other:?}"),
        }
    }
}

#[test]
fn each_field_of_msr() {
    let line = "128166372003061629,hm,1,Read,383496192,32768,113736";
    check(
        "msr",
        "",
        line,
        &[
            ("128166372003061629", "-1", "the timestamp"),
            ("128166372003061629", "1.5", "the timestamp"),
            ("128166372003061629", "184467440737095517", "the timestamp"),
            ("128166372003061629,", "", "the timestamp"),
            ("hm", "", "no host"),
            (",1,", ",x,", "the disk"),
            (",1,", ",,", "the disk"),
            (",1,", ",-1,", "the disk"),
            ("Read", "R", "the type"),
            ("Read", "read", "the type"),
            ("383496192", "-383496192", "the offset"),
            ("383496192", "18446744073709551615", "64 bits"),
            ("383496192", "18446744073709551616", "the offset"),
            ("32768", "0", "the length is zero"),
            ("32768", "32768.5", "the size"),
            ("113736", "", "the response time"),
            ("113736", "-5", "the response time"),
            ("113736", "113736,7", "the response time"),
            ("113736", "184467440737095517", "the response time"),
            (",113736", "", "the size"),
            ("hm", &"h".repeat(255), "too long"),
            (line, "hm,1", "the timestamp"),
        ],
    );
}

#[test]
fn each_field_of_spc() {
    check(
        "spc",
        "",
        "0,20941264,8192,W,0.551706,Alpha/NT",
        &[
            ("0,", "-1,", "the ASU"),
            ("0,", ",", "the ASU"),
            ("0,", "a,", "the ASU"),
            ("20941264", "-1", "the LBA"),
            ("20941264", "2094.5", "the LBA"),
            ("20941264", "36028797018963968", "64 bits"),
            ("20941264,8192", "36028797018963967,513", "64 bits"),
            ("8192", "0", "the length is zero"),
            ("8192", "", "the size"),
            ("W", "X", "the opcode"),
            ("W", "Write", "the opcode"),
            ("0.551706", "-0.5", "the timestamp"),
            ("0.551706", "0.551706x", "the timestamp"),
            ("0.551706", "1e3", "the timestamp"),
            ("0.551706,Alpha/NT", "", "the timestamp"),
            (",W,0.551706,Alpha/NT", "", "the size"),
        ],
    );
}

#[test]
fn each_field_of_fiu() {
    check(
        "fiu",
        "",
        "89966002 4892 syslogd 904265560 8 W 6 0 531e779ea4ec4eb1b4eb1a8f7a2ba3c8",
        &[
            ("89966002", "-89966002", "the time"),
            ("89966002", "89966002.5", "the time"),
            ("89966002", "18446744073709551616", "the time"),
            ("4892", "4294967296", "the pid"),
            ("4892", "x", "the pid"),
            ("syslogd ", "", "no process"),
            ("904265560", "-904265560", "the lba"),
            ("904265560", "36028797018963968", "64 bits"),
            (" 8 ", " 0 ", "the length is zero"),
            (" 8 ", " 8k ", "the size"),
            (" W ", " w ", "the operation"),
            (" 6 ", " -6 ", "the device"),
            (" 0 ", " x ", "the device"),
            ("531e", "531g", "the MD5"),
            ("531e", "531", "the MD5"),
            (" 531e779ea4ec4eb1b4eb1a8f7a2ba3c8", "", "the MD5"),
            ("3c8", "3c8 x", "the MD5"),
        ],
    );
}

#[test]
fn each_field_of_disksim() {
    check(
        "disksim",
        "",
        "5265.313 0 6357144 8 1",
        &[
            ("5265.313", "-5265.313", "the arrival"),
            ("5265.313", "5265.", "the arrival"),
            ("5265.313", "5265.313ms", "the arrival"),
            ("5265.313", "18446744073709.551616", "the arrival"),
            (" 0 ", " -1 ", "the device"),
            (" 0 ", " d ", "the device"),
            ("6357144", "-1", "the block"),
            ("6357144", "36028797018963968", "64 bits"),
            (" 8 ", " 0 ", "the length is zero"),
            (" 8 ", " 8.0 ", "the number of blocks"),
            (" 1", " g", "the flags"),
            (" 1", " 123456789", "the flags"),
            (" 1", " 1 1", "the flags"),
            (" 1", "", "the flags"),
            (" 8 1", "", "the number of blocks"),
        ],
    );
}

#[test]
fn each_field_of_mqsim() {
    check(
        "mqsim",
        "",
        "938513000 4 264719034 16 0",
        &[
            ("938513000", "-938513000", "the arrival"),
            ("938513000", "938513.5", "the arrival"),
            ("938513000", "18446744073709551616", "the arrival"),
            (" 4 ", " -4 ", "the device"),
            ("264719034", "x", "the lba"),
            ("264719034", "36028797018963968", "64 bits"),
            (" 16 ", " 0 ", "the length is zero"),
            (" 16 ", " 1x ", "the number of sectors"),
            (" 16 0", " 16 2", "the type"),
            (" 16 0", " 16 00", "the type"),
            (" 16 0", " 16 0 0", "the type"),
            (" 16 0", " 16", "the type"),
        ],
    );
}

#[test]
fn each_field_of_fio_iolog() {
    let heading = "fio version 3 iolog\n";
    check(
        "fio-iolog",
        heading,
        "878 /dev/sda write 4096 16384",
        &[
            ("878", "-1", "the time"),
            ("878", "0.5", "the time"),
            ("878", "18446744073709552", "the time"),
            ("/dev/sda ", "", "unknown action"),
            ("write", "writes", "unknown action"),
            ("write", "wait", "unknown action"),
            ("write 4096 16384", "unlink", "unknown action"),
            ("write 4096 16384", "open 1", "unknown action"),
            ("write 4096 16384", "write", "the offset"),
            ("4096", "-4096", "the offset"),
            ("4096", "18446744073709551616", "the offset"),
            ("4096", "18446744073709551615", "64 bits"),
            ("16384", "0", "the length is zero"),
            ("16384", "16k", "the length"),
            ("16384", "16384 1", "the length"),
            ("4096 16384", "4096", "the length"),
            ("write 4096 16384", "sync 0", "the length"),
        ],
    );
    let two = "fio version 2 iolog\n/dev/sda add\n/dev/sda wait 18446744073709 0\n";
    let cases = [
        ("read 0 512", "wait 18446744073710 0", "the wait"),
        ("read 0 512", "wait 1", "the length"),
        ("/dev", "878 /dev", "unknown action"),
    ];
    check("fio-iolog", two, "/dev/sda read 0 512", &cases);
    for other in ["fio version 1 iolog", "878 /dev/sda write 4096 16384", "fio version 3 iolog 1"] {
        let Err(TraceError::Line { line: 1, problem, .. }) = read(other, "fio-iolog") else {
            panic!("{other}")
        };
        assert!(problem.contains("does not begin with"), "{problem}");
    }
}

#[test]
fn each_field_of_blkparse() {
    check(
        "blkparse",
        "Input file sda.blktrace.0 added\n",
        "259,2    0        1     0.000000001  4020  Q   R 282624 + 8 [java]",
        &[
            ("259,2", "259:2", "the device"),
            ("259,2", "259,2x", "the device"),
            ("259,2", "sda", "does not begin with"),
            (" 0 ", " -0 ", "the cpu"),
            (" 1 ", " x ", "the sequence"),
            ("0.000000001", "-0.1", "the time"),
            ("0.000000001", "18446744073.709551616", "the time"),
            ("4020", "4294967296", "the pid"),
            (" Q ", " K ", "unknown action"),
            (" Q ", " q ", "unknown action"),
            (" R ", " X ", "the operation"),
            (" R ", " RZ ", "the operation"),
            (" R ", " N ", "operation N"),
            (" R ", " FF ", "a flush has a length"),
            ("282624", "-282624", "[name]"),
            ("282624", "36028797018963968", "64 bits"),
            ("+ 8", "- 8", "no +"),
            ("+ 8", "+8", "no +"),
            ("+ 8", "+ x", "the number of sectors"),
            ("+ 8", "+ 0", "the length is zero"),
            ("282624 + 8 ", "", "no sector"),
            ("+ 8 [java]", "+ 8 [java", "[name]"),
            ("+ 8 [java]", "+ 8", "[name]"),
            ("+ 8 [java]", "+ 8 (12 [java]", "cut short"),
            ("+ 8 [java]", "", "no +"),
        ],
    );
}
