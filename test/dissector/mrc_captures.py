# SPDX-License-Identifier: GPL-2.0-only
"""The golden captures: a function each, named as its file in expected/.

Addresses, QPs and paths are those of a small fabric; times are chosen so that every expected value
can be worked out on paper.
"""

import struct

from mrc_wire import *

BLOCK = 0xFD6D7263
A, B = 'fd6d:7264::1', 'fd6d:7264:0:1::1'
A4, B4 = '10.0.0.1', '10.0.1.1'
QP_A, QP_B = 0x000456, 0x000123     # QPs of A and of B: data goes to B's, answers to A's
RKEY = 0x11223344
US = 1000


def ev(plane, uplink):
    """An EV in the layout of mrc-sim: plane in the source port, T0 uplink in the flow label."""
    return (0xC000 | plane) << 16 | uplink


def carrier(uplink=5):
    """T0 of A, T1 of the uplink, T0 of B, B."""
    return usids(BLOCK, 0x1000, 0x2000 + uplink, 0x1001, 0x3000)


PLAIN = Path(A, B)
BACK = Path(B, A)
SRV6 = Path(A, B, carrier=carrier())
SRV6_BACK = Path(B, A, carrier=usids(BLOCK, 0x1001, 0x2005, 0x1000, 0x3000))
CONTROL = dict(dscp=DSCP_CONTROL, ecn=NOT_ECT)


def pattern(size, seed=0):
    return bytes((seed + i) & 0xFF for i in range(size))


def packet_of_message(index, count, *, psn=0x10, msn=0, va=0x7F0000001000, mtu=256, qp=QP_B, ts=0,
                      rtx=False, ack=False, mark=b''):
    """Packet `index` of a message of `count` full packets."""
    if count == 1:
        opcode = WRITE_ONLY
    else:
        opcode = WRITE_FIRST if index == 0 else WRITE_LAST if index == count - 1 else WRITE_MIDDLE
    return write(qp, psn + index & 0xFFFFFF, opcode, msn, va + index * mtu, count * mtu,
                 mark or pattern(mtu, index), ts=ts, rtx=rtx, ack=ack)


def sack_of(cack, trigger, on, *, qp=QP_A, answers_qp=QP_B, **more):
    """A SACK to `qp` that a packet `trigger`, which came on the EV `on`, caused."""
    return bth(SACK, qp, cack) + sack(cack, trigger - cack, on, spdcid=answers_qp & 0xFFFF,
                                      dpdcid=qp & 0xFFFF, **more)


# ------------------------------------------------------------------ decoding

def opcodes(path=PLAIN):
    """Each opcode once, every field with a value of its own."""
    out = Capture()
    on = ev(2, 0x15)
    bodies = [
        write(QP_B, 0x10, WRITE_FIRST, 5, 0x7F0000001000, 1024, pattern(256), ts=0x141),
        write(QP_B, 0x11, WRITE_MIDDLE, 5, 0x7F0000001100, 1024, pattern(256), ts=0x142),
        write(QP_B, 0x12, WRITE_LAST, 5, 0x7F0000001200, 1024, pattern(255), ack=True),
        write(QP_B, 0x13, WRITE_LAST_IMM, 6, 0x7F0000001300, 1024, pattern(256), ts=0x143,
              imm=0xCAFE0001, rqmsn=3),
        write(QP_B, 0x10, WRITE_ONLY, 7, 0x7F0000001000, 8, b'\xaa' * 8, ts=0x141, ack=True),
        write(QP_B, 0x15, WRITE_ONLY_IMM, 8, 0x7F0000002000, 1, b'\x55', imm=0xCAFE0002, rqmsn=4,
              rtx=True),
        bth(ACKNOWLEDGE, QP_A, 0x15) + aeth(9),
        bth(ENDPOINT_REQUEST, 2, 0x1234) + erth(0, port_mask=0b1011, vendor=7, ts=0x144),
        bth(ENDPOINT_RESPONSE, 2, 0x1234) + eeth(0, ts=0x144),
        bth(SACK, QP_A, 0x0F) + sack(0x0F, 1, 0xC0010003, mark=1, spdcid=0x123, dpdcid=0x456,
                                     bitmap=0b101, ts=0x141, ooo=1, received=40, restore=True,
                                     penalty=5),
        bth(NACK, QP_A, 0x11) + nack(0x11, TRIMMED, 0xC0010004, spdcid=0x123, dpdcid=0x456,
                                     ts=0x142, vendor=9, cc_flags=3),
        bth(PROBE, QP_B, 0) + peth(0x77, spdcid=0x456, dpdcid=0x123, ts=0x145, vendor=8),
    ]
    for number, body in enumerate(bodies):
        how = {} if number < 6 else CONTROL
        out.add(number * US, frame(path, on, body, **how))
    return out


