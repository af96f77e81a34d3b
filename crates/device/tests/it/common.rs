//! Loop devices, mounts and folders that clean up after themselves, for tests that need a real kernel.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Whether this machine can run the test: root, loop devices and `tools`. Where it cannot, says why; in CI
/// (`CI=true`) that is a failure, for there nothing may be skipped.
pub fn requires(tools: &[&str]) -> bool {
    let missing = tools.iter().find(|tool| find(tool).is_none());
    let why = match missing {
        _ if !rustix::process::geteuid().is_root() => "root is needed".to_string(),
        _ if !Path::new("/dev/loop-control").exists() => "the kernel offers no loop devices".to_string(),
        Some(tool) => format!("{tool} is not installed"),
        None => return true,
    };
    assert!(std::env::var("CI").as_deref() != Ok("true"), "skipped in CI: {why}");
    // Past the harness, which would keep it to itself.
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
    false
}

fn find(tool: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&path).chain(system).map(|folder| folder.join(tool)).find(|file| file.is_file())
}

/// Runs a tool; its failure is the test's.
pub fn run(tool: &str, arguments: &[&str]) -> String {
    let program = find(tool).unwrap_or_else(|| panic!("{tool} is not installed"));
    let output = Command::new(program).args(arguments).output().expect("the tool starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

/// A folder of its own in memory, gone at the end.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Scratch {
        let memory = Path::new("/dev/shm");
        let disk = std::env::temp_dir();
        Scratch::under(if memory.is_dir() { memory } else { &disk })
    }

    /// In `parent`, where the kind of filesystem matters.
    pub fn under(parent: &Path) -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("flashscope-test-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).expect("a scratch folder can be made");
        Scratch(folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// An empty image of `size_bytes`.
    pub fn image(&self, name: &str, size_bytes: u64) -> PathBuf {
        let path = self.path(name);
        File::create(&path).and_then(|file| file.set_len(size_bytes)).expect("an image can be made");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A loop device on an image.
pub struct Loop {
    pub device: PathBuf,
    pub image: PathBuf,
}

impl Loop {
    pub fn attach(image: &Path, options: &[&str]) -> Loop {
        let mut arguments = vec!["--find", "--show"];
        arguments.extend(options);
        arguments.push(image.to_str().expect("a plain path"));
        Loop { device: PathBuf::from(run("losetup", &arguments)), image: image.to_path_buf() }
    }

    pub fn name(&self) -> &str {
        self.device.to_str().expect("a plain path")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("partx").arg("--delete").arg(&self.device).output();
        let _ = Command::new("losetup").arg("--detach").arg(&self.device).output();
    }
}

/// A mount that lasts as long as this.
pub struct Mounted(PathBuf);

impl Mounted {
    pub fn read_only(device: &str, place: PathBuf) -> Mounted {
        fs::create_dir_all(&place).expect("a mount point can be made");
        run("mount", &["-o", "ro", device, place.to_str().expect("a plain path")]);
        Mounted(place)
    }

    /// Writable, with options.
    pub fn with(device: &str, options: &str, place: PathBuf) -> Mounted {
        fs::create_dir_all(&place).expect("a mount point can be made");
        run("mount", &["-o", options, device, place.to_str().expect("a plain path")]);
        Mounted(place)
    }

    /// The kernel's tracing.
    pub fn tracefs(place: PathBuf) -> Mounted {
        fs::create_dir_all(&place).expect("a mount point can be made");
        run("mount", &["-t", "tracefs", "tracefs", place.to_str().expect("a plain path")]);
        Mounted(place)
    }

    /// A filesystem in memory that holds no more than `size`, writable.
    pub fn memory(size: &str, place: PathBuf) -> Mounted {
        fs::create_dir_all(&place).expect("a mount point can be made");
        let options = format!("size={size}");
        run("mount", &["-t", "tmpfs", "-o", &options, "tmpfs", place.to_str().expect("a plain path")]);
        Mounted(place)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).output();
    }
}

/// A fingerprint of every byte.
pub fn fingerprint(path: &Path) -> u64 {
    let mut file = File::open(path).expect("it can be read");
    let mut chunk = vec![0; 1 << 20];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    loop {
        let count = file.read(&mut chunk).expect("it can be read");
        if count == 0 {
            return hash;
        }
        for word in chunk[..count].chunks(8) {
            let word = word.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
            hash = (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
        }
    }
}
