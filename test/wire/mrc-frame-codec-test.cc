// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-frame-codec.h"
#include "mrc-frame-compare.h"
#include "mrc-frame-srh.h"
#include "mrc-golden-vectors.h"
#include "mrc-icrc.h"
#include "mrc-ipv4.h"
#include "mrc-srh.h"
#include "mrc-usid.h"
#include "mrc-wire-test-support.h"

namespace mrc
{
namespace
{

constexpr Ipv6Address NIC_A{0xfd99000000000000, 2};
constexpr Ipv6Address NIC_B{0xfd99000000000000, 1};
constexpr Ipv6Address PORT_A{0xfd99000000010000, 2};

/// @return addresses of a packet from A to B
FrameAddresses
Addresses()
{
    return FrameAddresses{PORT_A, NIC_A, NIC_B, 0x020000000001, 0x020000000002};
}

/// Payload that the frames below point to.
const std::vector<uint8_t>&
Payload()
{
    static const std::vector<uint8_t> PAYLOAD = [] {
        std::vector<uint8_t> bytes(MAX_MTU_BYTES);
        for (size_t i = 0; i < bytes.size(); ++i)
        {
            bytes[i] = static_cast<uint8_t>(i * 7 + i / 256);
        }
        return bytes;
    }();
    return PAYLOAD;
}

/// @return the WRITE Only of the golden vector, encapsulated or not
Frame
GoldenWrite(bool encapsulated)
{
    static const std::vector<uint8_t> AA(MAX_MTU_BYTES, 0xaa);
    Frame frame{};
    frame.opcode = Opcode::WRITE_ONLY;
    frame.flags = Frame::ACK_REQUEST | Frame::HAS_TIMESTAMP;
    frame.destinationQp = 0x123;
    frame.psn = 0x10;
    frame.ev = 0xc0010003;
    frame.payloadBytes = 8;
    frame.trafficClass = MakeTrafficClass(DscpMap().trimmable, ECT0);
    frame.hopLimit = DEFAULT_HOP_LIMIT;
    frame.write.meth = golden::WriteOnlyMeth();
    frame.write.tseth = golden::WriteOnlyTseth();
    frame.write.reth = golden::WriteOnlyReth();
    frame.write.payload = AA.data();
    frame.daHigh = NIC_B.high;
    frame.daLow = NIC_B.low;
    if (encapsulated)
    {
        const UsidCarrier carrier = UsidCarrier::Build(0xfcbbbb00, {0x1001, 0x2002, 0x3003});
        frame.flags |= Frame::ENCAPSULATED;
        frame.daHigh = carrier.high;
        frame.daLow = carrier.low;
    }
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(frame.opcode, true, encapsulated, 8));
    return frame;
}

/// @param frame any @param addresses its addresses @param options how to encode
/// @return its bytes, in a vector of their size
std::vector<uint8_t>
Encode(const Frame& frame,
       const FrameAddresses& addresses = Addresses(),
       const EncodeOptions& options = EncodeOptions())
{
    std::vector<uint8_t> bytes(MAX_ENCODED_BYTES);
    bytes.resize(EncodeFrame(frame, addresses, options, bytes.data(), bytes.size()));
    return bytes;
}

/// What DecodeFrame() answers, with the bytes that the payload pointer points into.
struct Decoded
{
    std::shared_ptr<const test::ExactBytes> bytes;
    DecodeError error;
    Frame frame;
    FrameAddresses addresses;
    DecodeInfo info;
};

/// @param bytes a frame's @param captured how many of them @param options how to decode
/// @return the answers
Decoded
Decode(const std::vector<uint8_t>& bytes,
       size_t captured,
       const DecodeOptions& options = DecodeOptions())
{
    Decoded decoded{};
    decoded.bytes = std::make_shared<const test::ExactBytes>(bytes, captured);
    decoded.error = DecodeFrame(
        decoded.bytes->Data(), captured, decoded.frame, decoded.addresses, decoded.info, options);
    return decoded;
}

/// @param bytes a frame's @return the answers
Decoded
Decode(const std::vector<uint8_t>& bytes)
{
    return Decode(bytes, bytes.size());
}

/// @param random source @param opcode which to make @return a frame with random headers
Frame
RandomFrame(test::Random& random, Opcode opcode)
{
    Frame frame{};
    frame.opcode = opcode;
    const uint16_t choice = Frame::ENCAPSULATED | Frame::CORRUPT | Frame::ACK_REQUEST |
                            Frame::RETRANSMISSION | Frame::HAS_TIMESTAMP | Frame::MIGRATION |
                            Frame::SOLICITED_EVENT;
    frame.flags = static_cast<uint16_t>(random.Bits()) & choice;
    frame.daHigh = random.Bits();
    frame.daLow = random.Bits();
    frame.ev = static_cast<uint32_t>(random.Bits());
    frame.destinationQp = random.Bits() & 0xffffff;
    frame.psn = random.Bits() & 0xffffff;
    frame.hopLimit = static_cast<uint8_t>(random.Bits());
    const DscpMap dscp;
    const uint8_t classes[] = {dscp.noTrim, dscp.trimmable, dscp.trimmableRetx, dscp.control};
    const uint8_t own = classes[random.Below(4)];
    frame.trafficClass = MakeTrafficClass(own, static_cast<uint8_t>(random.Below(4)));
    frame.flags |= own == dscp.control ? Frame::CONTROL : 0;
    // Fields are filled from random bytes, so that only bits that exist on the wire are set.
    const std::vector<uint8_t> bytes = random.Bytes(64);
    ByteReader reader(bytes.data(), bytes.size());
    switch (opcode)
    {
    case Opcode::ACKNOWLEDGE:
        DecodeAeth(reader, frame.ack);
        break;
    case Opcode::ENDPOINT_REQUEST:
        DecodeErth(reader, frame.request);
        break;
    case Opcode::ENDPOINT_RESPONSE:
        DecodeEeth(reader, frame.response);
        break;
    case Opcode::SACK:
        DecodeSack(reader, frame.sack);
        break;
    case Opcode::NACK:
        DecodeNack(reader, frame.nack);
        break;
    case Opcode::RELIABILITY_PROBE:
        DecodePeth(reader, frame.probe);
        break;
    default:
        DecodeMeth(reader, frame.write.meth);
        DecodeTseth(reader, frame.write.tseth);
        DecodeReth(reader, frame.write.reth);
        if (HasImmediate(opcode))
        {
            DecodeImmDt(reader, frame.write.immediate);
        }
        frame.payloadBytes = static_cast<uint16_t>(random.Below(MAX_MTU_BYTES + 1));
        frame.write.payload = random.Flip() ? Payload().data() : nullptr;
        break;
    }
    frame.wireBytes = FrameWireBytes(FrameL2Bytes(opcode,
                                                  frame.Has(Frame::HAS_TIMESTAMP),
                                                  frame.Has(Frame::ENCAPSULATED),
                                                  frame.payloadBytes));
    return frame;
}

//= MRC-REF 2 Wire format type=test
TEST(FrameCodec, EncapsulatedWriteIsWrittenByteForByte)
{
    const std::vector<uint8_t> bytes = Encode(GoldenWrite(true));
    // 142 + 8 of payload. Lengths: UDP 8 + 12 + 4 + 4 + 16 + 8 + 4 = 56 = 0x38, inner IPv6 0x38,
    // outer IPv6 0x38 + 40 = 0x60. Traffic class 8 << 2 | 2 = 0x22. Port 4791 = 0x12b7.
    std::vector<uint8_t> expected = golden::Bytes("020000000002 020000000001 86dd"
                                                  "62200003 0060 29 40"
                                                  "fd990000000100000000000000000002"
                                                  "fcbbbb00100120023003000000000000"
                                                  "62200003 0038 11 40"
                                                  "fd990000000000000000000000000002"
                                                  "fd990000000000000000000000000001"
                                                  "c001 12b7 0038 0000");
    const std::vector<uint8_t> transport = golden::Bytes(golden::WRITE_ONLY);
    expected.insert(expected.end(), transport.begin(), transport.end());
    ASSERT_EQ(bytes.size(), 150u);
    uint32_t icrc = 0;
    ASSERT_TRUE(ComputeIcrc(&expected[54], 150 - 54 - 4, icrc));
    StoreIcrc(&expected[146], icrc);
    EXPECT_EQ(bytes, expected);
}

TEST(FrameCodec, PlainSackIsWrittenByteForByte)
{
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.flags = Frame::CONTROL;
    frame.destinationQp = 0x456;
    frame.psn = 0x0f;
    frame.ev = 0x12345678;
    frame.trafficClass = MakeTrafficClass(DscpMap().control, NOT_ECT);
    frame.hopLimit = 63;
    frame.sack = golden::SackHeader();
    frame.daHigh = NIC_B.high;
    frame.daLow = NIC_B.low;
    const std::vector<uint8_t> bytes = Encode(frame);
    // UDP 8 + 12 + 36 + 4 = 60 = 0x3c; traffic class 46 << 2 = 0xb8.
    std::vector<uint8_t> expected = golden::Bytes("020000000002 020000000001 86dd"
                                                  "6b805678 003c 11 3f"
                                                  "fd990000000000000000000000000002"
                                                  "fd990000000000000000000000000001"
                                                  "1234 12b7 003c 0000");
    const std::vector<uint8_t> transport = golden::Bytes(golden::SACK);
    expected.insert(expected.end(), transport.begin(), transport.end());
    ASSERT_EQ(bytes.size(), 114u);
    std::copy(bytes.end() - 4, bytes.end(), expected.end() - 4);
    EXPECT_EQ(bytes, expected);
}

TEST(FrameCodec, InnerHeaderIsTheSendersWhenASwitchMarked)
{
    Frame frame = GoldenWrite(true);
    frame.trafficClass = MakeTrafficClass(DscpMap().trimmable, CE);
    frame.hopLimit = 61;
    const std::vector<uint8_t> bytes = Encode(frame);
    EXPECT_EQ(bytes[14], 0x62); // 8 << 2 | CE = 0x23
    EXPECT_EQ(bytes[15], 0x30);
    EXPECT_EQ(bytes[21], 61);
    EXPECT_EQ(bytes[54], 0x62); // 8 << 2 | ECT(0) = 0x22
    EXPECT_EQ(bytes[55], 0x20);
    EXPECT_EQ(bytes[61], 64);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.IsMarked()) << "the outer ECN counts";
    EXPECT_EQ(decoded.frame.hopLimit, 61);
    EXPECT_EQ(decoded.info.innerTrafficClass, 0x22);
    EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT)) << "the ICRC does not cover the outer header";
}

