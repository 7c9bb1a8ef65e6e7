#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Run many random conversations over random networks (test/core/mrc-transport-model-test.cc), each
# checked after every step. A failure prints the seed and the command that replays it.
#   scripts/soak.sh [RUNS]      default: 100000, which takes some minutes of one core
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release mrc-core-test
MRC_TEST_RUNS=${1:-100000} nice -n 10 build/bin/mrc-core-test \
  --gtest_filter=TransportModelTest.EverythingArrivesOnceWhateverTheNetworkDoes
