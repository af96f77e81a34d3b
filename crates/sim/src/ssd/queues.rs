//! Host queues: commands wait in them until the controller takes them, and which is next is arbitrated.
//!
//! Each process of the host has a queue, as each processor has with NVMe. A command is taken when the
//! controller has a lane free (`host.parallel_commands`); what comes meanwhile waits in its queue. With one
//! queue the order is that of submission, and none of this is there. NVM Express Base Specification 2.0,
//! section 3.4.4.

mod round_robin;
mod weighted;

use std::collections::VecDeque;
use std::sync::Arc;

use flashscope_core::{Completion, Request, TargetError, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Ssd;
use super::fits;
use crate::buffer::WriteBuffer;
use crate::error::SimError;
use crate::ftl::Ftl;
use crate::settings::Settings;
use round_robin::RoundRobin;
use weighted::Weighted;

/// The table `[queues]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QueueSettings {
    /// Host queues; process i of a workload has queue i modulo that. 1: commands are taken as they come.
    pub number: u32,
    /// From which queue the controller takes its next command: `round-robin` or `weighted`.
    pub arbitration: String,
    /// Commands that are taken from one queue before it is the turn of the next.
    pub burst: u32,
    /// With `weighted`: commands that each queue may give in a round; the last value holds for all that
    /// follow.
    pub weights: Vec<u32>,
}

impl Default for QueueSettings {
    fn default() -> QueueSettings {
        QueueSettings { number: 1, arbitration: "round-robin".into(), burst: 1, weights: Vec::new() }
    }
}

/// Names and descriptions of the ways to arbitrate.
pub const ARBITERS: &[(&str, &str)] = &[
    ("round-robin", "each queue in turn, up to queues.burst commands"),
    ("weighted", "the same, and in a round each queue gives no more commands than its weight"),
];

/// The most commands of [`QueueSettings::burst`] and of each of [`QueueSettings::weights`].
const COMMANDS_MAX: u32 = 256;

/// Decides from which host queue the controller takes its next command.
pub trait Arbiter: Send {
    /// The number of that queue. `waiting[i]` commands wait in queue `i`; at least one does. One that has
    /// none must not be chosen.
    fn next(&mut self, waiting: &[u32]) -> usize;
}

/// Makes an [`Arbiter`] for so many queues.
pub type MakeArbiter = Arc<dyn Fn(u32) -> Box<dyn Arbiter> + Send + Sync>;

/// A command, and when it came.
type Command = (Request, u64);

/// What waits to be taken.
pub(super) struct HostQueues {
    queues: Vec<VecDeque<Command>>,
    lengths: Vec<u32>,
    arbiter: Box<dyn Arbiter>,
}

impl HostQueues {
    /// None if there is one queue.
    pub(super) fn new(settings: &Settings, own: Option<&MakeArbiter>) -> Option<Box<HostQueues>> {
        let QueueSettings { number, arbitration, burst, weights } = &settings.queues;
        let arbiter: Box<dyn Arbiter> = match own {
            Some(make) => make(*number),
            None if arbitration == "weighted" => Box::new(Weighted::new(*number, *burst, weights)),
            None => Box::new(RoundRobin::new(*burst)),
        };
        let number = *number as usize;
        let queues = HostQueues { queues: vec![VecDeque::new(); number], lengths: vec![0; number], arbiter };
        (number > 1).then(|| Box::new(queues))
    }

    /// Commands that wait.
    pub(super) fn len(&self) -> usize {
        self.lengths.iter().map(|length| *length as usize).sum()
    }

    pub(super) fn clear(&mut self) {
        self.queues.iter_mut().for_each(VecDeque::clear);
        self.lengths.fill(0);
    }

    fn push(&mut self, request: &Request, at: u64) {
        let queue = usize::from(request.stream) % self.queues.len();
        self.queues[queue].push_back((*request, at));
        self.lengths[queue] += 1;
    }

    /// When the first of all came that wait.
    fn first_ns(&self) -> Option<u64> {
        self.queues.iter().filter_map(|queue| queue.front()).map(|(_, came_ns)| *came_ns).min()
    }

    fn take(&mut self) -> Option<Command> {
        let queue = self.arbiter.next(&self.lengths);
        let command = self.queues.get_mut(queue)?.pop_front()?;
        self.lengths[queue] -= 1;
        Some(command)
    }
}

