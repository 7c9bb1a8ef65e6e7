#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Install what is missing, build, run all tests. Arguments go to ctest (-R NAME runs some).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release
echo "== testing"
ctest --preset release -j "$(nproc)" "$@"