def sack_wrap():
    """Offsets that wrap: cack 0xFFFFFF, base 1; a negative offset; all bits; an answer."""
    out = Capture()
    for number, body in enumerate([
            bth(SACK, QP_A, 0xFFFFFF) + sack(0xFFFFFF, 3, ev(0, 1), base_offset=2, bitmap=0b10),
            bth(SACK, QP_A, 0x100) + sack(0x100, -3, ev(0, 1), base_offset=-63,
                                          bitmap=0xFFFFFFFFFFFFFFFF),
            bth(SACK, QP_A, 0x100) + sack(0x100, 0x77, ev(0, 1), answer=True, mpr=0, mark=2),
            bth(SACK, QP_A, 0x100) + sack(0x100, 5, ev(0, 1), base_offset=1,
                                          bitmap=1 << 63 | 0b1101)]):
        out.add(number * US, frame(BACK, ev(0, 1), body, **CONTROL))
    return out


def source_ports():
    """EVs whose source port belongs to ECHO, DNS, HTTPS, IPsec; plain and in SRv6."""
    out = Capture()
    for path in (PLAIN, SRV6, Path(A4, B4)):
        for number, port in enumerate((7, 53, 443, 4500)):
            out.add(len(out.frames) * US, frame(path, port << 16 | 5,
                                                packet_of_message(0, 1, psn=0x10 + number)))
    return out


def carriers():
    """VLAN, two VLANs, GRE, ERSPAN, SRH, reduced SRH with TLVs, IPv4 inside."""
    out = Capture()
    on = ev(1, 5)
    body = packet_of_message(0, 1)
    whole = frame(SRV6, on, body)

    def add(data):
        # Far enough apart that none is taken for a copy of another one.
        out.add(len(out.frames) * 10000 * US, data)

    add(frame(SRV6, on, body, vlans=(100,)))
    add(frame(SRV6, on, body, vlans=(100, 200)))
    add(ethernet(ipv4(A4, B4, 47, gre(inner(PLAIN, on, body), 0x86DD))))
    add(ethernet(ipv4(A4, B4, 47, gre(inner(Path(A4, B4), on, body), 0x0800))))
    add(ethernet(ipv4(A4, B4, 47, erspan2(whole))))
    second = usids(BLOCK, 0x1001, 0x3000)
    first = usids(BLOCK, 0x1000, 0x2005, 0x2105, 0x2205, 0x2305, 0x2405)
    add(frame(Path(A, B, carrier=first, segments=(second, first), segments_left=1), on, body))
    add(frame(Path(A, B, carrier=first, segments=(second,), segments_left=1,
                   tlvs=bytes([5, 6]) + b'\x01\x02\x03\x04\x05\x06'), on, body))
    add(frame(Path(A, B, carrier=second, segments=(second, first), segments_left=0), on, body))
    add(frame(Path(A4, B4, carrier=carrier(), outer=A), on, body))
    add(frame(Path(A, B, carrier=usids(BLOCK, 0x3000)), on, body))
    return out


def icrc_verdicts():
    """Right and wrong ICRCs, IPv6 and IPv4, plain and in SRv6; marked, re-marked on the way."""
    out = Capture()

    def add(path, body=None, **how):
        number = len(out.frames)
        body = body or packet_of_message(0, 1, psn=0x10 + number, msn=number)
        out.add(number * US, frame(path, ev(1, 5), body, **how))

    for path in (PLAIN, Path(A4, B4), SRV6, Path(A4, B4, carrier=carrier(), outer=A)):
        for bad in (False, True):
            add(path, bad_icrc=bad)
    add(SRV6, outer_ecn=CE)
    add(SRV6, hops=17, ecn=CE)
    add(PLAIN, write(QP_B, 0x1A, WRITE_ONLY, 10, 0x1000, 5, b'12345'))
    return out


# ------------------------------------------------------------------ trims and cuts

