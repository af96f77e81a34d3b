//! Jobs of one time: as processes of their own, or together in one where they share a file or depend on each
//! other.

use super::{Job, NULL, Refusal, Section};

/// Says of the jobs of each time how they go on together.
pub fn arrange(sections: &[Section], jobs: &mut [Job]) -> Vec<Refusal> {
    let mut refusals = ends(sections, jobs);
    let mut begin = 0;
    for of_time in jobs.chunk_by_mut(|_, next| next.is_beside) {
        let sections = &sections[begin..begin + of_time.len()];
        begin += of_time.len();
        match of_time {
            [alone] => {
                if alone.company.flow.take().is_some() {
                    alone.notes.push("flow: ignored; no other job runs at the same time".into());
                }
                alone.company.ends_others = false;
            }
            several => refusals.extend(arrange_several(sections, several)),
        }
    }
    refusals
}

fn arrange_several(sections: &[Section], jobs: &mut [Job]) -> Option<Refusal> {
    let need = need(jobs);
    let apart = obstacle(jobs);
    if let (Some((at, need)), Some(obstacle)) = (&need, apart) {
        let section = &sections[*at];
        let why = format!("{need}, which takes one process for all jobs of its time; {obstacle}");
        return Some(Refusal { line: section.line, option: format!("[{}]", section.name), why: why.into() });
    }
    let is_needed = need.is_some() || jobs.iter().any(|job| job.company.ends_others);
    let is_together = apart.is_none() && (is_needed || jobs[0].target.as_deref() != Some(NULL));
    let mut before: Option<String> = None;
    for job in jobs {
        job.is_together = is_together;
        match (job.company.ends_others, apart) {
            (true, Some(obstacle)) => {
                job.company.ends_others = false;
                job.notes.push(format!("exitall: each job ends by itself; {obstacle}").into());
            }
            (true, None) if job.pattern.numjobs > 1 => {
                let note = "exitall: the others end with the last of its processes, in fio with the first";
                job.notes.push(note.into());
            }
            _ => {}
        }
        if let Some(before) = &before {
            let how = match is_together {
                true => "in one process, with a result of its own",
                false => "as a process of its own with a result of its own",
            };
            job.notes.push(format!("at once: beside [{before}], {how}").into());
        }
        before = Some(job.name.clone());
    }
    None
}

/// What jobs of one time need each other for: the job, and its need.
fn need(jobs: &[Job]) -> Option<(usize, String)> {
    let of = |(number, job): (usize, &Job)| {
        if job.company.flow.is_some() {
            return Some((number, "it has a share of all IOs (flow)".into()));
        }
        let target = job.target.as_deref().filter(|target| *target != NULL && job.pattern.writes())?;
        let is_it = |other: &&Job| other.pattern.writes() && other.target.as_deref() == Some(target);
        let other = jobs[..number].iter().find(is_it)?;
        Some((number, format!("it writes what [{}] writes at the same time", other.name)))
    };
    jobs.iter().enumerate().find_map(of)
}

/// Why jobs of one time cannot share a process.
fn obstacle(jobs: &[Job]) -> Option<&'static str> {
    let first = &jobs[0];
    let all = |is_so: fn(&Job, &Job) -> bool| jobs.iter().all(|job| is_so(job, first));
    if first.target.is_none() || !all(|job, first| job.target == first.target) {
        return Some("give all of them one filename, or run them one after the other with stonewall");
    }
    if !all(|job, first| job.starters == first.starters) {
        return Some("give all of them the same prio, nice, cpus_allowed and NUMA nodes");
    }
    let is_alike = |job: &Job, first: &Job| {
        (job.buffered, job.data, job.on_error, job.seed)
            == (first.buffered, first.data, first.on_error, first.seed)
    };
    if !all(is_alike) {
        return Some("give all of them the same direct, contents, continue_on_error and randseed");
    }
    let is_plain =
        |job: &Job, _: &Job| job.latency_target.is_none() && job.precision.is_none() && job.budget.is_none();
    (!all(is_plain)).then_some("leave out latency_target and steadystate")
}

/// With `exitall` each job ends those that its `exit_what` names.
fn ends(sections: &[Section], jobs: &mut [Job]) -> Vec<Refusal> {
    if !sections.iter().any(|section| section.has("exitall")) {
        return Vec::new();
    }
    let groups: Vec<usize> = sections
        .iter()
        .scan(0, |group, section| {
            *group += usize::from(section.has("stonewall") || section.has("new_group"));
            Some(*group)
        })
        .collect();
    let mut refusals = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        let first = (0..=number).rev().find(|at| !jobs[*at].is_beside).unwrap_or(0);
        let behind = (number + 1..jobs.len()).find(|at| !jobs[*at].is_beside).unwrap_or(jobs.len());
        let same = (first..behind).filter(|at| groups[*at] == groups[number]).count();
        let what = section.last("exit_what");
        let problem = match what.map_or("group", |entry| entry.value.as_str()) {
            "all" if behind < jobs.len() => Some("nothing behind it would run in fio; leave those jobs out"),
            "all" | "stonewall" => None,
            "group" if same == behind - first => None,
            "group" if same == 1 => continue,
            "group" => Some("its group is a part of the jobs of its time; write exit_what=stonewall for all"),
            _ => Some("choose one of group, stonewall, all"),
        };
        jobs[number].company.ends_others = problem.is_none();
        if let Some(why) = problem {
            let line = what.map_or(section.line, |entry| entry.line);
            let option = what.map_or("exitall".into(), |entry| format!("exit_what={}", entry.value));
            refusals.push(Refusal { line, option, why: why.into() });
        }
    }
    refusals
}