TEST(FrameCodec, EveryFrameSurvivesTheRoundTrip)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (int round = 0; round < 6000; ++round)
    {
        const Opcode opcode = test::ALL_OPCODES[random.Below(12)];
        Frame frame = RandomFrame(random, opcode);
        EncodeOptions encode;
        encode.entropyOrder = random.Flip() ? EntropyOrder::PORT_HIGH : EntropyOrder::PORT_LOW;
        encode.udpPort = random.Flip() ? DEFAULT_UDP_PORT : OTHER_UDP_PORT;
        encode.pKey = static_cast<uint16_t>(random.Bits());
        DecodeOptions decode;
        decode.entropyOrder = encode.entropyOrder;
        FrameAddresses addresses{{random.Bits(), random.Bits()},
                                 {random.Bits(), random.Bits()},
                                 {random.Bits(), random.Bits()},
                                 random.Bits() >> 16,
                                 random.Bits() >> 16};
        const std::vector<uint8_t> bytes = Encode(frame, addresses, encode);
        ASSERT_EQ(FrameWireBytes(static_cast<uint32_t>(bytes.size())), frame.wireBytes);
        const Decoded decoded = Decode(bytes, bytes.size(), decode);
        ASSERT_EQ(decoded.error, DecodeError::OK) << WireHeaderName(decoded.info.where);
        const char* const difference = test::FrameDifference(frame, decoded.frame);
        ASSERT_EQ(difference, nullptr) << OpcodeName(opcode) << " " << difference;
        ASSERT_EQ(decoded.frame.wireBytes, frame.wireBytes);
        ASSERT_EQ(decoded.info.bth.pKey, encode.pKey);
        ASSERT_EQ(decoded.info.udpPort, encode.udpPort);
        ASSERT_EQ(decoded.info.l2Bytes, bytes.size());
        ASSERT_TRUE(decoded.addresses.innerSource == addresses.innerSource);
        ASSERT_EQ(decoded.addresses.sourceMac, addresses.sourceMac);
        ASSERT_EQ(decoded.addresses.destinationMac, addresses.destinationMac);
        if (frame.Has(Frame::ENCAPSULATED))
        {
            ASSERT_TRUE(decoded.addresses.innerDestination == addresses.innerDestination);
            ASSERT_TRUE(decoded.addresses.outerSource == addresses.outerSource);
        }
        if (IsWrite(opcode) && frame.payloadBytes > 0)
        {
            ASSERT_NE(decoded.frame.write.payload, nullptr);
            const std::vector<uint8_t> zeros(frame.payloadBytes);
            const uint8_t* const sent =
                frame.write.payload != nullptr ? frame.write.payload : zeros.data();
            ASSERT_EQ(std::memcmp(decoded.frame.write.payload, sent, frame.payloadBytes), 0);
        }
        ASSERT_EQ(Encode(decoded.frame, decoded.addresses, encode), bytes);
    }
}

