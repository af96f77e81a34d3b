//! Every field of every line is checked: what is wrong with it is said, with the line's number.

use std::io::Cursor;

use flashscope_trace::{Records, TraceError, open};

/// A line of a format, and what stands before it.
#[derive(Clone, Copy)]
struct Good<'a> {
    format: &'static str,
    before: &'a str,
    line: &'a str,
}

impl Good<'_> {
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
                    let shown = bad.escape_debug().to_string();
                    assert!(shown.starts_with(text.trim_end_matches("...")), "{format}: {text}");
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

#[test]
fn diskmon() {
    Good { format: "diskmon", before: "", line: "7\t1.098306\t0.00009918\t0\tRead\t5498511\t8" }
        .each_is_told(&[
            ("7", "x", "begin with a number"),
            ("1.098306", "10:11:12", "the time"),
            ("1.098306", "1,098306", "the time"),
            ("1.098306", "-1.0", "the time"),
            ("0.00009918", "0.", "the duration"),
            ("\t0\t", "\tC:\t", "the disk"),
            ("Read", "R", "the request"),
            ("Read", "Flush", "the request"),
            ("5498511", "-5", "the sector"),
            ("5498511", "36028797018963967", "64 bits"),
            ("\t8", "\t0", "the length is zero"),
            ("\t8", "", "the length"),
            ("\t8", "\t8\t9", "extra fields after"),
        ]);
}

const ETW_HEADER: &str = "BeginHeader
 DiskRead, TimeStamp, Process Name ( PID), ByteOffset, IOSize, ElapsedTime, DiskNum, FileObject, FileName
 DiskFlush, TimeStamp, Process Name ( PID), ElapsedTime, DiskNum, I/O Pri
 CSwitch, TimeStamp
EndHeader
";

#[test]
fn etw() {
    let line = " DiskRead, 723291, p 0 ( 11008), 0x4e5ec22e00, 0x00002000, 4388, 4, 0xf, \"a, b\"";
    let good = Good { format: "etw", before: ETW_HEADER, line };
    good.each_is_told(&[
        ("DiskRead", "DiskReed", "no such event"),
        ("DiskRead", "DiskWrite", "no such event"),
        ("DiskRead,", "DiskRead", "no such event"),
        ("723291", "x", "the TimeStamp"),
        ("723291", "18446744073713940", "64 bits of nanoseconds"),
        ("( 11008)", "11008", "the process"),
        ("( 11008)", "(4294967296)", "the process"),
        ("0x4e5ec22e00", "4e5ec22e00", "the ByteOffset"),
        ("0x4e5ec22e00", "0x", "the ByteOffset"),
        ("0x4e5ec22e00", "0x4e5ec22g00", "the ByteOffset"),
        ("0x4e5ec22e00", "0x10000000000000000", "the ByteOffset"),
        ("0x4e5ec22e00", "0xffffffffffffffff", "64 bits"),
        ("0x00002000", "8192", "the IOSize"),
        ("0x00002000", "0x0", "the length is zero"),
        ("4388", "-4388", "the ElapsedTime"),
        (", 4,", ", D,", "the DiskNum"),
        (", 4, 0xf, \"a, b\"", "", "number of fields differs"),
        (line, " DiskFlush, 9, p (1), 5, 0", "number of fields differs"),
        (line, " DiskFlush, 9, p (1), 5, 0, 0, 7", "number of fields differs"),
        (line, "DiskRead", "not an event"),
        (line, "OS Version: 10, Trace Size: 1KB, Events Lost: 3, Buffers Lost: 0", "events were lost"),
        (line, "OS Version: 10, Trace Size: 1KB, Events Lost: 0, Buffers Lost: 1", "events were lost"),
    ]);
    let others = "CSwitch, 1, 2, 3\n\nOS Version: 10, Events Lost: 0, Buffers Lost: 0\n\
                  DiskFlush, 9, Unknown (-1), 5, 0, 0\n";
    assert_eq!(good.read(&format!("{line}\n{others}")), Ok(2));
    let without = ETW_HEADER.replace("IOSize, ", "");
    let error = Good { before: &without, ..good }.read(line).unwrap_err();
    assert!(matches!(&error, TraceError::Line { line: 2, .. }), "{error}");
}

