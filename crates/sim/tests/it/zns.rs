//! A drive with zones: what it answers, what it keeps, what it costs.

mod model;
mod patterns;
mod table;

use flashscope_core::pattern::{Pattern, Rw};
use flashscope_core::{
    Bytes, Control, ErrorKind, Io, Limits, Op, PatternSource, Request, Stream, Target, Time, drive,
};
use flashscope_sim::buffer::NoBuffer;
use flashscope_sim::ftl::zns::zones::{ZoneAction, ZoneState};
use flashscope_sim::ftl::zns::{ZnsFtl, ZnsSettings};
use flashscope_sim::nand::Cause;
use flashscope_sim::settings::Initial;
use flashscope_sim::testing::small_device;
use flashscope_sim::{Settings, SimError, Ssd};

type Drive = Ssd<ZnsFtl, NoBuffer>;

const PAGE: u64 = 2048;
/// Pages from zone to zone, and those of them that can be written: two blocks of 16 pages, but for three.
const SIZE: u32 = 32;
const CAPACITY: u32 = 29;

/// Eight zones on two channels of two dies, each with blocks of its own.
fn settings() -> Settings {
    let mut settings = Settings { capacity: Bytes(8 * u64::from(SIZE) * PAGE), ..small_device() };
    settings.initial = Initial::Empty;
    (settings.nand.channels, settings.nand.dies, settings.nand.stripe) = (2, 2, 1);
    (settings.nand.program_us, settings.nand.erase_us, settings.nand.transfer_us) =
        (vec![600.0], 3000.0, 5.0);
    settings
}

fn zones(open_max: u32, active_max: u32) -> ZnsSettings {
    ZnsSettings {
        zone_size: Bytes(u64::from(SIZE) * PAGE),
        zone_capacity: Bytes(u64::from(CAPACITY) * PAGE),
        open_max,
        active_max,
        append_max: Bytes(8 * PAGE),
        reset_on_rewrite: false,
    }
}

fn build(settings: Settings, zones: ZnsSettings) -> Result<Drive, SimError> {
    let settings = Settings { zns: zones, ..settings };
    Ssd::builder("zns", settings).ftl::<ZnsFtl>(()).buffer::<NoBuffer>(()).build()
}

fn device(open_max: u32, active_max: u32) -> Drive {
    build(settings(), zones(open_max, active_max)).expect("a good device")
}

fn write(zone: u32, page: u32, pages: u32) -> Request {
    let offset_bytes = u64::from(zone * SIZE + page) * PAGE;
    Request { op: Op::Write, offset_bytes, length_bytes: pages * PAGE as u32, ..Request::default() }
}

fn read(zone: u32, page: u32, pages: u32) -> Request {
    Request { op: Op::Read, ..write(zone, page, pages) }
}

/// The specification's name of what a device answers, or nothing.
fn name<T>(answer: Result<T, flashscope_core::TargetError>) -> String {
    match answer {
        Ok(_) => String::new(),
        Err(error) => {
            assert_eq!((error.kind, error.tag.is_some()), (ErrorKind::Invalid, true), "{error}");
            error.cause.split(':').next().unwrap_or_default().to_string()
        }
    }
}

/// Sends an action, and waits for it.
fn act(drive: &mut Drive, zone: u32, action: ZoneAction) -> String {
    let answer = drive.manage_zone(0, zone, action);
    if answer.is_ok() {
        drive.reap(1, Time::NEVER, &mut Vec::new()).expect("it is done");
    }
    name(answer)
}

fn append(drive: &mut Drive, zone: u32, pages: u32) -> Result<u64, String> {
    match drive.append_to_zone(0, zone, pages * PAGE as u32) {
        Ok(offset_bytes) => {
            drive.reap(1, Time::NEVER, &mut Vec::new()).expect("it is done");
            Ok(offset_bytes / PAGE)
        }
        Err(error) => Err(name::<()>(Err(error))),
    }
}