TEST(FrameCodec, Ipv4KeepsTheSourcePortHalfOfTheEv)
{
    Frame frame = GoldenWrite(false);
    const Ipv6Address b = Ipv6Address::FromIpv4(0x0a000002);
    frame.daHigh = b.high;
    frame.daLow = b.low;
    FrameAddresses addresses = Addresses();
    addresses.innerSource = Ipv6Address::FromIpv4(0x0a000001);
    EncodeOptions options;
    options.innerIpv4 = true;
    const std::vector<uint8_t> bytes = Encode(frame, addresses, options);
    ASSERT_EQ(bytes.size(), 90u); // 14 + 20 + 56
    EXPECT_EQ(bytes[12], 0x08);
    EXPECT_EQ(bytes[13], 0x00);
    EXPECT_EQ(InternetChecksum(&bytes[14], 20), 0);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.info.innerIpv4);
    EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT));
    EXPECT_EQ(decoded.frame.ev, 0xc0010000u);
    EXPECT_TRUE((Ipv6Address{decoded.frame.daHigh, decoded.frame.daLow} == b));
    EXPECT_TRUE(decoded.addresses.innerSource == addresses.innerSource);
    EXPECT_EQ(Encode(decoded.frame, decoded.addresses, options), bytes);

    addresses.innerSource = NIC_A;
    EXPECT_TRUE(Encode(frame, addresses, options).empty()) << "an IPv6 address in IPv4";
}

TEST(FrameCodec, Ipv4InsideIpv6IsUnderstood)
{
    FrameAddresses addresses = Addresses();
    addresses.innerSource = Ipv6Address::FromIpv4(0x0a000001);
    addresses.innerDestination = Ipv6Address::FromIpv4(0x0a000002);
    EncodeOptions options;
    options.innerIpv4 = true;
    const Frame frame = GoldenWrite(true);
    const std::vector<uint8_t> bytes = Encode(frame, addresses, options);
    ASSERT_EQ(bytes.size(), 130u);
    EXPECT_EQ(bytes[20], PROTOCOL_IPV4);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::ENCAPSULATED));
    EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT));
    EXPECT_TRUE(decoded.addresses.innerDestination == addresses.innerDestination);
}

