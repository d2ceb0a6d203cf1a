#!/usr/bin/env bash
# A Docker daemon for tests, where none runs: started by hand, with a socket and a data folder of its own and without
# networks. It needs root. Where dockerd is missing, Debian's docker.io is installed.
#
#   export DOCKER_HOST=$(scripts/docker-daemon.sh start [FOLDER])
#   scripts/docker-daemon.sh stop [FOLDER]      # ends it; its images stay for the next start
#   scripts/docker-daemon.sh remove [FOLDER]    # ends it and deletes FOLDER
#
# FOLDER is /tmp/reprise-docker by default. Keep it short: a socket's path has at most 107 characters. Only the address
# goes to the standard output. The daemon's own words are in FOLDER/log. A daemon that was killed leaves files behind
# that keep the next one from starting: they are removed, and three tries are made.
set -euo pipefail

command=${1:-}
folder=${2:-/tmp/reprise-docker}
pidfile=$folder/pid
containerd_pidfile=$folder/run/containerd/containerd.pid
address=unix://$folder/docker.sock
WAIT_SEC=60
TRIES=3

say() { echo "docker-daemon.sh: $*" >&2; }

fail() {
  say "$*"
  exit 1
}

is_named() { [ "$(cat "/proc/$1/comm" 2>/dev/null)" = "$2" ]; }

# The process id in a pid file, if a process of that name has it. An id that another program has taken over is none.
owner() {
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 1
  is_named "$pid" "$2" && echo "$pid"
}

answers() {
  timeout 10 docker --host "$address" version >/dev/null 2>&1
}

install() {
  command -v dockerd >/dev/null && command -v docker >/dev/null && return
  command -v apt-get >/dev/null || fail 'dockerd is missing: install Docker Engine'
  say 'installing docker.io'
  export DEBIAN_FRONTEND=noninteractive
  apt-cache show docker.io >/dev/null 2>&1 || apt-get update >&2
  local packages=(docker.io) name
  # Where these are packages of their own, docker.io only recommends them: the client, and what loads AppArmor profiles.
  for name in docker-cli apparmor; do
    if apt-cache show "$name" >/dev/null 2>&1; then packages+=("$name"); fi
  done
  apt-get install --yes --no-install-recommends "${packages[@]}" >&2 ||
    { apt-get update >&2 && apt-get install --yes --no-install-recommends "${packages[@]}" >&2; }
}

# dockerd has no containers without cgroups; a service manager mounts them, a bare machine does not.
mount_cgroups() {
  mountpoint --quiet /sys/fs/cgroup || mount -t cgroup2 cgroup2 /sys/fs/cgroup
}

# Waits until a process is gone, a zombie that nobody has reaped yet included: dockerd takes it for alive.
until_ended() {
  local deadline=$((SECONDS + WAIT_SEC))
  while is_named "$1" "$2"; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.1
  done
}

# The same of the process in a pid file.
until_gone() {
  local pid
  pid=$(owner "$1" "$2") || return 0
  until_ended "$pid" "$2"
}

# What a daemon that was killed leaves behind. Nothing of a process that lives is touched.
clear_remains() {
  local socket
  until_gone "$pidfile" dockerd && until_gone "$containerd_pidfile" containerd || {
    say 'an earlier daemon continues, but does not answer'
    return 1
  }
  rm -f "$pidfile" "$containerd_pidfile" "$folder/docker.sock" "$folder"/run/containerd/*.sock*
  # dockerd takes the system's containerd for running as long as its socket's file is there.
  for socket in /run/containerd/containerd.sock /var/run/docker/containerd/containerd.sock; do
    if [ -S "$socket" ] && ! grep --quiet " $(realpath "$socket")\$" /proc/net/unix; then
      say "removing $socket, on which nobody listens"
      rm -f "$socket"
    fi
  done
}

# One try: the daemon answers within its time, or it is ended.
try_to_start() {
  # Containers of the sandbox have no network, so the daemon needs neither a bridge nor the firewall.
  setsid dockerd --host "$address" --data-root "$folder/data" --exec-root "$folder/run" --pidfile "$pidfile" \
    --bridge=none --iptables=false --ip6tables=false >>"$folder/log" 2>&1 </dev/null &
  local pid=$! deadline=$((SECONDS + WAIT_SEC))
  until answers; do
    if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      kill "$pid" 2>/dev/null || true
      return 1
    fi
    sleep 0.1
  done
}

start() {
  if owner "$pidfile" dockerd >/dev/null && answers; then
    echo "$address"
    return
  fi
  [ "$(id -u)" = 0 ] || fail 'a daemon can only be started as root; use the one of the system, or rootless Docker'
  install
  mount_cgroups
  mkdir -p "$folder"
  local attempt
  for attempt in $(seq "$TRIES"); do
    if clear_remains && try_to_start; then
      echo "$address"
      return
    fi
    say "try $attempt of $TRIES: the daemon did not start"
  done
  tail -n 60 "$folder/log" >&2
  fail 'there is no daemon'
}

stop() {
  local pid
  pid=$(owner "$pidfile" dockerd) || return 0
  # Looked up before it is told to end: it deletes its pid file first.
  kill "$pid" 2>/dev/null || true
  until_ended "$pid" dockerd || fail "the daemon with process id $pid does not end"
}

# Processes that stand beside containers, and stay where daemon and container went at the same moment.
end_shims() {
  local process
  for process in $(pgrep containerd-shim); do
    if grep --quiet --text --fixed-strings "$(realpath "$folder")/run/" "/proc/$process/cmdline" 2>/dev/null; then
      kill -KILL "$process" 2>/dev/null || true
    fi
  done
}

# Mounts that the daemon leaves, also when it is ended in order: the namespace of containers without a network.
unmount_remains() {
  local place
  while read -r _ place _; do
    case $place in "$(realpath "$folder")"/*) umount "$place" 2>/dev/null || umount --lazy "$place" || true ;; esac
  done < <(tac /proc/mounts)
}

case $command in
  start) start ;;
  stop) stop ;;
  remove)
    stop
    [ -d "$folder" ] || exit 0
    end_shims
    unmount_remains
    rm -rf "$folder"
    ;;
  *) fail 'say start, stop or remove' ;;
esac
