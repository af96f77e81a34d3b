//! Paper 002's board: its table as an independent implementation counted it, and the claims of docs/bplru.md.

use flashscope_core::{Bytes, Pattern};
use flashscope_lab::sweep::{SimReport, Work};
use flashscope_lab::{SweepSpec, Timing, TraceInput};

use crate::{names, reports, sample};

/// Paper 002's rules: the trace's flushes and reads count for nothing, and requests go one by one.
fn rules() -> SweepSpec {
    let set = vec![("host.ignore_reads".into(), "true".into())];
    SweepSpec { ignore_flush: true, set, seed: Some(1), ..SweepSpec::default() }
}

fn trace(name: &str) -> Work {
    Work::Trace(Box::new(TraceInput { timing: Timing::Asap, ..sample(name) }), 1)
}

/// Uniform random writes on the whole device: the paper's W4.
fn random() -> Work {
    let pattern: Pattern = "rw=randwrite bs=4k size=1g number_ios=30000".parse().unwrap();
    Work::Pattern(pattern)
}

fn mb_s(report: &SimReport) -> f64 {
    report.throughput_mb_s.expect("time passed")
}

/// LRU, FAB and BPLRU with 16 MiB each.
fn three(work: Work) -> [SimReport; 3] {
    let buffer = names(["lru", "fab", "bplru"]);
    let spec = SweepSpec { buffer, buffer_size: vec![Bytes(16 << 20)], work, ..rules() };
    reports(&spec).try_into().expect("three devices")
}

#[test]
fn the_board_counts_what_an_independent_implementation_counted() {
    let table = include_str!("../data/bplru_expected.csv");
    let buffer_size = [1, 2, 4, 8, 16].map(|mib| Bytes(mib << 20)).to_vec();
    let of_all = SweepSpec { buffer_size, work: trace("install-ext3"), ..rules() };
    let buffer = names(["lru", "fab", "block-lru", "bplru"]);
    let mut all = reports(&SweepSpec { buffer, ..of_all.clone() });
    let mut exempt = SweepSpec { buffer: names(["fab"]), ..of_all };
    exempt.set.push(("fab.exempt_current".into(), "true".into()));
    all.extend(reports(&exempt).into_iter().map(|mut report| {
        report.device.buffer = "fab exempt-current".into();
        report
    }));
    let mut rows = 0;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        let bytes = cells[1].parse::<u64>().unwrap() << 20;
        let is_row =
            |report: &&SimReport| report.device.buffer == cells[0] && report.device.buffer_bytes == bytes;
        let report = all.iter().find(is_row).unwrap_or_else(|| panic!("no device for {row}"));
        let device = &report.device;
        let counts = [
            device.block_erases,
            device.page_reads,
            device.page_programs,
            device.merges.switch_merges,
            device.merges.partial_merges,
            device.merges.full_merges,
            device.padding_reads,
        ];
        assert_eq!(counts.map(|count| count.to_string()), cells[2..9], "{row}");
        assert!((mb_s(report) - cells[9].parse::<f64>().unwrap()).abs() <= 0.001, "{row}: {}", mb_s(report));
        rows += 1;
    }
    assert_eq!((rows, all.len()), (25, 25));
}

#[test]
fn bplru_is_faster_than_fab_and_lru_and_erases_less_on_the_traces() {
    // What BPLRU gains on FAB at 16 MiB, in per cent: docs/bplru.md.
    for (name, gain) in
        [("install-ext3", 58.8), ("mp3-ext3", 29.2), ("untar-ext3", 14.3), ("compile-ext3", 14.9)]
    {
        let [lru, fab, bplru] = three(trace(name));
        let found = (mb_s(&bplru) / mb_s(&fab) - 1.0) * 100.0;
        assert!((found - gain).abs() < 0.1, "{name}: {found:.1} %");
        assert!(mb_s(&bplru) > mb_s(&lru), "{name}");
        let erases = [&bplru, &fab, &lru].map(|report| report.device.block_erases);
        assert!(erases[0] < erases[1].min(erases[2]), "{name}: {erases:?}");
    }
}

#[test]
fn without_locality_fab_is_faster_and_bplru_erases_less() {
    for work in [random(), trace("postmark-ext3")] {
        let [_, fab, bplru] = three(work);
        assert!(mb_s(&fab) > 1.15 * mb_s(&bplru), "{}", fab.workload);
        assert!(bplru.device.block_erases < fab.device.block_erases, "{}", fab.workload);
    }
}

#[test]
fn padding_and_compensation_each_help() {
    let with = |padding: bool, compensation: bool, name: &str| {
        let buffer_size = vec![Bytes(1 << 20), Bytes(16 << 20)];
        let mut spec = SweepSpec { buffer: names(["bplru"]), buffer_size, work: trace(name), ..rules() };
        spec.set.push(("bplru.padding".into(), padding.to_string()));
        spec.set.push(("bplru.compensation".into(), compensation.to_string()));
        <[SimReport; 2]>::try_from(reports(&spec)).expect("two sizes")
    };
    for name in ["install-ext3", "mp3-ext3"] {
        let kinds = [(false, false), (true, false), (false, true), (true, true)];
        let [neither, padding, compensation, both] =
            kinds.map(|(padding, compensation)| with(padding, compensation, name).map(|found| mb_s(&found)));
        for size in [0, 1] {
            assert!(padding[size] > neither[size] && compensation[size] > neither[size], "{name}");
            assert!(both[size] > padding[size] && both[size] > compensation[size], "{name}");
        }
    }
}

#[test]
fn flush_commands_cost_throughput() {
    let board = |ignore_flush: bool| {
        let buffer_size = vec![Bytes(16 << 20)];
        let work = trace("untar-ext3-flush");
        let spec = SweepSpec { buffer: names(["bplru"]), buffer_size, work, ignore_flush, ..rules() };
        reports(&spec).remove(0)
    };
    let [honoured, ignored] = [false, true].map(board);
    assert!(mb_s(&honoured) < mb_s(&ignored));
    assert!(honoured.device.block_erases > ignored.device.block_erases);
}
