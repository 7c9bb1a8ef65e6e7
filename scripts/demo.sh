#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Install what is missing, build, and run the main job: a permutation over a two-tier, 4-plane,
# 128-NIC fabric in which a T1 switch dies at 100 us and returns at 400 us. Arguments go to mrc-sim.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh release mrc-sim
echo "== running the main job (results go to out/demo)"
# 64 MiB last 1.4 ms at line rate. Retired EVs are probed every 100 us instead of after 1, 2, 4 ms
# and so on, so that the return of the switch is seen in a run this short.
build/bin/mrc-sim permutation \
  --nics 128 --planes 4 --nics-per-t0 8 --size 64MiB --seed 1 \
  --fault "switch-down p1/t1-3@100us+300us" \
  --set ns3::MrcProfile::ProbeInterval=100us \
  --set ns3::MrcProfile::ProbeIntervalMax=100us \
  --pcap nic-0:p1 --out out/demo --verify placement "$@"
