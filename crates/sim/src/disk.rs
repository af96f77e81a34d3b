//! A hard disk, for the comparisons of paper 000: seek, rotation, transfer, and a cache that reads ahead and
//! acknowledges writes early. No flash, no mapping.
//!
//! A command takes the link for `command_us`. Then what is read crosses the link while it passes under the
//! head; what is written crosses it first.

use std::collections::VecDeque;

use flashscope_core::{Bytes, Completion, ErrorKind, Op, Request, Target, TargetError, TargetInfo, Time};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::SimError;
use crate::flight::Flight;

/// The table `[disk]` of a profile.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiskSettings {
    /// One sentence.
    pub about: String,
    /// Bytes that the host sees.
    #[schemars(with = "String")]
    pub capacity: Bytes,
    /// Spindle speed in rotations per minute.
    pub rotations_per_minute: f64,
    /// Track-to-track seek time in microseconds.
    pub track_seek_us: f64,
    /// Full-stroke seek time in microseconds; seek time grows with the square root of the distance.
    pub full_seek_us: f64,
    /// Bytes of the outermost cylinder (all heads).
    #[schemars(with = "String")]
    pub outer_track: Bytes,
    /// Bytes of the innermost cylinder (all heads).
    #[schemars(with = "String")]
    pub inner_track: Bytes,
    /// Time of every command, without data transfer, in microseconds.
    pub command_us: f64,
    /// Speed of the link in megabytes (10^6) a second.
    pub link_mb_s: f64,
    /// Read-ahead after a read while the disk is otherwise idle, in bytes; 0 for none. It stays in the cache,
    /// with as many bytes of the read itself, until a read goes elsewhere. With less than a track, small
    /// sequential reads may exhaust it before the platter has come round again.
    #[schemars(with = "String")]
    pub read_ahead: Bytes,
    /// Write cache: bytes acknowledged before they are on the platter; 0 for none.
    #[schemars(with = "String")]
    pub write_cache: Bytes,
}

impl Default for DiskSettings {
    fn default() -> DiskSettings {
        DiskSettings {
            about: String::new(),
            capacity: Bytes(500 << 30),
            rotations_per_minute: 7_200.0,
            track_seek_us: 1_000.0,
            full_seek_us: 16_000.0,
            outer_track: Bytes(1 << 20),
            inner_track: Bytes(1 << 19),
            command_us: 50.0,
            link_mb_s: 300.0,
            read_ahead: Bytes(1 << 20),
            write_cache: Bytes(8 << 20),
        }
    }
}

impl DiskSettings {
    fn validate(&self) -> Result<(), SimError> {
        let ranges = [
            ("disk.rotations_per_minute", self.rotations_per_minute, 100.0, 100_000.0),
            ("disk.link_mb_s", self.link_mb_s, 0.001, 1e6),
            ("disk.track_seek_us", self.track_seek_us, 0.0, 1e6),
            ("disk.full_seek_us", self.full_seek_us, 0.0, 1e6),
            ("disk.command_us", self.command_us, 0.0, 1e6),
        ];
        for (key, value, least, most) in ranges {
            if !(least..=most).contains(&value) {
                let problem = format!("is {value}");
                return Err(SimError::setting(key, &problem, &format!("use {least} to {most}")));
            }
        }
        let sector = u64::from(crate::ssd::SECTOR_BYTES);
        let tracks_good = self.inner_track.0 >= sector && self.outer_track.0 >= self.inner_track.0;
        if !tracks_good || self.capacity.0 < self.outer_track.0 || !self.capacity.0.is_multiple_of(sector) {
            return Err(SimError::setting(
                "disk.capacity",
                "does not fit the tracks",
                "give whole sectors, inner_track <= outer_track <= capacity",
            ));
        }
        Ok(())
    }
}

/// A hard disk at work.
pub struct Disk {
    info: TargetInfo,
    clock: u64,
    flight: Flight,
    link_busy: u64,
    command_ns: u64,
    byte_ps: u64,
    mechanism: Mechanism,
    read_ahead: u64,
    cache: ReadCache,
    write_cache: u64,
    /// Writes that were acknowledged and are not on the platter: when they will be, and their bytes.
    dirty: VecDeque<(u64, u64)>,
    dirty_bytes: u64,
}

/// Bytes that were read: from `start` to `head` now, to `end` if the head is left to go on. It is at `head`
/// at `time`, and stands still once it is at `end`.
#[derive(Clone, Copy, Debug, Default)]
struct ReadCache {
    start: u64,
    head: u64,
    end: u64,
    time: u64,
}

