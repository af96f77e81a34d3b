//! Commands that wait in host queues, against a plain list of what NVMe says of arbitration.

use std::collections::VecDeque;

use flashscope_core::seed::Random;
use flashscope_core::{Bytes, Completion, Op, Request, Target, Time};
use flashscope_sim::settings::Initial;
use flashscope_sim::ssd::queues::{Arbiter, QueueSettings};
use flashscope_sim::{Settings, SimError, Ssd};

const COMMAND_NS: u64 = 10_000;
const PAGE: u64 = 4096;

fn queues(number: u32, burst: u32, weights: &[u32]) -> QueueSettings {
    let arbitration = if weights.is_empty() { "round-robin" } else { "weighted" };
    QueueSettings { number, arbitration: arbitration.into(), burst, weights: weights.into() }
}

/// A device that is empty, so that a read is done once the controller has understood it.
fn controller(lanes: u32, queues: QueueSettings) -> Settings {
    let mut settings = Settings { capacity: Bytes(64 << 20), queues, ..Settings::default() };
    settings.initial = Initial::Empty;
    settings.host.command_us = COMMAND_NS as f64 / 1e3;
    settings.host.parallel_commands = lanes;
    settings
}

fn read(stream: u16, tag: u32) -> Request {
    Request { stream, tag, length_bytes: PAGE as u32, ..Request::default() }
}

/// Commands by number: when each comes, and from which process.
fn arrivals(random: &mut Random, count: usize, processes: u64) -> Vec<(u64, u16)> {
    let mut at_ns = 0;
    let mut next = || {
        at_ns += 1 + random.below(2 * COMMAND_NS / 3);
        (at_ns, random.below(processes) as u16)
    };
    (0..count).map(|_| next()).collect()
}

/// When each is done by the device.
fn by_device(settings: &Settings, arrivals: &[(u64, u16)]) -> Vec<u64> {
    let mut ssd = Ssd::new("queues", settings.clone(), 1).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::<Completion>::new();
    for (tag, (at_ns, stream)) in (0..).zip(arrivals) {
        ssd.reap(usize::MAX, Time(*at_ns), &mut out).unwrap_or_else(|error| panic!("{error}"));
        ssd.submit(&[read(*stream, tag)]).unwrap_or_else(|error| panic!("{error}"));
    }
    ssd.reap(arrivals.len() - out.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    out.sort_by_key(|done| done.tag);
    for (done, (at_ns, _)) in out.iter().zip(arrivals) {
        assert_eq!(done.submitted.0, *at_ns, "a command comes when the host submits it");
    }
    out.iter().map(|done| done.completed.0).collect()
}

/// The same, written down: a list for each queue, and the first lane that is free takes the next command.
fn by_hand(settings: &Settings, arrivals: &[(u64, u16)]) -> Vec<u64> {
    let QueueSettings { number, burst, weights, .. } = &settings.queues;
    let number = *number as usize;
    let weight = |queue: usize| match weights.len() {
        0 => u32::MAX,
        len => weights[queue.min(len - 1)],
    };
    let mut lists = vec![VecDeque::new(); number];
    for (tag, (at_ns, stream)) in arrivals.iter().enumerate() {
        lists[*stream as usize % number].push_back((*at_ns, tag));
    }
    let mut lanes = vec![0; settings.host.parallel_commands as usize];
    let mut credits: Vec<u32> = (0..number).map(weight).collect();
    let (mut turn, mut in_turn) = (0, 0);
    let mut done_ns = vec![0; arrivals.len()];
    for _ in 0..arrivals.len() {
        let first_ns = lists.iter().filter_map(|list| list.front()).map(|(at_ns, _)| *at_ns).min();
        lanes.sort_unstable();
        let now_ns = first_ns.expect("commands are left").max(lanes[0]);
        let waits = |queue: usize| lists[queue].front().is_some_and(|(at_ns, _)| *at_ns <= now_ns);
        if !(0..number).any(|queue| waits(queue) && credits[queue] > 0) {
            credits = (0..number).map(weight).collect();
        }
        let may = |queue: usize| waits(queue) && credits[queue] > 0;
        if !may(turn) || in_turn == *burst {
            in_turn = 0;
            for _ in 0..number {
                turn = (turn + 1) % number;
                if may(turn) {
                    break;
                }
            }
        }
        (in_turn, credits[turn]) = (in_turn + 1, credits[turn] - 1);
        let (_, tag) = lists[turn].pop_front().expect("it waits");
        lanes[0] = now_ns + COMMAND_NS;
        done_ns[tag] = lanes[0];
    }
    done_ns
}

#[test]
fn commands_are_taken_in_the_order_that_arbitration_says() {
    let mut out_of_order = 0;
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let number = 2 + random.below(4) as u32;
        let weights: Vec<u32> = match random.below(2) {
            0 => Vec::new(),
            _ => (0..1 + random.below(u64::from(number))).map(|_| 1 + random.below(5) as u32).collect(),
        };
        let queues = queues(number, 1 + random.below(4) as u32, &weights);
        let settings = controller(1 + random.below(3) as u32, queues);
        let arrivals = arrivals(&mut random, 200, 7);
        let done_ns = by_device(&settings, &arrivals);
        assert_eq!(done_ns, by_hand(&settings, &arrivals), "seed {seed}: {:?}", settings.queues);
        out_of_order += u32::from(!done_ns.is_sorted());
    }
    assert!(out_of_order > 250, "{out_of_order} of 300 are not in the order in which they came");
}

