//! `flashscope trace cut` and `flashscope trace generate` as a person calls them.

use std::fs;

use crate::common::kernel::Scratch;
use crate::common::{Ended, call, folder, scratch};

/// 16 requests of 8 sectors, one a second: reads and writes by turns, at sectors 0, 8, 1000, 1008, 2000, ..
fn trace(scratch: &Scratch) {
    let mut text = String::from("start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0\n");
    for at in 0..16 {
        let sector = at / 2 * 1000 + at % 2 * 8;
        text += &format!("{at}.0 ; {sector} ; 8 ; {} ; 0.0 ; 0.0\n", ["R", "W"][at % 2]);
    }
    fs::write(scratch.path("in.load"), text).unwrap();
}

fn cut(scratch: &Scratch, flags: &[&str]) -> Ended {
    call(&folder(scratch), &[&["trace", "cut", "in.load", "out.load"], flags].concat())
}

/// Start in seconds, sector and sectors of what was written.
fn requests(scratch: &Scratch) -> Vec<(f64, u64, u64)> {
    let text = fs::read_to_string(scratch.path("out.load")).unwrap();
    let request = |line: &str| {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        (fields[0].parse().unwrap(), fields[1].parse().unwrap(), fields[2].parse().unwrap())
    };
    text.lines().skip(1).map(request).collect()
}

#[test]
fn flags_are_applied_in_the_order_of_the_help() {
    let scratch = scratch();
    trace(&scratch);
    // Of 4 .. 12 s the writes, at sectors 2008, 3008, 4008, 5008; twice; at half the pace; modulo 4096
    // sectors.
    let flags = ["--from-time", "4s", "--to-time", "12s", "--op", "write", "--repeat", "2"];
    let fit = ["--time-scale", "2", "--fit", "modulo", "--size", "2MiB", "--split", "2KiB"];
    let ended = cut(&scratch, &[&flags[..], &fit[..]].concat()).well();
    let expected: Vec<_> = [2008, 3008, 4008, 912, 2008, 3008, 4008, 912]
        .iter()
        .enumerate()
        .flat_map(|(at, &sector)| {
            let start = 5.0 + 4.0 * at as f64;
            [(start, sector, 4), (start, sector + 4, 4)]
        })
        .collect();
    assert_eq!(requests(&scratch), expected);
    for words in [
        "16 requests written to out.load as blkreplay",
        // 4 before, 4 after and 4 reads, in each of two passes.
        "requests dropped: before the time window: 8",
        "requests dropped: after the time window: 8",
        "requests dropped: other operations: 8",
        "passes over the trace: 2",
        "requests moved, fitted (modulo) to 2 MiB: 2",
        "requests split at multiples of 2 KiB: 8, into 16",
        // 8 writes of 4 KiB on 2 MiB.
        "written: 32 KiB, 0.0156 device writes of 2 MiB",
    ] {
        assert!(ended.err.contains(words), "'{words}' is missing in: {}", ended.err);
    }
}

#[test]
fn compact_needs_no_size_and_leaves_no_holes() {
    let scratch = scratch();
    trace(&scratch);
    // 1000 sectors are no whole chunks of 4 KiB; those of 512 bytes are.
    cut(&scratch, &["--fit", "compact", "--chunk", "512"]).well();
    let sectors: Vec<_> = requests(&scratch).iter().map(|request| request.1).collect();
    assert_eq!(sectors, (0..16).map(|at| at * 8).collect::<Vec<u64>>());
}

#[test]
fn addresses_move_down_as_well_as_up() {
    let scratch = scratch();
    trace(&scratch);
    cut(&scratch, &["--range", "500KiB..1MiB", "--shift", "-500KiB", "--align", "4KiB"]).well();
    // Sectors 1000 (aligned), 1008, 2000 and 2008: all are whole blocks of 4 KiB.
    let sectors: Vec<_> = requests(&scratch).iter().map(|request| (request.1, request.2)).collect();
    assert_eq!(sectors, [(0, 8), (8, 8), (1000, 8), (1008, 8)]);
    cut(&scratch, &["--shift", "-1"]).failed(1, &["in.load", "request 1", "outside the address space"]);
}

