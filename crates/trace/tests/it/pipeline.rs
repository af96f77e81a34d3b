//! A pipeline applies its transforms in its own order, reads a trace as often as it must, and says what of
//! its settings makes no sense.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::common::{Listed, all, random_records, record};
use flashscope_core::{Bytes, Nanos, Op, Share};
use flashscope_trace::transform::{Factor, FitMode, Origin, Split, Transformed};
use flashscope_trace::{
    LayoutCache, Pipeline, PipelineError, Record, Records, Reopen, Setting, Stop, TraceError,
};

const SEED: u64 = 11;

fn listed(records: &[Record]) -> Box<dyn Records> {
    Box::new(Listed::new(records.to_vec()))
}

fn applied(pipeline: &Pipeline, records: &[Record]) -> Vec<Record> {
    all(&mut *pipeline.apply(listed(records)).unwrap())
}

/// A trace that counts how often it was opened, and for a survey.
#[derive(Default)]
struct Counted {
    records: Vec<Record>,
    opened: AtomicU64,
    surveyed: AtomicU64,
    is_read_once: bool,
}

impl Reopen for Counted {
    fn open(&self) -> Result<Box<dyn Records>, TraceError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(listed(&self.records))
    }
    fn open_for_survey(&self) -> Result<Box<dyn Records>, TraceError> {
        self.surveyed.fetch_add(1, Ordering::Relaxed);
        Ok(listed(&self.records))
    }
    fn is_read_once(&self) -> bool {
        self.is_read_once
    }
}

#[test]
fn the_default_changes_nothing() {
    let records = random_records(SEED, 3000, 1 << 30);
    assert_eq!(applied(&Pipeline::default(), &records), records, "seed {SEED}");
}

/// Each would bring something else in another order.
#[test]
fn the_order_is_the_pipelines_own() {
    let records = [
        record(Op::Write, 0, 0, 4096),
        record(Op::Write, 2_000, 6000, 1000),
        record(Op::Read, 3_000, 9000, 1000),
        record(Op::Write, 9_000, 9000, 1000),
    ];
    let pipeline = Pipeline {
        // Of the trace's own times, not of the scaled ones: the last is left out.
        to: Some(Nanos(5_000)),
        ops: vec![Op::Write],
        time_scale: Some("2".parse::<Factor>().unwrap()),
        // Of the gaps as they are scaled, from which the read is gone: 4000 ns.
        idle_max: Some(Nanos(3_000)),
        // Before it is moved: 4096..8192.
        align: Some(Bytes(4096)),
        shift_bytes: 1024,
        // As it lies then, 5120..9216: at 8192.
        split: Some(Bytes(8192)),
        ..Pipeline::default()
    };
    let expected = [
        record(Op::Write, 0, 1024, 4096),
        record(Op::Write, 3_000, 5120, 3072),
        record(Op::Write, 3_000, 8192, 1024),
    ];
    assert_eq!(applied(&pipeline, &records), expected);
}

#[test]
fn selected_is_by_the_address_that_the_trace_tells() {
    let records = [record(Op::Read, 5, 0, 512), record(Op::Read, 6, 4096, 512)];
    let range = Pipeline { range: Some(4096..8192), shift_bytes: -4096, ..Pipeline::default() };
    assert_eq!(applied(&range, &records), [record(Op::Read, 6, 0, 512)]);
    let from = Pipeline { from: Some(Nanos(6)), origin: Origin::Trace, ..Pipeline::default() };
    assert_eq!(applied(&from, &records), [records[1]]);
}

#[test]
fn a_repeated_trace_selects_the_same_in_each_pass() {
    let records = vec![record(Op::Write, 0, 0, 512), record(Op::Read, 1_000, 512, 512)];
    let source = Arc::new(Counted { records, ..Counted::default() });
    let pipeline = Pipeline { repeat: 3, ops: vec![Op::Read], ..Pipeline::default() };
    let mut trace = pipeline.apply_to(source.clone(), &LayoutCache::default()).unwrap();
    assert_eq!(all(&mut *trace), vec![record(Op::Read, 1_000, 512, 512); 3]);
    assert_eq!((source.opened.load(Ordering::Relaxed), source.surveyed.load(Ordering::Relaxed)), (3, 0));
}

#[test]
fn a_trace_is_surveyed_once_whatever_the_size_of_the_device() {
    let records = random_records(SEED, 500, 1 << 26);
    let source = Arc::new(Counted { records: records.clone(), ..Counted::default() });
    let layouts = LayoutCache::default();
    for size in [64 << 20, 96 << 20] {
        let fit = Some(FitMode::Linear);
        let pipeline = Pipeline { fit, size: Some(Bytes(size)), ..Pipeline::default() };
        assert_eq!(pipeline.reads_again(), Some(Setting::LinearFit));
        let fitted = all(&mut *pipeline.apply_to(source.clone(), &layouts).unwrap());
        assert_eq!(fitted.len(), records.len());
        assert!(fitted.iter().all(|record| record.offset_bytes + record.length_bytes <= size));
    }
    assert_eq!((source.opened.load(Ordering::Relaxed), source.surveyed.load(Ordering::Relaxed)), (2, 1));
}