#[test]
fn biosnoop() {
    let good = Good {
        format: "biosnoop",
        before: "TIME(s) COMM PID DISK T SECTOR BYTES  QUE(ms) LAT(ms)\n",
        line: "1.5  Web Content  1950  xvda1  WS 13092560  4096  0.25  0.74",
    };
    good.each_is_told(&[
        ("1.5", "1:5", "the time"),
        ("1.5", "-1.5", "the time"),
        ("1950", "19x", "the PID"),
        ("1950", "4294967296", "the PID"),
        ("xvda1", "", "the PID"),
        ("WS", "Z", "the operation"),
        ("WS", "FF", "a flush has a length"),
        ("WS", "N", "operation N"),
        ("13092560", "x", "the sector"),
        ("13092560", "-1", "64 bits"),
        ("13092560", "36028797018963968", "64 bits"),
        ("4096", "4K", "the bytes"),
        ("0.25", "x", "in the queue"),
        ("0.74", "0.74ms", "the latency"),
        ("0.74", "", "the PID"),
        ("  0.25  0.74", "", "the PID"),
    ]);
    // Flushes as libbpf's biosnoop and bcc's print them.
    let flush = "2.0 jbd2 9 sda FF -1 0 -1.000 0.500\n2.0 ? 0 sda R 18446744073709551615 0 0.00 0.10\n\n^C\n";
    assert_eq!(good.read(&format!("{}\n{flush}", good.line)), Ok(3));
    let without_names = Good { before: "Tracing block I/O. Ctrl-C to end.\n", ..good };
    assert!(matches!(without_names.read(good.line), Err(TraceError::Line { line: 2, .. })));
    for names in ["TIME(s) COMM PID DISK T SECTOR LAT(ms)", "TIME(s) COMM PID DISK LAT LAT(ms)"] {
        let before = format!("{names}\n");
        let error = Good { before: &before, ..good }.read(good.line).unwrap_err();
        assert!(matches!(&error, TraceError::Line { line: 1, .. }), "{error}");
    }
}

#[test]
fn iosnoop() {
    let good = Good {
        format: "biosnoop",
        before: "Tracing block I/O. Ctrl-C to end.\nCOMM PID TYPE DEV BLOCK BYTES LATms\n",
        line: "supervise 1809 W 202,1 17039968 4096 1.32",
    };
    good.each_is_told(&[
        ("1809", "", "the PID"),
        ("W", "w", "the operation"),
        ("4096", "-4096", "the bytes"),
        ("1.32", "-0.01", "the latency"),
    ]);
}

#[test]
fn hfplayer() {
    let good = Good {
        format: "hfplayer",
        before: "#SEQID.I,ELAPSED_USECS.D,CMD.S,LUN_SSID.I,LBA.I,NBLKS.I,LATENCY_USECS.D\n",
        line: "1483333685,81442951.096,WR_IN,1,2254431928,8,56.910",
    };
    good.each_is_told(&[
        ("81442951.096", "8.1e7", "ELAPSED_USECS"),
        ("81442951.096", "18446744073709551.616", "ELAPSED_USECS"),
        ("WR_IN", "WR_", "CMD"),
        (",1,", ",x,", "LUN_SSID"),
        ("2254431928", "36028797018963967", "64 bits"),
        ("2254431928", "", "LBA"),
        (",8,", ",-8,", "NBLKS"),
        (",8,", ",0,", "the length is zero"),
        ("56.910", "56.910,7", "LATENCY_USECS"),
        (",56.910", "", "NBLKS"),
        ("1483333685,81442951.096", "1483333685", "ELAPSED_USECS"),
    ]);
    assert_eq!(good.read(&format!("{}\n# a comment\n\n{}", good.line, good.line)), Ok(2));
    assert!(matches!(Good { before: "", ..good }.read(good.line), Err(TraceError::Line { line: 1, .. })));
    let twice = Good { before: "#ELAPSED_USECS.D,CMD.S,LBA.I,LBA.I,NBLKS.I\n", ..good };
    assert!(matches!(twice.read(good.line), Err(TraceError::Line { line: 1, .. })));
}

#[test]
fn csv() {
    let good = Good {
        format: "csv",
        before: "time_ns,device,op,offset_bytes,length_bytes,latency_ns,fua,sync,pid,process\n",
        line: "1025899728001,\"7,3\",write,805310464,4096,81250,0,1,31,\"t\"\"a,r\"",
    };
    good.each_is_told(&[
        ("1025899728001", "", "the time"),
        ("1025899728001", "-1", "the time"),
        ("1025899728001", TOO_LARGE, "the time"),
        ("1025899728001", "1e9", "the time"),
        ("\"7,3\"", "7,3", "the op"),
        ("\"7,3\"", "\"7,3\"x", "the device"),
        ("write", "0", "the op"),
        ("write", "", "the op"),
        ("write", "flush", "a flush has a range"),
        ("805310464", "8.5", "the offset"),
        ("805310464", "18446744073709551615", "64 bits"),
        ("4096", "", "the length is zero"),
        ("4096", "4096B", "the length"),
        ("81250", "x", "the latency"),
        (",0,", ",2,", "fua and sync"),
        (",1,", ",yes,", "fua and sync"),
        (",31,", ",4294967296,", "the pid"),
        (",31,", ",-1,", "the pid"),
        ("\"t\"\"a,r\"", "\"tar", "the process"),
        ("\"t\"\"a,r\"", "tar,", "the process"),
        (",31,\"t\"\"a,r\"", "", "too few fields"),
    ]);
    let long = format!("\"{}\"", "d".repeat(256));
    let bad = good.line.replace("\"7,3\"", &long);
    assert!(good.read(&bad).unwrap_err().to_string().contains("name is too long"));
}

