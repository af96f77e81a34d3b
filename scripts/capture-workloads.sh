#!/bin/sh
# Captures block traces of real workloads on a loop device of its own, in memory: what paper 002 (BPLRU) calls
# W1 (install), W5 (mp3), W7 (untar), W8 (compile) and W9 (postmark), on ext3 as the kernel of today runs it.
#
#   sudo scripts/capture-workloads.sh OUTPUT_FOLDER [WORKLOAD...]
#
# Workloads: untar untar-flush install compile mp3 postmark; all unless named. Inputs are made up from a fixed
# seed, outside the device, before the trace begins. Settings, as variables of the environment:
#
#   FLASHSCOPE  the program                                  [flashscope]
#   WORK        folder for image, inputs and mount point; memory, not a disk   [/dev/shm]
#   SIZE        size of the device                           [1G]
#   SCALE       part of each workload: 0.01 to try it out    [1]
#   SOURCES     a tar file to unpack, instead of a made-up tree
#
# Memory is faster than any disk: what takes a second there is written by one commit of the file system, and
# what is deleted within it is never written. So tar is held to 20 MB/s, and PostMark to 500 transactions a
# second, as on a disk of the paper's time.
#
# Needs root, perl, GNU tar, mke2fs, losetup; compile needs make and cc.
set -eu

die() { echo "capture-workloads: $*" >&2; exit 1; }

FLASHSCOPE=${FLASHSCOPE:-flashscope}
WORK=${WORK:-/dev/shm}
SIZE=${SIZE:-1G}
SCALE=${SCALE:-1}
SOURCES=${SOURCES:-}
export WORK SCALE SOURCES

# A number of things, scaled, at least 1.
scaled() { perl -e 'my $n = int($ARGV[0] * $ARGV[1]); print $n < 1 ? 1 : $n' "$1" "$SCALE"; }

# Makes $2 files below folder $1 in $3 folders, log-normal with mean $4 bytes and deviation $5.
make_tree() {
    perl -e '
        my ($root, $files, $folders, $mean, $sigma) = @ARGV;
        srand(42);
        my $bytes = join("", map { chr(int(rand(256))) } 1 .. 65536);
        mkdir "$root";
        mkdir "$root/d$_" for 0 .. $folders - 1;
        for my $at (0 .. $files - 1) {
            my $normal = sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand());
            my $size = int(exp(log($mean) - $sigma ** 2 / 2 + $sigma * $normal));
            $size = 20e6 if $size > 20e6;
            my $folder = int($at * $folders / $files);
            open(my $file, ">", "$root/d$folder/f$at.c") or die "$root: $!";
            for (my $left = $size; $left > 0; $left -= 65536) {
                print $file $left < 65536 ? substr($bytes, 0, $left) : $bytes;
            }
            close($file) or die "$root: $!";
        }' "$@"
}

# Makes a C program of $2 sources below folder $1, with a Makefile.
make_program() {
    perl -e '
        my ($root, $sources) = @ARGV;
        srand(42);
        mkdir $root;
        open(my $header, ">", "$root/all.h");
        print $header "int f$_(int);\n" for 0 .. $sources - 1;
        for my $at (0 .. $sources - 1) {
            open(my $file, ">", "$root/s$at.c");
            print $file "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"all.h\"\n";
            for (1 .. 20 + rand(300)) {
                print $file "static int g$_(int x) { return x * ", int(rand(999)), " + $_; }\n";
            }
            print $file "int f$at(int x) { return g1(x) + g20(x); }\n";
        }
        open(my $main, ">", "$root/main.c");
        print $main "#include \"all.h\"\nint main(void) { return f0(1) == 0; }\n";
        open(my $make, ">", "$root/Makefile");
        print $make "program: main.o", map { " s$_.o" } 0 .. $sources - 1;
        print $make "\n\t\$(CC) -g -o \$@ \$^\n";
        print $make "%.o: %.c all.h\n\t\$(CC) -g -O1 -c -o \$@ \$<\n";' "$@"
}

# PostMark (Katcher 1997) in folder $1: $2 files of 500 bytes to 15 KB, $3 transactions.
postmark() {
    perl -e '
        my ($root, $files, $transactions) = @ARGV;
        my ($min, $max) = (500, 15000);
        srand(42);
        my $bytes = "p" x $max;
        my ($next, @pool, %size) = (0);
        my $write = sub {
            my ($how, $name, $size) = @_;
            open(my $file, $how, "$root/$name") or die "$root: $!";
            print $file substr($bytes, 0, $size);
            close($file) or die "$root: $!";
        };
        my $create = sub {
            my $name = "f" . $next++;
            $size{$name} = $min + int(rand($max - $min + 1));
            $write->(">", $name, $size{$name});
            push @pool, $name;
        };
        my $delete = sub {
            my $at = int(rand(@pool));
            my $name = $pool[$at];
            $pool[$at] = $pool[-1];
            pop @pool;
            delete $size{$name};
            unlink("$root/$name") or die "$root: $!";
        };
        $create->() for 1 .. $files;
        for (1 .. $transactions) {
            select(undef, undef, undef, 0.002);
            if (@pool) {
                my $name = $pool[int(rand(@pool))];
                if (rand() < 0.5) {
                    open(my $file, "<", "$root/$name") or die "$root: $!";
                    local $/;
                    my $all = <$file>;
                } elsif ($size{$name} < $max) {
                    my $more = 1 + int(rand($max - $size{$name}));
                    $write->(">>", $name, $more);
                    $size{$name} += $more;
                }
            }
            if (rand() < 0.5 || !@pool) { $create->() } else { $delete->() }
        }
        $delete->() while @pool;' "$@"
}