impl QueueSettings {
    pub(super) fn check(&self, host_takes_time: bool) -> Result<(), SimError> {
        let QueueSettings { number, arbitration, burst, weights } = self;
        let refuse = |key: &str, problem: &str, remedy: &str| Err(SimError::setting(key, problem, remedy));
        if !(1..=65_536).contains(number) {
            return refuse("queues.number", "is not from 1 to 65536", "choose one in that range");
        }
        if !(1..=COMMANDS_MAX).contains(burst) {
            return refuse("queues.burst", "is not from 1 to 256", "choose one in that range");
        }
        if !ARBITERS.iter().any(|(name, _)| name == arbitration) {
            return Err(SimError::unknown_choice("queues.arbitration", arbitration, ARBITERS));
        }
        let is_plain = *burst == 1 && weights.is_empty() && arbitration == "round-robin";
        if *number == 1 {
            let problem = "is 1, and one queue needs no arbitration";
            return if is_plain { Ok(()) } else { refuse("queues.number", problem, "choose 2 or more") };
        }
        if !host_takes_time {
            let problem = "has no effect where no command waits for the controller";
            return refuse("queues.number", problem, "set host.command_us, and leave host.command_queue on");
        }
        let is_weighted = arbitration == "weighted";
        if is_weighted == weights.is_empty() {
            let problem = if is_weighted { "is missing" } else { "has no effect with round-robin" };
            return refuse(
                "queues.weights",
                problem,
                "give weights with queues.arbitration = \"weighted\" alone",
            );
        }
        if weights.len() > *number as usize || !weights.iter().all(|w| (1..=COMMANDS_MAX).contains(w)) {
            let problem = "has more values than there are queues, or one that is not from 1 to 256";
            return refuse("queues.weights", problem, "give up to queues.number values in that range");
        }
        Ok(())
    }
}

impl<F: Ftl, B: WriteBuffer> Ssd<F, B> {
    /// Commands that no queue gave away yet.
    pub(super) fn waiting(&self) -> usize {
        self.queues.as_ref().map_or(0, |queues| queues.len())
    }

    /// When the controller takes the next command.
    fn takes_next_ns(&self) -> Option<u64> {
        Some(self.queues.as_ref()?.first_ns()?.max(self.path.controller.free_ns()))
    }

    /// As [`flashscope_core::Target::submit`], into the queues.
    pub(super) fn enqueue(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        // Of what comes at the instant at which the controller is free none is before the others.
        self.take_until(self.clock.saturating_sub(1))?;
        let room =
            super::QUEUE_DEPTH_MAX as usize - self.flight.len() - self.path.pending.len() - self.waiting();
        for (number, request) in requests.iter().enumerate() {
            if number >= room || !fits(&self.info, request) {
                return Err(self.refuse(request));
            }
            if let Some(queues) = &mut self.queues {
                queues.push(request, self.clock);
            }
        }
        Ok(())
    }

    /// The controller takes all commands whose turn comes until then.
    fn take_until(&mut self, until_ns: u64) -> Result<(), TargetError> {
        while let Some(at_ns) = self.takes_next_ns().filter(|ns| *ns <= until_ns) {
            let taken = self.queues.as_mut().and_then(|queues| queues.take());
            let Some((request, came_ns)) = taken else {
                let cause = "the arbiter chose a host queue in which nothing waits".into();
                let none = Request::default();
                return Err(self.error(&none, flashscope_core::ErrorKind::Device, cause, "mend the arbiter"));
            };
            if !(self.calls.take)(self, &request, came_ns, at_ns) {
                return Err(TargetError { tag: Some(request.tag), ..self.stuck(&request) });
            }
            self.check(Some(&request))?;
        }
        Ok(())
    }

    /// As [`flashscope_core::Target::reap`], while the controller takes commands.
    pub(super) fn reap_queued(
        &mut self,
        min: usize,
        until: Time,
        out: &mut Vec<Completion>,
    ) -> Result<(), TargetError> {
        let mut missing = min;
        loop {
            self.take_until(self.clock)?;
            let next = Time(self.takes_next_ns().unwrap_or(Time::NEVER.0));
            let before = out.len();
            self.clock = self.path.reap(self.clock, missing, until.min(next), &mut self.flight, out);
            missing = missing.saturating_sub(out.len() - before);
            if missing == 0 || next >= until {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The queues that give the next commands, of which each queue has so many and gets no more.
    fn order(mut arbiter: impl Arbiter, mut waiting: Vec<u32>) -> Vec<usize> {
        let count: u32 = waiting.iter().sum();
        let mut next = || {
            let queue = arbiter.next(&waiting);
            waiting[queue] -= 1;
            queue
        };
        (0..count).map(|_| next()).collect()
    }

    #[test]
    fn each_queue_has_its_turn() {
        assert_eq!(order(RoundRobin::new(1), vec![2, 4, 1]), [0, 1, 2, 0, 1, 1, 1]);
        assert_eq!(order(RoundRobin::new(2), vec![3, 5, 1]), [0, 0, 1, 1, 2, 0, 1, 1, 1]);
        assert_eq!(order(RoundRobin::new(1), vec![0, 0, 2]), [2, 2]);
    }

    #[test]
    fn in_a_round_no_queue_gives_more_than_its_weight() {
        // Two of each round are of queue 1; a round begins where the one before ended.
        let expected = [0, 1, 2, 1, 2, 0, 1, 1, 1, 1];
        assert_eq!(order(Weighted::new(3, 1, &[1, 2, 1]), vec![2, 6, 2]), expected);
        // The last weight holds for those that follow.
        assert_eq!(order(Weighted::new(3, 4, &[3, 1]), vec![4, 2, 2]), [0, 0, 0, 1, 2, 2, 0, 1]);
    }
}
