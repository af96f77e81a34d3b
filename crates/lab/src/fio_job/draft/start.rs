//! What fio sets for a process of a job, and other programs set for any: priorities, processors, memory.

use super::super::{Entry, NumaMemory, Starter, count, list};
use super::Draft;

impl Draft<'_> {
    pub(super) fn starters(&mut self) {
        self.io_priority();
        self.memory_and_nodes();
        if let Some(cores) = self.value("cpus_allowed", list) {
            self.start(Starter::Processors(cores));
        }
        if let Some(entry) = self.section.last("cpus_allowed_policy").filter(|entry| entry.value != "shared")
        {
            self.refuse(entry, "each thread has a processor where there are enough; leave it out");
        }
        if let Some(nice) = self.value("nice", niceness) {
            self.start(Starter::Niceness(nice));
        }
    }

    fn start(&mut self, starter: Starter) {
        self.job.starters.push(starter);
    }

    fn io_priority(&mut self) {
        let level = self.value("prio", count);
        let Some(class) = self.value("prioclass", count).filter(|class| *class > 0) else {
            let lone: Option<&Entry> = self.section.last("prio").filter(|_| level.is_some());
            if let Some(entry) = lone {
                self.refuse(entry, "has no meaning without a class; add prioclass=2");
            }
            return;
        };
        match (class, level.unwrap_or(0)) {
            (1 | 2, level @ 0..=7) => {
                self.start(Starter::IoPriority { class: class as u8, level: Some(level as u8) });
            }
            (3, _) => self.start(Starter::IoPriority { class: 3, level: None }),
            _ => {
                let why = "classes are 1 to 3, levels 0 to 7".to_string();
                self.section.last("prioclass").into_iter().for_each(|entry| self.refuse(entry, why.clone()));
            }
        }
    }

    fn memory_and_nodes(&mut self) {
        let processors = self.value("numa_cpu_nodes", list);
        let memory = self.value("numa_mem_policy", policy).flatten();
        if processors.is_some() || memory.is_some() {
            self.start(Starter::Numa { processors, memory });
        }
    }
}

fn niceness(text: &str) -> Result<i8, String> {
    let known = text.parse().ok().filter(|nice| (-20..=19).contains(nice));
    known.ok_or_else(|| "must be -20 to 19".into())
}

/// Where memory comes from; none as the system has it.
fn policy(text: &str) -> Result<Option<NumaMemory>, String> {
    let (mode, nodes) = text.split_once(':').unwrap_or((text, ""));
    let of_nodes = match mode {
        "default" => return Ok(None),
        "local" => return Ok(Some(NumaMemory::Local)),
        "prefer" => NumaMemory::Preferred,
        "bind" => NumaMemory::Bound,
        "interleave" => NumaMemory::Interleaved,
        _ => return Err("choose one of default, local, prefer:NODE, bind:NODES, interleave:NODES".into()),
    };
    list(nodes).map(|nodes| Some(of_nodes(nodes)))
}
