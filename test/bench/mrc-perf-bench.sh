#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# How fast mrc-perf is at 4 KiB messages: over plain veth, and through one switch of mrc-emu at S = 1.
# Prints rate and CPU time per message of both ends together. Needs no root.
set -euo pipefail
bin=$(realpath "${1:-build/bin}")

if [ "${2:-}" != inside ]; then
  echo "load $(cut -d' ' -f1 /proc/loadavg) on $(nproc) cores"
  exec unshare --user --map-root-user --net --mount --pid --fork --kill-child "$0" "$bin" inside
fi

show() { # name, file
  python3 -c '
import json, sys
r = json.load(open(sys.argv[2]))
cpu = (r["cpu_seconds"] + r["peer_cpu_seconds"]) / r["iterations"]
print("%-28s %6.2f Gb/s  %5.1f us of CPU per message" % (sys.argv[1], r["bw_average_gbps"], cpu * 1e6))
' "$1" "$2"
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mount -t tmpfs none /run
mount -t proc proc /proc
mkdir /run/netns
ip netns add a
ip netns add b
ip link add v netns a type veth peer name v netns b
for h in a b; do
  ip -n $h link set v mtu 9000
  ip -n $h addr add fd00::$h/64 dev v nodad
  ip -n $h link set v up
done
ip netns exec b "$bin/mrc-perf" --server -i v --json >"$out/server" 2>/dev/null &
sleep 1
ip netns exec a "$bin/mrc-perf" fd00::b -i v -s 4096 -D 5s --cc window --json >"$out/client"
wait
show "veth" "$out/client"

cat >"$out/perf-bench.toml" <<'LAB'
scale = 1
[fabric]
planes = 1
nics = 2
nics-per-t0 = 2
rate = "10Gbps"
[[host]]
[[host]]
LAB
cat >"$out/run" <<'RUN'
f="--fabric nics=2,planes=1,nics-per-t0=2 --json"
$bin/mrc-emu exec h1 -- $bin/mrc-perf --server $f >$out/server 2>/dev/null &
sleep 1
$bin/mrc-emu exec h0 -- $bin/mrc-perf h1 $f -s 4096 -D 5s --cc window >$out/client
wait
RUN
bin=$bin out=$out "$bin/mrc-emu" run "$out/perf-bench.toml" -- bash "$out/run" 2>"$out/log"
show "mrc-emu, one switch, S = 1" "$out/client"
grep -E "^lag|CPU" "$out/log" || true
