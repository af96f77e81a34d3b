//! The first screen of a trace's page.

use std::fmt::Write;

use flashscope_lab::Interrupt;
use flashscope_lab::describe::describe;
use flashscope_show::html::document::Block;
use flashscope_trace::TraceFile;

/// Ten seconds: a read of 4 KiB each millisecond, and beside each tenth of them a write of 64 KiB in order.
fn trace() -> String {
    let mut text = String::from("# format: csv\n");
    for ms in 0..10_000u64 {
        let at_us = ms * 1000;
        let place = (ms * 7919) % 100_000 * 4096;
        writeln!(text, "{at_us},R,{place},4096").unwrap();
        if ms % 10 == 0 {
            writeln!(text, "{at_us},W,{},65536", ms / 10 * 65_536).unwrap();
        }
    }
    text
}

#[test]
fn reads_and_writes_stand_first_with_their_rates_and_throughput_over_time_below() {
    let above = std::env::temp_dir().join(format!("flashscope-trace-page-{}", std::process::id()));
    std::fs::create_dir_all(&above).unwrap();
    let path = above.join("own.csv");
    std::fs::write(&path, trace()).unwrap();
    let columns = "time=1:us,op=2,offset=3:byte,length=4:byte".parse().unwrap();
    let file = TraceFile { columns: Some(columns), ..TraceFile::new(&path) };
    describe(&file, Some(&above.join("result")), &mut |_| {}, &Interrupt::new()).unwrap();
    let page = flashscope_show::trace::page(&above.join("result")).unwrap().expect("a page");
    std::fs::remove_dir_all(&above).unwrap();

    let first = &page.sections[0];
    assert!(first.is_summary);
    let [Block::Tiles { tiles }, Block::Chart(chart), ..] = &first.blocks[..] else {
        panic!("{:?}", first.blocks)
    };
    let said: Vec<_> = tiles.iter().map(|tile| (&*tile.name, &*tile.value, &*tile.rows[0][1])).collect();
    assert_eq!(said, [("Reads", "1,000", "4 KiB"), ("Writes", "100", "64 KiB")]);
    assert!(tiles[0].detail.starts_with("4.10 MB/s"), "{}", tiles[0].detail);
    assert!(tiles[1].rows.iter().any(|row| *row == ["sequential", "100 %"].map(String::from)));
    assert_eq!(chart.series.len(), 2, "reads and writes over time");
}
