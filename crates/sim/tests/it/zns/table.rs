//! Every command in every state, against the specification's state machine (NVMe Zoned Namespace Command Set
//! 1.1; QEMU and NVMeVirt close and take offline alike), written down here as a table of its own; and the
//! limits.

use super::{CAPACITY, Drive, act, append, device, name, read, state, write};
use flashscope_core::Target;
use flashscope_sim::ftl::zns::zones::ZoneAction::{self, Close, Finish, Offline, Open, Reset};
use flashscope_sim::ftl::zns::zones::ZoneState as State;

/// Zone 0 in this state, two pages written where it has any.
fn in_state(state: State) -> Drive {
    let mut drive = device(3, 4);
    if state != State::Empty {
        drive.serve(&write(0, 0, 2)).expect("an empty zone");
    }
    let actions: &[ZoneAction] = match state {
        State::ExplicitlyOpen => &[Open],
        State::Closed => &[Close],
        State::Full => &[Finish],
        _ => &[],
    };
    actions.iter().for_each(|action| assert_eq!(act(&mut drive, 0, *action), ""));
    if matches!(state, State::ReadOnly | State::Offline) {
        drive.retire_zone(0, state == State::ReadOnly);
    }
    assert_eq!(super::state(&drive, 0).0, state);
    drive
}

const TABLE: &str = "
  state          open           close     finish    reset     offline   write          append         read
  Empty          ExplicitlyOpen bad-state Full      Empty     bad-state ImplicitlyOpen ImplicitlyOpen same
  ImplicitlyOpen ExplicitlyOpen Closed    Full      Empty     bad-state ImplicitlyOpen ImplicitlyOpen same
  ExplicitlyOpen ExplicitlyOpen Closed    Full      Empty     bad-state ExplicitlyOpen ExplicitlyOpen same
  Closed         ExplicitlyOpen Closed    Full      Empty     bad-state ImplicitlyOpen ImplicitlyOpen same
  Full           bad-state      bad-state Full      Empty     bad-state full           full           same
  ReadOnly       bad-state      bad-state bad-state bad-state Offline   read-only      read-only      same
  Offline        bad-state      bad-state bad-state bad-state Offline   offline        offline        offline
";

const STATES: [State; 7] = [
    State::Empty,
    State::ImplicitlyOpen,
    State::ExplicitlyOpen,
    State::Closed,
    State::Full,
    State::ReadOnly,
    State::Offline,
];

fn send(drive: &mut Drive, command: &str) -> String {
    let page = state(drive, 0).1;
    match command {
        "open" => act(drive, 0, Open),
        "close" => act(drive, 0, Close),
        "finish" => act(drive, 0, Finish),
        "reset" => act(drive, 0, Reset),
        "offline" => act(drive, 0, Offline),
        "write" => name(drive.serve(&write(0, page, 1))),
        "append" => append(drive, 0, 1).err().unwrap_or_default(),
        _ => name(drive.serve(&read(0, 0, 1))),
    }
}

#[test]
fn every_command_in_every_state_does_what_the_specification_says() {
    let mut rows = TABLE.trim().lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let head = rows.next().expect("the commands");
    for (from, row) in STATES.into_iter().zip(rows) {
        assert_eq!((format!("{from:?}"), row.len()), (row[0].to_string(), head.len()));
        for (command, expected) in head.iter().zip(&row).skip(1) {
            let mut drive = in_state(from);
            let before = state(&drive, 0);
            let answer = send(&mut drive, command);
            let refused = match *expected {
                "bad-state" => "Invalid Zone State Transition",
                "full" => "Zone Is Full",
                "read-only" => "Zone Is Read Only",
                "offline" => "Zone Is Offline",
                _ => "",
            };
            assert_eq!(answer, refused, "{command} in {from:?}");
            let (to, pages) = state(&drive, 0);
            let is_same = !refused.is_empty() || *expected == "same";
            let expected = if is_same { row[0] } else { expected };
            assert_eq!(format!("{to:?}"), expected, "{command} in {from:?}");
            let pages_then = match *command {
                "write" | "append" if refused.is_empty() => before.1 + 1,
                "reset" if refused.is_empty() => 0,
                _ => before.1,
            };
            assert_eq!(pages, pages_then, "{command} in {from:?}");
        }
    }
}

#[test]
fn the_last_page_makes_a_zone_full_and_gives_its_resources_back() {
    let mut drive = device(1, 1);
    drive.serve(&write(0, 0, CAPACITY)).expect("a whole zone in one write");
    assert_eq!(state(&drive, 0).0, State::Full);
    assert_eq!(append(&mut drive, 1, 1), Ok(u64::from(super::SIZE)));
    assert_eq!(name(drive.serve(&write(1, 1, CAPACITY))), "Zone Boundary Error");
}

/// How many zones of each kind there are before, what is asked for of one more zone, and what comes of it.
#[test]
fn limits_hold_and_an_implicitly_open_zone_makes_room() {
    // Limits, implicitly open, explicitly open, closed; the answer to a write and to an explicit open.
    let active = "Too Many Active Zones";
    let open = "Too Many Open Zones";
    for ((open_max, active_max), (implicit, explicit, closed), answer) in [
        ((2, 4), (1, 0, 0), ""),
        ((2, 4), (2, 0, 0), ""),
        ((2, 4), (1, 1, 0), ""),
        ((2, 4), (0, 2, 0), open),
        ((2, 4), (0, 2, 2), active),
        ((2, 4), (2, 0, 2), active),
        ((2, 4), (0, 0, 4), active),
        ((2, 0), (0, 2, 4), open),
        ((0, 0), (4, 3, 0), ""),
    ] {
        for command in ["write", "append", "open"] {
            let mut drive = device(open_max, active_max);
            for zone in 1..=closed {
                assert_eq!((act(&mut drive, zone, Open), act(&mut drive, zone, Close)).0, "");
            }
            for zone in closed + 1..=closed + explicit {
                assert_eq!(act(&mut drive, zone, Open), "");
            }
            for zone in closed + explicit + 1..=closed + explicit + implicit {
                drive.serve(&write(zone, 0, 1)).expect("within the limits");
            }
            let what = format!("{command}: {implicit} {explicit} {closed} of {open_max} {active_max}");
            assert_eq!(send(&mut drive, command), answer, "{what}");
            let zones = drive.zones().expect("it has zones");
            let new = u32::from(answer.is_empty());
            assert_eq!(zones.active(), implicit + explicit + closed + new, "{what}");
            let opened = if open_max > 0 { open_max.min(implicit + explicit + new) } else { 8 };
            assert_eq!(zones.open(), opened, "{what}");
            if answer.is_empty() && open_max > 0 && implicit + explicit == open_max {
                assert_eq!(state(&drive, closed + explicit + 1).0, State::Closed, "{what}: the oldest");
            }
        }
    }
}

/// A closed zone has its active resource, and needs an open one.
#[test]
fn a_closed_zone_is_opened_again_only_while_an_open_resource_can_be_had() {
    let mut drive = device(1, 2);
    assert_eq!((act(&mut drive, 0, Open), act(&mut drive, 0, Close)), (String::new(), String::new()));
    assert_eq!(act(&mut drive, 1, Open), "");
    for command in ["open", "write", "append"] {
        assert_eq!(send(&mut drive, command), "Too Many Open Zones");
    }
    assert_eq!(act(&mut drive, 1, Finish), "");
    assert_eq!(send(&mut drive, "write"), "");
}
