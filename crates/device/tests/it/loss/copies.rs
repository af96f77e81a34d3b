//! The ways in which data of somebody else comes onto a file.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::ops::ControlFlow;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use flashscope_core::seed::Random;
use flashscope_device::create_file;
use rustix::fs::{FallocateFlags, copy_file_range, fallocate, ioctl_ficlone};

use super::SIZE_BYTES;

/// One way.
pub struct Copy {
    pub name: &'static str,
    /// Does it; an error where the filesystem cannot.
    pub make: fn(&Path, &mut Random) -> io::Result<Copied>,
}

const fn copy(name: &'static str, make: fn(&Path, &mut Random) -> io::Result<Copied>) -> Copy {
    Copy { name, make }
}

pub const COPIES: &[Copy] = &[
    copy("cp", |target, random| tool(target, random, &["cp"])),
    copy("cp --preserve", cp_with_the_times_of_the_target),
    copy("cp of another file of flashscope's", cp_of_another_of_ours),
    copy("dd conv=notrunc", |target, random| dd(target, random, &["conv=notrunc"])),
    copy("dd oflag=direct", |target, random| dd(target, random, &["conv=notrunc,fdatasync", "oflag=direct"])),
    copy("dd of a piece", dd_of_a_piece),
    copy("a few bytes", |target, random| {
        let length = 3 + random.below(60) as usize;
        piece(target, random, length, 1)
    }),
    copy("a few bytes at the start of a page", |target, random| {
        let length = 3 + random.below(5) as usize;
        piece(target, random, length, 4096)
    }),
    copy("a sector", |target, random| piece(target, random, 512, 512)),
    copy("in place, where blocks differ", in_place),
    copy("rename over", |target, random| {
        let (source, data) = source(target, random)?;
        fs::rename(source, target)?;
        Ok(Copied::whole(data))
    }),
    copy("install", |target, random| tool(target, random, &["install"])),
    copy("redirection", |target, random| {
        let data = others(random, SIZE_BYTES as usize);
        fs::write(target, &data)?;
        Ok(Copied::whole(data))
    }),
    copy("truncate and refill", |target, random| {
        let data = others(random, SIZE_BYTES as usize);
        let file = opened(target)?;
        file.set_len(0)?;
        file.set_len(SIZE_BYTES)?;
        file.write_all_at(&data, 0)?;
        Ok(Copied::whole(data))
    }),
    copy("truncate and extend", |target, _| {
        let file = opened(target)?;
        file.set_len(SIZE_BYTES / 2)?;
        file.set_len(SIZE_BYTES)?;
        Ok(Copied::at(SIZE_BYTES / 2, vec![0; SIZE_BYTES as usize / 2]))
    }),
    copy("a hole", |target, random| zeros(target, random, FallocateFlags::PUNCH_HOLE)),
    copy("zeroed range", |target, random| zeros(target, random, FallocateFlags::ZERO_RANGE)),
    copy("a hole, refilled", |target, random| {
        let file = opened(target)?;
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        fallocate(&file, flags, 0, SIZE_BYTES)?;
        let mut data = vec![0; SIZE_BYTES as usize];
        let at = random.below(SIZE_BYTES / 2) as usize;
        data[at..at + 5000].copy_from_slice(&others(random, 5000));
        file.write_all_at(&data[at..at + 5000], at as u64)?;
        Ok(Copied::whole(data))
    }),
    copy("collapse and append", |target, random| {
        let file = opened(target)?;
        fallocate(&file, FallocateFlags::COLLAPSE_RANGE, 0, 65536)?;
        let data = others(random, 65536);
        file.write_all_at(&data, SIZE_BYTES - 65536)?;
        Ok(Copied::at(SIZE_BYTES - 65536, data))
    }),
    copy("reflink", |target, random| {
        let (source, data) = source(target, random)?;
        let cloned = ioctl_ficlone(opened(target)?, File::open(&source)?);
        fs::remove_file(source)?;
        cloned?;
        Ok(Copied::whole(data))
    }),
    copy("copy_file_range", |target, random| {
        let (source, data) = source(target, random)?;
        let (from, to) = (File::open(&source)?, opened(target)?);
        let (mut at, mut into) = (0, 0);
        while at < SIZE_BYTES {
            let left = (SIZE_BYTES - at) as usize;
            copy_file_range(&from, Some(&mut at), &to, Some(&mut into), left)?;
        }
        fs::remove_file(source)?;
        Ok(Copied::whole(data))
    }),
];

/// Somebody else's data, by its place in the file.
#[derive(Default)]
pub struct Copied(Vec<(u64, Vec<u8>)>);

impl Copied {
    fn whole(data: Vec<u8>) -> Copied {
        Copied::at(0, data)
    }

    fn at(offset: u64, data: Vec<u8>) -> Copied {
        Copied(vec![(offset, data)])
    }

    /// In pieces within sectors, which are there as a whole or not.
    fn pieces(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.0.iter().flat_map(|(offset, data)| {
            let first = (512 - offset % 512).min(data.len() as u64) as usize;
            let (head, rest) = data.split_at(first);
            let behind = (offset + first as u64..).step_by(512).zip(rest.chunks(512));
            [(*offset, head)].into_iter().chain(behind).filter(|(_, piece)| !piece.is_empty())
        })
    }

    /// What of it is still in the file.
    pub fn left_in(&self, path: &Path) -> Copied {
        let there = fs::read(path).unwrap_or_default();
        let is_there =
            |(at, piece): &(u64, &[u8])| there.get(*at as usize..*at as usize + piece.len()) == Some(*piece);
        Copied(self.pieces().filter(is_there).map(|(at, piece)| (at, piece.to_vec())).collect())
    }

