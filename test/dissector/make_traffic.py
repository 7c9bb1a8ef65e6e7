#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes a capture of many QPs in full flow, for benchmarks: make_traffic.py --packets N FILE.

Taken at the sending NIC: WRITEs of 4096 bytes over four planes and eight uplinks, a SACK for every
fourth packet 10 us later, one packet in 1000 trimmed (NACK, sent again) and one in 5000 lost (sent
again after the SACK). Packets are cut to the snap length, as captures at 400 Gb/s are.
"""

import argparse
import collections
import heapq
import random
import struct

from mrc_captures import BLOCK, CONTROL, US, ev, usids
from mrc_wire import *

MTU = 4096
PACKETS_OF_MESSAGE = 64
KEPT_PAYLOAD = bytes(100)  # more than a snap length of 200 keeps


class Qp:
    """One QP: from NIC 0 to the others in turn."""

    def __init__(self, number):
        peer = number % 16 + 1
        self.there = f'fd6d:7264:0:{peer}::1'
        self.qp, self.back_qp = 0x1000 + number, 0x2000 + number
        self.first = self.psn = random.randrange(1 << 24)
        self.sent = 0
        self.received = set()
        self.cack = self.first - 1
        self.again = collections.deque()
        self.headers = {}

    def path(self, uplink):
        return Path('fd6d:7264::1', self.there, carrier=usids(BLOCK, 0x1000, 0x2000 + uplink,
                                                              0x1001, 0x3000))

    def next_write(self, now):
        """Bytes of the next WRITE on a random EV: (frame, psn, EV, retransmission)."""
        is_again = bool(self.again)
        index = self.again.popleft() if is_again else self.sent
        if not is_again:
            self.sent += 1
        plane, uplink = random.randrange(4), random.randrange(8)
        on = ev(plane, uplink)
        place = index % PACKETS_OF_MESSAGE
        opcode = WRITE_FIRST if place == 0 else (
            WRITE_LAST if place == PACKETS_OF_MESSAGE - 1 else WRITE_MIDDLE)
        message = index // PACKETS_OF_MESSAGE
        header = self.headers.get(on)
        if header is None:
            header = self.headers[on] = self.header(on, uplink)
        body = write(self.qp, self.first + index & 0xFFFFFF, opcode, message & 0xFFFF,
                     0x7F0000000000 + index * MTU, PACKETS_OF_MESSAGE * MTU, KEPT_PAYLOAD,
                     ts=now // 128, rtx=is_again)
        data = header + body
        return data, index, on, len(data) - len(KEPT_PAYLOAD) + MTU + 4

    def header(self, on, uplink):
        """Ethernet to UDP of a packet with MTU bytes of payload."""
        return frame(self.path(uplink), on, write(self.qp, 0, WRITE_MIDDLE, 0, 0, 0, bytes(MTU),
                                                  ts=0))[:102]

    def receive(self, index):
        self.received.add(index)
        while self.cack - self.first + 1 in self.received:
            self.cack += 1
            self.received.discard(self.cack - self.first)

    def answer(self, on, body):
        path = Path(self.there, 'fd6d:7264::1', carrier=usids(BLOCK, 0x1001, 0x2000, 0x1000, 0x3000))
        return frame(path, on, body, **CONTROL)

    def sack(self, index, on, stamp):
        first = self.cack + 1
        bitmap = sum(1 << i for i in range(64) if first + i - self.first in self.received)
        return self.answer(on, bth(SACK, self.back_qp, self.cack & 0xFFFFFF) + sack(
            self.cack & 0xFFFFFF, self.first + index - self.cack, on, spdcid=self.qp,
            dpdcid=self.back_qp, bitmap=bitmap, ts=stamp))

    def nack(self, index, on, stamp):
        psn = self.first + index & 0xFFFFFF
        return self.answer(on, bth(NACK, self.back_qp, psn) + nack(
            psn, TRIMMED, on, spdcid=self.qp, dpdcid=self.back_qp, ts=stamp))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--packets', type=int, default=300000)
    parser.add_argument('--qps', type=int, default=64)
    parser.add_argument('--snaplen', type=int, default=192)
    parser.add_argument('file')
    options = parser.parse_args()
    random.seed(1)
    qps = [Qp(number) for number in range(options.qps)]
    events, now, count, order = [], 0, 0, 0
    with open(options.file, 'wb') as out:
        out.write(struct.pack('<IHHiIII', 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))

        def put(at, data, size):
            kept = data[:options.snaplen]
            out.write(struct.pack('<IIII', at // 10**9, at % 10**9, len(kept), size) + kept)

        while count < options.packets:
            now += 85
            while events and events[0][0] <= now and count < options.packets:
                at, _, data, qp, index = heapq.heappop(events)
                if index is not None:
                    qp.again.append(index)
                if data:
                    put(at, data, len(data))
                    count += 1
            qp = random.choice(qps)
            data, index, on, size = qp.next_write(now)
            if count < options.packets:
                put(now, data, size)
                count += 1
            fate = random.random()
            order += 1
            if fate < 0.001:
                heapq.heappush(events, (now + 10 * US, order, qp.nack(index, on, now // 128), qp,
                                        index))
            elif fate < 0.0012:
                heapq.heappush(events, (now + 30 * US, order, b'', qp, index))
            else:
                qp.receive(index)
                if index % 4 == 3:
                    heapq.heappush(events, (now + 10 * US, order, qp.sack(index, on, now // 128),
                                            qp, None))


if __name__ == '__main__':
    main()
