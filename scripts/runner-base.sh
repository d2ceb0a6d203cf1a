#!/usr/bin/env bash
# A base for the image of docker/scaffold-runner without an image registry: Debian's packages by debootstrap, and
# `docker import`. Takes half a minute once; the archive is kept in Reprise's cache folder, the image by the daemon.
#
#   export REPRISE_RUNNER_BASE=$(scripts/runner-base.sh [TAG])
#
# TAG is reprise-runner-base:bookworm by default. DEBIAN_MIRROR names another mirror, and RUNNER_PACKAGES more packages
# that programs may use, with commas between them: RUNNER_PACKAGES=python3-numpy,python3-sympy (with a TAG of its own).
# Making the archive needs root, and debootstrap, which is installed on Debian where it is missing. Only the tag goes to
# the standard output.
set -euo pipefail

tag=${1:-reprise-runner-base:bookworm}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=python3${RUNNER_PACKAGES:+,$RUNNER_PACKAGES}
cache=${REPRISE_CACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/reprise}
archive=$cache/$(tr -c 'a-z0-9.\n' '-' <<<"$tag").tar

fail() {
  echo "runner-base.sh: $*" >&2
  exit 1
}

install() {
  command -v debootstrap >/dev/null && return
  command -v apt-get >/dev/null || fail 'debootstrap is missing'
  export DEBIAN_FRONTEND=noninteractive
  apt-get install --yes --no-install-recommends debootstrap >&2 ||
    { apt-get update >&2 && apt-get install --yes --no-install-recommends debootstrap >&2; }
}

make_archive() {
  [ "$(id -u)" = 0 ] || fail 'debootstrap needs root'
  install
  mkdir -p "$cache"
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  echo "runner-base.sh: making a base of Debian bookworm with $packages" >&2
  debootstrap --variant=minbase --include="$packages" bookworm "$scratch/root" "$mirror" >"$scratch/log" 2>&1 ||
    { tail -n 20 "$scratch/log" >&2; fail 'debootstrap failed'; }
  # Nothing is ever installed into this image again.
  rm -rf "$scratch"/root/var/cache/apt/* "$scratch"/root/var/lib/apt/lists/* "$scratch"/root/usr/share/{doc,man,locale}
  tar --create --numeric-owner --one-file-system --directory "$scratch/root" --file "$scratch/archive.tar" .
  # Another one may have made it meanwhile: the last whole archive stays.
  mv "$scratch/archive.tar" "$archive.$$" && mv "$archive.$$" "$archive"
}

if ! docker image inspect "$tag" >/dev/null 2>&1; then
  docker version >/dev/null || fail 'no Docker daemon answers'
  [ -f "$archive" ] || make_archive
  docker import "$archive" "$tag" >&2
fi
echo "$tag"