#[test]
fn completions() {
    let good = Good {
        format: "tracefs",
        before: "tar-31 [001] ..... 5.000001: block_rq_issue: 7,3 W 4096 () 8 + 8 be,0,4 [tar]\n\
                 tar-31 [001] ..... 5.000002: block_rq_complete: 7,3 W () 8 + 8 be,0,4 [0]\n",
        line: "tar-31 [001] ..... 5.000003: block_rq_issue: 7,3 W 4096 () 8 + 8 be,0,4 [tar]",
    };
    let completion = "ksoftirqd/1-22 [001] ..s.. 5.000009: block_rq_complete: 7,3 WS () 8 + 8 be,0,4 [0]";
    for (from, to, problem) in [
        ("5.000009", "5", "the time"),
        ("7,3", "7:3", "the device"),
        ("WS", "Z", "the operation"),
        ("()", "(", "cut short"),
        ("()", "", "no (command)"),
        (" 8 +", " x +", "the sector"),
        ("8 + 8", "8 - 8", "no +"),
        ("+ 8", "+ x", "the number of sectors"),
        ("8 + 8", "36028797018963967 + 8", "64 bits"),
        (" [0]", " [0", "cut short"),
        ("[0]", "", "cut short"),
    ] {
        for event in ["complete", "requeue"] {
            let line = completion.replace("complete", event);
            let bad = line.replacen(from, to, 1);
            assert_ne!(bad, line);
            let error = good.read(&format!("{}\n{line}\n{bad}\n", good.line)).unwrap_err();
            assert!(matches!(error, TraceError::Line { line: 5, .. }), "{bad}: {error}");
            assert!(error.to_string().contains(problem), "{bad}: {error}");
        }
    }
}

#[test]
fn perf() {
    let good = Good {
        format: "tracefs",
        before: "# captured on: ..\n",
        line: "  tar  31 [001]  1025.899728:  block:block_rq_issue: 7,3 WS 4096 () 1572872 + 8 be,0,4 [tar]",
    };
    good.each_is_told(&[
        ("31 [001]", "[001]", "no process number"),
        ("1025.899728", "1025", "the time"),
        (good.line, "swapper 0 [000] 10.5: PERF_RECORD_LOST lost 7", "the kernel lost events"),
        (good.line, "\tffffffff81f3c2g0 submit_bio+0x0 (vmlinux)", "not a line of this format"),
        ("block_rq_issue: 7,3", "block_rq_issu: 7,3", "not a whole block_rq_issue"),
    ]);
    let stack = "\tffffffff81f3c2a0 submit_bio+0x0 ([kernel.kallsyms])\n\
                 \x20          d4ad7 [unknown] (/usr/lib/libc.so.6)\n\n";
    assert_eq!(good.read(&format!("{}\n{stack}", good.line)), Ok(1));
}

#[test]
fn a_torn_line_of_tracefs_is_told_wherever_it_was_cut() {
    let line = "tar-31 [001] ..... 1025.899728: block_rq_issue: 7,3 WS 4096 () 1572872 + 8 be,0,4 [tar]";
    let perf = "tar 31 [001] 1025.899728: block:block_rq_issue: 7,3 WS 4096 () 1572872 + 8 be,0,4 [tar]";
    for whole in [line, perf] {
        let good = Good { format: "tracefs", before: "", line: whole };
        for cut in 1..whole.len() {
            assert!(good.read(&format!("{whole}\n{}\n", &whole[..cut])).is_err(), "{}", &whole[..cut]);
        }
        for misspelt in ["block_rq_issu:", "block_rq_issued:", "block_rq_issue 7,3"] {
            let bad = whole.replace("block_rq_issue:", misspelt);
            assert!(good.read(&format!("{whole}\n{bad}\n")).is_err(), "{bad}");
        }
        let others = ["sched_switch: a ==> b", "block_bio_queue: 7,3 WS 8 + 8 [tar]", "<stack trace>"];
        for event in others {
            let other = format!("{} {event}", &whole[..whole.find("block").unwrap()]);
            assert_eq!(good.read(&format!("{whole}\n{other}\n")), Ok(1), "{other}");
        }
    }
}