/// Arm and platters: one thing at a time, in the order asked.
struct Mechanism {
    capacity: u64,
    rotation_ns: u64,
    track_seek_ns: u64,
    full_seek_ns: u64,
    outer_track: f64,
    tracks: f64,
    /// Change of a track's bytes from one to the next.
    slope: f64,
    busy: u64,
    track: u64,
    /// The byte after the last transfer: what goes on there needs no turn.
    next_byte: u64,
}

impl Mechanism {
    fn new(settings: &DiskSettings) -> Mechanism {
        let (outer, inner) = (settings.outer_track.0 as f64, settings.inner_track.0 as f64);
        let tracks = (settings.capacity.0 as f64 / ((outer + inner) / 2.0)).max(1.0);
        let ns = |us: f64| (us * 1e3).round() as u64;
        Mechanism {
            capacity: settings.capacity.0,
            rotation_ns: (60e9 / settings.rotations_per_minute).round() as u64,
            track_seek_ns: ns(settings.track_seek_us),
            full_seek_ns: ns(settings.full_seek_us),
            outer_track: outer,
            tracks,
            slope: (outer - inner) / tracks,
            busy: 0,
            track: 0,
            next_byte: u64::MAX,
        }
    }

    /// The track of a byte, the share of a turn at which it lies, and the bytes of that track. Tracks shrink
    /// evenly inwards, so the first `t` hold `outer t - slope t^2 / 2` bytes.
    fn place(&self, byte: u64) -> (u64, f64, f64) {
        let byte = byte as f64;
        let track = if self.slope == 0.0 {
            byte / self.outer_track
        } else {
            let root = (self.outer_track * self.outer_track - 2.0 * self.slope * byte).max(0.0).sqrt();
            (self.outer_track - root) / self.slope
        };
        let whole = track.floor().min(self.tracks);
        (whole as u64, track - whole, self.outer_track - self.slope * whole)
    }

    fn seek_ns(&self, tracks: u64) -> u64 {
        if tracks == 0 {
            return 0;
        }
        let share = (tracks as f64 / self.tracks).min(1.0).sqrt();
        let rise = self.full_seek_ns.saturating_sub(self.track_seek_ns) as f64;
        self.track_seek_ns + (rise * share) as u64
    }

    /// Nanoseconds that a byte at `offset` takes to pass under the head.
    fn byte_ns(&self, offset: u64) -> f64 {
        self.rotation_ns as f64 / self.place(offset.min(self.capacity - 1)).2
    }

    /// When the head is at `byte` if it sets out at `at`.
    fn go_to(&mut self, byte: u64, at: u64) -> u64 {
        let start = self.busy.max(at);
        if byte == self.next_byte && start == self.busy {
            return start;
        }
        let (track, angle, _) = self.place(byte.min(self.capacity - 1));
        let there = start + self.seek_ns(track.abs_diff(self.track));
        self.track = track;
        let wanted = (angle * self.rotation_ns as f64) as u64;
        there + (wanted + self.rotation_ns - there % self.rotation_ns) % self.rotation_ns
    }

    /// The head passes from `byte`, where it is at `time`, to `end`, and nothing else is done meanwhile.
    /// Returns when it is there.
    fn pass(&mut self, byte: u64, end: u64, time: u64) -> u64 {
        self.busy = time + ((end - byte) as f64 * self.byte_ns(byte)).ceil() as u64;
        self.next_byte = end;
        self.track = self.place(end.min(self.capacity - 1)).0;
        self.busy
    }
}

impl Disk {
    /// A disk just switched on.
    ///
    /// # Errors
    /// [`SimError::Setting`].
    pub fn new(name: &str, settings: &DiskSettings) -> Result<Disk, SimError> {
        settings.validate()?;
        Ok(Disk {
            info: TargetInfo {
                name: format!("sim:{name}"),
                size_bytes: settings.capacity.0,
                logical_block_bytes: crate::ssd::SECTOR_BYTES,
                virtual_time: true,
                engine: "sim".into(),
                queue_depth_max: crate::ssd::QUEUE_DEPTH_MAX,
                placements: 1,
                zones: None,
            },
            clock: 0,
            flight: Flight::default(),
            link_busy: 0,
            command_ns: (settings.command_us * 1e3).round() as u64,
            byte_ps: (1e6 / settings.link_mb_s).round() as u64,
            mechanism: Mechanism::new(settings),
            read_ahead: settings.read_ahead.0,
            cache: ReadCache::default(),
            write_cache: settings.write_cache.0,
            dirty: VecDeque::new(),
            dirty_bytes: 0,
        })
    }