//= MRC-REF 2 ICRC, trimming, encapsulation type=test
TEST(FrameCodec, CorruptFramesHaveAWrongIcrc)
{
    Frame frame = GoldenWrite(true);
    const std::vector<uint8_t> good = Encode(frame);
    frame.flags |= Frame::CORRUPT;
    const std::vector<uint8_t> bad = Encode(frame);
    ASSERT_EQ(good.size(), bad.size());
    EXPECT_EQ(std::vector<uint8_t>(good.begin(), good.end() - 4),
              std::vector<uint8_t>(bad.begin(), bad.end() - 4));
    const Decoded decoded = Decode(bad);
    EXPECT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::CORRUPT));
    EXPECT_NE(decoded.info.icrcFound, decoded.info.icrcExpected);
    EXPECT_FALSE(Decode(good).frame.Has(Frame::CORRUPT));
}

TEST(FrameCodec, EveryFlippedBitOfThePayloadIsNoticed)
{
    const std::vector<uint8_t> good = Encode(GoldenWrite(false));
    for (size_t bit = (good.size() - 12) * 8; bit < good.size() * 8; ++bit)
    {
        std::vector<uint8_t> bad = good;
        bad[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
        EXPECT_TRUE(Decode(bad).frame.Has(Frame::CORRUPT)) << bit;
    }
}

/// @param original whole @param dscp of the trimmed copy @return what a switch makes of it
Frame
Trimmed(const Frame& original, uint8_t dscp)
{
    Frame frame = original;
    frame.flags |= Frame::TRIMMED;
    if (dscp == DscpMap().trimmedLastHop)
    {
        frame.flags |= Frame::TRIMMED_LASTHOP;
    }
    frame.flags &= ~Frame::CORRUPT;
    frame.trafficClass = MakeTrafficClass(dscp, EcnOf(frame.trafficClass));
    const uint32_t whole = FrameL2Bytes(frame.opcode,
                                        frame.Has(Frame::HAS_TIMESTAMP),
                                        frame.Has(Frame::ENCAPSULATED),
                                        frame.payloadBytes);
    frame.wireBytes = FrameWireBytes(std::min(whole, TRIM_BYTES));
    return frame;
}

TEST(FrameCodec, TrimmedEncapsulatedWriteLosesItsRethButNotItsNumbers)
{
    Frame whole = GoldenWrite(true);
    whole.payloadBytes = 4096;
    whole.write.payload = Payload().data();
    const Frame frame = Trimmed(whole, DscpMap().trimmed);
    const std::vector<uint8_t> bytes = Encode(frame);
    ASSERT_EQ(bytes.size(), 128u);
    const std::vector<uint8_t> original = Encode(whole);
    // Only the outer traffic class and length differ: 128 - 14 - 40 = 74 = 0x4a.
    std::vector<uint8_t> expected(original.begin(), original.begin() + 128);
    expected[14] = 0x63; // 12 << 2 | 2 = 0x32
    expected[15] = 0x20;
    expected[18] = 0x00;
    expected[19] = 0x4a;
    EXPECT_EQ(bytes, expected);

    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::TRIMMED));
    EXPECT_FALSE(decoded.frame.Has(Frame::TRIMMED_LASTHOP));
    EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT));
    EXPECT_TRUE(decoded.info.cut);
    EXPECT_FALSE(decoded.info.rethPresent);
    EXPECT_EQ(decoded.frame.payloadBytes, 4096) << "the UDP length still tells";
    EXPECT_EQ(decoded.frame.psn, 0x10u);
    EXPECT_EQ(decoded.frame.ev, 0xc0010003u);
    EXPECT_EQ(decoded.frame.write.meth.msn, 5);
    EXPECT_EQ(decoded.frame.write.tseth.txTimestamp, 0x0141);
    EXPECT_EQ(decoded.frame.write.reth.va, 0u) << "half an address is worse than none";
    EXPECT_EQ(decoded.frame.write.payload, nullptr);
    EXPECT_EQ(decoded.frame.wireBytes, FrameWireBytes(128));
}

TEST(FrameCodec, TrimmedPlainWriteKeepsItsReth)
{
    Frame whole = GoldenWrite(false);
    whole.payloadBytes = 1024;
    const std::vector<uint8_t> bytes = Encode(Trimmed(whole, DscpMap().trimmedLastHop));
    ASSERT_EQ(bytes.size(), 128u);
    // The only IP length: 128 - 14 - 40 = 74; UDP as sent: 8 + 12 + 24 + 1024 + 4 = 1072 = 0x430.
    EXPECT_EQ(bytes[18] << 8 | bytes[19], 74);
    EXPECT_EQ(bytes[58] << 8 | bytes[59], 0x430);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::TRIMMED));
    EXPECT_TRUE(decoded.frame.Has(Frame::TRIMMED_LASTHOP));
    EXPECT_TRUE(decoded.info.rethPresent);
    EXPECT_EQ(decoded.frame.write.reth.va, 0x7f0000001000u);
    EXPECT_EQ(decoded.frame.payloadBytes, 1024);
}

