#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Fuzz with libFuzzer under ASan and UBSan: decoder, requester and responder, NICs and switches.
# Builds with clang in build-fuzz; the corpora grow in build-fuzz/corpus. A crash leaves its input
# in build-fuzz and ends the script.
#   scripts/fuzz.sh [RUNS [TARGET...]]      default: 1000000 runs of decode, conversation, fabric
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${1:-1000000}
shift || true
targets=("$@")
[ ${#targets[@]} -ne 0 ] || targets=(decode conversation fabric)
scripts/install-deps.sh clang libclang-rt-dev
# Programs of the module link the protocol twice, in the module's library and by themselves.
export ASAN_OPTIONS=detect_odr_violation=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}
cmake -S . -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DMRC_WERROR=OFF -DMRC_SANITIZE=address,undefined \
  -DCMAKE_CXX_FLAGS=-fsanitize=fuzzer-no-link >/dev/null
programs=("${targets[@]/#/mrc-}")
ninja -C build-fuzz "${programs[@]/%/-fuzz}"
for target in "${targets[@]}"; do
  echo "== $target, $runs runs"
  corpus=build-fuzz/corpus/$target
  mkdir -p "$corpus"
  seeds=()
  [ "$target" != decode ] || seeds=(test/fuzz/corpus)
  build-fuzz/bin/mrc-"$target"-fuzz -runs="$runs" -max_len=1024 -artifact_prefix=build-fuzz/ \
    -print_final_stats=1 "$corpus" "${seeds[@]}"
done