    /// When a command that comes at `at` has been taken.
    fn accept(&mut self, at: u64) -> u64 {
        self.link_busy = self.link_busy.max(at) + self.command_ns;
        self.link_busy
    }

    fn done_at(&mut self, request: &Request, at: u64) -> u64 {
        let (offset, length) = (request.offset_bytes, u64::from(request.length_bytes));
        let carried_ns = length * self.byte_ps / 1000;
        match request.op {
            Op::Read => {
                let accepted = self.accept(at);
                let read = self.read(offset, length, accepted);
                self.link_busy = read.max(accepted + carried_ns);
                self.link_busy
            }
            Op::Write => {
                self.link_busy = self.accept(at) + carried_ns;
                self.write(offset, length, self.link_busy)
            }
            Op::Flush => self.mechanism.busy.max(at),
            Op::Trim => at,
        }
    }

    /// The head goes on reading until `at`.
    fn read_on(&mut self, at: u64) {
        let (cache, mechanism) = (&mut self.cache, &mut self.mechanism);
        let passed = at.saturating_sub(cache.time) as f64 / mechanism.byte_ns(cache.head);
        let head = cache.end.min(cache.head + passed as u64);
        if head > cache.head {
            (cache.head, cache.time) = (head, at);
            mechanism.track = mechanism.place(head.min(mechanism.capacity - 1)).0;
        }
    }

    /// When the bytes are in the cache. The head is sent there if they are neither in it nor next, and it is
    /// left to read `read_ahead` bytes more.
    fn read(&mut self, offset: u64, length: u64, at: u64) -> u64 {
        self.read_on(at);
        let (cache, mechanism) = (&mut self.cache, &mut self.mechanism);
        if !(cache.start..=cache.head).contains(&offset) {
            *cache = ReadCache { start: offset, head: offset, end: offset, time: at };
        }
        let end = offset + length;
        let ahead_to = cache.end.max(mechanism.capacity.min(end + self.read_ahead));
        if cache.head == cache.end && ahead_to > cache.end {
            cache.time = mechanism.go_to(cache.head, at);
        }
        cache.end = ahead_to;
        cache.start = end - length.min(self.read_ahead);
        if end <= cache.head { at } else { mechanism.pass(cache.head, end, cache.time).max(at) }
    }

    /// Ends what is read ahead; what the cache holds stays, and is written too if it is the same.
    fn write(&mut self, offset: u64, length: u64, at: u64) -> u64 {
        self.read_on(self.mechanism.busy.max(at));
        self.cache.end = self.cache.head;
        let begun = self.mechanism.go_to(offset, at);
        let on_platter = self.mechanism.pass(offset, offset + length, begun);
        if length > self.write_cache {
            return on_platter;
        }
        self.dirty.push_back((on_platter, length));
        self.dirty_bytes += length;
        let mut room_at = at;
        while let Some(&(done, bytes)) = self.dirty.front() {
            if done > at && self.dirty_bytes <= self.write_cache {
                break;
            }
            room_at = room_at.max(done);
            self.dirty_bytes -= bytes;
            self.dirty.pop_front();
        }
        room_at
    }

    #[cold]
    fn refuse(&self, request: &Request) -> TargetError {
        let (cause, remedy) = match request.placement {
            0 => (
                format!("IOs must be whole sectors within its {} bytes", self.info.size_bytes),
                "use offsets and sizes that fit",
            ),
            handle => (format!("placement handle {handle}: a hard disk knows none"), "leave out placement"),
        };
        TargetError {
            kind: ErrorKind::Invalid,
            tag: None,
            target: self.info.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause,
            remedy: remedy.into(),
        }
    }
}

impl Target for Disk {
    fn info(&self) -> &TargetInfo {
        &self.info
    }

    fn now(&mut self) -> Time {
        Time(self.clock)
    }

    fn submit(&mut self, requests: &[Request]) -> Result<(), TargetError> {
        for request in requests {
            if !crate::ssd::fits(&self.info, request) {
                return Err(self.refuse(request));
            }
            let done = self.done_at(request, self.clock);
            let (submitted, completed) = (Time(self.clock), Time(done));
            self.flight.push(Completion { tag: request.tag, submitted, completed });
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.clock = self.flight.reap(self.clock, min, until, out);
        Ok(())
    }

    fn serve(&mut self, request: &Request) -> Result<Completion, TargetError> {
        if !crate::ssd::fits(&self.info, request) {
            return Err(self.refuse(request));
        }
        let submitted = Time(self.clock);
        self.clock = self.done_at(request, self.clock);
        Ok(Completion { tag: request.tag, submitted, completed: Time(self.clock) })
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time.0);
    }
}

#[cfg(test)]
mod tests;
