// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// How EVs, PSN ranges and one-line summaries read.
#include "packet-mrc-parts.h"

#include <cstring>

namespace
{

/// @param ev an EV @param mask which bits @return those bits, moved to the right
uint32_t
extract(uint32_t ev, uint32_t mask)
{
    return mask == 0 ? 0 : (ev & mask) >> __builtin_ctz(mask);
}

/// What a flag of a summary is called.
struct flag
{
    bool is_set;
    const char* text;
};

void
add_write(const mrc_packet& packet, mrc_line& line)
{
    if (packet.headers & MRC_HAS_METH)
    {
        line.text(" MSN=").dec(packet.meth.msn);
    }
    if (packet.headers & MRC_HAS_RETH)
    {
        line.text(" VA=").hex(packet.reth.va, 0);
    }
    line.text(" Len=").dec(packet.full_payload_bytes);
    if (packet.headers & MRC_HAS_IMMDT)
    {
        line.text(" Imm=").hex(packet.immediate, 8);
    }
}

void
add_sack(const mrc_packet& packet, mrc_line& line)
{
    const mrc::Sack& sack = packet.sack;
    line.text(" cack=").dec(sack.cackPsn);
    if (sack.probeResponse)
    {
        line.text(" probe=").dec(static_cast<uint16_t>(sack.ackPsnOffset));
    }
    else
    {
        line.text(" ack=").dec((sack.cackPsn + sack.ackPsnOffset) & mrc::PSN_MASK);
    }
    line.text(" for EV=").ev(sack.entropy);
    if (sack.bitmap != 0)
    {
        const uint32_t first = (sack.cackPsn + sack.sackOffset) & mrc::PSN_MASK;
        const unsigned seen = 64 - __builtin_clzll(sack.bitmap);
        line.text(" got ").psns(first, sack.bitmap, seen, true, 4);
        mrc_line missing;
        if (!missing.psns(first, sack.bitmap, seen, false, 4).empty())
        {
            line.text(" missing ").text(missing.c_str());
        }
    }
    if (sack.mark != mrc::SackMark::NONE)
    {
        static const char* const MARKS[] = {"", " [SKIP_ONCE]", " [ALWAYS_SKIP]", " [mark 3]"};
        line.text(MARKS[static_cast<unsigned>(sack.mark) & 3]);
    }
}

void
add_ports(uint32_t mask, mrc_line& line)
{
    line.text(" ports up ");
    if (mask == 0)
    {
        line.text("none");
    }
    line.psns(1, mask, 32, true, 8);
}

void
add_endpoint_op(mrc::EndpointOp op, mrc_line& line)
{
    switch (op)
    {
    case mrc::EndpointOp::PORT_STATUS_UPDATE:
        line.text(" PORT_STATUS_UPDATE");
        break;
    case mrc::EndpointOp::EV_PROBE:
        line.text(" EV_PROBE");
        break;
    default:
        line.text(" operation ").dec(static_cast<unsigned>(op));
    }
}

void
add_headers(const mrc_packet& packet, mrc_line& line)
{
    if (mrc_is_write(&packet))
    {
        add_write(packet, line);
    }
    else if (packet.headers & MRC_HAS_SACK)
    {
        add_sack(packet, line);
    }
    else if (packet.headers & MRC_HAS_NACK)
    {
        line.text(" nack=").dec(packet.nack.nackPsn).text(" for EV=").ev(packet.nack.entropy);
    }
    else if (packet.headers & MRC_HAS_AETH)
    {
        line.text(" MSN=").dec(packet.aeth.msn);
    }
    else if (packet.headers & MRC_HAS_PETH)
    {
        line.text(" probe=").dec(packet.peth.probeId);
    }
    else if (packet.headers & MRC_HAS_ERTH)
    {
        if (packet.erth.op == mrc::EndpointOp::PORT_STATUS_UPDATE)
        {
            add_ports(packet.erth.portStatusMask, line);
        }
    }
}

} // namespace

mrc_line&
mrc_line::text(const char* text)
{
    const size_t room = sizeof(m_text) - 1 - m_used;
    const size_t length = std::strlen(text);
    const size_t count = length < room ? length : room;
    std::memcpy(m_text + m_used, text, count);
    m_used += count;
    m_text[m_used] = 0;
    return *this;
}

