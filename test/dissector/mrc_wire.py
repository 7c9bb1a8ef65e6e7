# SPDX-License-Identifier: GPL-2.0-only
"""Packets of MRC as bytes, for captures that test the Wireshark plugin.

Written from the protocol reference alone, on purpose without src/mrc/wire: a mistake that both
made alike would go unnoticed. Numbers are in network byte order. Sizes are bytes, times are ns.
"""

import ipaddress
import struct
import zlib

MRC_PORT = 4791

#= MRC-REF 2 Opcodes
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM = 0xC6, 0xC7, 0xC8, 0xC9
WRITE_ONLY, WRITE_ONLY_IMM = 0xCA, 0xCB
ACKNOWLEDGE, ENDPOINT_REQUEST, ENDPOINT_RESPONSE = 0xD1, 0xD8, 0xD9
SACK, NACK, PROBE = 0xDC, 0xDD, 0xDE

#= MRC-REF 2 UDP and IP
DSCP_TRIMMABLE, DSCP_TRIMMABLE_RETX = 8, 10
DSCP_TRIMMED, DSCP_TRIMMED_LASTHOP, DSCP_CONTROL = 12, 16, 46
NOT_ECT, ECT0, CE = 0, 2, 3

TRIMMED, TRIMMED_LASTHOP, NO_BITMAP, PSN_OOR_WINDOW, UNEXP_EVENT = 0x01, 0x02, 0x06, 0x0B, 0x19


def ip(text):
    """The bytes of an IPv4 or IPv6 address."""
    return ipaddress.ip_address(text).packed


def u24(value):
    return struct.pack('>I', value & 0xFFFFFF)[1:]


# ------------------------------------------------------------------ headers of MRC

def bth(opcode, qp, psn, *, ack=False, rtx=False, ts=False, pad=0, se=False, mig=False, tver=0,
        pkey=0xFFFF, reserved=0):
    """Base transport header, 12 bytes."""
    #= MRC-REF 2 BTH
    flags = se << 7 | mig << 6 | pad << 4 | tver
    last = ack << 7 | rtx << 5 | ts << 4
    return (struct.pack('>BBHB', opcode, flags, pkey, reserved) + u24(qp) + bytes([last]) +
            u24(psn))


def meth(msn, rqmsn=0):
    return struct.pack('>HH', rqmsn, msn)


def timestamp(value, tsr=0, ftype=1):
    """16 bits of time and 16 bits that describe them: TSETH, and the end of PETH and ERTH."""
    return struct.pack('>HH', value & 0xFFFF, tsr << 15 | ftype)


def reth(va, rkey, dma_bytes):
    return struct.pack('>QII', va, rkey, dma_bytes)


def aeth(msn, syndrome=0x1F):
    return bytes([syndrome]) + u24(msn)


def sack(cack, ack_offset, ev, *, base_offset=1, bitmap=0, mark=0, answer=False, spdcid=0,
         dpdcid=0, mpr=8, cc_type=0, cc_flags=0, ts=0, ooo=0, restore=False, penalty=0,
         received=0):
    """SETH and CC_STATE, 36 bytes; received in units of 256 bytes."""
    #= MRC-REF 2 SACK
    first = mark << 5 | answer << 1
    return (struct.pack('>HHIHHB', first, ack_offset & 0xFFFF, ev, spdcid, dpdcid, 0) + u24(cack) +
            struct.pack('>BBHQ', cc_type << 4 | cc_flags, mpr, base_offset & 0xFFFF, bitmap) +
            struct.pack('>HHB', ts & 0xFFFF, ooo, restore << 7 | penalty) + u24(received))


def nack(psn, reason, ev, *, spdcid=0, dpdcid=0, vendor=0, cc_type=2, cc_flags=0, ts=0):
    """NETH, 20 bytes."""
    #= MRC-REF 2 NACK
    return (struct.pack('>HBBIHHB', 0, reason, vendor, ev, spdcid, dpdcid, 0) + u24(psn) +
            struct.pack('>BBH', cc_type << 4 | cc_flags, 0, ts & 0xFFFF))


def peth(probe_id, *, spdcid=0, dpdcid=0, vendor=0, ts=0):
    #= MRC-REF 2 PETH, ERTH, EETH
    return struct.pack('>HBBHHHH', 0, 0, vendor, probe_id, 0, spdcid, dpdcid) + timestamp(ts)


def erth(op, *, port_mask=0, vendor=0, ts=0):
    return struct.pack('>BBBBII', 0, op, 0, vendor, port_mask, 0) + timestamp(ts)


def eeth(op, *, ts=0):
    return bytes([0, op << 2]) + bytes(26) + struct.pack('>H', ts & 0xFFFF) + bytes(6)


# ------------------------------------------------------------------ IP, UDP and what carries them