def trims():
    """The three forms, both kinds of hop, switches that leave 256 and 1024 bytes, IPv4."""
    out = Capture()
    on = ev(1, 5)
    whole = frame(SRV6, on, packet_of_message(0, 1, mtu=4096, ts=0x141))
    plain = frame(PLAIN, on, packet_of_message(0, 1, mtu=4096, ts=0x141))
    old = frame(Path(A4, B4), on, packet_of_message(0, 1, mtu=4096, ts=0x141))
    cuts = [(whole, 128, DSCP_TRIMMED, kind) for kind in ('kept', 'ip', 'both')]
    cuts += [(whole, 128, DSCP_TRIMMED_LASTHOP, kind) for kind in ('kept', 'ip', 'both')]
    cuts += [(plain, 128, DSCP_TRIMMED, kind) for kind in ('kept', 'ip', 'both')]
    cuts += [(old, 128, DSCP_TRIMMED, kind) for kind in ('kept', 'ip', 'both')]
    cuts += [(whole, size, DSCP_TRIMMED, 'ip') for size in (256, 512, 1024)]
    cuts += [(whole, 128, DSCP_TRIMMABLE, kind) for kind in ('kept', 'ip')]
    for number, (data, size, dscp, kind) in enumerate(cuts):
        out.add(number * 10000 * US, trim(data, size, dscp, kind))
    return out


def snaplens():
    """Every length from 54 to 200 of five kinds of packet, cut by the capture and not on the way."""
    out = Capture()
    kinds = [frame(SRV6, ev(1, 5), packet_of_message(0, 1, mtu=1024, ts=1)),
             frame(PLAIN, ev(1, 5), packet_of_message(0, 1, mtu=1024)),
             frame(Path(A4, B4), ev(1, 5), packet_of_message(0, 1, mtu=1024)),
             frame(SRV6_BACK, ev(1, 5), sack_of(0x10, 0x10, ev(1, 5)), **CONTROL),
             frame(SRV6, ev(1, 5), packet_of_message(0, 1, mtu=1024), vlans=(100,))]
    for size in range(54, 201):
        for data in kinds:
            out.add(len(out.frames) * US, data)
            out.caps[len(out.frames) - 1] = size
    return out


# ------------------------------------------------------------------ other traffic

def mixed():
    """MRC beside plain RoCEv2, a CNP, DNS and QUIC, on the same ports."""
    out = Capture()

    def add(data):
        out.add(len(out.frames) * US, data)

    def datagram(source_port, destination_port, payload):
        add(ethernet(ipv6(A, B, 17, udp(source_port, destination_port, payload))))

    add(frame(PLAIN, ev(1, 5), packet_of_message(0, 1)))
    rc_send = bth(0x04, 0x11, 0x20) + pattern(16)
    datagram(0xC001, 4791, rc_send + bytes(4))
    cnp = bth(0x81, 0x11, 0) + bytes(16)
    datagram(0xC002, 4791, cnp + bytes(4))
    query = bytes.fromhex('123401000001000000000000') + b'\x04mrcs\x03com\x00' + bytes.fromhex(
        '00010001')
    datagram(40000, 53, query)
    datagram(53, 4791, packet_of_message(0, 1, psn=0x11) + bytes(4))
    initial = bytes.fromhex('c000000001088394c8f03e515708000044') + pattern(1183)
    datagram(40001, 443, initial)
    add(frame(PLAIN, 443 << 16 | 5, packet_of_message(0, 1, psn=0x12)))
    add(frame(Path(A, B, port=4971), ev(1, 5), packet_of_message(0, 1, psn=0x13)))
    add(frame(Path(A, B, port=5555), ev(1, 5), packet_of_message(0, 1, psn=0x14)))
    return out


# ------------------------------------------------------------------ links

def sack_links():
    """Four packets on two planes; a SACK with a hole, then one that closes it.

        1  t=0 us   PSN 16  p0/1      5  t=10  cack 16, bitmap 18       (by frame 3)
        2  t=1      PSN 17  p1/2      6  t=14  cack 19                  (by frame 2)
        3  t=2      PSN 18  p0/1
        4  t=3      PSN 19  p1/2
    """
    out = Capture()
    for index in range(4):
        on = ev(index % 2, 1 + index % 2)
        out.add(index * US, frame(SRV6, on, packet_of_message(index, 4, ts=index * 8)))
    out.add(10 * US, frame(SRV6_BACK, ev(0, 1), sack_of(0x10, 0x12, ev(0, 1), base_offset=1,
                                                        bitmap=0b10, ts=16, ooo=1), **CONTROL))
    out.add(14 * US, frame(SRV6_BACK, ev(1, 2), sack_of(0x13, 0x11, ev(1, 2), ts=8), **CONTROL))
    return out


