//! The list of what was written, and what is held against it.

use std::collections::BTreeMap;

use flashscope_core::seed::Random;

use super::*;

#[test]
fn the_list_holds_the_last_write_to_each_block_and_forgets_trimmed_ones() {
    let mut random = Random::new(8);
    let mut written = Written::new(4096);
    let mut plain = BTreeMap::new();
    let mut number = 0;
    for _ in 0..5000 {
        let (block, count) = (random.below(20_000), 1 + random.below(300));
        let op = if random.below(5) == 0 { Op::Trim } else { Op::Write };
        number += u32::from(op == Op::Write);
        let (offset_bytes, length_bytes) = (block * 4096, count as u32 * 4096);
        written.take_note(&Request { offset_bytes, length_bytes, op, ..Request::default() });
        for block in block..block + count {
            match op {
                Op::Trim => plain.remove(&block),
                _ => plain.insert(block, number),
            };
        }
    }
    let mut listed = BTreeMap::new();
    for (offset_bytes, numbers) in written.runs(1 << 20) {
        assert!(numbers.len() <= 256, "runs are read at once");
        for (block, number) in (offset_bytes / 4096..).zip(numbers) {
            assert_eq!(listed.insert(block, *number), None, "each block once");
        }
    }
    assert_eq!(listed, plain, "seed 8");
}

#[test]
fn what_is_not_the_last_write_whole_and_in_its_place_is_found() {
    const KEY: u64 = 77;
    let sector = |number: u64, place: u64, key: u64| {
        let mut sector = vec![number as u8; 512];
        sector[..8].copy_from_slice(&number.to_le_bytes());
        let mark = sector_mark(key, place, &sector).to_le_bytes();
        sector[8..16].copy_from_slice(&mark);
        sector[504..].copy_from_slice(&mark);
        sector
    };
    // Writes 1 and 2 to the sectors at 1024 and 1536.
    let check = |second: Vec<u8>| {
        let mut bad = Bad::default();
        compare(&[sector(1, 2, KEY), second].concat(), 1024, &[1, 2], (KEY, 512), &mut bad);
        (bad.sectors, bad.first.unwrap_or_default())
    };
    assert_eq!(check(sector(2, 3, KEY)), (0, String::new()));
    let torn = [&sector(2, 3, KEY)[..256], &sector(1, 3, KEY)[256..]].concat();
    let mut rotten = sector(2, 3, KEY);
    rotten[300] ^= 4;
    for (bad, words) in [
        (sector(1, 3, KEY), "holds the data of write 1, but write 2"),
        // The same write of an earlier replay, and another sector of the same write.
        (sector(2, 3, 78), "no data of this replay"),
        (sector(2, 2, KEY), "no data of this replay"),
        (torn, "no data of this replay"),
        (rotten, "or changed data"),
        (vec![0; 512], "holds zeros"),
    ] {
        let (sectors, error) = check(bad);
        assert_eq!(sectors, 1, "{error}");
        assert!(error.contains("offset 1536") && error.contains(words), "{error}");
    }
}

const KEY: u64 = 7;

/// A device in memory that holds the sectors as the engine writes them. Its reads are stale as long as
/// `lag` more writes have not come: its final state is right.
struct Memory {
    info: TargetInfo,
    sectors: BTreeMap<u64, Vec<u8>>,
    late: Vec<(u64, Vec<u8>)>,
    lag: usize,
    writes: u64,
    read: Vec<u8>,
}

impl Memory {
    fn new(lag: usize) -> Memory {
        let info = TargetInfo {
            name: "memory".into(),
            size_bytes: 1 << 20,
            logical_block_bytes: 512,
            virtual_time: true,
            engine: "test".into(),
            queue_depth_max: 1,
            placements: 1,
            zones: None,
        };
        let (sectors, late, read) = (BTreeMap::new(), Vec::new(), Vec::new());
        Memory { info, sectors, late, lag, writes: 0, read }
    }

