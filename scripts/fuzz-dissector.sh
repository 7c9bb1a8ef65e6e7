#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the Wireshark plugin with sanitizers and read damaged captures with it. Arguments go to
# test/dissector/fuzz_dissector.py; without any it tries 2,000 seeds.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh
build=build-fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_TESTING=OFF \
      -DMRC_SANITIZE=address,undefined >/dev/null
cmake --build "$build" --target mrc-dissector
plugin=$(find "$build/wireshark-plugins" -name mrc.so)
[ $# -gt 0 ] || set -- --seeds 1-2000
exec python3 -B test/dissector/fuzz_dissector.py --plugin "$plugin" \
     --preload "$(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libubsan.so)" "$@"
