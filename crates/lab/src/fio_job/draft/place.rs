//! Where a job goes: its file, the space in it, its processes and the order of their addresses.

use super::super::{Entry, NULL, bytes, count};
use super::Draft;
use flashscope_core::{Bytes, JobSpace, Location, Sequence, Share, Sizes};
use flashscope_device::Engine;

impl Draft<'_> {
    pub(super) fn place(&mut self) {
        self.name_target();
        if let Some(offset) = self.size("offset") {
            self.job.pattern.offset = Bytes(offset);
        }
        // A file of `filesize` bytes has no more space; `size` may ask to go over it again.
        let file = self.size("filesize").filter(|bytes| *bytes > 0);
        let file = file.map(|bytes| bytes.saturating_sub(self.job.pattern.offset.0));
        let bs = self.job.pattern.grid().0.max(1);
        let is_random = self.job.pattern.rw.is_random();
        let file = file.or_else(|| self.whole_target());
        let space = match (self.size("size").filter(|bytes| *bytes > 0), file) {
            // Random addresses are anywhere in the file, `size` says how many.
            (Some(_), Some(file)) if is_random => Some(file),
            (Some(size), Some(file)) => Some(size.min(file)),
            (size, file) => size.or(file),
        };
        // Random addresses are within it, sequential ones go on to where its bytes are done.
        match space {
            Some(0) => {
                let entry = self.section.last("filesize");
                entry.into_iter().for_each(|entry| self.refuse(entry, "must be more than offset"));
            }
            Some(space) => self.job.pattern.size = Bytes(if is_random { space / bs * bs } else { space }),
            None => self.note("size: the default is the whole target"),
        }
        for name in ["size", "filesize"].into_iter().filter(|_| is_random) {
            if let (Some(1..), Some(entry)) =
                (self.size(name).filter(|bytes| *bytes < bs), self.section.last(name))
            {
                self.refuse(entry, format!("no IO at a multiple of {} fits; write it, or more", Bytes(bs)));
            }
        }
        for name in ["size", "filesize", "io_size"].into_iter().filter(|_| !is_random) {
            if let Some(bytes) = self.size(name).filter(|bytes| !bytes.is_multiple_of(bs))
                && let Some(entry) = self.section.last(name)
            {
                let near = Bytes(bytes / bs * bs);
                let why = "is not a multiple of bs, so that fio's last IO exceeds it; the nearest is";
                self.refuse(entry, format!("it {why} {near}"));
            }
        }
    }

    /// All of a target that is there and of which nothing else is said: fio ends when it is through it.
    fn whole_target(&self) -> Option<u64> {
        let is_said = ["size", "filesize", "io_size"].iter().any(|name| self.section.last(name).is_some());
        let target = self.job.target.as_deref().filter(|target| *target != NULL && !is_said)?;
        let bytes = (self.file_size)(target)?.saturating_sub(self.job.pattern.offset.0);
        let bs = self.job.pattern.grid().0.max(1);
        Some(bytes / bs * bs).filter(|bytes| *bytes > 0)
    }

    /// A size or an offset in per cent of the file, to whole blocks as fio rounds them.
    pub(super) fn part_of_file(&self, name: &str) -> Result<u64, String> {
        let text = self.section.last(name).map_or("", |entry| entry.value.as_str());
        let Some(percent) = text.strip_suffix('%') else { return Ok(0) };
        if !["size", "offset"].contains(&name) {
            return Err("is in per cent; write it in bytes".into());
        }
        let percent = count(percent).ok().filter(|percent| (1..=100).contains(percent));
        let percent = percent.ok_or("is no part of it; write 1% to 100%")?;
        let own = self.section.last("filesize").and_then(|entry| bytes(&entry.value, self.kb_base()).ok());
        let file = self.job.target.as_deref().filter(|target| *target != NULL);
        let unknown = || match file {
            Some(file) => format!("is a part of {file}, whose size is not known here; write it in bytes"),
            None => "is a part of a file that has no name; add filename, or write it in bytes".into(),
        };
        let all = own.or_else(|| (self.file_size)(file?)).ok_or_else(unknown)?;
        let part = (u128::from(all) * u128::from(percent) / 100) as u64;
        let pattern = &self.job.pattern;
        let bs = pattern.sizes.as_ref().map_or(pattern.bs, Sizes::least).0.max(1);
        Ok(match name {
            "offset" => part.div_ceil(bs).saturating_mul(bs),
            _ => part.min(all.saturating_sub(pattern.offset.0)) / bs * bs,
        })
    }

    /// `filename` in `directory`, or the name that fio gives a job's file there.
    fn name_target(&mut self) {
        let engine = self.section.last("ioengine").map(|entry| entry.value.as_str());
        let file = self.section.last("filename").map(|entry| entry.value.as_str());
        let is_no_file = matches!(file, Some("/dev/null" | "/dev/zero"));
        if matches!(engine, Some("null" | "cpp_null")) || is_no_file {
            if is_no_file {
                self.note("filename: the target null: stands for a device without data");
            }
            self.job.target = Some(NULL.into());
            return;
        }
        let directory = self.section.last("directory");
        let Some(entry) = self.section.last("filename") else {
            if let Some(directory) = directory {
                self.job.target = Some(format!("{}/{}.0.0", directory.value, self.section.name));
            }
            return;
        };
        let lists: Vec<&Entry> =
            [Some(entry), directory].into_iter().flatten().filter(|it| it.value.contains(':')).collect();
        for list in lists {
            let why = "a pattern has one target; measure them separately, or stripe them into one device";
            self.refuse(list, why);
        }
        if entry.value.is_empty() {
            self.refuse(entry, "it names no file; write its name, or leave the line out");
        }
        self.job.target = Some(match directory {
            Some(directory) if !entry.value.starts_with('/') => {
                format!("{}/{}", directory.value, entry.value)
            }
            _ => entry.value.clone(),
        });
    }

    pub(super) fn parallel(&mut self) {
        let numjobs = self.value("numjobs", count).unwrap_or(1).clamp(1, 4096) as u32;
        let mut depth = self.value("iodepth", count).unwrap_or(1).clamp(1, 65_536) as u32;
        let engine = self.section.last("ioengine").map_or("psync", |entry| entry.value.as_str());
        let is_null = self.job.target.as_deref() == Some(NULL);
        match engine {
            "null" => {}
            "cpp_null" => self.note("ioengine: cpp_null is fio's null in another language"),
            "sync" | "psync" | "vsync" | "pvsync" | "pvsync2" => {
                if depth > 1 {
                    self.note("iodepth: with a synchronous engine fio has one IO in flight, as here");
                }
                depth = 1;
            }
            "libaio" | "io_uring" | "posixaio" if is_null => {}
            "libaio" | "io_uring" | "posixaio" => {
                self.job.engine = Some(Engine::IoUring);
                if engine != "io_uring" {
                    self.note("ioengine: io_uring is used");
                }
            }
            _ => {
                let entry = self.section.last("ioengine");
                let why = "only the engines sync and io_uring are supported; use psync or libaio";
                entry.into_iter().for_each(|entry| self.refuse(entry, why));
            }
        }
        self.job.pattern.numjobs = numjobs;
        self.job.pattern.iodepth = depth;
        if numjobs > 1 {
            self.spaces(numjobs);
        }
    }

    /// Processes of fio share the space of one file unless something moves them apart; where fio names the
    /// files itself, each process has its own.
    fn spaces(&mut self, numjobs: u32) {
        let size = self.job.pattern.size.0;
        let step = self.size("offset_increment").unwrap_or(0);
        let all = Bytes(size.saturating_mul(u64::from(numjobs)));
        match self.section.last("offset_increment").filter(|_| step > 0) {
            Some(entry) if self.section.has("filesize") => {
                self.refuse(entry, "the last processes would have less of the file; write size for filesize");
            }
            Some(_) if step == size => self.job.pattern.size = all,
            Some(_) if size == 0 => self.job.pattern.job_space = JobSpace::ApartToEnd(Bytes(step)),
            Some(_) => self.job.pattern.job_space = JobSpace::Apart(Bytes(step)),
            None if self.section.last("filename").is_some() || self.job.target.as_deref() == Some(NULL) => {
                self.job.pattern.job_space = JobSpace::Shared;
            }
            None => {
                self.job.pattern.size = all;
                self.note("numjobs: fio's processes have a file each; here each has a part of one");
            }
        }
        let is_one = self.section.last("filename").is_some() || self.job.target.as_deref() == Some(NULL);
        if step > 0 && !is_one {
            self.note("offset_increment: fio's processes have a file each; here all have one");
        }
    }

    pub(super) fn order(&mut self) {
        if !self.job.pattern.rw.is_random() {
            return;
        }
        let law = self.section.last("random_distribution");
        let text = law.map_or("random", |entry| entry.value.as_str());
        let location = match text.split_once(':') {
            None if text == "random" && self.has_map() => Some(Location::Permutation),
            None if text == "random" => Some(Location::Random),
            Some(("zipf", theta)) => theta.parse().ok().map(|theta| Location::Zipf { theta }),
            Some(("zoned", zones)) => hot(zones).or_else(|| zones.parse().ok().map(Location::Zones)),
            Some(("sequence", slots)) => self.sequence(slots),
            _ => None,
        };
        match (location, law) {
            (Some(location), _) => self.job.pattern.location = location,
            (None, Some(entry)) => {
                let why = "choose one of random, zipf:THETA, zoned such as 90/10:10/90, with whole \
                           percentages, and sequence of 1 to 64 numbers such as 2,0,1";
                self.refuse(entry, why);
            }
            (None, None) => {}
        }
        if let Some(seed) = self.value("randseed", count) {
            self.job.seed = Some(seed);
            self.note("randseed: random addresses differ from fio's with the same seed");
        }
    }
}

impl Draft<'_> {
    fn sequence(&mut self, slots: &str) -> Option<Location> {
        let slots: Option<Vec<u32>> = slots.split(',').map(|slot| slot.trim().parse().ok()).collect();
        let is_strided = self.section.has("random_sequence_stride");
        Sequence::new(&slots?, is_strided).ok().map(Location::Sequence)
    }
}

/// Two zones, `ios/space:ios/space` in percent, that together are all.
fn hot(zones: &str) -> Option<Location> {
    let zone = |text: &str| -> Option<(f64, f64)> {
        let (ios, space) = text.split_once('/')?;
        Some((ios.parse().ok()?, space.parse().ok()?))
    };
    let (first, second) = zones.split_once(':')?;
    let ((ios, space), (other_ios, other_space)) = (zone(first)?, zone(second)?);
    let is_all = ios + other_ios == 100.0 && space + other_space == 100.0;
    let are_shares = [ios, space].iter().all(|percent| (0.0..=100.0).contains(percent));
    (is_all && are_shares)
        .then_some(Location::HotCold { hot_space: Share(space / 100.0), hot_ios: Share(ios / 100.0) })
}