TEST(FrameCodec, TrimmedIpv4HasANewChecksum)
{
    Frame whole = GoldenWrite(false);
    whole.payloadBytes = 1024;
    const Ipv6Address b = Ipv6Address::FromIpv4(0x0a000002);
    whole.daHigh = b.high;
    whole.daLow = b.low;
    FrameAddresses addresses = Addresses();
    addresses.innerSource = Ipv6Address::FromIpv4(0x0a000001);
    EncodeOptions options;
    options.innerIpv4 = true;
    const std::vector<uint8_t> bytes =
        Encode(Trimmed(whole, DscpMap().trimmed), addresses, options);
    ASSERT_EQ(bytes.size(), 128u);
    EXPECT_EQ(bytes[16] << 8 | bytes[17], 114);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.info.cut);
    EXPECT_EQ(decoded.frame.payloadBytes, 1024);
}

TEST(FrameCodec, TrimmedSmallFrameLosesNothingButItsClass)
{
    const Frame frame = Trimmed(GoldenWrite(false), DscpMap().trimmed);
    const std::vector<uint8_t> bytes = Encode(frame);
    EXPECT_EQ(bytes.size(), 110u); // below 128
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::TRIMMED));
    EXPECT_FALSE(decoded.info.cut);
    EXPECT_TRUE(decoded.info.rethPresent);
    EXPECT_EQ(decoded.frame.write.payload, nullptr) << "not to be placed";
}

TEST(FrameCodec, TrimmedProbeIsStillAProbe)
{
    // 14 + 40 + 40 + 8 + 12 + 14 = 128: the trim cuts the last two bytes of PETH and the ICRC.
    Frame frame{};
    frame.opcode = Opcode::RELIABILITY_PROBE;
    frame.flags = Frame::ENCAPSULATED | Frame::TRIMMED;
    frame.trafficClass = MakeTrafficClass(DscpMap().trimmed, ECT0);
    frame.probe.probeId = 0x0102;
    frame.probe.txTimestamp = 0x0141;
    frame.probe.ftype = TIMESTAMP_FTYPE;
    const std::vector<uint8_t> bytes = Encode(frame); // wireBytes 0 = default trim
    ASSERT_EQ(bytes.size(), 128u);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_EQ(decoded.frame.probe.probeId, 0x0102);
    EXPECT_EQ(decoded.frame.probe.txTimestamp, 0x0141);
    EXPECT_EQ(decoded.frame.probe.ftype, 0);
}

TEST(FrameCodec, TrimmedFramesSurviveTheRoundTrip)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    int written = 0;
    for (int round = 0; round < 3000; ++round)
    {
        const Opcode opcode = test::ALL_OPCODES[random.Below(6)];
        Frame frame = Trimmed(RandomFrame(random, opcode), DscpMap().trimmed);
        frame.flags &= ~Frame::CONTROL;
        frame.wireBytes = FrameWireBytes(90 + static_cast<uint32_t>(random.Below(300)));
        const std::vector<uint8_t> bytes = Encode(frame);
        if (bytes.empty())
        {
            // BTH and METH, TSETH end at 78, 82, 118 or 122.
            ASSERT_TRUE(frame.Has(Frame::ENCAPSULATED));
            ASSERT_LT(frame.wireBytes, FrameWireBytes(122));
            continue;
        }
        ++written;
        const Decoded decoded = Decode(bytes);
        ASSERT_EQ(decoded.error, DecodeError::OK);
        if (!decoded.info.rethPresent)
        {
            frame.write.reth = Reth{};
            frame.write.immediate = 0;
        }
        const char* const difference = test::FrameDifference(frame, decoded.frame);
        ASSERT_EQ(difference, nullptr) << OpcodeName(opcode) << " " << difference;
        Frame again = decoded.frame;
        const Decoded twice = Decode(Encode(again, decoded.addresses));
        ASSERT_EQ(twice.error, DecodeError::OK);
        ASSERT_EQ(test::FrameDifference(again, twice.frame), nullptr);
    }
    EXPECT_GT(written, 2000);
}

TEST(FrameCodec, SrhBetweenOuterAndInnerIsPassed)
{
    const std::vector<uint8_t> plain = Encode(GoldenWrite(true));
    const Ipv6Address path[] = {{0xfcbbbb0010012002, 0x3003000000000000}, {0xfcbbbb0040040000, 0}};
    for (const bool reduced : {false, true})
    {
        std::vector<uint8_t> srh(SrhBytes(2, reduced));
        ByteWriter writer(srh.data(), srh.size());
        ASSERT_TRUE(EncodeSrh(writer, PROTOCOL_IPV6, path, 2, reduced));
        std::vector<uint8_t> bytes = plain;
        bytes.insert(bytes.begin() + 54, srh.begin(), srh.end());
        bytes[19] = static_cast<uint8_t>(bytes[19] + srh.size());
        bytes[20] = PROTOCOL_ROUTING;
        const Decoded decoded = Decode(bytes);
        ASSERT_EQ(decoded.error, DecodeError::OK);
        EXPECT_TRUE(decoded.info.hasSrh);
        EXPECT_EQ(decoded.info.segmentsLeft, 1);
        EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT));
        ASSERT_TRUE(decoded.frame.Has(Frame::HAS_SRH));
        EXPECT_EQ(Encode(decoded.frame, decoded.addresses), bytes);
        Frame withoutSrh = decoded.frame;
        withoutSrh.flags &= ~Frame::HAS_SRH;
        EXPECT_EQ(test::FrameDifference(withoutSrh, Decode(plain).frame), nullptr);

        bytes[56] = 3; // another routing type
        EXPECT_EQ(Decode(bytes).error, DecodeError::BAD_SRH);
        bytes[56] = ROUTING_TYPE_SRH;
        bytes[54] = PROTOCOL_UDP;
        const Decoded inserted = Decode(bytes);
        EXPECT_EQ(inserted.error, DecodeError::NOT_MRC);
        EXPECT_EQ(inserted.info.where, WireHeader::SRH);
    }
}