def icrc(packet):
    """ICRC of an inner IP packet that ends behind the pad, as 4 bytes of the wire."""
    #= MRC-REF 2 ICRC
    masked = bytearray(packet)
    if masked[0] >> 4 == 6:
        masked[0] |= 0x0F
        masked[1] = masked[2] = masked[3] = 0xFF
        masked[7] = 0xFF
        udp_at = 40
    else:
        masked[1] = masked[8] = masked[10] = masked[11] = 0xFF
        udp_at = (masked[0] & 15) * 4
    masked[udp_at + 6] = masked[udp_at + 7] = 0xFF
    masked[udp_at + 8 + 4] = 0xFF
    return struct.pack('<I', zlib.crc32(b'\xff' * 8 + bytes(masked)))


def ipv6(source, destination, next_header, payload, *, dscp=0, ecn=0, label=0, hops=64,
         length=None):
    first = 6 << 28 | (dscp << 2 | ecn) << 20 | label
    size = len(payload) if length is None else length
    return struct.pack('>IHBB', first, size, next_header, hops) + ip(source) + ip(destination) + \
        payload


def ipv4(source, destination, protocol, payload, *, dscp=0, ecn=0, ttl=64, length=None):
    size = 20 + len(payload) if length is None else length
    header = struct.pack('>BBHHHBBH', 0x45, dscp << 2 | ecn, size, 0x1234, 0x4000, ttl, protocol,
                         0) + ip(source) + ip(destination)
    total = sum(struct.unpack('>10H', header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:10] + struct.pack('>H', 0xFFFF ^ total) + header[12:] + payload


def udp(source_port, destination_port, payload, length=None):
    """UDP without a checksum."""
    size = 8 + len(payload) if length is None else length
    return struct.pack('>HHHH', source_port, destination_port, size, 0) + payload


def srh(next_header, segments, segments_left, *, tlvs=b''):
    """Segment routing header; segments in the order of the list (last of the path first)."""
    assert len(tlvs) % 8 == 0
    body = b''.join(ip(s) for s in segments) + tlvs
    return struct.pack('>BBBBBBH', next_header, len(body) // 8, 4, segments_left,
                       len(segments) - 1, 0, 0) + body


def usids(block, *path):
    """A carrier: the 32-bit block and up to six uSIDs."""
    #= MRC-REF 3 NEXT-CSID uN, F3216
    raw = struct.pack('>I', block) + b''.join(struct.pack('>H', u) for u in path)
    return str(ipaddress.IPv6Address(raw.ljust(16, b'\0')))


def ethernet(payload, *, ethertype=None, vlans=()):
    if ethertype is None:
        ethertype = 0x86DD if payload[0] >> 4 == 6 else 0x0800
    tags = b''
    for vlan in vlans:
        tags += struct.pack('>HH', 0x8100, vlan)
    return bytes.fromhex('020000000002020000000001') + tags + struct.pack('>H', ethertype) + payload


def gre(payload, protocol, *, sequence=None):
    flags = 0x1000 if sequence is not None else 0
    return struct.pack('>HH', flags, protocol) + (
        struct.pack('>I', sequence) if sequence is not None else b'') + payload


def erspan2(frame, *, session=7, vlan=0, sequence=1):
    """GRE with an ERSPAN type II header in front of a whole Ethernet frame."""
    header = struct.pack('>HHI', 1 << 12 | vlan, 3 << 11 | session, 0)
    return gre(header + frame, 0x88BE, sequence=sequence)


# ------------------------------------------------------------------ a packet of MRC

class Path:
    """How packets travel from one NIC to another: addresses, EV, carrier."""

    def __init__(self, source, destination, *, carrier=None, port=MRC_PORT, outer=None,
                 segments=(), segments_left=0, tlvs=b''):
        self.source, self.destination = source, destination
        self.carrier, self.port = carrier, port
        self.outer = outer or source
        self.segments, self.segments_left, self.tlvs = segments, segments_left, tlvs

    def reversed(self, carrier=None):
        return Path(self.destination, self.source, carrier=carrier, port=self.port)


def inner(path, ev, transport, *, dscp=DSCP_TRIMMABLE, ecn=ECT0, hops=64, bad_icrc=False):
    """The inner IP packet: EV in source port and flow label, ICRC at the end.

    transport: BTH up to the pad.
    """
    #= MRC-REF 2 UDP and IP
    port, label = ev >> 16, ev & 0xFFFF
    datagram = udp(port, path.port, transport + bytes(4))
    if ':' in path.source:
        packet = ipv6(path.source, path.destination, 17, datagram, dscp=dscp, ecn=ecn,
                      label=label, hops=hops)
    else:
        packet = ipv4(path.source, path.destination, 17, datagram, dscp=dscp, ecn=ecn, ttl=hops)
    check = icrc(packet[:-4])
    if bad_icrc:
        check = bytes([check[0] ^ 1]) + check[1:]
    return packet[:-4] + check


def encapsulate(path, packet, *, dscp=None, ecn=None, length=None):
    """The outer IPv6 header (and SRH) around an inner packet; nothing without a carrier."""
    if path.carrier is None:
        return packet
    if packet[0] >> 4 == 6:
        word = struct.unpack('>I', packet[:4])[0]
        inner_class, label, kind = word >> 20 & 0xFF, word & 0xFFFFF, 41
    else:
        inner_class, label, kind = packet[1], 0, 4
    payload = packet
    if path.segments:
        payload = srh(kind, path.segments, path.segments_left, tlvs=path.tlvs) + packet
        kind = 43
    return ipv6(path.outer, path.carrier, kind, payload,
                dscp=inner_class >> 2 if dscp is None else dscp,
                ecn=inner_class & 3 if ecn is None else ecn, label=label, length=length)


def frame(path, ev, transport, *, vlans=(), outer_dscp=None, outer_ecn=None, **how):
    """An Ethernet frame with an MRC packet in it, see inner()."""
    packet = inner(path, ev, transport, **how)
    return ethernet(encapsulate(path, packet, dscp=outer_dscp, ecn=outer_ecn), vlans=vlans)


def write(qp, psn, opcode, msn, va, dma_bytes, payload, *, rkey=0x11223344, ts=None, imm=None,
          rqmsn=0, ack=False, rtx=False):
    """BTH to pad of a WRITE."""
    pad = -len(payload) % 4
    return (bth(opcode, qp, psn, ack=ack, rtx=rtx, ts=ts is not None, pad=pad) +
            meth(msn, rqmsn) + (timestamp(ts) if ts is not None else b'') +
            reth(va, rkey, dma_bytes) + (struct.pack('>I', imm) if imm is not None else b'') +
            payload + bytes(pad))


def trim(whole, size, dscp, kind):
    """What a switch makes of a frame that it cannot queue.

    kind: 'kept' leaves all lengths, 'ip' rewrites those of IP, 'both' that of UDP as well.
    """
    #= MRC-REF 2 ICRC, trimming, encapsulation
    cut = bytearray(whole[:size])
    gone = len(whole) - len(cut)
    at, outermost = 14, True
    while True:
        if cut[at] >> 4 == 6:
            if outermost:
                word = struct.unpack_from('>I', cut, at)[0]
                word = word & 0xF00FFFFF | dscp << 22
                struct.pack_into('>I', cut, at, word)
            if kind != 'kept':
                struct.pack_into('>H', cut, at + 4,
                                 struct.unpack_from('>H', cut, at + 4)[0] - gone)
            following, at = cut[at + 6], at + 40
            if following == 43:
                following, at = cut[at], at + 8 + 8 * cut[at + 1]
        else:
            if outermost:
                cut[at + 1] = dscp << 2
            if kind != 'kept':
                struct.pack_into('>H', cut, at + 2,
                                 struct.unpack_from('>H', cut, at + 2)[0] - gone)
            following, at = cut[at + 9], at + 20
        outermost = False
        if following == 17:
            break
    if kind == 'both':
        struct.pack_into('>H', cut, at + 4, struct.unpack_from('>H', cut, at + 4)[0] - gone)
    return bytes(cut)


# ------------------------------------------------------------------ files

class Capture:
    """Frames with times, written as pcapng with one or more Ethernet interfaces."""

    def __init__(self, snaplen=0):
        self.snaplen = snaplen
        self.frames = []
        self.caps = {}  # by index of the frame: bytes that are kept of it
        self.interfaces = 1

    def add(self, time_ns, data, interface=0):
        self.frames.append((time_ns, data, interface))
        self.interfaces = max(self.interfaces, interface + 1)
        return len(self.frames)

    def save(self, path):
        def block(kind, body):
            body += bytes(-len(body) % 4)
            size = 12 + len(body)
            return struct.pack('<II', kind, size) + body + struct.pack('<I', size)

        with open(path, 'wb') as out:
            out.write(block(0x0A0D0D0A, struct.pack('<IHHq', 0x1A2B3C4D, 1, 0, -1)))
            nanoseconds = struct.pack('<HHB3xHH', 9, 1, 9, 0, 0)
            for number in range(self.interfaces):
                out.write(block(1, struct.pack('<HHI', 1, 0, self.snaplen) + nanoseconds))
            for number, (time_ns, data, interface) in enumerate(self.frames):
                size = self.caps.get(number, self.snaplen)
                kept = data[:size] if size else data
                out.write(block(6, struct.pack('<IIIII', interface, time_ns >> 32,
                                               time_ns & 0xFFFFFFFF, len(kept), len(data)) + kept))
