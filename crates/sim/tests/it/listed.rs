//! What a built-in part needs besides its file and its line in the list.

use flashscope_sim::buffer::BUFFERS;
use flashscope_sim::ftl::FTLS;
use flashscope_sim::gc::POLICIES;
use flashscope_sim::profiles::NAMES;

const PAGE: &str = include_str!("../../../../docs/simulator.md");

/// The page from `begin` to the next line that begins with `end`.
fn section(begin: &str, end: &str) -> &'static str {
    let (_, rest) = PAGE.split_once(begin).unwrap_or_else(|| panic!("docs/simulator.md has no '{begin}'"));
    rest.split_once(&format!("\n{end}")).map_or(rest, |(section, _)| section)
}

fn assert_in(section: &str, what: &str, name: &str, place: &str) {
    assert!(
        section.contains(&format!("`{name}`")),
        "docs/simulator.md lacks the {what} `{name}`: add it {place}"
    );
}

#[test]
fn every_part_and_profile_is_on_the_page_of_the_simulator() {
    for (name, _) in FTLS {
        assert_in(section("## FTLs\n", "Victims of"), "FTL", name, "to the table below 'FTLs'");
    }
    for (name, _) in POLICIES {
        assert_in(section("\nVictims of", "\n"), "victim policy", name, "to 'Victims of `page`'");
    }
    for (name, _) in BUFFERS {
        assert_in(section("## Write buffers\n", "## "), "buffer", name, "to the table below 'Write buffers'");
    }
    for name in NAMES {
        assert_in(section("## Profiles\n", "## "), "profile", name, "to the table below 'Profiles'");
    }
}

/// A saved device says by a number which part it has.
fn assert_new_ones_are_last(known: &[&str], list: &[(&str, &str)], place: &str) {
    let names: Vec<_> = list.iter().map(|(name, _)| *name).collect();
    assert!(
        names.starts_with(known),
        "saved devices name a part by its place in the list: add new ones at the end of {place}"
    );
}

#[test]
fn a_new_part_is_the_last_of_its_list_so_that_saved_devices_stay_what_they_are() {
    let ftls = "page hot-cold slc-cache log-block banked-log block chunk hybrid replacement-block fast dftl \
                superblock multi-stream fdp";
    let policies = "greedy fifo d-choices cost-benefit random";
    let buffers = "none fifo lru lru-wsr cflru arc lirs batch fab block-lru bplru";
    let known = |names: &'static str| names.split_whitespace().collect::<Vec<_>>();
    assert_new_ones_are_last(&known(ftls), FTLS, "`ftls!` in crates/sim/src/ftl.rs");
    assert_new_ones_are_last(&known(policies), POLICIES, "`policies!` in crates/sim/src/gc.rs");
    assert_new_ones_are_last(&known(buffers), BUFFERS, "`buffers!` in crates/sim/src/buffer.rs");
}
