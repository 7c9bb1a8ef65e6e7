#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# Ping from one network namespace to another through a simulated fabric, by ns-3's TapBridge.
# Needs no root: namespaces of a user are enough. Exit code 77 if TapBridge cannot work here.
set -euo pipefail
program=${1:-build/bin/mrc-tap-bridge}

if [ "${2:-}" != inside ]; then
  "$program" --check
  exec unshare --user --map-root-user --net --mount --pid --fork --kill-child \
    "$0" "$(realpath "$program")" inside
fi

mount -t tmpfs none /run
mkdir /run/netns
for i in 0 1; do
  ip netns add h$i
  ip tuntap add dev tap$i mode tap
  ip link set tap$i up
done

# A TAP that moves loses its settings. Nothing is sent before both are up: TapBridge ends the
# simulation when it cannot write.
cat >/run/move <<'MOVE'
#!/usr/bin/env bash
set -e
for i in 0 1; do
  ip link set tap$i netns h$i
  ip netns exec h$i sysctl -qw net.ipv6.conf.tap$i.disable_ipv6=1
  ip -n h$i link set tap$i mtu 9000 up
done
for i in 0 1; do
  own=HOST$i peer=HOST$((1 - i))
  ip netns exec h$i sysctl -qw net.ipv6.conf.tap$i.disable_ipv6=0
  ip -n h$i addr add ${!own}/128 dev tap$i nodad
  ip -n h$i neigh replace fe80::1 lladdr 02:fe:00:00:00:00 dev tap$i nud permanent
  ip -n h$i route add ${!peer}/128 via fe80::1 dev tap$i
done
ip netns exec h0 ping -c 5 -i 0.2 $HOST1
MOVE
chmod +x /run/move
exec "$program" --script=/run/move