TEST(FrameCodec, TrimOfAPathWithSrhNeedsMoreBytes)
{
    // Ethernet 14, outer 40, SRH 24, inner 40, UDP 8, BTH 12, METH and TSETH 8 = 146 bytes.
    constexpr uint8_t SEGMENT[16] = {0xfd, 0x6d, 0x72, 0x63, 0x20, 0x01};
    Frame frame = GoldenWrite(true);
    frame.flags |= Frame::HAS_SRH;
    frame.segments = SEGMENT;
    frame.segmentCount = 1;
    frame.segmentsLeft = 1;
    frame.payloadBytes = 64;
    frame = Trimmed(frame, DscpMap().trimmed);
    frame.wireBytes = FrameWireBytes(145);
    EXPECT_FALSE(IsTrimAnswerable(frame));
    EXPECT_TRUE(Encode(frame).empty());
    frame.wireBytes = FrameWireBytes(146);
    EXPECT_TRUE(IsTrimAnswerable(frame));
    const std::vector<uint8_t> bytes = Encode(frame);
    ASSERT_EQ(bytes.size(), 146u);
    const Decoded decoded = Decode(bytes);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_TRUE(decoded.frame.Has(Frame::TRIMMED));
    EXPECT_EQ(decoded.frame.psn, 0x10u);
    EXPECT_EQ(decoded.frame.write.meth.msn, frame.write.meth.msn);
}

