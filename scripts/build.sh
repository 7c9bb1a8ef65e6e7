#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Configure and build one CMake preset (default: release). Further arguments go to ninja.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
shift || true
scripts/install-deps.sh
echo "== building preset $preset"
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -- "$@"