    fn settle(&mut self, most: usize) {
        while self.late.len() > most {
            let (place, sector) = self.late.remove(0);
            self.sectors.insert(place, sector);
        }
    }
}

impl Target for Memory {
    fn info(&self) -> &TargetInfo {
        &self.info
    }
    fn now(&mut self) -> Time {
        Time::ZERO
    }
    fn submit(&mut self, _: &[Request]) -> Result<(), TargetError> {
        unreachable!("one IO at a time is served")
    }
    fn reap(&mut self, _: usize, _: Time, _: &mut Vec<Completion>) -> Result<(), TargetError> {
        unreachable!("one IO at a time is served")
    }
    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        let places =
            request.offset_bytes / 512..(request.offset_bytes + u64::from(request.length_bytes)) / 512;
        match request.op {
            Op::Write => {
                self.writes += 1;
                let number = self.writes;
                self.late.extend(places.map(|place| (place, written_sector(number, place))));
                self.settle(self.lag);
            }
            Op::Read => {
                let held = |place| self.sectors.get(&place).cloned().unwrap_or(vec![0; 512]);
                self.read = places.flat_map(held).collect();
            }
            Op::Flush => self.settle(0),
            Op::Trim => {}
        }
        Ok(Completion { tag: request.tag, submitted: Time::ZERO, completed: Time::ZERO })
    }
    fn wait_until(&mut self, _: Time) {}
}

impl ReadContents for Memory {
    fn read_contents(&self, _: u32, length: usize) -> Option<&[u8]> {
        self.read.get(..length)
    }
}

fn written_sector(number: u64, place: u64) -> Vec<u8> {
    let mut sector = vec![number as u8; 512];
    sector[..8].copy_from_slice(&number.to_le_bytes());
    let mark = sector_mark(KEY, place, &sector).to_le_bytes();
    sector[8..16].copy_from_slice(&mark);
    sector[504..].copy_from_slice(&mark);
    sector
}

/// Writes, reads of what was written before and was not, and the sectors that are right at the end.
fn replayed(lag: usize) -> (Result<u64>, bool) {
    let mut random = Random::new(3);
    let mut ledger = Ledger::new(Memory::new(lag), true, Some(KEY));
    let mut known = BTreeMap::new();
    let (mut expected, mut number) = (0, 0);
    for _ in 0..400 {
        let (offset_bytes, length_bytes) = (random.below(64) * 512, 512 * (1 + random.below(8)) as u32);
        let op = if random.below(2) == 0 { Op::Read } else { Op::Write };
        let places = offset_bytes / 512..offset_bytes / 512 + u64::from(length_bytes) / 512;
        match op {
            Op::Read => expected += places.filter(|place| known.contains_key(place)).count() as u64,
            _ => {
                number += 1;
                known.extend(places.map(|place| (place, number)));
            }
        }
        ledger.serve(&Request { offset_bytes, length_bytes, op, ..Request::default() }).unwrap();
    }
    ledger.serve(&Request { op: Op::Flush, ..Request::default() }).unwrap();
    let memory = &ledger.inner;
    let is_right =
        known.iter().all(|(place, number)| memory.sectors[place] == written_sector(*number, *place));
    let checked = ledger.reads_checked();
    if let Ok(checked) = &checked {
        assert_eq!(*checked, expected, "each sector that was written before is checked, and no other");
    }
    (checked, is_right)
}

#[test]
fn a_read_that_brings_what_was_there_before_is_found_though_all_is_right_at_the_end() {
    let (checked, is_right) = replayed(0);
    assert!(is_right && checked.is_ok_and(|checked| checked > 500));
    let (checked, is_right) = replayed(40);
    let error = checked.expect_err("reads are stale").message().to_string();
    assert!(is_right, "the final state shows nothing of it");
    assert!(error.contains("read during the replay") && error.contains("was the last one to it"), "{error}");
}
