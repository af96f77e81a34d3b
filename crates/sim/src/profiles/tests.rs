use flashscope_core::seed::Random;
use flashscope_core::{Op, Request, Target, Time};

use super::*;
use crate::{Disk, Ssd};

fn set(profile: &str, key: &str, value: &str) -> Result<Profile, SimError> {
    Profile::find(profile, &[(key.into(), value.into())])
}

#[test]
fn every_profile_is_right() {
    for name in NAMES {
        let profile = Profile::find(name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!profile.about().is_empty(), "{name} says what it is");
        if let Profile::Ssd(settings) = profile {
            settings.check().unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

#[test]
fn every_key_says_what_it_means() {
    for key in keys() {
        assert!(key.about.len() > 8, "{} has no description", key.name);
    }
}

#[test]
fn an_override_changes_its_key_alone() {
    let Ok(Profile::Ssd(settings)) = set("bplru-board", "nand.pages_per_block", "64") else { panic!() };
    let Ok(Profile::Ssd(plain)) = Profile::find("bplru-board", &[]) else { panic!() };
    assert_eq!((settings.nand.pages_per_block, settings.ram.size), (64, plain.ram.size));
}

#[test]
fn a_misspelt_override_names_the_near_key() {
    let message = set("bplru-board", "nand.page_per_block", "64").unwrap_err().to_string();
    assert!(message.contains("did you mean nand.pages_per_block?"), "{message}");
}

#[test]
fn a_misspelt_name_names_the_near_one() {
    let message = |name| Profile::find(name, &[]).err().unwrap().to_string();
    let near = message("x25m-209");
    assert!(
        near.contains("unknown profile 'x25m-209'; did you mean x25m-2009? Otherwise choose one of"),
        "{near}"
    );
    let far = message("nosuch");
    assert!(far.contains("unknown profile 'nosuch'; choose one of"), "{far}");
    let rig = crate::rigs::find("mtrn").unwrap_err().to_string();
    assert!(rig.contains("did you mean mtron?"), "{rig}");
}

#[test]
fn one_time_needs_no_brackets() {
    for (given, expected) in [("50", vec![50.0]), ("[50, 900]", vec![50.0, 900.0])] {
        let Ok(Profile::Ssd(settings)) = set("x25m-2009", "nand.read_us", given) else { panic!("{given}") };
        assert_eq!(settings.nand.read_us, expected);
    }
    let message = set("x25m-2009", "nand.read_us", "soon").unwrap_err().to_string();
    assert!(message.contains("a number, or several in brackets"), "{message}");
}

#[test]
fn a_wrong_value_names_key_and_value() {
    let message = set("bplru-board", "nand.pages_per_block", "many").unwrap_err().to_string();
    assert!(message.contains("nand.pages_per_block cannot be 'many'"), "{message}");
}

#[test]
fn a_misspelt_key_in_a_profile_names_line_and_choices() {
    let text = "about = \"x\"\n[nand]\nplains = 2\n";
    let message = Profile::parse("mine", text, &[]).unwrap_err().to_string();
    assert!(message.contains("line 3") && message.contains("planes"), "{message}");
}

#[test]
fn every_profile_can_be_small() {
    for name in NAMES {
        for capacity in ["256MiB", "1GiB"] {
            let key = if name.starts_with("hdd") { "disk.capacity" } else { "capacity" };
            match set(name, key, capacity).unwrap_or_else(|error| panic!("{name}: {error}")) {
                Profile::Ssd(settings) => {
                    Ssd::new(name, *settings, 1).unwrap_or_else(|e| panic!("{name} of {capacity}: {e}"));
                }
                Profile::Disk(disk) => assert!(Disk::new(name, &disk).is_ok(), "{name} of {capacity}"),
            }
        }
    }
}

/// IOs a second and the mean response time in microseconds, with so many in flight all the time.
fn loaded(ssd: &mut Ssd, depth: usize, ios: usize, mut next: impl FnMut() -> Request) -> (f64, f64) {
    let (mut done, mut sent) = (Vec::new(), 0);
    let begin = ssd.now();
    while done.len() < ios {
        let free = (depth + done.len() - sent).min(ios - sent);
        let requests: Vec<Request> = (0..free).map(|_| next()).collect();
        ssd.submit(&requests).unwrap();
        sent += free;
        ssd.reap(1, Time::NEVER, &mut done).unwrap();
    }
    let seconds = (ssd.now().0 - begin.0) as f64 / 1e9;
    let total: u64 = done.iter().map(|io| io.completed.0 - io.submitted.0).sum();
    (ios as f64 / seconds, total as f64 / ios as f64 / 1e3)
}

fn nvme() -> Ssd {
    let Ok(Profile::Ssd(settings)) = set("nvme-tlc-2024", "capacity", "1GiB") else { panic!() };
    Ssd::new("nvme-tlc-2024", *settings, 1).unwrap()
}

/// The alone one is the sum of its parts: command, sensing, bus, link. Many are limited by the dies that are
/// idle by chance and, at the most, by a million commands a second.
#[test]
fn the_nvme_drive_reads_at_random_like_its_class() {
    let mut random = Random::new(3);
    let mut next =
        || Request { offset_bytes: random.below(1 << 18) * 4096, length_bytes: 4096, ..Request::default() };
    let (_, alone_us) = loaded(&mut nvme(), 1, 2_000, &mut next);
    assert!((alone_us - (8.0 + 50.0 + 2.5 + 0.585)).abs() < 0.1, "{alone_us} us alone");
    for (depth, least, most) in [(64, 600e3, 750e3), (256, 950e3, 1e6), (1_024, 970e3, 1e6)] {
        let (ios, _) = loaded(&mut nvme(), depth, 50_000, &mut next);
        assert!((least..=most).contains(&ios), "{ios:.0} a second at queue depth {depth}");
    }
}

#[test]
fn the_nvme_drive_reads_in_order_as_fast_as_its_link() {
    let mut offset_bytes = 0;
    let (ios, _) = loaded(&mut nvme(), 16, 8_192, || {
        let request = Request { offset_bytes, length_bytes: 131_072, op: Op::Read, ..Request::default() };
        offset_bytes = (offset_bytes + 131_072) % (1 << 30);
        request
    });
    let mb_s = ios * 131_072.0 / 1e6;
    assert!((6_900.0..=7_000.0).contains(&mb_s), "{mb_s} MB/s");
}

#[test]
fn the_over_provisioning_that_an_error_asks_for_is_accepted_or_the_device_is_called_too_small() {
    for capacity in ["4KiB", "64KiB", "1MiB", "16MiB", "64MiB"] {
        for name in NAMES.into_iter().filter(|name| !name.starts_with("hdd")) {
            let make = |more: &[(String, String)]| {
                let none = [("buffer", "none"), ("ram.write_behind", "0B"), ("capacity", capacity)];
                let mut keys = none.map(|(key, value)| (key.to_string(), value.to_string())).to_vec();
                keys.extend_from_slice(more);
                let Ok(Profile::Ssd(settings)) = Profile::find(name, &keys) else { panic!("{name}") };
                Ssd::new(name, *settings, 1)
            };
            let Err(error) = make(&[]) else { continue };
            let message = error.to_string();
            if !message.starts_with("over_provisioning") {
                continue; // more logs than the flash has blocks
            }
            match message.split_once("at least ") {
                Some((_, least)) => drop(
                    make(&[("over_provisioning".into(), least.into())])
                        .unwrap_or_else(|error| panic!("{name} of {capacity}: {message}, and then {error}")),
                ),
                None => assert!(message.contains("too small"), "{message}"),
            }
        }
    }
}

#[test]
fn a_time_or_speed_that_cannot_be_is_named() {
    for key in [
        "nand.erase_us",
        "nand.transfer_us",
        "host.command_us",
        "host.mb_s",
        "ram.access_us",
        "energy.erase_uj",
    ] {
        for value in ["-1.0", "1e300", "nan"] {
            let Ok(Profile::Ssd(settings)) = set("nvme-tlc-2024", key, value) else { panic!("{key}") };
            let message = settings.geometry().unwrap_err().to_string();
            assert!(message.starts_with(key), "{message}");
        }
    }
}

/// The built-in drives use neither of these parts; the values are the nearest ones beyond the range.
#[test]
fn a_number_that_no_part_could_use_is_named_whatever_is_in_use() {
    for (key, value) in [
        ("cflru.window", "1.001"),
        ("lirs.hir_share", "-0.001"),
        ("hot_cold.space", "nan"),
        ("page.frontiers", "3"),
        ("victim.choices", "0"),
        ("chunk.open_chunks", "0"),
        ("replacement_block.chain_max", "1"),
        ("fast.log_blocks", "1"),
        ("dftl.cached_entries", "0"),
        ("superblock.update_blocks_max", "0"),
    ] {
        let keys = [(key, value), ("ftl", "block"), ("buffer", "lru")].map(|(k, v)| (k.into(), v.into()));
        let Ok(Profile::Ssd(settings)) = Profile::find("bplru-board", &keys) else { panic!("{key}") };
        let message = settings.geometry().expect_err(key).to_string();
        assert!(message.starts_with(&format!("{key} is ")), "{message}");
    }
}

#[test]
fn write_behind_is_at_most_the_capacity() {
    for (bytes, is_right) in [("64MiB", true), ("65540KiB", false), ("10TiB", false)] {
        let keys = [("ram.write_behind", bytes), ("capacity", "64MiB")].map(|(k, v)| (k.into(), v.into()));
        let Ok(Profile::Ssd(settings)) = Profile::find("bplru-board", &keys) else { panic!("{bytes}") };
        match settings.geometry() {
            Ok(_) => assert!(is_right, "{bytes}"),
            Err(error) => {
                let message = error.to_string();
                let words = ["ram.write_behind", bytes, "at most its capacity, 64MiB"];
                assert!(!is_right && words.iter().all(|word| message.contains(word)), "{message}");
            }
        }
    }
}

#[test]
fn a_capacity_of_no_whole_pages_names_the_page_and_the_nearest_that_works() {
    for (capacity, nearest) in
        [("1000000000", 1_000_001_536), ("1000001000", 1_000_001_536), ("1", 4096), ("0", 4096)]
    {
        let Ok(Profile::Ssd(mut settings)) = set("x25m-2009", "capacity", capacity) else {
            panic!("{capacity}")
        };
        let message = settings.geometry().unwrap_err().to_string();
        let nearest = flashscope_core::Bytes(nearest);
        assert!(message.contains("nand.page, 4KiB") && message.ends_with(&nearest.to_string()), "{message}");
        settings.capacity = nearest;
        settings.ram.write_behind = flashscope_core::Bytes(0);
        settings.geometry().unwrap_or_else(|error| panic!("{error}"));
    }
}
