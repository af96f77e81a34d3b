//! Of `flashscope-papers`: why a study cannot be run on a device, and how its page is made here.

use std::error::Error;

use flashscope_papers::NotHere;

/// None where the library's own words need no flags.
pub fn worded(error: &(dyn Error + 'static)) -> Option<String> {
    Some(match error.downcast_ref::<NotHere>()? {
        NotHere::Writes => "it writes: add --write".into(),
        NotHere::ComparesDevices => "it compares different devices, and --on names one".into(),
        _ => return None,
    })
}

/// What stands above the studies in docs/papers.md.
pub const PAGE_HEAD: &str = "\
# The five papers, claim by claim

Made by `flashscope reproduce all --markdown`; do not edit. For each paper an index of its sections, tables
and figures, then its studies. A study is one thing that is run; each row of its table is a sentence, table or
figure of the paper: what it says, the figure that is published, and what is found on a simulated device.

From a sentence to its picture: look up its section or figure in the paper's index, follow the link, and type
the study's name after `flashscope reproduce`:

```sh
flashscope reproduce bplru-office-install                    # published and measured, with the verdicts
flashscope reproduce bplru-office-install --json             # and which values are accepted, and why
flashscope reproduce bplru-office-install -o page.html       # with the pictures, where it draws any
flashscope reproduce ajwani-steady --on test.bin --write     # the same on a file or drive of one's own
```

A simulated device takes seconds. On a real one the study does the same IOs and compares shapes; the times
that the papers give runs are shortened (`--runtime`), and `--size` keeps to the first part of a large drive.
Each study runs three times there (`--repeats`), and its numbers are means with an interval at 95 %; a verdict
is *uncertain* where that holds values which would be judged otherwise. What only a simulated SSD can tell
says so; *none* is what was looked for and is not there.

*Reproduced*: the figure, or the order that the words give, within what is *accepted*; `--json` tells the
reason of that. *In kind*: the order and shape, not the figure. *As set*: the device was given this figure,
or one from which it follows: the simulator does as it is told, and no more. *Computed*: a model's arithmetic,
or a fact of a workload or a plan; a device gives it times at most. A *rig* is a device that is told how to
behave, to try the method. The seed is fixed: every machine finds the same.
";
