//! Placement handles: who knows them, and what becomes of them.

mod isolation;
mod streams;

use flashscope_core::{ErrorKind, Op, Request, Target};
use flashscope_sim::ftl::FTLS;
use flashscope_sim::testing::small_device;
use flashscope_sim::{Disk, Profile, Rig, Settings, Ssd, rigs};

fn write(placement: u16) -> Request {
    Request { op: Op::Write, length_bytes: 4096, placement, ..Request::default() }
}

/// By every way in, before anything is written.
fn assert_refuses<T: Target>(target: &mut T, placement: u16) {
    let name = target.info().name.clone();
    let request = write(placement);
    for refused in [target.submit(&[request]), target.serve(&request).map(|_| ())] {
        let error = refused.expect_err(&name);
        assert_eq!(error.kind, ErrorKind::Invalid, "{error}");
        assert!(error.to_string().contains(&format!("placement handle {placement}")), "{error}");
    }
    target.serve(&write(0)).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn a_target_refuses_the_handles_that_it_does_not_know() {
    for (ftl, _) in FTLS {
        let mut ssd = Ssd::new(ftl, Settings { ftl: (*ftl).into(), ..small_device() }, 1).unwrap();
        let known = ssd.info().placements;
        assert_refuses(&mut ssd, known);
        ssd.serve(&write(known - 1)).unwrap_or_else(|error| panic!("{ftl}: {error}"));
    }
    assert_refuses(&mut Rig::new(rigs::get("mtron").expect("built in"), 1), 1);
    let Ok(Profile::Disk(settings)) = Profile::find("hdd-7200", &[]) else { panic!("a hard disk") };
    assert_refuses(&mut Disk::new("hdd-7200", &settings).expect("the settings are right"), 1);
}

/// Key, value, and what is said of it: before the first IO.
#[test]
fn handles_that_a_device_cannot_have_are_refused_with_their_key() {
    let refused = |ftl: &str, handles: u32, spare: f64| {
        let mut settings = Settings { ftl: ftl.into(), over_provisioning: spare, ..small_device() };
        (settings.multi_stream.streams, settings.fdp.handles) = (handles, handles);
        Ssd::new(ftl, settings, 1).err().map(|error| error.to_string())
    };
    for (ftl, key) in [("multi-stream", "multi_stream.streams"), ("fdp", "fdp.handles")] {
        for handles in [0, 129, u32::MAX] {
            let message = refused(ftl, handles, 0.25).expect(key);
            assert!(message.contains(key) && message.contains("1 to 128"), "{message}");
        }
        // 128 logical blocks, 2.5 times that spare: an open block for each handle fits, and two.
        assert_eq!(refused(ftl, 128, 2.5), None);
        assert_eq!(refused(ftl, 8, 0.125), None);
        let message = refused(ftl, 40, 0.25).expect("32 spare blocks are too few");
        assert!(message.contains("over_provisioning") && message.contains("32 of the 4"), "{message}");
    }
}