fn state(drive: &Drive, zone: u32) -> (ZoneState, u32) {
    let zone = drive.zones().and_then(|zones| zones.get(zone)).expect("there is such a zone");
    (zone.state, zone.written_pages)
}

#[test]
fn nothing_is_moved_and_a_finish_pads_one_page() {
    let mut drive = device(4, 4);
    for round in 0..5 {
        for zone in 0..8 {
            act(&mut drive, zone, ZoneAction::Reset);
            let pages = if zone == round { 5 } else { CAPACITY };
            (0..pages).for_each(|page| assert_eq!(name(drive.serve(&write(zone, page, 1))), ""));
            act(&mut drive, zone, ZoneAction::Finish);
        }
    }
    let counts = drive.nand().counts();
    let host = u64::from(5 * (7 * CAPACITY + 5));
    assert_eq!(counts.programs_for(Cause::Host), host);
    // A finish of a full zone is none.
    assert_eq!((counts.programs_for(Cause::Padding), counts.programs()), (5, host + 5));
    // Two blocks for each zone and reset: also of those with five pages, as a group is one page here.
    assert_eq!(counts.erases(), 4 * 8 * 2);
}

#[test]
fn what_is_not_at_the_write_pointer_is_refused_and_the_device_goes_on() {
    let mut drive = device(4, 4);
    let batch = [write(0, 0, 1), write(0, 1, 2), write(0, 4, 1), write(0, 3, 1)];
    let batch: Vec<Request> = (0..).zip(batch).map(|(tag, request)| Request { tag, ..request }).collect();
    let error = drive.submit(&batch).expect_err("the third one is ahead");
    assert_eq!((error.kind, error.tag), (ErrorKind::Invalid, Some(2)), "{error}");
    let cause = "Zone Invalid Write: zone 0 is implicitly open, its write pointer at 6144";
    assert_eq!((error.cause.as_str(), state(&drive, 0).1), (cause, 3));
    drive.submit(&[batch[3], Request { tag: 2, ..batch[2] }]).expect("in order they are good");
    let mut out = Vec::new();
    drive.reap(4, Time::NEVER, &mut out).expect("and served");
    assert_eq!((out.len(), state(&drive, 0)), (4, (ZoneState::ImplicitlyOpen, 5)));
}

#[test]
fn requests_that_no_zone_takes_have_the_specifications_names() {
    let mut drive = device(4, 4);
    assert_eq!(name(drive.serve(&write(0, 0, CAPACITY + 1))), "Zone Boundary Error");
    let half = Request { length_bytes: 512, ..write(0, 0, 1) };
    assert_eq!(name(drive.serve(&half)), "Invalid Field in Command");
    assert_eq!(name(drive.serve(&Request { op: Op::Trim, ..write(0, 0, 1) })), "Invalid Command Opcode");
    assert_eq!(append(&mut drive, 0, 9), Err("Invalid Field in Command".into()), "beyond append_max");
    assert_eq!(append(&mut drive, 8, 1), Err("Invalid Field in Command".into()), "there are eight zones");
    assert_eq!(act(&mut drive, 8, ZoneAction::Reset), "Invalid Field in Command");
    let mut other = Ssd::new("page", small_device(), 1).expect("a good device");
    assert!(other.zones().is_none() && !other.retire_zone(0, true));
    assert_eq!(name(other.manage_zone(0, 0, ZoneAction::Reset)), "Invalid Command Opcode");
    assert_eq!(name(other.append_to_zone(0, 0, 4096)), "Invalid Command Opcode");
}

