#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Print the table of docs/congestion-control.md: an incast under each controller, with and without
# ECN on the last hop and trimming. Arguments go to mrc-sim (--senders 64, --seed 2, ...).
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release mrc-sim >&2
base=(incast --planes 1 --verify placement "$@")

# number KEY < JSON - the first value of a key
number() {
  sed -n -E "s/^ *\"$1\": ([0-9.]+),?\$/\\1/p" | head -n 1
}

echo "| controller | last-hop ECN | trimming | last FCT over ideal | trims | drops | retransmissions | timeouts | options |"
echo "|---|---|---|---|---|---|---|---|---|"
for cc in nscc dctcp window; do
  for ecn in off on; do
    for trim in on off; do
      options=()
      [[ $cc == nscc ]] || options+=(--cc "$cc")
      [[ $ecn == off ]] || options+=(--last-hop-ecn)
      [[ $trim == on ]] || options+=(--no-trim)
      json=$(build/bin/mrc-sim "${base[@]}" "${options[@]}" --json --no-timing --quiet) || true
      row=()
      for key in max ideal_last trimmed dropped retransmitted timeouts; do
        row+=("$(number "$key" <<<"$json")")
      done
      over=$(awk -v last="${row[0]}" -v ideal="${row[1]}" 'BEGIN { printf "%.1f %%", (last / ideal - 1) * 100 }')
      shown=${options[*]}
      echo "| $cc | $ecn | $trim | $over | ${row[2]} | ${row[3]} | ${row[4]} | ${row[5]} | ${shown:+\`$shown\`} |"
    done
  done
done
