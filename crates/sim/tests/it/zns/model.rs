//! Random commands against a reference as plain as it can be: a list of zones, counted anew each time.

use super::{CAPACITY, Drive, SIZE, act, append, build, device, name, read, settings, write, zones};
use flashscope_core::seed::Random;
use flashscope_core::{Op, Request, Target, Time};
use flashscope_sim::ftl::zns::zones::ZoneAction;
use flashscope_sim::ftl::zns::zones::ZoneState as State;

/// A zone: its state, its write pointer, and when it was opened.
type Plain = (State, u32, u64);

struct Reference {
    zones: [Plain; 8],
    open_max: usize,
    active_max: usize,
    clock: u64,
}

impl Reference {
    fn count(&self, states: &[State]) -> usize {
        self.zones.iter().filter(|zone| states.contains(&zone.0)).count()
    }

    fn open(&self) -> usize {
        self.count(&[State::ImplicitlyOpen, State::ExplicitlyOpen])
    }

    fn active(&self) -> usize {
        self.open() + self.count(&[State::Closed])
    }

    /// Makes a zone open, another one closed if it must be.
    fn open_zone(&mut self, zone: usize, how: State) -> &'static str {
        let (state, ..) = self.zones[zone];
        if matches!(state, State::ImplicitlyOpen | State::ExplicitlyOpen) {
            self.zones[zone].0 = how;
            return "";
        }
        if state == State::Empty && self.active() == self.active_max {
            return "Too Many Active Zones";
        }
        if self.open() == self.open_max {
            let implicit = (0..8).filter(|zone| self.zones[*zone].0 == State::ImplicitlyOpen);
            let Some(oldest) = implicit.min_by_key(|zone| self.zones[*zone].2) else {
                return "Too Many Open Zones";
            };
            self.zones[oldest].0 = State::Closed;
        }
        self.clock += 1;
        (self.zones[zone].0, self.zones[zone].2) = (how, self.clock);
        ""
    }

    fn write(&mut self, zone: usize, page: Option<u32>, pages: u32) -> &'static str {
        let (state, pointer, _) = self.zones[zone];
        match state {
            State::Full => return "Zone Is Full",
            State::ReadOnly => return "Zone Is Read Only",
            State::Offline => return "Zone Is Offline",
            _ if page.is_some_and(|page| page != pointer) => return "Zone Invalid Write",
            _ if pointer + pages > CAPACITY => return "Zone Boundary Error",
            _ => {}
        }
        let how = if state == State::ExplicitlyOpen { state } else { State::ImplicitlyOpen };
        let answer = self.open_zone(zone, how);
        if answer.is_empty() {
            self.zones[zone].1 += pages;
            if self.zones[zone].1 == CAPACITY {
                self.zones[zone].0 = State::Full;
            }
        }
        answer
    }

    fn act(&mut self, zone: usize, action: ZoneAction) -> &'static str {
        let (state, pointer, _) = self.zones[zone];
        let is_bad = matches!(state, State::ReadOnly | State::Offline);
        let to = match (action, state) {
            (ZoneAction::Offline, _) if is_bad => State::Offline,
            (ZoneAction::Offline, _) => return "Invalid Zone State Transition",
            _ if is_bad => return "Invalid Zone State Transition",
            (ZoneAction::Reset, _) => State::Empty,
            (ZoneAction::Finish, _) => State::Full,
            (_, State::Full) | (ZoneAction::Close, State::Empty) => return "Invalid Zone State Transition",
            (ZoneAction::Close, _) => State::Closed,
            (ZoneAction::Open, _) => return self.open_zone(zone, State::ExplicitlyOpen),
        };
        self.zones[zone].0 = to;
        self.zones[zone].1 = if to == State::Empty { 0 } else { pointer };
        ""
    }

    fn lose_power(&mut self) {
        for (state, pointer, _) in &mut self.zones {
            if matches!(state, State::ImplicitlyOpen | State::ExplicitlyOpen | State::Closed) {
                *state = if *pointer == 0 { State::Empty } else { State::Closed };
            }
        }
    }
}