def nack_chain():
    """A packet trimmed, sent again, lost, sent a third time, acknowledged; one sent for nothing.

        1  t=0   PSN 16 p0/1            4  t=12  PSN 16 rtx p1/2
        2  t=1   PSN 17 p0/2            5  t=20  SACK cack 15, bitmap 17 (by 2)
        3  t=10  NACK TRIMMED 16 p0/1   6  t=40  PSN 16 rtx p2/3
                                        7  t=52  SACK cack 17 (by 6)
                                        8  t=60  PSN 17 rtx p2/3
    """
    out = Capture()
    out.add(0, frame(SRV6, ev(0, 1), packet_of_message(0, 2, ts=0)))
    out.add(1 * US, frame(SRV6, ev(0, 2), packet_of_message(1, 2, ts=8)))
    out.add(10 * US, frame(SRV6_BACK, ev(0, 1), bth(NACK, QP_A, 0x10) + nack(
        0x10, TRIMMED, ev(0, 1), spdcid=QP_B, dpdcid=QP_A, ts=0), **CONTROL))
    out.add(12 * US, frame(SRV6, ev(1, 2), packet_of_message(0, 2, ts=94, rtx=True),
                           dscp=DSCP_TRIMMABLE_RETX))
    out.add(20 * US, frame(SRV6_BACK, ev(0, 2), sack_of(0x0F, 0x11, ev(0, 2), base_offset=1,
                                                        bitmap=0b10, ts=8), **CONTROL))
    out.add(40 * US, frame(SRV6, ev(2, 3), packet_of_message(0, 2, ts=313, rtx=True)))
    out.add(52 * US, frame(SRV6_BACK, ev(2, 3), sack_of(0x11, 0x10, ev(2, 3), ts=313), **CONTROL))
    out.add(60 * US, frame(SRV6, ev(2, 3), packet_of_message(1, 2, ts=469, rtx=True)))
    return out


def probes():
    """A reliability probe and its SACK, an endpoint request and its response, each on its EV."""
    out = Capture()
    out.add(0, frame(SRV6, ev(0, 1), packet_of_message(0, 1)))
    out.add(5 * US, frame(SRV6, ev(1, 2), bth(PROBE, QP_B, 0) + peth(
        0x8001, spdcid=QP_A, dpdcid=QP_B, ts=39)))
    out.add(12 * US, frame(SRV6_BACK, ev(1, 2), bth(SACK, QP_A, 0x10) + sack(
        0x10, 0x8001, ev(1, 2), answer=True, spdcid=QP_B, dpdcid=QP_A, ts=39), **CONTROL))
    out.add(20 * US, frame(SRV6, ev(0, 1), bth(ENDPOINT_REQUEST, 2, 0x42) + erth(1, ts=156),
                           **CONTROL))
    out.add(29 * US, frame(SRV6_BACK, ev(0, 1), bth(ENDPOINT_RESPONSE, 2, 0x42) + eeth(1, ts=156),
                           **CONTROL))
    out.add(30 * US, frame(SRV6, ev(1, 2), bth(PROBE, QP_B, 0) + peth(
        0x8002, spdcid=QP_A, dpdcid=QP_B, ts=234)))
    return out


def messages():
    """Two messages: one of 4 packets, complete at 20 us by SACK; one of 1 packet, by ACK at 31 us.

    Message 0 has 1024 bytes: 20 us give 409.6 Mb/s; first to last packet 3 us.
    Message 1 has 256 bytes: 21 us (10 to 31).
    """
    out = Capture()
    for index in range(4):
        out.add(index * US, frame(SRV6, ev(0, 1), packet_of_message(index, 4, ts=index * 8)))
    out.add(10 * US, frame(SRV6, ev(1, 1), packet_of_message(0, 1, psn=0x14, msn=1, ts=78,
                                                             va=0x7F0000009000)))
    out.add(20 * US, frame(SRV6_BACK, ev(0, 1), sack_of(0x13, 0x13, ev(0, 1), ts=24), **CONTROL))
    out.add(31 * US, frame(SRV6_BACK, ev(0, 1), bth(ACKNOWLEDGE, QP_A, 0x14) + aeth(2), **CONTROL))
    return out