mrc_line&
mrc_line::dec(uint64_t value)
{
    char digits[21];
    char* first = digits + sizeof(digits) - 1;
    *first = 0;
    do
    {
        *--first = static_cast<char>('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return text(first);
}

mrc_line&
mrc_line::hex(uint64_t value, unsigned digits)
{
    char buffer[19];
    char* first = buffer + sizeof(buffer) - 1;
    *first = 0;
    unsigned written = 0;
    do
    {
        *--first = "0123456789abcdef"[value & 0xf];
        value >>= 4;
        ++written;
    } while (value != 0 || (written < digits && written < 16));
    *--first = 'x';
    *--first = '0';
    return text(first);
}

mrc_line&
mrc_line::ev(uint32_t ev)
{
    text("p").dec(mrc_ev_plane(ev)).text("/").dec(mrc_ev_uplink(ev));
    if (mrc_prefs.ev_uplink2_mask != 0)
    {
        text("/").dec(mrc_ev_uplink2(ev));
    }
    return *this;
}

mrc_line&
mrc_line::psns(uint32_t first, uint64_t bitmap, unsigned count, bool value, unsigned most)
{
    unsigned ranges = 0;
    for (unsigned i = 0; i < count && i < 64;)
    {
        if ((bitmap >> i & 1) != (value ? 1u : 0u))
        {
            ++i;
            continue;
        }
        unsigned end = i;
        while (end + 1 < count && end + 1 < 64 && (bitmap >> (end + 1) & 1) == (value ? 1u : 0u))
        {
            ++end;
        }
        if (ranges > 0)
        {
            text(", ");
        }
        if (ranges == most)
        {
            return text("...");
        }
        ++ranges;
        dec((first + i) & mrc::PSN_MASK);
        if (end > i)
        {
            text("-").dec((first + end) & mrc::PSN_MASK);
        }
        i = end + 1;
    }
    return *this;
}

uint32_t
mrc_ev_plane(uint32_t ev)
{
    return extract(ev, mrc_prefs.ev_plane_mask);
}

uint32_t
mrc_ev_uplink(uint32_t ev)
{
    return extract(ev, mrc_prefs.ev_uplink_mask);
}

uint32_t
mrc_ev_uplink2(uint32_t ev)
{
    return extract(ev, mrc_prefs.ev_uplink2_mask);
}

char*
mrc_ev_text(wmem_allocator_t* scope, uint32_t ev)
{
    mrc_line line;
    return wmem_strdup(scope, line.ev(ev).c_str());
}

char*
mrc_psn_ranges(wmem_allocator_t* scope, uint32_t first, uint64_t bitmap, unsigned count, bool value)
{
    mrc_line line;
    return wmem_strdup(scope, line.psns(first, bitmap, count, value, 64).c_str());
}

void
mrc_summarize(const mrc_packet& packet, mrc_line& line)
{
    line.text(mrc_opcode_name(packet.raw_opcode));
    if (packet.headers & MRC_HAS_NACK)
    {
        line.text(" ").text(mrc_nack_name(static_cast<uint8_t>(packet.nack.reason)));
    }
    if (packet.headers & MRC_HAS_AETH)
    {
        line.text(packet.aeth.syndrome == mrc::AETH_ACK ? " ACK" : " NAK ");
        if (packet.aeth.syndrome != mrc::AETH_ACK)
        {
            line.hex(packet.aeth.syndrome, 2);
        }
    }
    if (packet.headers & MRC_HAS_ERTH)
    {
        add_endpoint_op(packet.erth.op, line);
    }
    if (packet.headers & MRC_HAS_EETH)
    {
        add_endpoint_op(packet.eeth.op, line);
    }
    if (!(packet.headers & MRC_HAS_BTH))
    {
        return;
    }
    if (packet.bth.destinationQp == mrc::ENDPOINT_QP)
    {
        line.text(" id=").dec(packet.bth.psn & 0xffff);
    }
    else
    {
        line.text(" QP=").hex(packet.bth.destinationQp, 6);
    }
    if (packet.has_psn)
    {
        line.text(" PSN=").dec(packet.psn);
    }
    if (packet.has_ev)
    {
        line.text(" EV=").ev(packet.ev);
    }
    add_headers(packet, line);
    const flag flags[] = {
        {packet.bth.ackRequest, " [A]"},
        {packet.bth.retransmission, " [rtx]"},
        {packet.ecn == mrc::CE, " [CE]"},
        {packet.trim_hop == MRC_TRIM_HOP_LAST, " [trimmed at last hop"},
        {packet.trim_kind != MRC_NOT_TRIMMED && packet.trim_hop != MRC_TRIM_HOP_LAST, " [trimmed"},
    };
    for (const flag& one : flags)
    {
        if (one.is_set)
        {
            line.text(one.text);
        }
    }
    if (packet.trim_kind != MRC_NOT_TRIMMED)
    {
        if (packet.trim_cut_bytes != 0)
        {
            line.text(", ").dec(packet.trim_cut_bytes).text(" B cut");
        }
        line.text("]");
    }
}
