//! The addresses of recorded IOs, found by running their sources again.

use std::collections::BTreeMap;

use flashscope_core::{Op, Record, Request, RequestSource, Time};

use super::table::Columns;

/// Requests of a stream that are at hand, ahead of and behind its completions.
const WINDOW: usize = 1024;
const BATCH: usize = 64;

/// The sources of a run, one for each stream.
pub(super) struct Addresses {
    lanes: Vec<Lane>,
}

impl Addresses {
    pub(super) fn new(sources: Vec<Box<dyn RequestSource + Send>>) -> Addresses {
        Addresses { lanes: sources.into_iter().map(Lane::new).collect() }
    }

    /// Replaces the content of `columns` by these records. Errors: a record that the sources cannot explain.
    pub(super) fn join(&mut self, records: &[Record], columns: &mut Columns) -> Result<(), String> {
        columns.resize(records.len());
        for (i, record) in records.iter().enumerate() {
            columns.submit_ns[i] = record.submitted().0 as i64;
            columns.response_ns[i] = record.response().0 as i64;
            columns.stream[i] = i64::from(record.stream());
        }
        let mut at = 0;
        while at < records.len() {
            at += self.join_in_order(&records[at..], columns, at);
            let Some(record) = records.get(at) else { break };
            let lane = self.lanes.get_mut(usize::from(record.stream()));
            let what = lane.and_then(|lane| lane.find(*record)).ok_or_else(|| self.unexplained(*record))?;
            columns.op[at] = what.op as u8;
            columns.offset_bytes[at] = what.offset_bytes as i64;
            columns.length_bytes[at] = i64::from(what.length_bytes);
            columns.due_ns[at] = what.due.0 as i64;
            at += 1;
        }
        Ok(())
    }

    /// The common case, one IO at a time: records that come as their source makes them need no window. Takes
    /// whole batches of them from the front of `records`, for the rows from `at` on; returns how many.
    fn join_in_order(&mut self, records: &[Record], columns: &mut Columns, at: usize) -> usize {
        let [lane] = &mut self.lanes[..] else { return 0 };
        let mut taken = 0;
        for batch in records.as_chunks::<BATCH>().0 {
            let is_next = |(i, record): (u64, &Record)| record.stream() == 0 && record.index_near(i) == i;
            if lane.waiting > 0 || !(lane.made..).zip(batch).all(is_next) {
                break;
            }
            let mut requests = [Request::default(); BATCH];
            let count = lane.source.fill(&mut requests);
            lane.made += count as u64;
            for (row, request) in (at + taken..).zip(&requests[..count]) {
                columns.op[row] = request.op as u8;
                columns.offset_bytes[row] = request.offset_bytes as i64;
                columns.length_bytes[row] = i64::from(request.length_bytes);
                columns.due_ns[row] = request.due.0 as i64;
            }
            taken += count;
            if count < BATCH {
                break;
            }
        }
        taken
    }

    #[cold]
    fn unexplained(&self, record: Record) -> String {
        let stream = record.stream();
        match self.lanes.get(usize::from(stream)) {
            None => format!("an IO of stream {stream}, which has no source"),
            Some(lane) => {
                let index = record.index_near(lane.made);
                format!("IO {index} of stream {stream} is not what its source gives, or came twice")
            }
        }
    }
}

#[derive(Clone, Copy, Default)]
struct What {
    offset_bytes: u64,
    due: Time,
    length_bytes: u32,
    op: Op,
    /// Still waits for its record.
    is_open: bool,
}

struct Lane {
    source: Box<dyn RequestSource + Send>,
    window: Box<[What; WINDOW]>,
    /// Requests asked of the source so far.
    made: u64,
    /// Requests in the window or beyond it that still wait for their records.
    waiting: u64,
    /// Requests that fell out of the window before their records came, by the part of the index that a record
    /// holds. No more than are in flight: one IO may hang while thousands pass it.
    overtaken: BTreeMap<u64, What>,
}