/// Commands of each process among the first thousand, where all have many waiting.
fn shares(settings: Settings, processes: u16) -> Vec<u32> {
    let mut ssd = Ssd::new("queues", settings, 1).unwrap_or_else(|error| panic!("{error}"));
    let mut taken = vec![0; usize::from(processes)];
    let all: Vec<Request> = (0..u32::from(processes) * 1_000).map(|i| read((i / 1_000) as u16, i)).collect();
    ssd.submit(&all).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::<Completion>::new();
    ssd.reap(1_000, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    out.iter().take(1_000).for_each(|done| taken[done.tag as usize / 1_000] += 1);
    taken
}

#[test]
fn processes_that_want_all_get_what_their_weights_say() {
    assert_eq!(shares(controller(1, QueueSettings::default()), 2), [1_000, 0], "as they come");
    assert_eq!(shares(controller(1, queues(2, 1, &[])), 2), [500, 500]);
    assert_eq!(shares(controller(1, queues(4, 10, &[])), 4), [250, 250, 250, 250]);
    assert_eq!(shares(controller(1, queues(3, 256, &[5, 2, 1])), 3), [625, 250, 125]);
}

/// One process keeps 64 commands waiting, another has one at a time.
#[test]
fn a_queue_of_its_own_spares_a_process_the_wait_for_another() {
    let mean_ns = |queues| {
        let mut ssd = Ssd::new("queues", controller(1, queues), 1).unwrap_or_else(|error| panic!("{error}"));
        let (mut sum_ns, mut count, mut out) = (0, 0, Vec::<Completion>::new());
        let all: Vec<Request> = (0..65).map(|tag| read(u16::from(tag == 64), tag)).collect();
        ssd.submit(&all).unwrap_or_else(|error| panic!("{error}"));
        while count < 1_000 {
            ssd.reap(1, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
            for done in std::mem::take(&mut out) {
                if done.tag == 64 {
                    (sum_ns, count) = (sum_ns + done.completed.since(done.submitted).0, count + 1);
                }
                ssd.submit(&[read(u16::from(done.tag == 64), done.tag)])
                    .unwrap_or_else(|error| panic!("{error}"));
            }
        }
        sum_ns / count
    };
    assert_eq!(mean_ns(QueueSettings::default()), 65 * COMMAND_NS, "all that wait go before it");
    let alone_ns = mean_ns(queues(2, 1, &[]));
    assert!(alone_ns <= 3 * COMMAND_NS, "one command of the other goes before it: {alone_ns} ns");
}

/// Whatever the device is: with several queues, of which one is used, everything is as with one.
#[test]
fn one_process_does_not_notice_the_queues_of_others() {
    for (seed, (channels, mb_s, buffer)) in (0..).zip([(1, 0.0, "none"), (2, 400.0, "lru"), (4, 0.0, "fab")])
    {
        let run = |queues: QueueSettings| {
            let mut settings = controller(2, queues);
            (settings.initial, settings.buffer) = (Initial::Full, buffer.into());
            settings.capacity = Bytes(16 << 20);
            settings.nand.pages_per_block = 16;
            settings.ram.size = Bytes(64 * PAGE);
            (settings.nand.channels, settings.host.mb_s) = (channels, mb_s);
            let mut ssd = Ssd::new("queues", settings, seed).unwrap_or_else(|error| panic!("{error}"));
            let (mut random, mut out, size_bytes) = (Random::new(seed), Vec::new(), ssd.info().size_bytes);
            for tag in 0..2_000_u32 {
                let request = flashscope_sim::testing::random_request(&mut random, size_bytes);
                let request = Request { tag, stream: 3, ..request };
                ssd.submit(&[request]).unwrap_or_else(|error| panic!("{error}"));
                let min = (tag as usize + 1 - out.len()).saturating_sub(random.below(32) as usize);
                ssd.reap(min, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
            }
            ssd.reap(2_000 - out.len(), Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
            out.sort_by_key(|done| done.tag);
            (out, format!("{:?}", ssd.report()))
        };
        assert_eq!(run(queues(4, 1, &[])), run(QueueSettings::default()), "{channels} channels, {buffer}");
    }
}

/// An arbiter from outside.
struct ShortestQueue;

impl Arbiter for ShortestQueue {
    fn next(&mut self, waiting: &[u32]) -> usize {
        let waiting = waiting.iter().enumerate().filter(|(_, commands)| **commands > 0);
        waiting.min_by_key(|(_, commands)| **commands).map_or(0, |(queue, _)| queue)
    }
}

/// One that does not keep its promise.
struct Stuck;

impl Arbiter for Stuck {
    fn next(&mut self, _: &[u32]) -> usize {
        1
    }
}

#[test]
fn an_arbiter_may_come_from_outside() {
    let settings = controller(1, queues(2, 1, &[]));
    let builder = Ssd::builder("own", settings.clone()).arbiter(|_| ShortestQueue);
    let mut ssd = builder.build().unwrap_or_else(|error| panic!("{error}"));
    let all: Vec<Request> = (0..6).map(|tag| read(u16::from(tag > 3), tag)).collect();
    ssd.submit(&all).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::<Completion>::new();
    ssd.reap(6, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(out.iter().map(|done| done.tag).collect::<Vec<_>>(), [4, 5, 0, 1, 2, 3]);
    let builder = Ssd::builder("own", settings).arbiter(|_| Stuck);
    let mut ssd = builder.build().unwrap_or_else(|error| panic!("{error}"));
    ssd.submit(&all[..2]).unwrap_or_else(|error| panic!("{error}"));
    let error = ssd.reap(2, Time::NEVER, &mut out).expect_err("nothing waits in queue 1");
    assert!(error.to_string().contains("the arbiter chose a host queue in which nothing waits"), "{error}");
}

#[test]
fn what_the_device_refuses_is_refused_with_its_tag() {
    let mut ssd =
        Ssd::new("queues", controller(1, queues(2, 1, &[])), 1).unwrap_or_else(|error| panic!("{error}"));
    let beyond = Request { offset_bytes: 1 << 40, ..read(0, 0) };
    assert!(ssd.submit(&[beyond]).is_err());
    let flush = Request { op: Op::Flush, stream: 1, tag: 5, ..Request::default() };
    ssd.submit(&[read(0, 4), flush]).unwrap_or_else(|error| panic!("{error}"));
    let mut out = Vec::<Completion>::new();
    ssd.reap(2, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(out.len(), 2);
    let mut zones = controller(1, queues(2, 1, &[]));
    (zones.ftl, zones.zns.zone_size) = ("zns".into(), Bytes(4 << 20));
    let mut ssd = Ssd::new("queues", zones, 1).unwrap_or_else(|error| panic!("{error}"));
    let write = |page, tag| Request { op: Op::Write, offset_bytes: page * PAGE, ..read(0, tag) };
    ssd.submit(&[write(0, 7), write(5, 8)]).unwrap_or_else(|error| panic!("{error}"));
    let error = ssd.reap(2, Time::NEVER, &mut out).expect_err("the zone begins at its write pointer");
    assert_eq!(error.tag, Some(8), "{error}");
    ssd.reap(1, Time::NEVER, &mut out).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(out.last().map(|done| done.tag), Some(7), "the other is served");
}

#[test]
fn queues_that_would_do_nothing_are_refused() {
    let refused = |settings: Settings| match Ssd::new("queues", settings, 1) {
        Err(SimError::Setting { key, .. } | SimError::UnknownChoice { key, .. }) => key,
        _ => "none".into(),
    };
    let with = |queues| refused(controller(1, queues));
    assert_eq!(with(queues(2, 1, &[])), "none");
    assert_eq!(with(queues(0, 1, &[])), "queues.number");
    assert_eq!(with(queues(1 << 17, 1, &[])), "queues.number");
    assert_eq!(with(queues(1, 2, &[])), "queues.number");
    assert_eq!(with(queues(1, 1, &[2])), "queues.number");
    assert_eq!(with(queues(2, 0, &[])), "queues.burst");
    assert_eq!(with(queues(2, 300, &[])), "queues.burst");
    assert_eq!(with(queues(2, 1, &[1, 2, 3])), "queues.weights");
    assert_eq!(with(queues(2, 1, &[1, 0])), "queues.weights");
    assert_eq!(with(QueueSettings { weights: vec![1], ..queues(2, 1, &[]) }), "queues.weights");
    assert_eq!(with(QueueSettings { arbitration: "weighted".into(), ..queues(2, 1, &[]) }), "queues.weights");
    assert_eq!(with(QueueSettings { arbitration: "fair".into(), ..queues(2, 1, &[]) }), "queues.arbitration");
    let free = Settings { host: Default::default(), ..controller(1, queues(2, 1, &[])) };
    assert_eq!(refused(free), "queues.number", "no command waits");
    let unused = Ssd::builder("own", controller(1, QueueSettings::default())).arbiter(|_| ShortestQueue);
    assert!(unused.build().is_err(), "it would never be asked");
    let mut one_by_one = controller(1, queues(2, 1, &[]));
    one_by_one.host.command_queue = false;
    assert_eq!(refused(one_by_one), "queues.number", "no command waits");
}