#[test]
fn what_cannot_be_done_is_refused_with_the_way_out() {
    let scratch = scratch();
    trace(&scratch);
    for (flags, words) in [
        (&["--fit", "modulo"][..], &["--size"][..]),
        (&["--fit", "linear", "--size", "512"], &["4096"]),
        (&["--fit", "compact", "--size", "4KiB"], &["does not fit", "larger device"]),
        (&["--repeat", "0"], &["--repeat", "at least 1"]),
        (&["--split", "0"], &["--split", "at least 1 byte"]),
        (&["--from-time", "5s", "--to-time", "5s"], &["later than --from-time"]),
        (&["--time-scale", "0"], &["above 0"]),
        (&["--range", "5..5"], &["empty"]),
        (&["--absolute-times"], &["--from-time"]),
        (&["--device", "8,0"], &["no request of device '8,0'", "choose one of 0"]),
        (&["--op", "trim"], &["no request of the trace is left", "requests dropped: other operations: 16"]),
    ] {
        let ended = cut(&scratch, flags);
        assert!([1, 2].contains(&ended.status), "{flags:?}: {ended:?}");
        let status = ended.status;
        ended.failed(status, words);
    }
    let piped = ["trace", "cut", "-", "out.load", "--repeat", "2"];
    call(&folder(&scratch), &piped).failed(2, &["--repeat", "pipe", "use a file"]);
}

#[test]
fn a_generated_trace_is_the_same_for_a_seed_and_can_be_cut() {
    let scratch = scratch();
    let generate = |name: &str, flags: &[&str]| {
        let all = [&["trace", "generate", "w7", name, "--number-ios", "2000"][..], flags].concat();
        call(&folder(&scratch), &all)
    };
    let first = generate("a.load", &["--seed", "5"]).well();
    assert!(first.err.contains("2,000 requests written to a.load as blkreplay, seed 5"), "{}", first.err);
    generate("b.load", &["--seed", "5"]).well();
    generate("c.load", &["--seed", "6"]).well();
    let bytes = |name: &str| fs::read(scratch.path(name)).unwrap();
    assert!(bytes("a.load") == bytes("b.load") && bytes("a.load") != bytes("c.load"));
    let small = ["trace", "cut", "a.load", "small.load", "--fit", "modulo", "--size", "16MiB"];
    let cut = call(&folder(&scratch), &small).well();
    assert!(cut.err.contains("with address collisions"), "{}", cut.err);
    assert!(cut.err.contains("device writes of 16 MiB"), "{}", cut.err);
}

#[test]
fn what_cannot_be_generated_is_refused_with_the_way_out() {
    let scratch = scratch();
    for (flags, words) in [
        (&["w10"][..], &["unknown trace generator 'w10'", "untar"][..]),
        (&["uniform", "--set", "bs"], &["--set bs", "KEY=VALUE"]),
        (&["uniform", "--set", "size=4k"], &["--set size=4k", "unknown key"]),
        (&["untar", "--size", "64MiB"], &["--size", "use a larger device"]),
        (&["uniform", "--number-ios", "0"], &["--number-ios", "at least 1"]),
    ] {
        let all = [&["trace", "generate"][..], flags, &["-", "--to", "blkreplay"]].concat();
        call(&folder(&scratch), &all).failed(2, words);
    }
    let listed = call(&folder(&scratch), &["list", "generators"]).well().out;
    for words in ["untar", "W7", "mean size of a file", "10.7kB"] {
        assert!(listed.contains(words), "'{words}' is missing in: {listed}");
    }
}

#[test]
fn traces_are_merged_by_time_and_an_error_names_its_file() {
    let scratch = scratch();
    let write = |name: &str, text: &str| fs::write(scratch.path(name), text).unwrap();
    write("a.csv", "time_ns,device,op,offset_bytes,length_bytes\n1000,x,write,0,512\n3000,x,write,512,512\n");
    write("b.csv", "time_ns,device,op,offset_bytes,length_bytes\n2000,y,read,0,512\n2500,x,read,0,512\n");
    write("bad.csv", "time_ns,device,op,offset_bytes,length_bytes\n2000,y,read,0,512\n9,y,hop,0,512\n");
    let merge = |flags: &[&str]| call(&folder(&scratch), &[&["trace", "merge"], flags].concat());
    // Time, device, operation.
    let rows = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(scratch.path(name)).unwrap();
        text.lines().skip(1).map(|line| line.splitn(4, ',').take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    merge(&["a.csv", "b.csv", "out.csv"]).well();
    assert_eq!(rows("out.csv"), ["1000 x write", "2000 y read", "2500 x read", "3000 x write"]);
    merge(&["a.csv", "b.csv", "out.csv", "--together"]).well();
    assert_eq!(rows("out.csv"), ["0 x write", "0 y read", "500 x read", "2000 x write"]);
    merge(&["a.csv", "bad.csv", "none.csv"]).failed(1, &["bad.csv: line 3", "--lenient"]);
    assert!(!scratch.path("none.csv").exists());
    merge(&["a.csv", "b.csv", "a.csv"]).failed(2, &["a.csv"]);
    merge(&["a.csv", "b.csv"]).failed(2, &[]);
}
