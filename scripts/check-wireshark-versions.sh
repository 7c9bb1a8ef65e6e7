#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the Wireshark plugin for the Wireshark of other Debian suites and let their tshark read a
# capture with it. Their packages come from the mirror in this machine's own apt sources and are
# unpacked below build/wireshark, never installed. Nothing of this needs root.
#
# Usage: scripts/check-wireshark-versions.sh [SUITE...]     (default: trixie forky)
#        CAPTURE=file.pcapng scripts/check-wireshark-versions.sh
set -euo pipefail
cd "$(dirname "$0")/.."

top=$PWD
suites=("$@")
[ ${#suites[@]} -gt 0 ] || suites=(trixie forky)
triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || gcc -dumpmachine)

# The first Debian archive of the apt sources, in either of their two formats.
mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null || true; } |
           sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] *)?([^ ]+) .*/\2/p' |
           grep -m 1 '/debian/*$' || true)
if [ -z "$mirror" ]; then
  echo "no Debian mirror in /etc/apt/sources.list or sources.list.d" >&2
  exit 2
fi

cmake --preset release >/dev/null
cmake --build --preset release -- mrc-sim mrc-dissector
capture=${CAPTURE:-$top/build/wireshark/capture/capture.pcapng}
if [ -z "${CAPTURE:-}" ]; then
  # A switch that dies in mid-run: data, SACKs, losses, retransmissions, probes.
  build/bin/mrc-sim permutation --nics 32 --planes 2 --nics-per-t0 8 --size 512KiB --seed 1 \
    --fault "switch-down p1/t1-3@10us+20us" --pcap nic-0:p1,p1/t1-2:t0-0 --quiet \
    --out build/wireshark/capture >/dev/null
fi

# fetch SUITE - unpack tshark, its libraries and the SDK below build/wireshark/SUITE/root
fetch() {
  local dir=$top/build/wireshark/$1
  mkdir -p "$dir"/{root,lists/partial,archives/partial}
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" \
    >"$dir/sources.list"
  : >"$dir/status"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=-
             -o "Dir::State::lists=$dir/lists" -o "Dir::State::status=$dir/status"
             -o "Dir::Cache=$dir" -o "Dir::Cache::archives=$dir/archives"
             -o Debug::NoLocking=1 -o APT::Sandbox::User=root)
  "${apt[@]}" update
  "${apt[@]}" install --download-only -y --no-install-recommends \
    tshark libwireshark-dev libwsutil-dev libwiretap-dev >/dev/null
  local package
  for package in "$dir"/archives/*.deb; do
    dpkg-deb -x "$package" "$dir/root"
  done
  mkdir -p "$dir/pkgconfig"
  sed -E "s#^(prefix|libdir|includedir)=/usr#\\1=$dir/root/usr#" \
    "$dir/root/usr/lib/$triplet/pkgconfig/wireshark.pc" >"$dir/pkgconfig/wireshark.pc"
}

# as_user COMMAND... - Wireshark ignores plugin folders when it is run by root
as_user() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/nonexistent "$@"
  else
    env HOME=/nonexistent "$@"
  fi
}

# tshark_of SUITE ARGUMENTS... - run the tshark of a suite with the plugin that was built for it
tshark_of() {
  local dir=$top/build/wireshark/$1
  local root=$dir/root
  shift
  local loader
  loader=$(find "$root" -name 'ld-linux-*' | sort | head -n 1)
  as_user WIRESHARK_PLUGIN_DIR="$dir/build/wireshark-plugins" \
    WIRESHARK_DATA_DIR="$root/usr/share/wireshark" \
    "$loader" --library-path "$root/usr/lib/$triplet:$root/lib/$triplet" "$root/usr/bin/tshark" "$@"
}

tshark_here() {
  as_user WIRESHARK_PLUGIN_DIR="$top/build/wireshark-plugins" tshark "$@"
}

# fields RUNNER... - every field of ours for every packet; bools are 1 in 4.0 and True from 4.4 on
names=$(tshark_here -G fields | awk -F '\t' '$1 == "F" && $3 ~ /^(mrc|srv6)[.]/ { print $3 }' |
          grep -v expert | sort -u)
fields() {
  local arguments=()
  local name
  for name in $names; do
    arguments+=(-e "$name")
  done
  "$@" -o "srv6.name_file:$(dirname "$capture")/mrc_usid_names" -r "$capture" -T fields \
    "${arguments[@]}" | sed -E 's/\bTrue\b/1/g; s/\bFalse\b/0/g'
}

chmod -R a+rX build/wireshark build/wireshark-plugins
fields tshark_here >build/wireshark/fields-here
failures=0
for suite in "${suites[@]}"; do
  echo "== $suite"
  fetch "$suite"
  dir=$top/build/wireshark/$suite
  PKG_CONFIG_PATH=$dir/pkgconfig cmake -S . -B "$dir/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_TESTING=OFF >/dev/null
  cmake --build "$dir/build" --target mrc-dissector >/dev/null
  chmod -R a+rX "$dir"
  version=$(tshark_of "$suite" --version | head -n 1)
  if ! tshark_of "$suite" -G plugins | grep -q '^mrc.so'; then
    echo "FAILED: $version does not load the plugin"
    failures=$((failures + 1))
    continue
  fi
  fields tshark_of "$suite" >"build/wireshark/fields-$suite"
  if ! cmp -s build/wireshark/fields-here "build/wireshark/fields-$suite"; then
    echo "FAILED: $version shows other fields than $(tshark --version | head -n 1):"
    diff build/wireshark/fields-here "build/wireshark/fields-$suite" | head -n 4 || true
    failures=$((failures + 1))
    continue
  fi
  for statistics in mrc,tree mrc,qp mrc,path expert; do
    tshark_of "$suite" -r "$capture" -q -z "$statistics" >/dev/null
  done
  echo "ok: $version, $(wc -l <"build/wireshark/fields-$suite") packets, the same fields"
done
exit $((failures > 0))
