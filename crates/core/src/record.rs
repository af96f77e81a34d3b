//! What is kept of every IO: 16 bytes.

use crate::time::{Nanos, Time};

const STREAM_BITS: u32 = 12;
const SUBMIT_BITS: u32 = 64 - STREAM_BITS;
const INDEX_BITS: u32 = 24;
const RESPONSE_BITS: u32 = 64 - INDEX_BITS;

/// One IO's times, exact to the nanosecond.
///
/// The address is not stored: sources are deterministic, so whoever spills records runs the source again
/// beside them and finds request `index` of `stream`. Submit times reach 52 days, response times 18 minutes
/// (longer ones saturate), and 24 bits of the index are enough to undo reordering within a queue depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Record {
    submit_and_stream: u64,
    response_and_index: u64,
}

impl Record {
    /// The longest response time that a record holds. What is above it marks an IO that failed.
    pub const RESPONSE_MAX: Nanos = Nanos((1 << RESPONSE_BITS) - 2);
    /// Streams are numbered below this.
    pub const STREAMS_MAX: u16 = 1 << STREAM_BITS;

    /// Packs one IO. `index` counts the stream's requests from 0.
    ///
    /// # Panics
    /// If `stream` is not below [`Record::STREAMS_MAX`].
    #[inline]
    pub fn new(submitted: Time, response: Nanos, stream: u16, index: u64) -> Record {
        Record::pack(submitted, response.0.min(Record::RESPONSE_MAX.0), stream, index)
    }

    /// An IO that failed: it has no response time, but its number must be known, so that those of the others
    /// still find their addresses.
    ///
    /// # Panics
    /// If `stream` is not below [`Record::STREAMS_MAX`].
    pub fn failed(submitted: Time, stream: u16, index: u64) -> Record {
        Record::pack(submitted, Record::RESPONSE_MAX.0 + 1, stream, index)
    }

    #[inline]
    fn pack(submitted: Time, response: u64, stream: u16, index: u64) -> Record {
        assert!(stream < Record::STREAMS_MAX, "a record holds streams below {}", Record::STREAMS_MAX);
        let submitted = submitted.0 & ((1 << SUBMIT_BITS) - 1);
        Record {
            submit_and_stream: submitted << STREAM_BITS | u64::from(stream),
            response_and_index: response << INDEX_BITS | (index & ((1 << INDEX_BITS) - 1)),
        }
    }

    /// Whether the IO failed.
    #[inline]
    pub fn is_failed(self) -> bool {
        self.response() > Record::RESPONSE_MAX
    }

    /// When it was submitted (or due, in an open loop).
    #[inline]
    pub fn submitted(self) -> Time {
        Time(self.submit_and_stream >> STREAM_BITS)
    }

    /// Response time.
    #[inline]
    pub fn response(self) -> Nanos {
        Nanos(self.response_and_index >> INDEX_BITS)
    }

    /// The stream it belongs to.
    #[inline]
    pub fn stream(self) -> u16 {
        (self.submit_and_stream & ((1 << STREAM_BITS) - 1)) as u16
    }

    /// The number of the request in its stream, given a number near it (within 2^23) that is known.
    #[inline]
    pub fn index_near(self, known: u64) -> u64 {
        let low = self.response_and_index & ((1 << INDEX_BITS) - 1);
        let half = 1u64 << (INDEX_BITS - 1);
        let step = low.wrapping_sub(known).wrapping_add(half) & ((1 << INDEX_BITS) - 1);
        known.wrapping_add(step).wrapping_sub(half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_16_bytes_and_gives_back_what_it_was_given() {
        assert_eq!(size_of::<Record>(), 16);
        let record = Record::new(Time(86_400_000_000_001), Nanos(94_396_000_000), 37, 5_000_000_000);
        assert_eq!(record.submitted(), Time(86_400_000_000_001));
        assert_eq!(record.response(), Nanos(94_396_000_000));
        assert_eq!(record.stream(), 37);
        for known in [4_999_999_000, 5_000_000_000, 5_000_008_000] {
            assert_eq!(record.index_near(known), 5_000_000_000);
        }
    }

    #[test]
    fn endless_responses_saturate_instead_of_wrapping() {
        let longest = Record::RESPONSE_MAX.0;
        for (response, kept) in [(longest - 1, longest - 1), (longest, longest), (longest + 1, longest)] {
            assert_eq!(Record::new(Time(1), Nanos(response), 0, 0).response(), Nanos(kept));
        }
        for response in [(1 << 40) + 5, 1 << 41, 5 << 50, u64::MAX] {
            let record = Record::new(Time(1), Nanos(response), 7, 0);
            assert_eq!((record.response(), record.stream()), (Record::RESPONSE_MAX, 7), "{response} ns");
            assert!(!record.is_failed(), "{response} ns");
        }
    }

    #[test]
    fn a_failed_io_has_its_number_and_is_none_that_took_long() {
        let failed = Record::failed(Time(5), 9, 5_000_000_000);
        assert_eq!((failed.submitted(), failed.stream()), (Time(5), 9));
        assert_eq!(failed.index_near(4_999_999_000), 5_000_000_000);
        assert!(failed.is_failed() && !Record::new(Time(5), Nanos(u64::MAX), 9, 1).is_failed());
    }

    #[test]
    fn indices_near_zero_do_not_underflow() {
        assert_eq!(Record::new(Time(0), Nanos(0), 0, 3).index_near(0), 3);
        assert_eq!(Record::new(Time(0), Nanos(0), 0, 0).index_near(5), 0);
    }
}
