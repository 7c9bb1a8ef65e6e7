#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# List what the code takes from the protocol reference ("//= MRC-REF section topic") and no test
# cites. Two citations are about the same thing if section and topic agree; a topic ends at the
# first comma, colon or bracket. Prints "file:line: section topic"; nothing if all have a test.
set -euo pipefail
cd "$(dirname "$0")/.."

rooms=()
for room in src tools emulation dissector; do
  [[ ! -d $room ]] || rooms+=("$room")
done

# citations FOLDER... - prints "file:line<TAB>section topic" of each
citations() {
  { grep -rnE --include='*.h' --include='*.cc' '//= MRC-REF [0-9]' "$@" || true; } |
    sed -E 's|^([^:]+:[0-9]+):.*//= MRC-REF |\1\t|; s/ type=test$//' |
    sed -E $'s/\t([^,:()]*[^,:() .]).*/\t\\1/'
}

awk -F '\t' 'NR == FNR { tested[$2] = 1; next }
             !($2 in tested) { print $1 ": " $2 }' <(citations test) <(citations "${rooms[@]}")
