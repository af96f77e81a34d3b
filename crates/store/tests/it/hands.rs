//! What hostile hands do to a result folder, and a place outside of it that notices whoever looks there.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use flashscope_core::seed::Random;
use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use rustix::fs::{CWD, FileType, makedev, mknodat};
use serde_json::{Value, json};

/// A result, a secret and a pipe outside of the folder that is read.
pub struct Outside {
    folder: PathBuf,
}

/// Notices whoever opens, reads or changes something there.
pub struct Guarded(OwnedFd);

impl Outside {
    /// Like the result in `folder`, so that whoever is led here finds what it looks for.
    pub fn beside(folder: &Path) -> Outside {
        let outside = folder.with_extension("outside");
        let copied = Command::new("cp").arg("-r").args([folder, &outside]).status().expect("cp is there");
        assert!(copied.success());
        mknodat(CWD, outside.join("pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe can be made");
        Outside { folder: outside }
    }

    /// From now on nobody but the one that is tested has anything to do with it.
    pub fn guard(&self) -> Guarded {
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).expect("inotify is there");
        for place in ["", "ios", "inside"].map(|name| self.folder.join(name)) {
            if place.is_dir() {
                add_watch(&events, &place, WatchFlags::ALL_EVENTS).expect("it can be watched");
            }
        }
        Guarded(events)
    }
}

impl Guarded {
    /// Nobody was there.
    pub fn is_untouched(&self) -> bool {
        rustix::io::read(&self.0, &mut [0; 4096]) == Err(rustix::io::Errno::AGAIN)
    }
}

/// Does one thing to the folder; says what.
pub fn lay_a_hand_on(folder: &Path, outside: &Outside, random: &mut Random) -> String {
    // One hand leaves what another did to it.
    let is_plain = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    let files: Vec<PathBuf> = files(folder).into_iter().filter(is_plain).collect();
    let Some(file) = files.get(random.below(files.len().max(1) as u64) as usize) else {
        return "nothing is left".into();
    };
    let name = file.strip_prefix(folder).expect("it is in it");
    let twin = outside.folder.join(name);
    let instead = |what: &str, make: &dyn Fn() -> bool| {
        fs::remove_file(file).expect("it is there");
        assert!(make() || what == "a device", "{what} can be made");
        format!("{} is {what}", name.display())
    };
    match random.below(11) {
        0 => instead("a link that leads out", &|| symlink(&twin, file).is_ok()),
        1 => instead("a link to a pipe outside", &|| symlink(outside.folder.join("pipe"), file).is_ok()),
        2 => instead("a pipe", &|| mknodat(CWD, file, FileType::Fifo, 0o600.into(), 0).is_ok()),
        3 => instead("a socket", &|| mknodat(CWD, file, FileType::Socket, 0o600.into(), 0).is_ok()),
        4 => instead("a device", &|| {
            mknodat(CWD, file, FileType::CharacterDevice, 0o600.into(), makedev(1, 5)).is_ok()
        }),
        5 => instead("a link to a device", &|| symlink("/dev/zero", file).is_ok()),
        6 => instead("a folder", &|| fs::create_dir(file).is_ok()),
        7 => {
            let bytes = 1 << random.below(42);
            File::options()
                .write(true)
                .open(file)
                .and_then(|file| file.set_len(bytes))
                .expect("it is written");
            format!("{} has {bytes} bytes", name.display())
        }
        8 => {
            let below = folder.join(["ios", "inside"][random.below(2) as usize]);
            let _ = fs::remove_dir_all(&below);
            symlink(outside.folder.join("ios"), &below).expect("its name is free");
            format!("{} leads out", below.display())
        }
        _ => {
            let path = path(folder, outside, random);
            for file in files.iter().filter(|file| file.extension().is_some_and(|end| end != "parquet")) {
                redirect(file, &path);
            }
            format!("all IOs are in {path:?}")
        }
    }
}

/// Where a result's documents may say that its IOs are.
fn path(folder: &Path, outside: &Outside, random: &mut Random) -> String {
    let of_outside = files(&outside.folder);
    let twin = &of_outside[random.below(of_outside.len() as u64) as usize];
    let relative = twin.strip_prefix(folder.parent().expect("it lies somewhere")).expect("beside it");
    match random.below(8) {
        0 => twin.display().to_string(),
        1 => format!("../{}", relative.display()),
        2 => format!("ios/../../{}", relative.display()),
        3 => outside.folder.join("pipe").display().to_string(),
        4 => format!("../{}/pipe", relative.components().next().expect("a name").as_os_str().display()),
        5 => ["/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/fd/0"][random.below(4) as usize]
            .into(),
        6 => {
            ["", ".", "..", "/", "ios", "ios/", "a\0b", "\u{1b}[2J\u{202e}"][random.below(8) as usize].into()
        }
        _ => "ios/".repeat(3000),
    }
}

/// Every name of IOs in a document, or in each line of it, is another.
fn redirect(file: &Path, path: &str) {
    let Ok(text) = fs::read_to_string(file) else { return };
    let lines = text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>();
    let documents = serde_json::from_str(&text).map(|one| vec![one]).or(lines);
    let Ok(mut documents) = documents else { return };
    documents.iter_mut().for_each(|document| rename(document, path));
    let text: String = documents.iter().map(|document| format!("{document}\n")).collect();
    fs::write(file, text).expect("it can be written");
}

fn rename(value: &mut Value, path: &str) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(key, value)| match key.as_str() {
            "records" => *value = json!(path),
            _ => rename(value, path),
        }),
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, path)),
        _ => {}
    }
}

/// The files below a folder, in the order of their names.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |path: &Path| fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    let mut all: Vec<PathBuf> = entries
        .flat_map(|entry| if is_folder(&entry.path()) { files(&entry.path()) } else { vec![entry.path()] })
        .collect();
    all.sort();
    all
}