# What has to be there before the trace of workload $1 begins, in folder $2.
prepare() {
    case $1 in
    untar | untar-flush)
        if [ -n "$SOURCES" ]; then
            cp "$SOURCES" "$2/sources"
        else
            make_tree "$2/tree" "$(scaled 21594)" "$(scaled 1285)" 10700 1.4
            tar cf "$2/sources" -C "$2" tree
            rm -r "$2/tree"
        fi ;;
    install) make_tree "$2/tree" "$(scaled 2500)" "$(scaled 250)" 170000 2 ;;
    mp3) make_tree "$2/tree" "$(scaled 90)" 1 4800000 0.3 ;;
    compile) make_program "$2/program" "$(scaled 400)" ;;
    esac
}

# Workload $1 with inputs in $2 on the file system mounted at $3.
work() {
    case $1 in
    untar | untar-flush)
        # A record is 10 KiB.
        tar xf "$2/sources" -C "$3" --checkpoint=400 --checkpoint-action='exec=sleep 0.2' ;;
    install)
        head -c 12582912 /dev/zero > "$3/hive"
        state=42
        for folder in "$2"/tree/*; do
            cp -r "$folder" "$3/"
            for _ in 1 2 3; do
                state=$(((state * 1103515245 + 12345) % 2147483648))
                dd if=/dev/zero of="$3/hive" bs=4096 count=1 seek=$((state / 65536 % 3072)) \
                    conv=notrunc,fsync 2> /dev/null
            done
        done ;;
    mp3) for file in "$2"/tree/d0/*; do cp "$file" "$3/"; done ;;
    compile) cp -r "$2/program" "$3/" && make -s -C "$3/program" ;;
    postmark) mkdir "$3/pool" && postmark "$3/pool" "$(scaled 5000)" "$(scaled 30000)" ;;
    esac
}

# What the capture runs: mounts, works, unmounts, so that the trace holds all that is written.
if [ "${1-}" = --inside ]; then
    [ $# = 5 ] || die "--inside is for this script alone"
    barrier=0
    [ "$2" = untar-flush ] && barrier=1
    mount -t ext3 -o "barrier=$barrier" "$3" "$5"
    work "$2" "$4" "$5"
    umount "$5"
    exit
fi

[ $# -ge 1 ] || die "usage: capture-workloads.sh OUTPUT_FOLDER [WORKLOAD...]"
[ "$(id -u)" = 0 ] || die "mounting and tracing need root; call it with sudo"
output=$1
shift
[ $# -gt 0 ] || set -- untar untar-flush install compile mp3 postmark
for name in "$@"; do
    case $name in
    untar | untar-flush | install | compile | mp3 | postmark) ;;
    *) die "there is no workload '$name'; choose from untar untar-flush install compile mp3 postmark" ;;
    esac
done
for tool in perl mke2fs losetup; do
    command -v $tool > /dev/null || die "$tool is missing; install it"
done
mkdir -p "$output"
# It calls itself, from wherever it was called and whether or not it is marked as a program.
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")

folder=$(mktemp -d "$WORK/flashscope-workload.XXXXXX")
loop=
cleanup() {
    umount "$folder/mount" 2> /dev/null || true
    [ -z "$loop" ] || losetup -d "$loop" || true
    rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

for name in "$@"; do
    if [ "$name" = compile ] && ! { command -v make && command -v cc; } > /dev/null; then
        echo "compile is left out: it needs make and cc" >&2
        continue
    fi
    mkdir -p "$folder/in" "$folder/mount"
    prepare "$name" "$folder/in"
    truncate -s "$SIZE" "$folder/image"
    loop=$(losetup -f --show "$folder/image")
    # Nothing is left to be written behind the workload's back.
    mke2fs -q -t ext3 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$loop"
    "$FLASHSCOPE" trace capture "$loop" "$output/$name-ext3.tracefs.gz" \
        --during "sh '$script' --inside '$name' '$loop' '$folder/in' '$folder/mount'"
    losetup -d "$loop"
    loop=
    rm -rf "$folder/in" "$folder/image"
done
