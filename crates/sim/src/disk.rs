//! A hard disk, for the comparisons of paper 000: seek, rotation, transfer, and a cache that reads ahead and
//! acknowledges writes early. No flash, no mapping.

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
    /// Turns of the platters in a minute.
    pub rotations_per_minute: f64,
    /// Moving to the next track, in microseconds.
    pub track_seek_us: f64,
    /// Moving across the whole disk, in microseconds; in between it grows with the square root.
    pub full_seek_us: f64,
    /// Bytes of the outermost track, with all heads.
    #[schemars(with = "String")]
    pub outer_track: Bytes,
    /// Bytes of the innermost track, with all heads.
    #[schemars(with = "String")]
    pub inner_track: Bytes,
    /// Time that every command takes besides its data, in microseconds.
    pub command_us: f64,
    /// Speed of the link in megabytes (10^6) a second.
    pub link_mb_s: f64,
    /// Bytes read beyond a read, while nobody asks for something else; 0 for none.
    #[schemars(with = "String")]
    pub read_ahead: Bytes,
    /// Bytes of writes that are acknowledged before they are on the platter; 0 for none.
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
            read_ahead: Bytes(256 << 10),
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
                "does not go with the tracks",
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
    write_cache: u64,
    /// Writes that were acknowledged and are not on the platter: when they will be, and their bytes.
    dirty: VecDeque<(u64, u64)>,
    dirty_bytes: u64,
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

    /// When `length` bytes at `offset` have passed under the head.
    fn serve(&mut self, offset: u64, length: u64, at: u64) -> u64 {
        let start = self.busy.max(at);
        let (track, angle, track_bytes) = self.place(offset.min(self.capacity - 1));
        let transfer = (length as f64 / track_bytes * self.rotation_ns as f64) as u64;
        let begin = if offset == self.next_byte && start == self.busy {
            start
        } else {
            let there = start + self.seek_ns(track.abs_diff(self.track));
            let wanted = (angle * self.rotation_ns as f64) as u64;
            let now = there % self.rotation_ns;
            there + (wanted + self.rotation_ns - now) % self.rotation_ns
        };
        self.busy = begin + transfer;
        self.next_byte = offset + length;
        self.track = self.place((offset + length).min(self.capacity - 1)).0;
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
            },
            clock: 0,
            flight: Flight::default(),
            link_busy: 0,
            command_ns: (settings.command_us * 1e3).round() as u64,
            byte_ps: (1e6 / settings.link_mb_s).round() as u64,
            mechanism: Mechanism::new(settings),
            read_ahead: settings.read_ahead.0,
            write_cache: settings.write_cache.0,
            dirty: VecDeque::new(),
            dirty_bytes: 0,
        })
    }

    fn link(&mut self, length: u64, at: u64) -> u64 {
        self.link_busy = self.link_busy.max(at) + self.command_ns + length * self.byte_ps / 1000;
        self.link_busy
    }

    fn serve(&mut self, request: &Request, at: u64) -> u64 {
        let (offset, length) = (request.offset_bytes, u64::from(request.length_bytes));
        match request.op {
            Op::Read => {
                let there = self.read(offset, length, at);
                self.link(length, there)
            }
            Op::Write => {
                let arrived = self.link(length, at);
                self.write(offset, length, arrived)
            }
            Op::Flush => self.mechanism.busy.max(at),
            Op::Trim => at,
        }
    }

    /// While nobody asks for something else, the disk goes on reading for `read_ahead` bytes: a read that
    /// comes late enough to find its bytes already passed is served from the cache.
    fn read(&mut self, offset: u64, length: u64, at: u64) -> u64 {
        let mechanism = &mut self.mechanism;
        let goes_on = offset == mechanism.next_byte && length <= self.read_ahead;
        if goes_on && at > mechanism.busy {
            let (_, _, track_bytes) = mechanism.place(offset.min(mechanism.capacity - 1));
            let passed = mechanism.busy + (length as f64 / track_bytes * mechanism.rotation_ns as f64) as u64;
            let ahead = (self.read_ahead as f64 / track_bytes * mechanism.rotation_ns as f64) as u64;
            if at <= mechanism.busy + ahead {
                mechanism.busy = passed;
                mechanism.next_byte = offset + length;
                return passed.max(at);
            }
        }
        mechanism.serve(offset, length, at)
    }

    fn write(&mut self, offset: u64, length: u64, at: u64) -> u64 {
        let on_platter = self.mechanism.serve(offset, length, at);
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
        TargetError {
            kind: ErrorKind::Invalid,
            target: self.info.name.clone(),
            op: request.op,
            offset_bytes: request.offset_bytes,
            length_bytes: request.length_bytes,
            cause: format!("the disk takes whole sectors within its {} bytes", self.info.size_bytes),
            remedy: "use offsets and sizes that fit".into(),
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
            let done = self.serve(request, self.clock);
            let (submitted, completed) = (Time(self.clock), Time(done));
            self.flight.push(Completion { tag: request.tag, submitted, completed });
        }
        Ok(())
    }

    fn reap(&mut self, min: usize, until: Time, out: &mut Vec<Completion>) -> Result<(), TargetError> {
        self.clock = self.flight.reap(self.clock, min, until, out);
        Ok(())
    }

    fn wait_until(&mut self, time: Time) {
        self.clock = self.clock.max(time.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flashscope_core::seed::Random;

    fn serve(disk: &mut Disk, op: Op, offset_bytes: u64, length_bytes: u32) -> f64 {
        let request = Request { op, offset_bytes, length_bytes, ..Request::default() };
        let before = disk.clock;
        let mut out = Vec::new();
        disk.submit(&[request]).unwrap();
        disk.reap(1, Time::NEVER, &mut out).unwrap();
        (disk.clock - before) as f64 / 1e6
    }

    /// Over random sectors the share of the full stroke is |x - y| of two uniform tracks, whose mean square
    /// root is 8/15; half a turn on top.
    #[test]
    fn a_random_read_takes_a_mean_seek_and_half_a_turn() {
        let settings = DiskSettings { inner_track: Bytes(1 << 20), ..DiskSettings::default() };
        let mut disk = Disk::new("test", &settings).unwrap();
        let mut random = Random::new(5);
        let sectors = settings.capacity.0 / 512;
        let ios = 20_000;
        let total: f64 = (0..ios).map(|_| serve(&mut disk, Op::Read, random.below(sectors) * 512, 512)).sum();
        let expected = 1.0 + 15.0 * 8.0 / 15.0 + 60_000.0 / 7_200.0 / 2.0 + 0.05;
        let mean = total / f64::from(ios);
        assert!((mean / expected - 1.0).abs() < 0.02, "{mean} ms, not {expected} ms");
    }

    #[test]
    fn the_outer_tracks_are_read_at_a_track_a_turn() {
        let mut disk = Disk::new("test", &DiskSettings::default()).unwrap();
        serve(&mut disk, Op::Read, 0, 65_536);
        let ms: f64 = (1..400).map(|i| serve(&mut disk, Op::Read, i * 65_536, 65_536)).sum();
        let mb_s = 399.0 * 65_536.0 / 1e3 / ms;
        let expected = 1_048_576.0 / 1e6 * 7_200.0 / 60.0;
        assert!((mb_s / expected - 1.0).abs() < 0.03, "{mb_s} MB/s, not {expected}");
    }

    #[test]
    fn a_cached_write_is_quick_until_the_cache_is_full() {
        let settings = DiskSettings { write_cache: Bytes(1 << 20), ..DiskSettings::default() };
        let mut disk = Disk::new("test", &settings).unwrap();
        let mut random = Random::new(6);
        let mut write = || serve(&mut disk, Op::Write, random.below(100_000) * 4096 * 1000, 65_536);
        assert!((0..16).all(|_| write() < 0.5), "sixteen 64 KiB writes fit");
        let later: f64 = (0..64).map(|_| write()).sum();
        assert!(later / 64.0 > 5.0, "then each waits for the arm: {later} ms for 64");
    }

    #[test]
    fn absurd_numbers_are_refused_by_name_and_the_limits_work() {
        let set = |key: &str, value: f64| {
            let overrides = [(key.to_string(), format!("{value:?}"))];
            match crate::Profile::find("hdd-7200", &overrides).unwrap() {
                crate::Profile::Disk(disk) => Disk::new("test", &disk),
                crate::Profile::Ssd(_) => panic!("a disk is a disk"),
            }
        };
        for (key, least, most) in [
            ("disk.rotations_per_minute", 100.0, 1e5),
            ("disk.link_mb_s", 0.001, 1e6),
            ("disk.full_seek_us", 0.0, 1e6),
        ] {
            for value in [1e-300, -1.0, 1e300].into_iter().filter(|value| !(least..=most).contains(value)) {
                let message = set(key, value).err().expect("absurd").to_string();
                assert!(message.starts_with(key) && message.contains(&most.to_string()), "{message}");
            }
            for value in [least, most] {
                let mut disk = set(key, value).unwrap_or_else(|error| panic!("{error}"));
                (0..100).for_each(|i| assert!(serve(&mut disk, Op::Read, i * 4_096_000, 1 << 30) > 0.0));
            }
        }
    }
}
