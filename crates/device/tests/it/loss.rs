//! Nothing is lost: a file that flashscope made, a run on it that ended, was killed or lost its power, data
//! of somebody else copied onto it in many ways, before, during and after, on several filesystems. However it
//! goes, the next run destroys not one byte of that data; and where nobody copied, it may go on.
//!
//! Every try follows from a seed and its number, which a failure names; `FLASHSCOPE_SEED` gives another seed.

mod copies;
mod places;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use flashscope_core::seed::{Random, derive};
use flashscope_core::{Op, Request, Target, TargetError};
use flashscope_device::{DeviceError, DeviceTarget, Engine, EngineSpec, Handle, Intent, Reason, create_file};

use copies::{COPIES, Copied, Copy};
use places::{PLACES, Place, another_boot};

/// Of every target.
const SIZE_BYTES: u64 = 512 << 10;
const BLOCK_BYTES: u32 = 4096;

/// When the data comes, and what becomes of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Ended,
    Killed,
    /// And the times of the file are set to another day.
    KilledLongAgo,
    KilledWhileCreating,
    AtWorkThenEnded,
    AtWorkThenKilled,
    PowerCut,
    /// The data is on the disk, the times of the change perhaps not.
    BeforePowerCut,
}

const MOMENTS: [Moment; 8] = [
    Moment::Ended,
    Moment::Killed,
    Moment::KilledLongAgo,
    Moment::KilledWhileCreating,
    Moment::AtWorkThenEnded,
    Moment::AtWorkThenKilled,
    Moment::PowerCut,
    Moment::BeforePowerCut,
];

impl Moment {
    fn cuts_power(self) -> bool {
        matches!(self, Moment::PowerCut | Moment::BeforePowerCut)
    }
}

fn seed() -> u64 {
    std::env::var("FLASHSCOPE_SEED").map_or(20_261_123, |seed| seed.parse().expect("a number"))
}

#[test]
fn no_byte_of_others_is_lost() {
    let places: Vec<Place> = PLACES.iter().take(3).filter_map(Place::make).collect();
    let tries = each_moment(|moment, tries| {
        if moment.cuts_power() {
            return tries.of_power_cuts(PLACES.iter().take(2), moment, COPIES.iter().step_by(5));
        }
        tries.legitimate(&places[0], moment);
        for (copy, place) in COPIES.iter().zip(places.iter().cycle().skip(moment as usize)) {
            tries.attempt(place, moment, copy);
        }
    });
    tries.report(60);
}

#[test]
#[ignore = "minutes"]
fn no_byte_of_others_is_lost_in_every_combination() {
    let places: Vec<Place> = PLACES.iter().filter_map(Place::make).collect();
    let tries = each_moment(|moment, tries| {
        if moment.cuts_power() {
            return tries.of_power_cuts(PLACES.iter(), moment, COPIES.iter());
        }
        for place in &places {
            tries.legitimate(place, moment);
            COPIES.iter().for_each(|copy| tries.attempt(place, moment, copy));
        }
    });
    tries.report(300);
}

/// All at the same time, for most of a try is waiting.
fn each_moment(of: impl Fn(Moment, &mut Tries) + Sync) -> Tries {
    let one = |moment: Moment| {
        let first = moment as u64 * 1000;
        let mut tries = Tries { number: first, ..Tries::default() };
        of(moment, &mut tries);
        Tries { number: tries.number - first, ..tries }
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = MOMENTS.iter().map(|moment| scope.spawn(|| one(*moment))).collect();
        all.into_iter()
            .map(|tries| tries.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .fold(Tries::default(), Tries::and)
    })
}

/// What was tried, and what came of it.
#[derive(Default)]
struct Tries {
    number: u64,
    others_bytes: u64,
    refused: u64,
    unsupported: u64,
}

impl Tries {
    fn and(self, other: Tries) -> Tries {
        Tries {
            number: self.number + other.number,
            others_bytes: self.others_bytes + other.others_bytes,
            refused: self.refused + other.refused,
            unsupported: self.unsupported + other.unsupported,
        }
    }

    fn attempt(&mut self, place: &Place, moment: Moment, copy: &Copy) {
        self.number += 1;
        let mut one = One::new(place, moment, copy.name, self.number);
        let Some(copied) = one.until_the_run_is_over(|one| (copy.make)(&one.path, &mut one.random)) else {
            self.unsupported += 1;
            return;
        };
        self.judge(&one, &copied);
    }

    fn judge(&mut self, one: &One<'_>, copied: &Copied) {
        let theirs = copied.left_in(&one.path);
        let was_refused = write_all(&one.path).is_err();
        let lost = theirs.lost_bytes(&one.path);
        assert_eq!(lost, 0, "bytes are lost: {}", one.name);
        if theirs.bytes() > 0 {
            assert!(was_refused, "it had nothing to write: {}", one.name);
            self.refused += 1;
        }
        self.others_bytes += theirs.bytes();
        let _ = fs::remove_file(&one.path);
    }

