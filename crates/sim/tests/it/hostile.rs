//! Hostile descriptions and states are refused with an error, never by a panic, and never by a device that
//! cannot serve. Each input is named by its seed.

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Op, Request, Target};
use flashscope_sim::{Disk, Profile, Rig, RigSpec, Settings, SimError, Ssd, profiles, rigs};

const SEED: u64 = 0x686f_7374;
const VALUES: [&str; 24] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "65536",
    "65537",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e-300",
    "1e308",
    "nan",
    "inf",
    "0.5",
    "1B",
    "512B",
    "1PiB",
    "\"\"",
    "[]",
    "true",
    "page",
];

/// Some bytes changed, left out, doubled, or a number replaced.
fn damaged(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() as u64 + 1) as usize;
        match random.below(5) {
            0 => bytes.insert(at, random.below(256) as u8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at..bytes.len().min(at + random.below(40) as usize))),
            3 => {
                let piece = bytes[at..bytes.len().min(at + random.below(60) as usize)].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => replace_number(&mut bytes, at, random),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn replace_number(bytes: &mut Vec<u8>, from: usize, random: &mut Random) {
    let is_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let Some(start) = bytes[from..].iter().position(is_number).map(|at| from + at) else { return };
    let length = bytes[start..].iter().take_while(|byte| is_number(byte)).count();
    bytes.splice(start..start + length, VALUES[random.below(24) as usize].bytes());
}

/// Writes and reads at both ends.
fn serve<T: Target>(target: &mut T, what: &str) {
    let size_bytes = target.info().size_bytes;
    let block_bytes = target.info().logical_block_bytes;
    // The start of a zone is where any may be written.
    let zone_bytes = target.info().zones.map_or(u64::from(block_bytes), |zones| zones.size_bytes);
    let resets = target.info().zones.is_none_or(|zones| zones.resets_on_rewrite);
    let ends = if resets { vec![0, size_bytes - zone_bytes] } else { Vec::new() };
    for offset_bytes in ends {
        for op in [Op::Write, Op::Read] {
            let request = Request { op, offset_bytes, length_bytes: block_bytes, ..Request::default() };
            let mut out = Vec::new();
            target.submit(&[request]).unwrap_or_else(|error| panic!("{what}: {error}"));
            target.reap(1, flashscope_core::Time::NEVER, &mut out).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(out.len(), 1, "{what}");
        }
    }
}

/// What is accepted serves, unless it is too large to try.
fn try_out(profile: Result<Profile, SimError>, what: &str) -> bool {
    match profile {
        Err(_) => return false,
        Ok(Profile::Disk(settings)) => {
            let Ok(mut disk) = Disk::new("hostile", &settings) else { return false };
            serve(&mut disk, what);
        }
        Ok(Profile::Ssd(settings)) => {
            let Ok((geometry, _)) = settings.check().and_then(|()| settings.geometry()) else { return false };
            if geometry.pages() > 1 << 16 {
                return false;
            }
            let Ok(mut ssd) = Ssd::new("hostile", *settings, 1) else { return false };
            if ssd.settings().nand.endurance() > 100 {
                serve(&mut ssd, what);
            }
        }
    }
    true
}

#[test]
fn damaged_profiles_are_refused_or_serve() {
    let small = [("capacity".to_string(), "4MiB".to_string())];
    let mut served = 0;
    for number in 0..6_000 {
        let seed = derive(SEED, number);
        let mut random = Random::new(seed);
        let name = profiles::NAMES[number as usize % profiles::NAMES.len()];
        let text = damaged(profiles::text(name).expect("built in"), &mut random);
        let keys = if text.contains("[disk]") { &[][..] } else { &small[..] };
        served += u32::from(try_out(Profile::parse(name, &text, keys), &format!("seed {seed}, {name}")));
    }
    assert!(served >= 40, "{served} served: the damage is to be light now and then");
}

#[test]
fn every_setting_refuses_what_it_cannot_be() {
    let keys = profiles::keys();
    let mut served = 0;
    for number in 0..4_000 {
        let seed = derive(SEED, 10_000 + number);
        let mut random = Random::new(seed);
        // Some devices need more than the smallest.
        let capacity = ["4MiB", "64MiB"][random.below(2) as usize];
        let mut chosen = vec![("capacity".to_string(), capacity.to_string())];
        let ftls = flashscope_sim::ftl::FTLS;
        chosen.push(("ftl".into(), ftls[random.below(ftls.len() as u64) as usize].0.into()));
        for _ in 0..=random.below(2) {
            let key = keys[random.below(keys.len() as u64) as usize].name.clone();
            chosen.push((key, VALUES[random.below(24) as usize].into()));
        }
        let name = ["bplru-board", "x25m-2009", "nvme-tlc-2024"][random.below(3) as usize];
        served +=
            u32::from(try_out(Profile::find(name, &chosen), &format!("seed {seed}, {name}, {chosen:?}")));
    }
    assert!(served >= 5, "{served} served: some values are to be good");
}

/// Profiles, and what makes them small.
const SMALL: [(&str, &[(&str, &str)]); 4] = [
    ("nvme-tlc-2024", &[FOUR_DIES[0], FOUR_DIES[1], FOUR_DIES[2], ("slc_cache.size", "2MiB")]),
    ("nvme-fdp-2024", &FOUR_DIES),
    ("zns-2024", &[FOUR_DIES[0], FOUR_DIES[1], FOUR_DIES[2], ("zns.zone_size", "4MiB")]),
    ("bplru-board", &[("capacity", "64MiB"), ("over_provisioning", "0.5")]),
];
const FOUR_DIES: [(&str, &str); 3] = [("capacity", "64MiB"), ("nand.channels", "2"), ("nand.dies", "2")];

/// On each profile, every setting with every value: what is refused is refused with the name of a setting.
#[test]
fn every_value_of_every_setting_serves_or_is_refused_by_name() {
    let keys = profiles::keys();
    let (mut served, mut refused) = (0, 0);
    for (name, small) in SMALL {
        let small: Vec<(String, String)> =
            small.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
        assert!(try_out(Profile::find(name, &small), name), "{name} is one to begin with");
        for key in keys.iter().filter(|key| !key.name.starts_with("disk.")) {
            for value in VALUES.iter().chain(&["1TiB", "false", "[[1.0]]", "[2, 1]", "\u{1F4A5}"]) {
                let chosen = [&small[..], &[(key.name.clone(), (*value).to_string())]].concat();
                let what = format!("{name} with {}={value}", key.name);
                let profile = Profile::find(name, &chosen);
                let problem = match &profile {
                    Ok(Profile::Ssd(settings)) => settings.check().err().map(|error| error.to_string()),
                    Ok(Profile::Disk(_)) => None,
                    Err(error) => Some(error.to_string()),
                };
                if let Some(problem) = problem {
                    assert!(keys.iter().any(|key| problem.contains(&key.name)), "{what}: {problem}");
                    refused += 1;
                } else {
                    served += u32::from(try_out(profile, &what));
                }
            }
        }
    }
    assert!(served > 2_000 && refused > 5_000, "{served} served, {refused} refused");
}

#[test]
fn damaged_rigs_are_refused_or_serve() {
    let mut served = 0;
    for number in 0..4_000 {
        let seed = derive(SEED, 20_000 + number);
        let mut random = Random::new(seed);
        let name = rigs::NAMES[number as usize % rigs::NAMES.len()];
        let text = damaged(rigs::text(name).expect("built in"), &mut random);
        if let Ok(spec) = RigSpec::parse(name, &text) {
            serve(&mut Rig::new(spec, seed), &format!("seed {seed}, {name}"));
            served += 1;
        }
    }
    assert!(served > 100, "{served} served: the damage is to be light now and then");
}

/// The checksum finds what was damaged by chance. Where somebody made it fit, what is read is refused or
/// loaded, and nothing is allocated for lengths that are not there.
#[test]
fn damaged_states_are_refused() {
    let settings = Settings { capacity: "256KiB".parse().expect("a size"), ..Settings::default() };
    let mut settings = Settings { over_provisioning: 0.5, buffer: "lru".into(), ..settings };
    settings.nand.pages_per_block = 8;
    settings.ram.size = "16KiB".parse().expect("a size");
    let state = Ssd::new("state", settings, 1).expect("good settings").save();
    for number in 0..4_000 {
        let seed = derive(SEED, 30_000 + number);
        let mut random = Random::new(seed);
        let mut bytes = state.clone();
        for _ in 0..=random.below(3) {
            let at = 26 + random.below(bytes.len() as u64 - 34) as usize;
            bytes[at] = bytes[at].wrapping_add(1 + random.below(255) as u8);
        }
        if bytes != state {
            assert!(matches!(Ssd::load(&bytes), Err(SimError::State { .. })), "seed {seed}");
        }
        let end = bytes.len() - 8;
        let sum = checksum(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        match Ssd::load(&bytes) {
            Ok(ssd) => assert_eq!(ssd.geometry().pages(), ssd.settings().geometry().expect("good").0.pages()),
            Err(error) => assert!(matches!(error, SimError::State { .. }), "seed {seed}: {error}"),
        }
    }
}

/// As `ssd/state.rs` says: FNV-1a over words of eight bytes, the rest byte by byte.
fn checksum(bytes: &[u8]) -> u64 {
    let step = |sum: u64, word: u64| (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3);
    let (words, rest) = bytes.split_at(bytes.len() / 8 * 8);
    let words = words.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
    let sum = words.fold(0xcbf2_9ce4_8422_2325, |sum, word| step(sum, word).rotate_left(23));
    rest.iter().fold(sum, |sum, byte| step(sum, u64::from(*byte)))
}