#[test]
fn what_needs_a_second_reading_is_refused_of_a_pipe() {
    let size = Some(Bytes(1 << 20));
    for (pipeline, setting) in [
        (Pipeline { repeat: 2, ..Pipeline::default() }, Setting::Repeat),
        (Pipeline { fit: Some(FitMode::Compact), ..Pipeline::default() }, Setting::CompactFit),
        (
            Pipeline { fit: Some(FitMode::Modulo), size, concatenate: true, ..Pipeline::default() },
            Setting::Concatenate,
        ),
    ] {
        let refused = Some(TraceError::Pipeline(PipelineError::ReadTwice(setting)));
        assert_eq!(pipeline.apply(listed(&[])).err(), refused);
        let pipe = Arc::new(Counted { is_read_once: true, ..Counted::default() });
        assert_eq!(pipeline.apply_to(pipe.clone(), &LayoutCache::default()).err(), refused);
        assert_eq!(pipe.opened.load(Ordering::Relaxed), 0, "it is not even opened");
    }
    let modulo = Pipeline { fit: Some(FitMode::Modulo), size, ..Pipeline::default() };
    assert_eq!(modulo.reads_again(), None);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let zero = Some(Bytes(0));
    for (pipeline, expected) in [
        (Pipeline { to: Some(Nanos(0)), ..Pipeline::default() }, PipelineError::Zero(Setting::To)),
        (Pipeline { repeat: 0, ..Pipeline::default() }, PipelineError::Zero(Setting::Repeat)),
        (Pipeline { sample: Some(Share(0.0)), ..Pipeline::default() }, PipelineError::Zero(Setting::Sample)),
        (Pipeline { sample_unit: Bytes(0), ..Pipeline::default() }, PipelineError::Zero(Setting::SampleUnit)),
        (Pipeline { align: zero, ..Pipeline::default() }, PipelineError::Zero(Setting::Align)),
        (Pipeline { chunk: Bytes(0), ..Pipeline::default() }, PipelineError::Zero(Setting::Chunk)),
        (Pipeline { split: zero, ..Pipeline::default() }, PipelineError::Zero(Setting::Split)),
        (Pipeline { size: zero, ..Pipeline::default() }, PipelineError::Zero(Setting::Size)),
        (
            Pipeline { from: Some(Nanos(5)), to: Some(Nanos(5)), ..Pipeline::default() },
            PipelineError::EmptyWindow,
        ),
        (Pipeline { range: Some(7..7), ..Pipeline::default() }, PipelineError::EmptyRange),
        (Pipeline { fit: Some(FitMode::Modulo), ..Pipeline::default() }, PipelineError::NoSize),
        (
            Pipeline { fit: Some(FitMode::Linear), size: Some(Bytes(4095)), ..Pipeline::default() },
            PipelineError::SmallSize,
        ),
    ] {
        assert_eq!(pipeline.check(), Err(expected), "{pipeline:?}");
        assert_eq!(pipeline.apply(listed(&[])).err(), Some(expected.into()));
    }
}

#[test]
fn reading_ends_once_the_flag_is_set() {
    let records = random_records(SEED, 100, 1 << 20);
    let flag = Arc::new(AtomicBool::new(false));
    let mut trace = Stop::when(flag.clone()).end(listed(&records));
    let mut batch = Vec::new();
    assert_eq!(trace.next_batch(&mut batch), Ok(batch.len()));
    assert!(!batch.is_empty());
    flag.store(true, Ordering::Relaxed);
    assert_eq!(trace.next_batch(&mut batch), Err(TraceError::Interrupted));
    assert_eq!(batch, []);
}

#[test]
fn a_second_reading_ends_where_the_first_one_was_interrupted() {
    let records = random_records(SEED, 100, 1 << 20);
    let (flag, reached) = (Arc::new(AtomicBool::new(false)), Arc::default());
    let stop = Stop::when(flag.clone());
    let mut first = stop.clone().first(Arc::clone(&reached)).end(listed(&records));
    let mut second =
        stop.second(reached).end(Box::new(Transformed::new(listed(&records), Split::new(1 << 40))));
    let (mut batch, mut read) = (Vec::new(), 0);
    for _ in 0..5 {
        read += first.next_batch(&mut batch).unwrap();
    }
    flag.store(true, Ordering::Relaxed);
    assert_eq!(first.next_batch(&mut batch), Err(TraceError::Interrupted));
    let (mut again, mut end) = (Vec::new(), Ok(1));
    while matches!(end, Ok(1..)) {
        end = second.next_batch(&mut batch);
        again.extend_from_slice(&batch);
    }
    assert_eq!(end, Err(TraceError::Interrupted));
    assert_eq!(again, records[..read], "seed {SEED}");
}