TEST(FrameCodec, TheLastUsidOfACarrierBringsTheNextSegment)
{
    constexpr uint8_t SEGMENTS[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
    Frame frame{};
    frame.flags = Frame::ENCAPSULATED | Frame::HAS_SRH;
    frame.segments = SEGMENTS;
    frame.segmentCount = 2;
    frame.segmentsLeft = 2;
    ASSERT_TRUE(NextSegment(frame)); // the list is in reverse
    EXPECT_EQ(frame.daHigh, 0x1100000000000000u);
    EXPECT_EQ(frame.daLow, 0u);
    ASSERT_TRUE(NextSegment(frame));
    EXPECT_EQ(frame.daHigh, 0x0102030405060708u);
    EXPECT_EQ(frame.daLow, 0x090a0b0c0d0e0f10u);
    EXPECT_EQ(frame.segmentsLeft, 0);
    EXPECT_FALSE(NextSegment(frame));
    EXPECT_EQ(frame.daHigh, 0x0102030405060708u);
}

TEST(FrameCodec, EthernetPadAndFcsAreIgnored)
{
    const std::vector<uint8_t> bytes = Encode(GoldenWrite(true));
    std::vector<uint8_t> longer = bytes;
    longer.insert(longer.end(), 4, 0x5a);
    const Decoded decoded = Decode(longer);
    ASSERT_EQ(decoded.error, DecodeError::OK);
    EXPECT_EQ(decoded.info.l2Bytes, bytes.size());
    EXPECT_FALSE(decoded.frame.Has(Frame::CORRUPT));
}

TEST(FrameCodec, FramesThatDoNotFitAreNotWritten)
{
    const Frame frame = GoldenWrite(true);
    for (size_t capacity = 0; capacity < 150; ++capacity)
    {
        std::vector<uint8_t> bytes(capacity);
        EXPECT_EQ(EncodeFrame(frame, Addresses(), EncodeOptions(), bytes.data(), capacity), 0u);
    }
    Frame huge = frame;
    huge.payloadBytes = 0xffff; // with its headers longer than an IP packet
    std::vector<uint8_t> bytes(70000);
    EXPECT_EQ(EncodeFrame(huge, Addresses(), EncodeOptions(), bytes.data(), bytes.size()), 0u);
    // The longest UDP length of whole words: 65532 = 8 + 12 + 24 + payload 65484 + 4. It fits plain
    // IPv6 (65532), but not an outer IPv6 (65572) unless it was trimmed.
    const std::vector<uint8_t> longPayload(65484);
    huge.payloadBytes = 65484;
    huge.write.payload = longPayload.data();
    EXPECT_EQ(EncodeFrame(huge, Addresses(), EncodeOptions(), bytes.data(), bytes.size()), 0u);
    huge.flags |= Frame::TRIMMED;
    huge.wireBytes = FrameWireBytes(TRIM_BYTES);
    EXPECT_EQ(EncodeFrame(huge, Addresses(), EncodeOptions(), bytes.data(), bytes.size()), 128u);
    huge.flags = 0;
    huge.payloadBytes = 65488; // no TSETH
    huge.write.payload = nullptr;
    EXPECT_EQ(EncodeFrame(huge, Addresses(), EncodeOptions(), bytes.data(), bytes.size()),
              14u + 40 + 65532);
    huge.payloadBytes = 65489; // a pad longer: UDP 65536
    EXPECT_EQ(EncodeFrame(huge, Addresses(), EncodeOptions(), bytes.data(), bytes.size()), 0u);
    Frame cut = Trimmed(frame, DscpMap().trimmed);
    cut.wireBytes = FrameWireBytes(121); // one byte of TSETH is missing
    EXPECT_TRUE(Encode(cut).empty());
    cut.wireBytes = FrameWireBytes(122);
    EXPECT_EQ(Encode(cut).size(), 122u);
}

TEST(FrameCodec, OtherPacketsAreRefusedWithAReason)
{
    const std::vector<uint8_t> good = Encode(GoldenWrite(true));
    const auto verdict = [&good](size_t offset, uint8_t value) {
        std::vector<uint8_t> bytes = good;
        bytes[offset] = value;
        const Decoded decoded = Decode(bytes);
        return std::make_pair(decoded.error, decoded.info.where);
    };
    using Verdict = std::pair<DecodeError, WireHeader>;
    EXPECT_EQ(verdict(12, 0x08), Verdict(DecodeError::NOT_MRC, WireHeader::ETHERNET));
    EXPECT_EQ(verdict(14, 0x42), Verdict(DecodeError::BAD_VERSION, WireHeader::IPV6));
    EXPECT_EQ(verdict(18, 0x01), Verdict(DecodeError::TRUNCATED, WireHeader::IPV6));
    EXPECT_EQ(verdict(20, 58), Verdict(DecodeError::NOT_MRC, WireHeader::IPV6));
    EXPECT_EQ(verdict(54, 0x42), Verdict(DecodeError::BAD_VERSION, WireHeader::INNER_IPV6));
    EXPECT_EQ(verdict(60, 6), Verdict(DecodeError::NOT_MRC, WireHeader::INNER_IPV6));
    EXPECT_EQ(verdict(59, 0x39), Verdict(DecodeError::BAD_LENGTH, WireHeader::UDP));
    EXPECT_EQ(verdict(96, 0x12), Verdict(DecodeError::OK, WireHeader::NONE)); // port 4791 again
    EXPECT_EQ(verdict(97, 0xb8), Verdict(DecodeError::NOT_MRC, WireHeader::UDP));
    EXPECT_EQ(verdict(99, 0x37), Verdict(DecodeError::BAD_LENGTH, WireHeader::UDP));
    EXPECT_EQ(verdict(99, 0x07), Verdict(DecodeError::BAD_LENGTH, WireHeader::UDP));
    EXPECT_EQ(verdict(102, 0x0a), Verdict(DecodeError::UNKNOWN_OPCODE, WireHeader::BTH));
    EXPECT_EQ(verdict(103, 0x01), Verdict(DecodeError::BAD_VERSION, WireHeader::BTH));
    EXPECT_EQ(verdict(102, 0xd1), Verdict(DecodeError::BAD_LENGTH, WireHeader::BTH))
        << "an ACK has no payload";
    EXPECT_EQ(verdict(102, 0xd9), Verdict(DecodeError::BAD_LENGTH, WireHeader::BTH))
        << "32 bytes are less than an EETH";
}

TEST(FrameCodec, PadLongerThanThePayloadIsRefused)
{
    Frame frame = GoldenWrite(false);
    frame.payloadBytes = 0;
    std::vector<uint8_t> bytes = Encode(frame);
    bytes[63] = 0x10; // pad count 1
    const Decoded decoded = Decode(bytes);
    EXPECT_EQ(decoded.error, DecodeError::BAD_LENGTH);
    EXPECT_EQ(decoded.info.where, WireHeader::BTH);
}

TEST(FrameCodec, BytesBehindUdpAreRefused)
{
    std::vector<uint8_t> bytes = Encode(GoldenWrite(false));
    bytes.push_back(0);
    bytes[19] = 0x39; // the IP length counts the new byte, UDP's does not
    const Decoded decoded = Decode(bytes);
    EXPECT_EQ(decoded.error, DecodeError::BAD_LENGTH);
    EXPECT_EQ(decoded.info.where, WireHeader::UDP);
}

TEST(FrameCodec, LengthsThatAreNoWholeWordsAreRefused)
{
    std::vector<uint8_t> bytes = Encode(GoldenWrite(false));
    bytes.push_back(0);
    bytes[19] = 0x39; // both lengths count the new byte
    bytes[59] = 0x39;
    const Decoded decoded = Decode(bytes);
    EXPECT_EQ(decoded.error, DecodeError::BAD_LENGTH);
    EXPECT_EQ(decoded.info.where, WireHeader::BTH);
}

TEST(FrameCodec, Ipv4FragmentsAreRefused)
{
    Frame frame = GoldenWrite(false);
    const Ipv6Address b = Ipv6Address::FromIpv4(0x0a000002);
    frame.daHigh = b.high;
    frame.daLow = b.low;
    FrameAddresses addresses = Addresses();
    addresses.innerSource = Ipv6Address::FromIpv4(0x0a000001);
    EncodeOptions options;
    options.innerIpv4 = true;
    const std::vector<uint8_t> whole = Encode(frame, addresses, options);
    const std::pair<uint8_t, uint8_t> fragments[] = {{0x20, 0}, {0, 1}}; // the first, a later one
    for (const auto& [flags, offset] : fragments)
    {
        std::vector<uint8_t> bytes = whole;
        bytes[20] = flags;
        bytes[21] = offset;
        bytes[24] = bytes[25] = 0;
        const uint16_t checksum = InternetChecksum(&bytes[14], 20);
        bytes[24] = static_cast<uint8_t>(checksum >> 8);
        bytes[25] = static_cast<uint8_t>(checksum);
        const Decoded decoded = Decode(bytes);
        EXPECT_EQ(decoded.error, DecodeError::NOT_MRC);
        EXPECT_EQ(decoded.info.where, WireHeader::IPV4);
    }
}

// A capture that stops early: the IP length claims more than is there.
TEST(FrameCodec, EveryShortCaptureIsRefused)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    for (const Opcode opcode : test::ALL_OPCODES)
    {
        Frame frame = RandomFrame(random, opcode);
        frame.flags |= Frame::ENCAPSULATED;
        const std::vector<uint8_t> bytes = Encode(frame);
        for (size_t captured = 0; captured < bytes.size(); ++captured)
        {
            const Decoded decoded = Decode(bytes, captured);
            ASSERT_EQ(decoded.error, DecodeError::TRUNCATED) << captured;
            ASSERT_EQ(decoded.info.where, captured < 14 ? WireHeader::ETHERNET : WireHeader::IPV6);
        }
    }
}

