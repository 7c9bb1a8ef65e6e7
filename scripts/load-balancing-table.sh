#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Print the table of docs/load-balancing.md: a permutation under each load balancer, on a healthy
# fabric and with one link between a T0 and a T1 at a quarter of its speed. Arguments go to mrc-sim.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release mrc-sim >&2
fault="slow p0/t0-3-t1-2@0us,rate=25Gbps"

# number KEY < JSON - the first value of a key
number() {
  sed -n -E "s/^ *\"$1\": ([0-9.]+),?\$/\\1/p" | head -n 1
}

echo "| planes | size | balancer | healthy: last FCT over ideal | slow link: last FCT over healthy | trims | inferred losses | EVs retired |"
echo "|---|---|---|---|---|---|---|---|"
for planes in 4 1; do
  for size in 2MiB 8MiB 32MiB; do
    for spray in mrc reps random round-robin single; do
      run=(build/bin/mrc-sim permutation --planes "$planes" --size "$size" --spray "$spray"
           --verify placement --json --no-timing --quiet "$@")
      healthy=$("${run[@]}") || true
      slow=$("${run[@]}" --fault "$fault") || true
      awk -v planes="$planes" -v size="$size" -v spray="$spray" \
          -v ideal="$(number ideal_last <<<"$healthy")" -v healthy="$(number max <<<"$healthy")" \
          -v slow="$(number max <<<"$slow")" -v trims="$(number trimmed <<<"$slow")" \
          -v lost="$(number inferred_losses <<<"$slow")" -v gone="$(number retired <<<"$slow")" \
        'BEGIN { printf "| %s | %s | %s | %.1f %% | %.1f %% | %d | %d | %d |\n", planes, size, spray,
                 (healthy / ideal - 1) * 100, (slow / healthy - 1) * 100, trims, lost, gone }'
    done
  done
done
