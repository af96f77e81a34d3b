//! Writes of a part of a page, `nand.partial_page = "read-modify-write"`: what is counted is what the
//! host did.

use flashscope_core::{Bytes, Op, Request};
use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::{Settings, Ssd};

const PAGE_BYTES: u64 = 4096;

/// A device of 4 MiB, full, whose reads are checked.
fn device(buffer: &str, change: impl Fn(&mut Settings)) -> Ssd {
    let mut settings = Settings { capacity: Bytes(4 << 20), buffer: buffer.into(), ..Settings::default() };
    settings.over_provisioning = 1.0;
    settings.nand.data = true;
    settings.ram.size = Bytes(256 << 10);
    change(&mut settings);
    Ssd::new("test", settings, 1).unwrap_or_else(|error| panic!("{buffer}: {error}"))
}

/// Writes sectors one by one, in order.
fn write_sectors(ssd: &mut Ssd, sectors: u64) {
    let request =
        |i| Request { op: Op::Write, offset_bytes: i * 512, length_bytes: 512, ..Request::default() };
    let requests: Vec<Request> = (0..sectors).map(request).collect();
    ssd.serve_in_turn(&requests, &mut Vec::new()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn three_writes_into_one_page_hit_twice_and_read_the_flash_once() {
    for (buffer, _) in BUFFERS.iter().filter(|(name, _)| *name != "none") {
        for (serve_reads, cache_reads) in [(true, false), (true, true), (false, false)] {
            let mut ssd = device(buffer, |settings| {
                settings.ram.serve_reads = serve_reads;
                settings.ram.cache_reads = cache_reads;
            });
            write_sectors(&mut ssd, 3);
            let report = ssd.report();
            let seen = (report.buffer_hits, report.page_reads, report.buffer_dirty_pages);
            assert_eq!(seen, (2, 1, 1), "{buffer}, serve_reads {serve_reads}, cache_reads {cache_reads}");
        }
    }
}

/// Each page misses once and is hit by its other sectors.
#[test]
fn sectors_in_order_hit_all_but_once_a_page() {
    let (pages, sectors_a_page) = (1_000, PAGE_BYTES / 512);
    let mut ssd = device("lru", |_| ());
    write_sectors(&mut ssd, pages * sectors_a_page);
    assert_eq!(ssd.report().buffer_hits, pages * (sectors_a_page - 1));
}

#[test]
fn without_a_buffer_every_part_reads_the_rest_from_flash() {
    let mut ssd = device("none", |_| ());
    write_sectors(&mut ssd, 3);
    let report = ssd.report();
    assert_eq!((report.buffer_hits, report.page_reads, report.page_programs), (0, 3, 3));
}
