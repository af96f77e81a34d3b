//! What holds for any value: records, permutations, spans of time, draws by rank.

use flashscope_core::permutation::Permutation;
use flashscope_core::seed::Random;
use flashscope_core::zipf::Zipf;
use flashscope_core::{Nanos, Record, Time};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_record_gives_back_what_it_was_given(
        submitted in 0u64..1 << 52,
        response in prop_oneof![0u64..1 << 40, any::<u64>()],
        stream in 0..Record::STREAMS_MAX,
        index in 0u64..1 << 60,
        away in -(1i64 << 23) + 1..1 << 23,
    ) {
        let record = Record::new(Time(submitted), Nanos(response), stream, index);
        prop_assert_eq!(record.submitted(), Time(submitted));
        prop_assert_eq!(record.response(), Nanos(response).min(Record::RESPONSE_MAX));
        prop_assert_eq!(record.stream(), stream);
        let known = index.saturating_add_signed(away);
        prop_assert_eq!(record.index_near(known), index, "known: {}", known);
    }

    #[test]
    fn a_permutation_hits_every_value_once(len in 1u64..3_000, seed: u64) {
        let permutation = Permutation::new(len, seed);
        let mut values: Vec<u64> = (0..len).map(|index| permutation.at(index)).collect();
        values.sort_unstable();
        prop_assert!(values.into_iter().eq(0..len));
    }

    /// Up to 104 days, beyond which a number read as a fraction is no longer exact.
    #[test]
    fn a_printed_span_reads_back_unchanged(ns in prop_oneof![0u64..10_000, 0u64..1 << 53]) {
        prop_assert_eq!(Nanos(ns).to_string().parse(), Ok(Nanos(ns)));
    }

    #[test]
    fn a_rank_is_below_their_count(count in 1u64..1 << 50, theta in 0.001f64..10.0, seed: u64) {
        let (zipf, mut random) = (Zipf::new(count, theta), Random::new(seed));
        for _ in 0..20 {
            prop_assert!(zipf.draw(&mut random) < count);
        }
    }
}
