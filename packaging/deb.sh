#!/usr/bin/env bash
# Makes a Debian package of a built flashscope, with man pages, completions and docs. Needs dpkg-deb, gzip, strip.
#   cargo build --release && packaging/deb.sh [BINARY [FOLDER]]
# Prints the package's path: FOLDER/flashscope_VERSION_ARCHITECTURE.deb, FOLDER being target/debian if not given.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${CARGO_TARGET_DIR:-target}
binary=${1:-$target/release/flashscope}
folder=${2:-$target/debian}
[ -x "$binary" ] || { echo "there is no $binary: run cargo build --release first" >&2; exit 2; }
binary=$(realpath "$binary")

version=$("$binary" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
doc=$root/usr/share/doc/flashscope

install -Dm755 "$binary" "$root/usr/bin/flashscope"
strip --strip-unneeded "$root/usr/bin/flashscope"

"$binary" --quiet man -o "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*.1

completion() { mkdir -p "$(dirname "$root/$2")"; "$binary" completions "$1" >"$root/$2"; }
completion bash usr/share/bash-completion/completions/flashscope
completion zsh usr/share/zsh/vendor-completions/_flashscope
completion fish usr/share/fish/vendor_completions.d/flashscope.fish

mkdir -p "$doc"
cp -r README.md docs "$doc/"
gzip -9nc CHANGELOG.md >"$doc/changelog.gz"
{
    cat packaging/copyright
    sed 's/^$/./; s/^/ /' LICENSE-MIT
    printf '\nLicense: Apache-2.0\n On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.\n'
} >"$doc/copyright"
chmod -R u=rwX,go=rX "$root"

# The C library that the binary was linked with is the oldest that will do.
libc=$(objdump -T "$root/usr/bin/flashscope" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -1 | cut -d_ -f2)
mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: flashscope
Version: $version
Section: utils
Priority: optional
Architecture: $architecture
Maintainer: flashscope authors <flashscope@users.noreply.github.com>
Homepage: https://github.com/flashscope/flashscope
Depends: libc6 (>= ${libc:-2.31}), libgcc-s1
Recommends: util-linux
Suggests: smartmontools, fio
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Description: measure, simulate and explain flash storage
 One command finds out which kinds of IO a drive, or a file on it, likes, how
 sure the numbers are, and what to do about it. It measures real devices,
 simulates SSDs, replays block traces, and keeps every IO.
CONTROL
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"

mkdir -p "$folder"
dpkg-deb --root-owner-group --build "$root" "$folder/flashscope_${version}_$architecture.deb" >&2
echo "$folder/flashscope_${version}_$architecture.deb"
