#!/usr/bin/env bash
# Installs a package of packaging/deb.sh into an empty folder, runs what is in it, and removes it again.
#   packaging/try.sh FILE.deb
set -euo pipefail
package=$(realpath "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/var/lib/dpkg/"{info,updates} && touch "$root/var/lib/dpkg/"{status,available}

# Small images of Debian leave out man pages and docs, and say so in dpkg's settings.
options=(--root="$root" --log="$root/log" --force-not-root --force-depends --path-include='/usr/*')
manage() { dpkg "${options[@]}" "$@" >"$root/out" 2>&1 || { cat "$root/out"; exit 1; }; }
manage --install "$package"
for file in usr/bin/flashscope usr/share/man/man1/flashscope-run.1.gz usr/share/doc/flashscope/copyright \
    usr/share/bash-completion/completions/flashscope usr/share/zsh/vendor-completions/_flashscope \
    usr/share/fish/vendor_completions.d/flashscope.fish usr/share/doc/flashscope/changelog.gz; do
    [ -s "$root/$file" ] || { echo "$file is missing"; exit 1; }
done
(cd "$root" && md5sum --quiet -c var/lib/dpkg/info/flashscope.md5sums)
"$root/usr/bin/flashscope" --version
"$root/usr/bin/flashscope" --quiet measure rig:plain --seed 1 --json >"$root/result.json"
grep -q '"mean_ms"' "$root/result.json"
manage --purge flashscope
[ ! -e "$root/usr/bin/flashscope" ] || { echo "purging left the binary behind"; exit 1; }
echo "the package installs, runs and goes away again"
