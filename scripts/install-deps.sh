#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Install the Debian packages that building, testing and the demo need; does nothing if they are there.
#   scripts/install-deps.sh [PACKAGE...]    further ones, of a script that needs more than the rest
set -euo pipefail

packages=(g++ cmake ninja-build ccache libns3-dev libcli11-dev nlohmann-json3-dev
          libgtest-dev libbenchmark-dev tshark python3 python3-matplotlib
          iproute2 iputils-ping iperf3
          libwireshark-dev libwsutil-dev libwiretap-dev libglib2.0-dev pkgconf "$@")
missing=()
for package in "${packages[@]}"; do
  if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
    missing+=("$package")
  fi
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi
sudo=()
if [ "$(id -u)" -ne 0 ]; then
  sudo=(sudo)
fi
echo "== installing Debian packages: ${missing[*]}"
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
