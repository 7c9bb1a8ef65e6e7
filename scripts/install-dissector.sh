#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Build the Wireshark plugin and install it with its profile, and check that Wireshark loads it.
#
# Usage: scripts/install-dissector.sh          for all users (asks for root through sudo)
#        scripts/install-dissector.sh --user   for yourself, in your home folder
#        scripts/install-dissector.sh --remove [--user]
set -euo pipefail
cd "$(dirname "$0")/.."

user=false
remove=false
for argument in "$@"; do
  case $argument in
    --user) user=true ;;
    --remove) remove=true ;;
    *)
      echo "install-dissector.sh: unknown option $argument; there are --user and --remove" >&2
      exit 2
      ;;
  esac
done
if $user && [ "$(id -u)" -eq 0 ]; then
  echo "install-dissector.sh: as root Wireshark ignores plugins in a home folder; leave out --user" >&2
  exit 2
fi

if ! $remove; then
  scripts/build.sh release mrc-dissector
fi
if ! pkg-config --exists wireshark; then
  echo "install-dissector.sh: libwireshark-dev is not installed; scripts/install-deps.sh does it" >&2
  exit 2
fi

# A Wireshark that is installed knows best where it looks; names of the folders as it prints them.
folder() { tshark -G folders | sed -nE "s/^$1:[[:space:]]+//p" | head -n 1; }
if $user; then
  plugin_folder=$(folder "Personal Plugins")/epan
  profile_folder=$(folder "Personal configuration")/profiles
else
  plugin_folder=$(pkg-config --variable=plugindir wireshark)/epan
  profile_folder=$(pkg-config --variable=prefix wireshark)/share/wireshark/profiles
fi
sudo=()
if ! $user && [ "$(id -u)" -ne 0 ]; then
  sudo=(sudo)
fi

if $remove; then
  "${sudo[@]}" rm -f "$plugin_folder/mrc.so"
  "${sudo[@]}" rm -rf "$profile_folder/MRC"
  echo "== removed $plugin_folder/mrc.so"
  echo "== removed $profile_folder/MRC"
  exit 0
fi
version=$(pkg-config --modversion wireshark)
plugin=build/wireshark-plugins/${version%.*}/epan/mrc.so
"${sudo[@]}" install -D -m 644 "$plugin" "$plugin_folder/mrc.so"
"${sudo[@]}" mkdir -p "$profile_folder/MRC"
for file in dissector/profile/MRC/*; do
  "${sudo[@]}" install -m 644 "$file" "$profile_folder/MRC/"
done
echo "== plugin  $plugin_folder/mrc.so"
echo "== profile $profile_folder/MRC (columns, colours, filter buttons, preferences)"

if ! tshark -G plugins 2>/dev/null | grep -q '^mrc\.so' ||
   ! tshark -G fields 2>/dev/null | grep -q '[[:space:]]mrc\.bth\.psn[[:space:]]'; then
  echo "install-dissector.sh: $(tshark --version 2>/dev/null | head -n 1) does not load it:" >&2
  tshark -G plugins 2>&1 >/dev/null | grep -i mrc >&2 || true
  exit 1
fi
echo "== $(tshark --version 2>/dev/null | head -n 1) loads it; try:"
echo "   tshark -C MRC -r capture.pcapng        wireshark -C MRC capture.pcapng"