#[test]
fn settings_that_cannot_have_zones_are_refused_with_their_key() {
    let key = |change: &dyn Fn(&mut Settings, &mut ZnsSettings)| {
        let (mut device, mut zns) = (settings(), zones(4, 4));
        change(&mut device, &mut zns);
        match build(device, zns) {
            Err(SimError::Setting { key, .. }) => key,
            other => panic!("{:?}", other.err()),
        }
    };
    assert_eq!(key(&|_, zns| zns.zone_size = Bytes(0)), "zns.zone_size");
    assert_eq!(key(&|_, zns| zns.zone_size = Bytes(3 * PAGE)), "zns.zone_size");
    assert_eq!(key(&|_, zns| zns.zone_capacity = Bytes(33 * PAGE)), "zns.zone_capacity");
    assert_eq!(key(&|_, zns| zns.zone_capacity = Bytes(PAGE + 1)), "zns.zone_capacity");
    assert_eq!(key(&|_, zns| zns.open_max = 5), "zns.open_max");
    assert_eq!(key(&|_, zns| zns.open_max = 0), "zns.open_max");
    assert_eq!(key(&|device, _| device.initial = Initial::Full), "initial");
    assert_eq!(key(&|device, _| device.initial = Initial::Random), "initial");
    assert_eq!(key(&|device, _| device.host.command_queue = false), "host.command_queue");
    let spare = |device: &mut Settings, zns: &mut ZnsSettings| {
        (device.over_provisioning, zns.zone_capacity) = (0.0, Bytes(0));
        device.nand.pages_per_block = 24;
    };
    assert_eq!(key(&spare), "zns.zone_capacity", "two blocks of 24 pages for a zone of 32");
    let buffered = Ssd::builder("zns", Settings { buffer: "lru".into(), zns: zones(4, 4), ..settings() });
    let refused = buffered.ftl::<ZnsFtl>(()).build().err().expect("a buffer writes in its order");
    assert!(refused.to_string().starts_with("buffer is lru"), "{refused}");
}

/// As fio's `zonemode=zbd`: what is full is reset when it has to be written again.
#[test]
fn sequential_writes_go_round_and_round_at_any_depth() {
    for depth in [1, 7] {
        let zns = ZnsSettings { zone_capacity: Bytes(0), reset_on_rewrite: true, ..zones(2, 2) };
        let mut drive = build(Settings { initial: Initial::Full, ..settings() }, zns).expect("a good device");
        let pages = u64::from(8 * SIZE);
        for io in 0..3 * pages {
            let offset_bytes = io % pages * PAGE;
            let request = Request { offset_bytes, tag: io as u32, ..write(0, 0, 1) };
            drive.submit(&[request]).unwrap_or_else(|error| panic!("{error}"));
            if io >= depth - 1 {
                drive.reap(1, Time::NEVER, &mut Vec::new()).expect("it is served");
            }
        }
        let counts = drive.nand().counts();
        assert_eq!((counts.programs(), counts.erases()), (3 * pages, 3 * 8 * 2), "depth {depth}");
        assert_eq!(drive.report().write_amplification, Some(1.0));
    }
}

#[test]
fn a_pattern_of_sequential_writes_wraps() {
    let zns = ZnsSettings { zone_capacity: Bytes(0), reset_on_rewrite: true, ..zones(2, 2) };
    let mut drive_of_zones = build(settings(), zns).expect("a good device");
    let (size, ios) = (Bytes(8 * u64::from(SIZE) * PAGE), Some(3 * 8 * u64::from(SIZE)));
    let baseline = Pattern::baseline(Rw::Write, Bytes(0), size);
    let pattern = Pattern { bs: Bytes(PAGE), number_ios: ios, ..baseline };
    let mut streams = [Stream { source: PatternSource::new(&pattern, 0, 1), pacing: pattern.pacing() }];
    drive(&mut drive_of_zones, &mut streams, Limits::default(), &mut |_: &Io| Control::Continue)
        .expect("it is served");
    assert_eq!(Some(drive_of_zones.nand().counts().programs()), ios);
}

