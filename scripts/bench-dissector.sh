#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# What the Wireshark plugin costs: time and memory beside stock on the same file, in one run, and a
# large capture with all statistics. Arguments: packets of the first capture [300000], of the second
# [1000000]. Needs an optimised build (scripts/build.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

small=${1:-300000}
large=${2:-1000000}
plugin=$(find "$PWD/build/wireshark-plugins" -name mrc.so)
room=$(mktemp -d /tmp/mrc-bench-XXXXXX)
trap 'rm -rf "$room"' EXIT
mkdir "$room/stock" "$room/home"
version=$(basename "$(dirname "$(dirname "$plugin")")")
mkdir -p "$room/plugins/$version/epan"
cp "$plugin" "$room/plugins/$version/epan/"
chmod -R a+rX "$room"
run=()
if [ "$(id -u)" -eq 0 ]; then
  chown 65534:65534 "$room/home"
  run=(setpriv --reuid=65534 --regid=65534 --clear-groups) # root does not get to use the plugin
fi

# measure NAME PLUGINS TSHARK-ARGUMENTS...: user + system seconds and KiB of a run
measure() {
  local name=$1 plugins=$2
  shift 2
  python3 - "$name" "$room/figures" "${run[@]}" env "HOME=$room/home" \
    "WIRESHARK_PLUGIN_DIR=$room/$plugins" tshark -n -o udp.ignore_ipv6_zero_checksum:TRUE "$@" <<'PY'
import resource, subprocess, sys
name, file, command = sys.argv[1], sys.argv[2], sys.argv[3:]
with open(file + '.out', 'wb') as out:
    subprocess.run(command, stdout=out, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(file, 'a') as out:
    out.write(f'{name} {used.ru_utime + used.ru_stime:.2f} {used.ru_maxrss}\n')
PY
}
# best NAME COLUMN: the least figure of a name
best() { awk -v n="$1" -v c="$2" '$1 == n && (!m || $c < m) { m = $c } END { print m }' \
           "$room/figures"; }

python3 -B test/dissector/make_traffic.py --packets "$small" "$room/small.pcap"
for _ in 1 2 3; do
  measure stock stock -r "$room/small.pcap"
  measure plugin plugins -r "$room/small.pcap"
  measure unlinked plugins -o mrc.link_packets:FALSE -r "$room/small.pcap"
done
measure start plugins -r "$room/small.pcap" -c 1
awk -v n="$small" -v s="$(best stock 2)" -v p="$(best plugin 2)" -v u="$(best unlinked 2)" \
    -v sm="$(best stock 3)" -v pm="$(best plugin 3)" -v um="$(best unlinked 3)" \
    -v zm="$(best start 3)" 'BEGIN {
  printf "summary of %d packets, CPU seconds, best of three\n", n
  printf "  stock                 %.2f s  %.1f kpps\n", s, n / s / 1000
  printf "  plugin                %.2f s  %.1f kpps  %.2f x stock\n", p, n / p / 1000, p / s
  printf "  plugin, no linking    %.2f s  %.1f kpps  %.2f x stock\n", u, n / u / 1000, u / s
  printf "memory, bytes a packet\n"
  printf "  all that tshark took beyond its start   %.0f\n", (pm - zm) * 1024 / n
  printf "  of that more than stock                 %.0f\n", (pm - sm) * 1024 / n
  printf "  of that by linking                      %.0f\n", (pm - um) * 1024 / n }'

python3 -B test/dissector/make_traffic.py --packets "$large" "$room/large.pcap"
measure statistics plugins -q -z mrc,tree -z mrc,qp -z mrc,path -z conv,mrc -z endpoints,mrc \
  -r "$room/large.pcap"
awk -v n="$large" -v t="$(best statistics 2)" -v m="$(best statistics 3)" 'BEGIN {
  printf "all statistics of %d packets of 64 QPs in one pass\n", n
  printf "  %.2f s  %.1f kpps  %.0f MiB\n", t, n / t / 1000, m / 1024 }'