def several_qps():
    """Three QPs between one pair with the same PSNs at the same time; no QP number in the SACKs.

    Only the EVs differ: 3 packets p0/1, p0/2, p0/3, then SACKs in another order.
    """
    out = Capture()
    for number in range(3):
        out.add(number * 100, frame(SRV6, ev(0, 1 + number), packet_of_message(
            0, 1, qp=0x200 + number)))
    for place, number in enumerate((2, 0, 1)):
        out.add(10 * US + place * 100, frame(SRV6_BACK, ev(0, 1 + number), bth(
            SACK, 0x300 + number, 0x10) + sack(0x10, 0, ev(0, 1 + number)), **CONTROL))
    return out


def psn_wrap():
    """PSNs 0xFFFFFE to 1, a SACK across the wrap; one of them sent again after the wrap."""
    out = Capture()
    for index in range(4):
        out.add(index * US, frame(SRV6, ev(0, 1), packet_of_message(index, 4, psn=0xFFFFFE,
                                                                    ts=index * 8)))
    out.add(10 * US, frame(SRV6_BACK, ev(0, 1), sack_of(0xFFFFFE, 0x1000001, ev(0, 1),
                                                        base_offset=2, bitmap=0b11, ts=24),
                           **CONTROL))
    out.add(12 * US, frame(SRV6, ev(1, 1), packet_of_message(1, 4, psn=0xFFFFFE, ts=94,
                                                             rtx=True)))
    out.add(20 * US, frame(SRV6_BACK, ev(1, 1), sack_of(1, 0xFFFFFF - 0x1000000, ev(1, 1), ts=94),
                           **CONTROL))
    return out


def full_round():
    """A QP of which a packet in 32,000 is seen, until its PSN 16 comes a second time."""
    out = Capture()
    for number, psn in enumerate([16 + 32000 * step for step in range(525)] + [16 + (1 << 24)]):
        out.add(number * US, frame(SRV6, ev(0, 1), packet_of_message(
            0, 1, psn=psn & 0xFFFFFF, msn=number & 0xFFFF, ts=number * 8)))
    return out


def one_direction():
    """The middle of the network: only data, with a reordered packet and one sent again."""
    out = Capture()
    for number, (index, rtx) in enumerate(((0, 0), (2, 0), (1, 0), (3, 0), (2, 1))):
        out.add(number * US, frame(SRV6, ev(0, 1 + number), packet_of_message(
            index, 4, ts=number * 8, rtx=bool(rtx))))
    return out


def answers_only():
    """The middle of the network: only SACKs and a NACK, no data."""
    out = Capture()
    out.add(0, frame(SRV6_BACK, ev(0, 1), sack_of(0x20, 0x20, ev(0, 1)), **CONTROL))
    out.add(US, frame(SRV6_BACK, ev(0, 1), bth(NACK, QP_A, 0x22) + nack(
        0x22, TRIMMED, ev(0, 2), spdcid=QP_B, dpdcid=QP_A), **CONTROL))
    out.add(2 * US, frame(SRV6_BACK, ev(0, 1), sack_of(0x30, 0x30, ev(0, 1)), **CONTROL))
    return out


def two_places():
    """The same packets at the sender (interface 0) and 4 us later at the receiver (1)."""
    out = Capture()
    near = Path(A, B, carrier=usids(BLOCK, 0x1000, 0x2005, 0x1001, 0x3000))
    far = Path(A, B, carrier=usids(BLOCK, 0x3000))
    back_near = Path(B, A, carrier=usids(BLOCK, 0x3000))
    data = [packet_of_message(index, 2, ts=index * 8) for index in range(2)]
    out.add(0, frame(near, ev(0, 5), data[0]), 0)
    out.add(1 * US, frame(near, ev(0, 5), data[1]), 0)
    out.add(4 * US, frame(far, ev(0, 5), data[0]), 1)
    out.add(5 * US, frame(far, ev(0, 5), data[1]), 1)
    answer = sack_of(0x11, 0x11, ev(0, 5), ts=8)
    out.add(6 * US, frame(SRV6_BACK, ev(0, 5), answer, **CONTROL), 1)
    out.add(10 * US, frame(back_near, ev(0, 5), answer, **CONTROL), 0)
    return out


def outside():
    """A PSN far outside; then four in a row there, which is a QP that started anew."""
    out = Capture()
    for number, psn in enumerate((0x10, 0x11, 0x500000, 0x12, 0x900000, 0x900001, 0x900002,
                                  0x900003, 0x900004)):
        out.add(number * US, frame(SRV6, ev(0, 1), packet_of_message(
            0, 1, psn=psn, msn=number, ts=number * 8)))
    return out