    /// The same without any data of others: the next run may go on.
    fn legitimate(&mut self, place: &Place, moment: Moment) {
        self.number += 1;
        let mut one = One::new(place, moment, "nothing", self.number);
        let none = one.until_the_run_is_over(|_| Ok(Copied::default()));
        assert!(none.is_some(), "nothing is always possible");
        self.goes_on(&one);
    }

    fn goes_on(&self, one: &One<'_>) {
        if one.moment != Moment::KilledWhileCreating {
            let again = (write_all(&one.path), write_all(&one.path));
            assert!(again.0.is_ok() && again.1.is_ok(), "{again:?}: {}", one.name);
        }
        let _ = fs::remove_file(&one.path);
    }

    /// Each on a filesystem of its own, of which the state at that moment is mounted again.
    fn of_power_cuts(
        &mut self,
        places: impl Iterator<Item = &'static places::Kind>,
        moment: Moment,
        copies: impl Iterator<Item = &'static Copy> + Clone,
    ) {
        for kind in places.filter(|kind| kind.has_a_disk()) {
            for copy in copies.clone().map(Some).chain([None]) {
                let Some(place) = Place::make(kind) else { return };
                self.number += 1;
                let mut one = One::new(&place, moment, copy.map_or("nothing", |copy| copy.name), self.number);
                let file_name = one.file_name();
                let Some((again, copied)) = one.power_cut(copy, &file_name) else {
                    self.unsupported += 1;
                    continue;
                };
                let one = One { path: again.path(&file_name), place: &again, ..one };
                match copy {
                    Some(_) => self.judge(&one, &copied),
                    None => self.goes_on(&one),
                }
            }
        }
    }

    fn report(&self, least: u64) {
        let Tries { number, others_bytes, refused, unsupported } = self;
        let text = format!(
            "seed {}: {number} tries, {unsupported} not possible there; {others_bytes} bytes of others in \
             {refused} files, each refused; 0 bytes lost",
            seed()
        );
        let _ = writeln!(std::io::stderr(), "{text}");
        assert!(number - unsupported >= least && *refused >= least / 2, "{text}");
    }
}

/// One try.
struct One<'a> {
    path: std::path::PathBuf,
    place: &'a Place,
    moment: Moment,
    random: Random,
    name: String,
}

impl<'a> One<'a> {
    fn new(place: &'a Place, moment: Moment, copy: &str, number: u64) -> One<'a> {
        let seed = seed();
        let name = format!("{copy}, {moment:?}, on {}: FLASHSCOPE_SEED={seed}, try {number}", place.name());
        let (path, random) = (place.path(&format!("target-{number}")), Random::new(derive(seed, number)));
        One { path, place, moment, random, name }
    }

    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    fn create(&self) {
        create_file(&self.path, SIZE_BYTES, 1, &mut |_| ControlFlow::Continue(()))
            .unwrap_or_else(|error| panic!("{error}: {}", self.name));
    }

    /// What was copied; none where the filesystem cannot do it.
    fn until_the_run_is_over(
        &mut self,
        copy: impl FnOnce(&mut Self) -> std::io::Result<Copied>,
    ) -> Option<Copied> {
        if self.moment != Moment::KilledWhileCreating {
            self.create();
        }
        let mut run = Some(Run::start(self));
        let during = [Moment::AtWorkThenEnded, Moment::AtWorkThenKilled].contains(&self.moment);
        let mut end = |moment| match (run.take(), moment) {
            (Some(run), Moment::Ended | Moment::AtWorkThenEnded) => run.end(),
            (Some(run), _) => run.kill(),
            (None, _) => {}
        };
        if !during {
            end(self.moment);
        }
        let copied = copy(self);
        end(self.moment);
        if self.moment == Moment::KilledLongAgo {
            let days = Duration::from_secs(self.random.below(2) * 2 * 86_400);
            let time = SystemTime::now() + days - Duration::from_secs(86_400);
            File::options().write(true).open(&self.path).and_then(|file| file.set_modified(time)).ok()?;
        }
        copied.ok()
    }

    /// The filesystem as it was when the power went, mounted again in another boot, and what was copied.
    fn power_cut(&mut self, copy: Option<&Copy>, file_name: &str) -> Option<(Place, Copied)> {
        self.create();
        let run = Run::start(self);
        let mut make = |path: &Path| match copy {
            Some(copy) => (copy.make)(path, &mut self.random),
            None => Ok(Copied::default()),
        };
        if self.moment == Moment::BeforePowerCut {
            run.end();
            let copied = make(&self.path).ok()?;
            File::open(&self.path).and_then(|file| file.sync_data()).ok()?;
            let cut = self.place.cut_power();
            let again = self.place.after(cut);
            another_boot(&again.path(file_name));
            return Some((again, copied));
        }
        let cut = self.place.cut_power();
        run.kill();
        let again = self.place.after(cut);
        let path = again.path(file_name);
        another_boot(&path);
        let copied = make(&path).ok()?;
        Some((again, copied))
    }
}

/// Another process at work on the target.
struct Run(Child);

impl Run {
    fn start(one: &mut One<'_>) -> Run {
        let program = std::env::current_exe().expect("this program");
        let child = Command::new(program)
            .args(["--exact", "loss::a_run_in_a_process_of_its_own", "--ignored", "--nocapture"])
            .env("FLASHSCOPE_LOSS_TARGET", &one.path)
            .env("FLASHSCOPE_LOSS_CREATES", (one.moment == Moment::KilledWhileCreating).to_string())
            .env("FLASHSCOPE_LOSS_SEED", one.random.next_u64().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("it starts");
        let mut lines = BufReader::new(child.stdout.as_mut().expect("it is read")).lines();
        if !lines.any(|line| line.is_ok_and(|line| line.contains(AT_WORK))) {
            let mut why = String::new();
            let _ = child.stderr.take().expect("it is read").read_to_string(&mut why);
            panic!("the run does not begin: {why}: {}", one.name);
        }
        std::thread::sleep(Duration::from_micros(one.random.below(3000)));
        Run(child)
    }

    fn end(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().expect("it ends").success(), "the run fails");
    }