    pub fn bytes(&self) -> u64 {
        self.0.iter().map(|(_, data)| data.len() as u64).sum()
    }

    /// How much of it is gone.
    pub fn lost_bytes(&self, path: &Path) -> u64 {
        self.bytes() - self.left_in(path).bytes()
    }
}

fn opened(path: &Path) -> io::Result<File> {
    File::options().read(true).write(true).open(path)
}

/// What people keep in files.
fn others(random: &mut Random, bytes: usize) -> Vec<u8> {
    match random.below(4) {
        0 => vec![0; bytes],
        1 => vec![0xff; bytes],
        2 => b"precious ".iter().copied().cycle().take(bytes).collect(),
        _ => (0..bytes).map(|_| random.below(256) as u8).collect(),
    }
}

/// A file of the same size beside the target.
fn source(target: &Path, random: &mut Random) -> io::Result<(PathBuf, Vec<u8>)> {
    let data = others(random, SIZE_BYTES as usize);
    let path = target.with_extension("source");
    fs::write(&path, &data)?;
    Ok((path, data))
}

/// Runs a tool with the target's name behind the source's.
fn tool(target: &Path, random: &mut Random, command: &[&str]) -> io::Result<Copied> {
    let (source, data) = source(target, random)?;
    run(Command::new(command[0]).args(&command[1..]).arg(&source).arg(target))?;
    fs::remove_file(source)?;
    Ok(Copied::whole(data))
}

fn run(command: &mut Command) -> io::Result<()> {
    let done = command.output()?;
    let said = String::from_utf8_lossy(&done.stderr);
    if done.status.success() { Ok(()) } else { Err(io::Error::other(said.into_owned())) }
}

fn cp_with_the_times_of_the_target(target: &Path, random: &mut Random) -> io::Result<Copied> {
    let (source, data) = source(target, random)?;
    let times = fs::metadata(target)?.modified()?;
    File::options().write(true).open(&source)?.set_modified(times)?;
    run(Command::new("cp").arg("--preserve=timestamps").arg(&source).arg(target))?;
    fs::remove_file(source)?;
    Ok(Copied::whole(data))
}

/// Its mark comes along where the filesystem has attributes.
fn cp_of_another_of_ours(target: &Path, _: &mut Random) -> io::Result<Copied> {
    let source = target.with_extension("ours");
    create_file(&source, SIZE_BYTES, 9, &mut |_| ControlFlow::Continue(())).map_err(io::Error::other)?;
    let data = fs::read(&source)?;
    run(Command::new("cp").arg("--preserve=all").arg(&source).arg(target))?;
    fs::remove_file(source)?;
    Ok(Copied::whole(data))
}

fn dd(target: &Path, random: &mut Random, options: &[&str]) -> io::Result<Copied> {
    let (source, data) = source(target, random)?;
    let files = [format!("if={}", source.display()), format!("of={}", target.display())];
    run(Command::new("dd").args(files).arg("bs=65536").args(options))?;
    fs::remove_file(source)?;
    Ok(Copied::whole(data))
}

fn dd_of_a_piece(target: &Path, random: &mut Random) -> io::Result<Copied> {
    let (source, data) = source(target, random)?;
    let (at, count) = (random.below(100), 1 + random.below(20));
    let files = [format!("if={}", source.display()), format!("of={}", target.display())];
    let place = [format!("seek={at}"), format!("skip={at}"), format!("count={count}")];
    run(Command::new("dd").args(files).args(["bs=4096", "conv=notrunc"]).args(place))?;
    fs::remove_file(source)?;
    let range = at as usize * 4096..(at + count) as usize * 4096;
    Ok(Copied::at(at * 4096, data[range].to_vec()))
}

/// A text somewhere, at a multiple of `unit`.
fn piece(target: &Path, random: &mut Random, length: usize, unit: u64) -> io::Result<Copied> {
    let at = random.below((SIZE_BYTES - 4096) / unit) * unit;
    let data: Vec<u8> = (0..length).map(|_| b' ' + random.below(90) as u8).collect();
    opened(target)?.write_all_at(&data, at)?;
    Ok(Copied::at(at, data))
}

/// As `rsync --inplace --no-whole-file` writes.
fn in_place(target: &Path, random: &mut Random) -> io::Result<Copied> {
    let mut data = fs::read(target)?;
    for _ in 0..1 + random.below(5) {
        let at = random.below(data.len().saturating_sub(3000) as u64) as usize;
        let fresh = others(random, 3000);
        data.get_mut(at..at + 3000).ok_or(ErrorKind::InvalidData)?.copy_from_slice(&fresh);
    }
    let before = fs::read(target)?;
    let file = opened(target)?;
    let mut copied = Copied::default();
    for (at, (old, new)) in (0..).step_by(700).zip(before.chunks(700).zip(data.chunks(700))) {
        if old != new {
            file.write_all_at(new, at)?;
            copied.0.push((at, new.to_vec()));
        }
    }
    Ok(copied)
}

fn zeros(target: &Path, random: &mut Random, how: FallocateFlags) -> io::Result<Copied> {
    let (at, blocks) = (random.below(60) * 4096, 1 + random.below(60));
    fallocate(opened(target)?, how | FallocateFlags::KEEP_SIZE, at, blocks * 4096)?;
    Ok(Copied::at(at, vec![0; blocks as usize * 4096]))
}