impl Lane {
    fn new(source: Box<dyn RequestSource + Send>) -> Lane {
        let window = Box::new([What::default(); WINDOW]);
        Lane { source, window, made: 0, waiting: 0, overtaken: BTreeMap::new() }
    }

    /// The request that this record is of.
    #[inline]
    fn find(&mut self, record: Record) -> Option<What> {
        if !self.overtaken.is_empty()
            && let Some(what) = self.overtaken.remove(&kept_bits(record))
        {
            self.waiting -= 1;
            return Some(what);
        }
        let index = record.index_near(self.made);
        while index >= self.made {
            if !self.make() {
                return None;
            }
        }
        let slot = &mut self.window[index as usize % WINDOW];
        let is_known = slot.is_open && self.made - index <= WINDOW as u64;
        slot.is_open = false;
        self.waiting -= u64::from(is_known);
        is_known.then_some(*slot)
    }

    /// Asks the source for more; false at its end.
    #[inline(never)]
    fn make(&mut self) -> bool {
        let mut batch = [Request::default(); BATCH];
        let count = self.source.fill(&mut batch);
        for request in &batch[..count] {
            let slot = &mut self.window[self.made as usize % WINDOW];
            if slot.is_open {
                let index = self.made - WINDOW as u64;
                self.overtaken
                    .insert(kept_bits(Record::new(Default::default(), Default::default(), 0, index)), *slot);
            }
            let Request { offset_bytes, due, length_bytes, op, .. } = *request;
            *slot = What { offset_bytes, due, length_bytes, op, is_open: true };
            self.made += 1;
        }
        self.waiting += count as u64;
        count > 0
    }
}

/// The bits of a request's number that a record holds.
fn kept_bits(record: Record) -> u64 {
    record.index_near(1 << 23)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::Nanos;

    /// Request i is at i * 4096, so that a row shows which request it was taken for.
    struct Counter(u64, u64);

    impl RequestSource for Counter {
        fn fill(&mut self, batch: &mut [Request]) -> usize {
            let count = (self.1 - self.0).min(batch.len() as u64) as usize;
            for (request, i) in batch[..count].iter_mut().zip(self.0..) {
                *request = Request { offset_bytes: i * 4096, length_bytes: 4096, ..Request::default() };
            }
            self.0 += count as u64;
            count
        }
    }

    fn rows(ios: u64, order: impl Iterator<Item = u64>) -> Result<Vec<u64>, String> {
        let mut addresses = Addresses::new(vec![Box::new(Counter(0, ios))]);
        let mut found = Vec::new();
        let mut columns = Columns::default();
        let records: Vec<Record> = order.map(|i| Record::new(Time(i), Nanos(1), 0, i)).collect();
        for chunk in records.chunks(1000) {
            addresses.join(chunk, &mut columns)?;
            found.extend(columns.offset_bytes.iter().map(|at| *at as u64 / 4096));
        }
        Ok(found)
    }

    #[test]
    fn an_io_that_hangs_while_a_hundred_thousand_pass_it_keeps_its_address() {
        let order: Vec<u64> = (0..3).chain(4..100_000).chain([3]).chain(100_000..100_100).collect();
        assert_eq!(rows(100_100, order.iter().copied()).unwrap(), order);
    }

    #[test]
    fn an_io_that_hangs_for_longer_than_a_record_can_tell_keeps_its_address() {
        let hangs = 1u64 << 24;
        let order = || (1..hangs).chain([0]).chain(hangs..hangs + 100);
        let found = rows(hangs + 100, order()).unwrap();
        assert!(found.into_iter().eq(order()));
    }

    #[test]
    fn what_the_sources_do_not_explain_is_an_error() {
        assert!(rows(10, [0, 0].into_iter()).unwrap_err().contains("came twice"), "twice the same");
        assert!(rows(10, [10].into_iter()).unwrap_err().contains("IO 10"), "beyond the end");
        let stray = Record::new(Time(0), Nanos(0), 7, 0);
        let found = Addresses::new(vec![]).join(&[stray], &mut Columns::default());
        assert!(found.unwrap_err().contains("stream 7"));
    }
}
