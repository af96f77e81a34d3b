//! Examples for each command, shown by `--help` and in the man pages. Tests parse all of them, and run, in
//! this order, those that need neither a real device nor a real file.

/// What it is for, and the line.
type Example = (&'static str, &'static str);

/// By the command's path.
pub const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "",
        &[
            ("See what it does, on a virtual device", "flashscope run"),
            ("Make a file on your drive ...", "flashscope create test.img 1GiB"),
            ("... and characterise it", "flashscope run test.img --quick --write"),
        ],
    ),
    (
        "create",
        &[
            ("A file to measure, where your drive is mounted", "flashscope create test.img 1GiB"),
            ("On another disk", "flashscope create /mnt/disk/test.img 16GiB"),
        ],
    ),
    (
        "run",
        &[
            (
                "A virtual device with known characteristics, in seconds",
                "flashscope run rig:mtron --quick -o mtron",
            ),
            ("Bytes written and time for a whole drive", "flashscope run /dev/nvme1n1 --write --dry-run"),
            ("Paper 004", "flashscope run 'sim:x25m-2009?capacity=1GiB' --suite almost-sequential"),
            ("Only two micro-benchmarks", "flashscope run rig:plain --only locality,pause -o plain"),
        ],
    ),
    (
        "measure",
        &[
            ("Random writes of a virtual device", "flashscope measure rig:mtron --rw randwrite"),
            ("32 reads in flight", "flashscope measure test.img --rw randread --bs 4k --iodepth 32"),
            ("The best block size", "flashscope measure rig:plain --rw read --bs auto"),
            ("flashscope's own overhead", "flashscope measure null: --number-ios 100000"),
        ],
    ),
    (
        "trace generate",
        &[
            ("Zipf's law, as CSV", "flashscope trace generate zipf zipf.csv --number-ios 5000"),
            ("Paper 002's W1, compressed", "flashscope trace generate W1 w1.csv.gz --number-ios 5000"),
        ],
    ),
    (
        "trace",
        &[
            ("Describe a trace", "flashscope trace stats w1.csv.gz"),
            ("In another format", "flashscope trace convert w1.csv.gz w1.parquet"),
            ("Record a disk while a command runs", "flashscope trace capture /dev/nvme0n1 c.tracefs.gz"),
        ],
    ),
    (
        "trace sniff",
        &[
            ("Which format is this?", "flashscope trace sniff w1.csv.gz"),
            ("All candidates, for a script", "flashscope trace sniff zipf.csv --json"),
        ],
    ),
    (
        "trace stats",
        &[
            ("Mix, sizes, re-use", "flashscope trace stats zipf.csv"),
            ("Stored with charts", "flashscope trace stats w1.csv.gz -o w1-stats"),
        ],
    ),
    (
        "trace convert",
        &[
            ("To Parquet, which loses nothing", "flashscope trace convert zipf.csv zipf.parquet"),
            ("As fio replays it", "flashscope trace convert zipf.csv zipf.log --to fio-iolog"),
        ],
    ),
    (
        "trace cut",
        &[
            (
                "The writes of the first ten seconds",
                "flashscope trace cut w1.csv.gz a.csv --op write --to-time 10s",
            ),
            ("Twice as fast", "flashscope trace cut zipf.csv fast.csv --time-scale 0.5"),
        ],
    ),
    (
        "trace merge",
        &[
            ("Two machines on one disk", "flashscope trace merge zipf.csv w1.csv.gz both.csv"),
            ("Begun together", "flashscope trace merge zipf.csv w1.csv.gz both.parquet --together"),
        ],
    ),
    (
        "trace capture",
        &[
            ("For a minute", "flashscope trace capture /dev/nvme0n1 minute.tracefs.gz --time 1min"),
            ("While a command runs", "flashscope trace capture /dev/sda sync.csv --during 'cp a b'"),
        ],
    ),
    (
        "sim",
        &[
            ("Write buffers side by side", "flashscope sim bplru-board --buffer lru,bplru --trace w1.csv.gz"),
            ("Victim policies", "flashscope sim x25m-2009 --capacity 1GiB --gc greedy,fifo --rw randwrite"),
            ("Any setting", "flashscope sim bplru-board --set nand.pages_per_block=64 --rw write"),
        ],
    ),
    (
        "reproduce",
        &[
            ("One study", "flashscope reproduce bplru-office-install"),
            ("All of paper 002, as JSON", "flashscope reproduce 002 --json"),
            ("What rests on a setting", "flashscope reproduce ajwani-spikes --sensitivity"),
            ("Another device", "flashscope reproduce almost-sequential --on sim:x25m-2009?gc=fifo"),
        ],
    ),
    (
        "replay",
        &[
            ("On a simulated device", "flashscope replay w1.csv.gz sim:bplru-board --timing asap"),
            ("On a file, verified", "flashscope replay w1.csv.gz test.img --fit modulo --write --verify"),
            ("Only its reads, on a drive", "flashscope replay w1.csv.gz /dev/nvme1n1 --read-only"),
        ],
    ),
    (
        "doctor",
        &[
            ("Only the machine", "flashscope doctor"),
            ("Before a drive is measured", "flashscope doctor /dev/nvme1n1"),
            ("Stop a script before an unreliable measurement", "flashscope doctor test.img --strict"),
        ],
    ),
    (
        "check",
        &[
            ("May this drive be written?", "flashscope check /dev/nvme1n1"),
            ("For a script", "flashscope check rig:mtron --json"),
        ],
    ),
    (
        "show",
        &[("A stored result", "flashscope show mtron"), ("All its numbers", "flashscope show mtron --json")],
    ),
    (
        "compare",
        &[
            ("Two devices, with intervals", "flashscope compare mtron plain"),
            ("For a script", "flashscope compare mtron plain --json"),
        ],
    ),
    (
        "report",
        &[
            ("A page with every chart", "flashscope report mtron -o mtron.html"),
            ("Several results, overlaid", "flashscope report mtron plain -o both.html"),
        ],
    ),
    (
        "site",
        &[
            ("All results and packs of this folder", "flashscope site ."),
            ("In another folder, and open it", "flashscope site . -o pages; xdg-open pages/index.html"),
        ],
    ),
    (
        "pack",
        &[
            ("To share with others", "flashscope pack mtron"),
            ("With serial, names and paths", "flashscope pack plain --identify -o whole.flashscope"),
            ("Packs are read like folders", "flashscope pack mtron; flashscope show mtron.flashscope"),
        ],
    ),
    (
        "export",
        &[
            ("For fio-plot", "flashscope export mtron --to fio"),
            ("Every number and every IO as CSV", "flashscope export mtron --to csv --ios"),
        ],
    ),
    (
        "import",
        &[
            ("The command that measures a job of fio", "flashscope import job.fio"),
            ("Store the pattern as a file", "flashscope import job.fio -o job.toml"),
        ],
    ),
    (
        "list",
        &[
            ("Virtual devices", "flashscope list rigs"),
            ("Trace formats", "flashscope list formats"),
            ("The JSON Schema of `measure --json`", "flashscope list schemas measure"),
            ("Everything", "flashscope list"),
        ],
    ),
    (
        "completions",
        &[
            ("For this shell", "flashscope completions bash > flashscope.bash; . ./flashscope.bash"),
            ("For fish", "flashscope completions fish > ~/.config/fish/completions/flashscope.fish"),
        ],
    ),
    (
        "man",
        &[
            ("Read the first page", "flashscope man | man -l -"),
            ("All pages, for man(1) to find", "flashscope man -o ~/.local/share/man/man1"),
        ],
    ),
];