// A packet cut by a device that also rewrote the outer length: it is a trimmed one as soon as it
// holds what a NACK needs.
TEST(FrameCodec, EveryCutSaysWhichHeaderIsMissing)
{
    for (const bool encapsulated : {false, true})
    {
        const std::vector<uint8_t> bytes = Encode(GoldenWrite(encapsulated));
        const size_t shift = encapsulated ? 40 : 0;
        for (size_t cut = 54; cut < bytes.size(); ++cut)
        {
            std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + static_cast<long>(cut));
            shorter[18] = 0;
            shorter[19] = static_cast<uint8_t>(cut - 54);
            const Decoded decoded = Decode(shorter);
            WireHeader expected = WireHeader::NONE;
            if (cut < 54 + shift)
            {
                expected = WireHeader::INNER_IPV6;
            }
            else if (cut < 62 + shift)
            {
                expected = WireHeader::UDP;
            }
            else if (cut < 74 + shift)
            {
                expected = WireHeader::BTH;
            }
            else if (cut < 78 + shift)
            {
                expected = WireHeader::METH;
            }
            else if (cut < 82 + shift)
            {
                expected = WireHeader::TSETH;
            }
            ASSERT_EQ(decoded.info.where, expected) << cut;
            ASSERT_EQ(decoded.error,
                      expected == WireHeader::NONE ? DecodeError::OK : DecodeError::TRUNCATED)
                << cut;
            if (decoded.error == DecodeError::OK)
            {
                ASSERT_TRUE(decoded.frame.Has(Frame::TRIMMED)) << cut;
                ASSERT_EQ(decoded.info.rethPresent, cut >= 98 + shift) << cut;
            }
        }
    }
}

TEST(FrameCodec, CutControlPacketsAreRefused)
{
    Frame frame{};
    frame.opcode = Opcode::SACK;
    frame.sack = golden::SackHeader();
    const std::vector<uint8_t> bytes = Encode(frame);
    std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + 109);
    shorter[19] = 109 - 54; // one byte of SETH and the ICRC are missing
    const Decoded decoded = Decode(shorter);
    EXPECT_EQ(decoded.error, DecodeError::TRUNCATED);
    EXPECT_EQ(decoded.info.where, WireHeader::SETH);
    EXPECT_EQ(decoded.info.whereOffset, 74u);
}

TEST(FrameCodec, DamagedFramesNeverReadOutside)
{
    test::Random random;
    SCOPED_TRACE(random.Replay());
    int accepted = 0;
    for (int round = 0; round < 30000; ++round)
    {
        Frame frame = RandomFrame(random, test::ALL_OPCODES[random.Below(12)]);
        frame.payloadBytes %= 64;
        std::vector<uint8_t> bytes = Encode(frame);
        for (uint64_t left = random.Below(4); left > 0; --left)
        {
            bytes[random.Below(bytes.size())] = static_cast<uint8_t>(random.Bits());
        }
        const size_t captured = random.Flip() ? bytes.size() : random.Below(bytes.size());
        const Decoded decoded = Decode(bytes, captured);
        if (decoded.error == DecodeError::OK)
        {
            ++accepted;
            if (IsWrite(decoded.frame.opcode) && decoded.frame.write.payload != nullptr)
            {
                const uint8_t* const end = decoded.frame.write.payload + decoded.frame.payloadBytes;
                ASSERT_LE(end, decoded.bytes->Data() + captured);
            }
        }
        else
        {
            ASSERT_NE(decoded.info.where, WireHeader::NONE);
        }
    }
    EXPECT_GT(accepted, 1000);
}

} // namespace
} // namespace mrc
