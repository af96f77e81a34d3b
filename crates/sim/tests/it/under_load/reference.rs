//! Random reads of one page at a fixed queue depth, event by event: nothing is known before it happens, every
//! queue is a list, and all events lie in one heap. It shares nothing with the simulator.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use flashscope_core::seed::Random;

/// A device that reads.
#[derive(Clone, Copy, Debug)]
pub struct Device {
    pub channels: usize,
    /// On each channel.
    pub dies: usize,
    pub sensing_ns: u64,
    pub transfer_ns: u64,
    pub command_ns: u64,
    pub parallel_commands: usize,
    /// For a page, to the host.
    pub link_ns: u64,
}

/// What ended, of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Understood,
    Sensed,
    Transferred,
    Delivered,
}

/// Servers that work on one request each, and a list of those that wait.
struct Station {
    free: usize,
    waiting: VecDeque<usize>,
}

impl Station {
    fn new(servers: usize) -> Station {
        Station { free: servers, waiting: VecDeque::new() }
    }

    /// One more request; returns it if it is its turn.
    fn arrive(&mut self, request: usize) -> Option<usize> {
        self.waiting.push_back(request);
        self.next()
    }

    /// A server has finished; returns who is next.
    fn leave(&mut self) -> Option<usize> {
        self.free += 1;
        self.next()
    }

    fn next(&mut self) -> Option<usize> {
        if self.free == 0 {
            return None;
        }
        let request = self.waiting.pop_front()?;
        self.free -= 1;
        Some(request)
    }
}

struct Model<'a> {
    device: &'a Device,
    controller: Station,
    dies: Vec<Station>,
    buses: Vec<Station>,
    link: Station,
    events: BinaryHeap<Reverse<(u64, u64, Event, usize)>>,
    number: u64,
    now: u64,
    /// Die of each request in flight.
    die: Vec<usize>,
}

impl Model<'_> {
    fn after(&mut self, ns: u64, event: Event, request: Option<usize>) {
        if let Some(request) = request {
            self.number += 1;
            self.events.push(Reverse((self.now + ns, self.number, event, request)));
        }
    }

    fn channel(&self, request: usize) -> usize {
        self.die[request] % self.device.channels
    }

    fn submit(&mut self, request: usize, die: usize) {
        self.die[request] = die;
        let next = self.controller.arrive(request);
        self.after(self.device.command_ns, Event::Understood, next);
    }

    /// The next request that is done.
    fn run(&mut self) -> usize {
        let Device { command_ns, sensing_ns, transfer_ns, link_ns, .. } = *self.device;
        loop {
            let Reverse((now, _, event, request)) = self.events.pop().expect("requests are in flight");
            self.now = now;
            let (die, channel) = (self.die[request], self.channel(request));
            match event {
                Event::Understood => {
                    let next = self.controller.leave();
                    self.after(command_ns, Event::Understood, next);
                    let next = self.dies[die].arrive(request);
                    self.after(sensing_ns, Event::Sensed, next);
                }
                Event::Sensed => {
                    let next = self.buses[channel].arrive(request);
                    self.after(transfer_ns, Event::Transferred, next);
                }
                Event::Transferred => {
                    let next = self.buses[channel].leave();
                    self.after(transfer_ns, Event::Transferred, next);
                    let next = self.dies[die].leave();
                    self.after(sensing_ns, Event::Sensed, next);
                    let next = self.link.arrive(request);
                    self.after(link_ns, Event::Delivered, next);
                }
                Event::Delivered => {
                    let next = self.link.leave();
                    self.after(link_ns, Event::Delivered, next);
                    return request;
                }
            }
        }
    }
}

/// Reads a second and their mean latency in ns, after a tenth of `reads` as warm-up.
pub fn random_reads(device: &Device, depth: usize, reads: usize, seed: u64) -> (f64, f64) {
    let dies = device.channels * device.dies;
    let stations = |count: usize| (0..count).map(|_| Station::new(1)).collect::<Vec<_>>();
    let mut random = Random::new(seed);
    let mut model = Model {
        device,
        controller: Station::new(device.parallel_commands),
        dies: stations(dies),
        buses: stations(device.channels),
        link: Station::new(1),
        events: BinaryHeap::new(),
        number: 0,
        now: 0,
        die: vec![0; depth],
    };
    let mut submitted = vec![0; depth];
    for request in 0..depth {
        model.submit(request, random.below(dies as u64) as usize);
    }
    let (warm_up, mut start, mut latency) = (reads / 10, 0, 0);
    for done in 0..warm_up + reads {
        let request = model.run();
        if done >= warm_up {
            latency += model.now - submitted[request];
        } else {
            start = model.now;
        }
        submitted[request] = model.now;
        model.submit(request, random.below(dies as u64) as usize);
    }
    (reads as f64 * 1e9 / (model.now - start) as f64, latency as f64 / reads as f64)
}