/// Any command: what the device and the reference answer.
fn any(drive: &mut Drive, plain: &mut Reference, random: &mut Random) -> (String, &'static str) {
    let zone = random.below(8) as u32;
    let (number, pages) = (zone as usize, 1 + random.below(6) as u32);
    let actions = [ZoneAction::Open, ZoneAction::Close, ZoneAction::Finish, ZoneAction::Reset];
    match random.below(1000) {
        0..500 => {
            let is_right = random.below(5) > 0;
            let page = if is_right { plain.zones[number].1 } else { random.below(26) as u32 };
            let pages = pages.min(SIZE - page);
            (name(drive.serve(&write(zone, page, pages))), plain.write(number, Some(page), pages))
        }
        500..750 => {
            let address = u64::from(zone * SIZE + plain.zones[number].1);
            let expected = plain.write(number, None, pages);
            let answer = append(drive, zone, pages);
            assert!(answer.is_err() || answer == Ok(address));
            (answer.err().unwrap_or_default(), expected)
        }
        750..850 => {
            let (state, ..) = plain.zones[number];
            let expected = if state == State::Offline { "Zone Is Offline" } else { "" };
            (name(drive.serve(&read(zone, random.below(26) as u32, pages))), expected)
        }
        850..997 => {
            let action = actions[random.below(4) as usize];
            (act(drive, zone, action), plain.act(number, action))
        }
        997 => (act(drive, zone, ZoneAction::Offline), plain.act(number, ZoneAction::Offline)),
        998 => {
            let loss = drive.power_cycle().expect("token mode");
            let lost = loss.flushed_pages_lost + loss.stale_pages + loss.acknowledged_pages_lost;
            plain.lose_power();
            (if lost == 0 { String::new() } else { format!("{loss:?}") }, "")
        }
        _ => {
            if plain.count(&[State::ReadOnly, State::Offline]) < 3 && plain.zones[number].0 != State::Offline
            {
                drive.retire_zone(zone, true);
                plain.zones[number].0 = State::ReadOnly;
            }
            (String::new(), "")
        }
    }
}

#[test]
fn random_commands_do_what_a_plain_list_of_zones_does() {
    let mut answers = std::collections::BTreeMap::new();
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let open_max = 1 + random.below(4) as u32;
        let active_max = open_max + random.below(3) as u32;
        let mut drive = device(open_max, active_max);
        let zones = [(State::Empty, 0, 0); 8];
        let (open_max, active_max) = (open_max as usize, active_max as usize);
        let mut plain = Reference { zones, open_max, active_max, clock: 0 };
        for io in 0..2_000 {
            let (answer, expected) = any(&mut drive, &mut plain, &mut random);
            let what = format!("seed {seed}, command {io}");
            assert_eq!(answer, expected, "{what}");
            let found = drive.zones().expect("it has zones");
            let states = found.iter().map(|zone| (zone.state, zone.written_pages));
            assert!(states.eq(plain.zones.iter().map(|zone| (zone.0, zone.1))), "{what}: {found:?}");
            let counts = (found.open() as usize, found.active() as usize);
            assert_eq!(counts, (plain.open(), plain.active()), "{what}");
            *answers.entry(expected).or_insert(0) += 1;
        }
    }
    assert_eq!(answers.len(), 9, "every answer was met: {answers:?}");
}

/// What the host does until the power goes: writes at pointers, appends, resets, finishes.
fn work_until_the_power_goes(drive: &mut Drive, random: &mut Random) {
    for _ in 0..100_000 {
        if drive.is_off() {
            return;
        }
        let zone = random.below(8) as u32;
        let pointer = super::state(drive, zone).1;
        let served = match random.below(20) {
            0 => drive.manage_zone(0, zone, ZoneAction::Reset),
            1 => drive.manage_zone(0, zone, ZoneAction::Finish),
            2 => drive.submit(&[Request { op: Op::Flush, ..Request::default() }]),
            3..6 => drive.submit(&[read(zone, random.below(26) as u32, 3)]),
            6..14 => drive.submit(&[write(zone, pointer, 1 + random.below(3) as u32)]),
            _ => drive.append_to_zone(0, zone, 2048).map(|_| ()),
        };
        if served.is_ok() {
            drive.reap(1, Time::NEVER, &mut Vec::new()).expect("it is served");
        }
    }
    panic!("the power never went");
}

/// Nothing acknowledged is lost, nothing older comes back, a reset is whole or did not happen, and no zone is
/// open afterwards; then it goes on.
#[test]
fn the_power_may_go_at_any_flash_operation() {
    for pages_per_program in [1, 2, 4] {
        let mut settings = settings();
        settings.nand.pages_per_program = pages_per_program;
        let mut drive = build(settings, zones(3, 5)).expect("a good device");
        let mut random = Random::new(u64::from(pages_per_program));
        let mut found = std::collections::BTreeSet::new();
        for cut in 0..600 {
            drive.cut_power_after(cut * 7 % 101);
            work_until_the_power_goes(&mut drive, &mut random);
            let loss = drive.power_cycle().expect("token mode");
            let lost = (loss.flushed_pages_lost, loss.stale_pages, loss.acknowledged_pages_lost);
            assert_eq!(lost, (0, 0, 0), "{pages_per_program} pages, cut {cut}: {loss:?}");
            let zones = drive.zones().expect("it has zones");
            assert_eq!(zones.open(), 0);
            assert!(zones.active() <= 5, "cut {cut}: {zones:?}");
            for zone in zones.iter() {
                let is_sound = match zone.state {
                    State::Empty => zone.written_pages == 0,
                    State::Closed => (1..CAPACITY).contains(&zone.written_pages),
                    State::Full => zone.written_pages <= CAPACITY,
                    _ => false,
                };
                assert!(is_sound, "cut {cut}: {zone:?}");
                found.insert(format!("{:?}", zone.state));
            }
        }
        assert_eq!(found.len(), 3, "empty, closed and full: {found:?}");
    }
}
