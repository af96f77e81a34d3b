//! Files that describe something and are none, or say what cannot be: each is refused with its name before
//! the first IO, and none is waited for.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use flashscope_lab::{DESCRIPTION_BYTES_MAX, Result, profile, read_description, suite};
use flashscope_sim::Profile;

use crate::kernel::Scratch;

/// What comes of it; a minute is far more than it takes.
fn outcome<T: Send + 'static>(act: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || tell.send(act()));
    told.recv_timeout(Duration::from_secs(60)).expect("it does not wait for what never comes")
}

fn refusal<T: Send + 'static>(read: impl FnOnce() -> Result<T> + Send + 'static) -> String {
    match outcome(read) {
        Ok(_) => panic!("it was read"),
        Err(error) => error.to_string(),
    }
}

fn profile_in(path: &Path) -> Result<Profile> {
    profile(path.to_str().expect("a name"), &[])
}

/// Each kind of place, and what its refusal says.
fn places(folder: &Scratch) -> Vec<(&'static str, &'static str)> {
    let path = |name: &str| folder.path(name);
    fs::create_dir(path("folder.toml")).expect("room");
    symlink("/dev/zero", path("zeros.toml")).expect("room");
    symlink("loop.toml", path("loop.toml")).expect("room");
    assert!(Command::new("mkfifo").arg(path("pipe.toml")).status().expect("mkfifo").success());
    fs::write(path("large.toml"), vec![b'#'; DESCRIPTION_BYTES_MAX as usize + 1]).expect("room");
    fs::write(path("binary.toml"), [0xff, 0xfe, 0, 1]).expect("room");
    vec![
        ("folder.toml", "it is a folder"),
        ("zeros.toml", "it is a device"),
        ("loop.toml", "symbolic links"),
        ("pipe.toml", "it is a pipe"),
        ("large.toml", "it is larger than 1 MiB"),
        ("binary.toml", "UTF-8"),
        ("missing.toml", "No such file"),
        ("\u{1b}[31m\n\u{202e}.toml", "No such file"),
    ]
}

#[test]
fn what_is_no_file_is_refused_and_not_waited_for() {
    let folder = Scratch::new();
    for (name, why) in places(&folder) {
        let path = folder.path(name);
        let (as_profile, as_suite, as_job) = (path.clone(), path.clone(), path.clone());
        let said = [
            ("profile", refusal(move || profile_in(&as_profile))),
            (
                "suite",
                refusal(move || {
                    suite(as_suite.to_str().expect("a name"), &flashscope_bench::Suites::builtin())
                }),
            ),
            ("job", refusal(move || read_description("job", &as_job))),
        ];
        for (kind, said) in said {
            assert!(said.contains(&format!("cannot read the {kind}")), "{name}: {said}");
            assert!(said.contains(name) && said.contains(why), "{name}: {said}");
        }
    }
}

#[test]
fn a_description_of_the_largest_size_is_read_and_one_byte_more_is_not() {
    let folder = Scratch::new();
    let path = folder.path("all.toml");
    for (bytes, is_read) in [(DESCRIPTION_BYTES_MAX, true), (DESCRIPTION_BYTES_MAX + 1, false)] {
        fs::write(&path, vec![b'#'; bytes as usize]).expect("room");
        assert_eq!(profile_in(&path).is_ok(), is_read, "{bytes} bytes");
    }
    // Its size is told as 0.
    let cpu = read_description("profile", Path::new("/proc/cpuinfo")).expect("it is text");
    assert!(!cpu.is_empty());
}

/// TOML that is none, or of another shape: it is refused with the file's name, or is a device.
#[test]
fn profiles_of_another_shape_are_refused_by_name() {
    let folder = Scratch::new();
    let deep = format!("a = {}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let many = (0..20_000).map(|i| format!("k{i} = {i}\n")).collect::<String>();
    let texts = [
        "capacity = ",
        "capacity = \"1GiB\"\ncapacity = \"2GiB\"",
        "[nand]\n[nand]",
        "[[nand]]\nplanes = 1",
        "nand = 5",
        "nand = { planes = \"two\" }",
        "nand.planes = [1]",
        "nand.planes = 1e400",
        "nand.planes = -1",
        "nand.planes = 99999999999999999999",
        "over_provisioning = nan",
        "over_provisioning = inf",
        "capacity = 1979-05-27T07:32:00Z",
        "ftl = \"\\u001b[31m\"",
        "ftl = \"\\u202e\"",
        "kind = \"none\"",
        "rw = \"read\"",
        "\u{feff}rpm = true",
        "\0",
        &deep,
        &many,
    ];
    for (number, text) in texts.into_iter().enumerate() {
        let path = folder.path(&format!("shape-{number}.toml"));
        fs::write(&path, text).expect("room");
        let head: String = text.chars().take(60).collect();
        let made = outcome(move || {
            profile_in(&path).and_then(|profile| match profile {
                Profile::Ssd(settings) => Ok(flashscope_sim::Ssd::new("shape", *settings, 1).map(drop)?),
                Profile::Disk(settings) => Ok(flashscope_sim::Disk::new("shape", &settings).map(drop)?),
            })
        });
        let said = made.expect_err(&head).to_string();
        assert!(!said.is_empty() && said.len() < 2_000, "{head}: {} bytes of {said:.300}", said.len());
        let names_it =
            ["shape-", "planes", "over_provisioning", "ftl"].iter().any(|name| said.contains(name));
        assert!(names_it, "{head}: {said}");
    }
    // Nothing said is the usual device.
    let path = folder.path("empty.toml");
    fs::write(&path, "").expect("room");
    assert!(profile_in(&path).is_ok());
}