def ev_states():
    """An EV is marked, comes back, loses a packet, and three probe answers clear it.

        1  WRITE 16 on p0/1           GOOD         6  SACK of 17            (nothing new)
        2  SACK of it, SKIP_ONCE                   7  WRITE 18 on p0/1      ASSUMED_BAD
        3  WRITE 17 on p0/1           SKIP         8-13 probe, answer, three times
        4  WRITE 16.. again: 17 rtx on p1/1       14  WRITE 19 on p0/1      GOOD
        5  WRITE 20 on p1/1           GOOD
    """
    out = Capture()

    def data(at, psn, on, **more):
        out.add(at * US, frame(SRV6, on, packet_of_message(0, 1, psn=psn, msn=psn - 16,
                                                           ts=at * 8, **more)))

    def answer(at, body):
        out.add(at * US, frame(SRV6_BACK, ev(1, 1), body, **CONTROL))

    data(0, 16, ev(0, 1))
    answer(10, sack_of(16, 16, ev(0, 1), ts=0, mark=1))
    data(20, 17, ev(0, 1))
    data(30, 17, ev(1, 1), rtx=True)
    data(31, 20, ev(1, 1))
    answer(40, sack_of(17, 17, ev(1, 1), ts=240))
    data(50, 18, ev(0, 1))
    for number in range(3):
        at = 60 + 20 * number
        out.add(at * US, frame(SRV6, ev(0, 1), bth(PROBE, QP_B, 0) + peth(
            number + 1, spdcid=QP_A, dpdcid=QP_B, ts=at * 8)))
        answer(at + 10, bth(SACK, QP_A, 18) + sack(18, number + 1, ev(0, 1), answer=True,
                                                   spdcid=QP_B, dpdcid=QP_A))
    data(130, 19, ev(0, 1))
    return out


def follow():
    """A message of 4 packets of 16 bytes that arrive as 2, 0, 0 again, 3: one is missing."""
    out = Capture()
    texts = [b'packet number 0 ', b'packet number 1 ', b'packet number 2 ', b'packet number 3\n']
    for number, index in enumerate((2, 0, 0, 3)):
        out.add(number * US, frame(SRV6, ev(0, 1 + number), packet_of_message(
            index, 4, mtu=16, mark=texts[index], ts=number * 8, rtx=number == 2)))
    return out


def statistics():
    """Two QPs on two planes: 12 WRITEs, marks, a trim, a loss; SACKs after 10 us."""
    out = Capture()
    for number in range(10):
        qp = QP_B if number < 6 else 0x124
        index = number if number < 6 else number - 6
        on = ev(number % 2, 1 + number % 4)
        out.add(number * 100, frame(SRV6, on, packet_of_message(
            index, 6 if number < 6 else 4, qp=qp, ts=number)))
    # the first QP: packet 0 trimmed, packet 1 lost, packet 2 marked
    out.add(10 * US, frame(SRV6_BACK, ev(0, 1), bth(NACK, QP_A, 0x10) + nack(
        0x10, TRIMMED, ev(0, 1), spdcid=QP_B, dpdcid=QP_A, ts=0), **CONTROL))
    out.add(10 * US + 200, frame(SRV6_BACK, ev(0, 3), sack_of(
        0x0F, 0x12, ev(0, 3), base_offset=1, bitmap=0b111100, ts=2, mark=1), **CONTROL))
    out.add(11 * US, frame(SRV6, ev(1, 4), packet_of_message(0, 6, ts=85, rtx=True)))
    out.add(11 * US + 100, frame(SRV6, ev(0, 3), packet_of_message(1, 6, ts=86, rtx=True)))
    # the second QP
    out.add(12 * US, frame(SRV6_BACK, ev(1, 4), sack_of(
        0x13, 0x13, ev(1, 2), qp=0x457, answers_qp=0x124, ts=9), **CONTROL))
    out.add(21 * US + 100, frame(SRV6_BACK, ev(0, 3), sack_of(0x15, 0x11, ev(0, 3), ts=86),
                                 **CONTROL))
    return out


CAPTURES = {function.__name__.replace('_', '-'): function for function in (
    opcodes, sack_wrap, source_ports, carriers, icrc_verdicts, trims, snaplens, mixed, sack_links,
    nack_chain, probes, messages, several_qps, psn_wrap, full_round, one_direction, answers_only, two_places,
    outside, ev_states, follow, statistics)}