/// Appends in flight together: each has an address of its own, and dies work side by side.
#[test]
fn appends_in_flight_together_take_the_time_of_their_dies() {
    let makespan = |depth: usize| {
        let mut drive = device(4, 4);
        let (mut addresses, mut out) = (Vec::new(), Vec::new());
        for tag in 0..16 {
            addresses.push(drive.append_to_zone(tag, 3, PAGE as u32).expect("there is room") / PAGE);
            if (tag as usize + 1).is_multiple_of(depth) {
                drive.reap(depth, Time::NEVER, &mut out).expect("they are served");
            }
        }
        assert!((0..16).map(|page| u64::from(3 * SIZE + page)).eq(addresses));
        assert_eq!(out.len(), 16);
        drive.now().0
    };
    let nand = settings().nand;
    let (program_ns, transfer_ns) = ((nand.program_us[0] * 1e3) as u64, (nand.transfer_us * 1e3) as u64);
    assert_eq!(makespan(1), 16 * (program_ns + transfer_ns));
    // Two blocks of a zone are on two dies.
    let both = makespan(16);
    assert!((8 * program_ns..=8 * (program_ns + 2 * transfer_ns)).contains(&both), "{both} ns");
}

#[test]
fn a_reset_takes_an_erase_and_what_follows_waits_for_it() {
    let mut drive = device(4, 4);
    (0..CAPACITY).for_each(|page| _ = drive.serve(&write(0, page, 1)).expect("at the pointer"));
    let before = drive.now().0;
    drive.manage_zone(1, 0, ZoneAction::Reset).expect("it is full");
    drive.submit(&[Request { tag: 2, ..write(0, 0, 1) }]).expect("the pointer is at the start");
    let mut out = Vec::new();
    drive.reap(2, Time::NEVER, &mut out).expect("both are done");
    let took = |tag: u32| out.iter().find(|done| done.tag == tag).map(|done| done.completed.0 - before);
    let erase_ns = (settings().nand.erase_us * 1e3) as u64;
    assert_eq!(took(1), Some(erase_ns));
    assert!(took(2) >= Some(erase_ns + (settings().nand.program_us[0] * 1e3) as u64), "{out:?}");
}

#[test]
fn a_read_only_zone_is_read_and_an_offline_one_is_not_also_after_a_loss_of_power() {
    let mut drive = device(4, 4);
    for zone in 0..2 {
        drive.serve(&write(zone, 0, 3)).expect("at the pointer");
        assert!(drive.retire_zone(zone, true));
    }
    assert_eq!(act(&mut drive, 1, ZoneAction::Offline), "");
    for _ in 0..2 {
        assert_eq!((state(&drive, 0).0, state(&drive, 1).0), (ZoneState::ReadOnly, ZoneState::Offline));
        assert_eq!(name(drive.serve(&read(0, 0, 3))), "");
        assert_eq!(name(drive.serve(&read(1, 0, 3))), "Zone Is Offline");
        assert_eq!(name(drive.serve(&read(0, 30, 3))), "Zone Is Offline", "across the boundary");
        assert_eq!(drive.zones().map(|zones| zones.active()), Some(0));
        let loss = drive.power_cycle().expect("token mode");
        assert_eq!(loss.flushed_pages_lost + loss.stale_pages + loss.acknowledged_pages_lost, 0);
    }
}

#[test]
fn a_saved_drive_goes_on_where_it_was() {
    let mut drive = device(2, 3);
    for zone in [5, 1, 2] {
        drive.serve(&write(zone, 0, 4)).expect("at the pointer");
    }
    let mut again = Drive::restore(&drive.save()).expect("what was saved");
    for drive in [&mut drive, &mut again] {
        let states: Vec<_> = [5, 1, 2].map(|zone| state(drive, zone).0).into();
        assert_eq!(states, [ZoneState::Closed, ZoneState::ImplicitlyOpen, ZoneState::ImplicitlyOpen]);
        assert_eq!(name(drive.serve(&write(0, 0, 1))), "Too Many Active Zones");
        drive.serve(&write(5, 4, 1)).expect("one of the others is closed");
    }
    assert!(drive.save() == again.save());
}
