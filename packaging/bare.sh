#!/usr/bin/env bash
# Installs each package of packaging/release.sh where there is neither Rust nor anything else: in a bare Debian, made by
#   debootstrap --variant=minbase --include=python3-pip bookworm ROOT
# and runs the program there; then builds the container and runs that. Needs root; the container needs buildah.
#   packaging/bare.sh FOLDER ROOT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath "$1")
bare=$(realpath "$2")
[ -x "$bare/bin/sh" ] && [ ! -e "$bare/usr/bin/cargo" ] || { echo "$bare is no bare Debian" >&2; exit 2; }

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
# A first run as a newcomer would do it, with a report at the end.
first_run='set -e; cd "$(mktemp -d)"; flashscope --version; flashscope --quiet run --only order --seed 1 -o first
    grep -q "rig:mtron" first/report.html'
try() { # NAME PATTERN COMMAND ..: the package lies in /packages
    rm -rf "$root/system"
    cp -a --reflink=auto "$bare" "$root/system"
    mkdir "$root/system/packages"
    cp "$folder"/$2 "$root/system/packages/"
    printf '\n-- %s\n' "$1"
    unshare --mount --pid --fork --mount-proc="$root/system/proc" \
        chroot "$root/system" /usr/bin/env -i HOME=/root PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin \
        sh -c "set -e; ! command -v cargo; $3; $first_run"
}

try "tar.gz" '*.tar.gz' 'tar -C /opt -xzf /packages/*.tar.gz && ln -s /opt/flashscope-*/flashscope /usr/local/bin/'
try "Debian package" '*.deb' 'dpkg --install /packages/*.deb >/dev/null'
try "wheel" '*.whl' 'pip install --quiet --no-index --break-system-packages --root-user-action=ignore /packages/*.whl'

printf '\n-- container\n'
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
images=(--root "$root/images" --runroot "$root/run")
base=$(buildah "${images[@]}" from scratch)
buildah "${images[@]}" add --quiet "$base" "$bare" / >/dev/null
# Within some containers no other can be started.
if ! buildah "${images[@]}" run "$base" -- true; then
    echo "not tried: no container can be started on this machine"
    exit 0
fi
# In place of the image of that name, which is fetched where there is a network.
buildah "${images[@]}" commit --quiet --rm "$base" docker.io/library/debian:12-slim >/dev/null
buildah "${images[@]}" build --quiet --pull-never -t flashscope -f packaging/Containerfile "$folder" >/dev/null
container=$(buildah "${images[@]}" from --pull-never flashscope)
buildah "${images[@]}" run "$container" -- sh -c "$first_run"
