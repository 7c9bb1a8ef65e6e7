#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Install what is missing, build, and run the main job: a permutation over a two-tier, 4-plane,
# 128-NIC fabric in which a T1 switch dies and returns.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release first-write
build/bin/first-write