    fn kill(mut self) {
        self.0.kill().expect("it can be killed");
        self.0.wait().expect("it ends");
    }
}

const AT_WORK: &str = "at work";

#[test]
#[ignore = "the other process of the tests here"]
fn a_run_in_a_process_of_its_own() {
    let Some(path) = std::env::var_os("FLASHSCOPE_LOSS_TARGET") else { return };
    let number = |key: &str| std::env::var(key).ok().and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let path = Path::new(&path);
    if std::env::var("FLASHSCOPE_LOSS_CREATES").as_deref() == Ok("true") {
        let wait = &mut |_| {
            say(AT_WORK);
            std::thread::sleep(Duration::from_secs(60));
            ControlFlow::Break(())
        };
        let _ = create_file(path, SIZE_BYTES.max(2 << 20), 1, wait);
        return;
    }
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        over.store(true, Ordering::Relaxed);
    });
    let mut random = Random::new(number("FLASHSCOPE_LOSS_SEED"));
    let mut target = engine(path, &mut random).expect("our own file may be written");
    for written in 1_u64.. {
        let offset_bytes = random.below(SIZE_BYTES / u64::from(BLOCK_BYTES)) * u64::from(BLOCK_BYTES);
        write(&mut target, offset_bytes).expect("it is written");
        if written == 20 {
            say(AT_WORK);
        }
        if is_over.load(Ordering::Relaxed) {
            return;
        }
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

fn engine(path: &Path, random: &mut Random) -> Result<DeviceTarget, DeviceError> {
    let spec = EngineSpec { io_bytes_max: BLOCK_BYTES, seed: random.next_u64(), ..EngineSpec::default() };
    let handle = Arc::new(Handle::open(path, &Intent::WRITE)?);
    let engine = [Engine::Sync, Engine::IoUring][random.below(2) as usize];
    DeviceTarget::new(engine, Arc::clone(&handle), &spec)
        .or_else(|_| DeviceTarget::new(Engine::Sync, handle, &spec))
}

fn write(target: &mut DeviceTarget, offset_bytes: u64) -> Result<(), TargetError> {
    target.serve(&Request {
        op: Op::Write,
        offset_bytes,
        length_bytes: BLOCK_BYTES,
        ..Request::default()
    })?;
    Ok(())
}

/// What the next run does: everything that the guard lets it.
fn write_all(path: &Path) -> Result<(), DeviceError> {
    let mut random = Random::new(1);
    let mut engine = || engine(path, &mut random);
    // What was killed may hold the file a little longer, until the kernel has taken its ring apart.
    let mut made = engine();
    for _ in 0..100 {
        made = if is_held(&made) { engine() } else { break };
    }
    let mut target = made?;
    let blocks = target.info().size_bytes / u64::from(BLOCK_BYTES);
    for block in 0..blocks {
        write(&mut target, block * u64::from(BLOCK_BYTES)).expect("what is allowed is done");
    }
    Ok(())
}

fn is_held(made: &Result<DeviceTarget, DeviceError>) -> bool {
    matches!(made, Err(DeviceError::Refused { reasons, .. }) if reasons.contains(&Reason::HeldByOther))
}
