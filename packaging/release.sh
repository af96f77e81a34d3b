#!/usr/bin/env bash
# Makes all that a release holds, from one build: a tar.gz with man pages, completions and docs, a Debian package,
# a Python wheel with the program, and the debug information, which the program itself leaves out.
#   packaging/release.sh [PROFILE [FOLDER]]     dist and target/packages if not given
# Needs maturin (pip install maturin), binutils, dpkg-deb, gzip. Prints the sizes; with the profile dist, a program of
# more than 18 MB is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

profile=${1:-dist}
target=${CARGO_TARGET_DIR:-target}
folder=${2:-$target/packages}
built=$profile
[ "$profile" != dev ] || built=debug
rm -rf "$folder"
mkdir -p "$folder"

cargo build --locked --profile "$profile" --package flashscope
binary=$target/$built/flashscope
version=$("$binary" --version | cut -d' ' -f2)
name=flashscope-$version-$(uname -m)-linux

objcopy --only-keep-debug --compress-debug-sections "$binary" "$folder/$name.debug"
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/$name/man"
strip --strip-unneeded -o "$root/$name/flashscope" "$binary"
(cd "$folder" && objcopy --add-gnu-debuglink="$name.debug" "$root/$name/flashscope")
"$binary" --quiet man -o "$root/$name/man"
for shell in bash zsh fish; do
    mkdir -p "$root/$name/completions"
    "$binary" completions "$shell" >"$root/$name/completions/flashscope.$shell"
done
cp -r README.md CHANGELOG.md LICENSE-* docs "$root/$name/"
chmod -R u=rwX,go=rX "$root"
# The same files give the same archive. A tree without git's history has the changelog's date.
date=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$date" -C "$root" -c "$name" |
    gzip -9n >"$folder/$name.tar.gz"

packaging/deb.sh "$binary" "$folder" >/dev/null
maturin build --quiet --profile "$profile" --out "$folder"

size=$(stat -c %s "$root/$name/flashscope")
printf '%11d bytes  %s\n' "$size" "the program, stripped"
(cd "$folder" && stat -c '%s %n' -- *) | while read -r bytes file; do printf '%11d bytes  %s\n' "$bytes" "$file"; done
if [ "$profile" = dist ] && [ "$size" -gt 18000000 ]; then
    echo "the program has more than 18 MB: cargo bloat says of what" >&2
    exit 1
fi
