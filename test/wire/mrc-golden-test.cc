// SPDX-License-Identifier: GPL-2.0-only
// The golden vectors, byte for byte in both directions.
#include "mrc-endpoint-op.h"
#include "mrc-golden-vectors.h"
#include "mrc-peth.h"
#include "mrc-psn.h"
#include "mrc-wire-test-support.h"

namespace mrc
{
namespace
{

using golden::Bytes;

/// Writes into a buffer that is larger than any header sequence.
struct Output
{
    uint8_t bytes[128];
    ByteWriter writer{bytes, sizeof bytes};

    std::vector<uint8_t> Written() const
    {
        return std::vector<uint8_t>(bytes, bytes + writer.Written());
    }
};

//= MRC-REF 2 Sizes and test vectors type=test
TEST(Golden, WriteOnlyIsEncoded)
{
    Output out;
    EncodeBth(out.writer, golden::WriteOnlyBth());
    EncodeMeth(out.writer, golden::WriteOnlyMeth());
    EncodeTseth(out.writer, golden::WriteOnlyTseth());
    EncodeReth(out.writer, golden::WriteOnlyReth());
    const std::vector<uint8_t> payload(8, 0xaa);
    out.writer.Copy(payload.data(), payload.size());
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::WRITE_ONLY));
}

TEST(Golden, WriteOnlyIsDecoded)
{
    const std::vector<uint8_t> bytes = Bytes(golden::WRITE_ONLY);
    ByteReader reader(bytes.data(), bytes.size());
    Bth bth;
    ASSERT_EQ(DecodeBth(reader, bth), DecodeError::OK);
    EXPECT_EQ(bth.opcode, Opcode::WRITE_ONLY);
    EXPECT_EQ(bth.pKey, 0xffff);
    EXPECT_EQ(bth.destinationQp, 0x123u);
    EXPECT_TRUE(bth.ackRequest);
    EXPECT_FALSE(bth.retransmission);
    EXPECT_TRUE(bth.timestamp);
    EXPECT_FALSE(bth.solicitedEvent);
    EXPECT_FALSE(bth.migration);
    EXPECT_EQ(bth.padCount, 0);
    EXPECT_EQ(bth.psn, 0x10u);
    Meth meth{};
    ASSERT_EQ(DecodeMeth(reader, meth), DecodeError::OK);
    EXPECT_EQ(meth.rqmsn, 0);
    EXPECT_EQ(meth.msn, 5);
    Tseth tseth{};
    ASSERT_EQ(DecodeTseth(reader, tseth), DecodeError::OK);
    EXPECT_EQ(tseth.txTimestamp, 0x0141);
    EXPECT_EQ(tseth.tsr, 0);
    EXPECT_EQ(tseth.ftype, 1);
    Reth reth{};
    ASSERT_EQ(DecodeReth(reader, reth), DecodeError::OK);
    EXPECT_EQ(reth.va, 0x7f0000001000u);
    EXPECT_EQ(reth.rKey, 0x11223344u);
    EXPECT_EQ(reth.dmaBytes, 8u);
    EXPECT_EQ(reader.Remaining(), 12u) << "payload and ICRC";
}

//= MRC-REF 2 SACK type=test
TEST(Golden, SackIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::SACK;
    bth.destinationQp = 0x456;
    bth.psn = 0x0f;
    EncodeBth(out.writer, bth);
    EncodeSack(out.writer, golden::SackHeader());
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::SACK));
}

TEST(Golden, SackIsDecoded)
{
    const std::vector<uint8_t> bytes = Bytes(golden::SACK);
    ByteReader reader(bytes.data(), bytes.size());
    Bth bth;
    ASSERT_EQ(DecodeBth(reader, bth), DecodeError::OK);
    EXPECT_EQ(bth.opcode, Opcode::SACK);
    EXPECT_EQ(bth.destinationQp, 0x456u);
    Sack sack{};
    ASSERT_EQ(DecodeSack(reader, sack), DecodeError::OK);
    EXPECT_EQ(sack.mark, SackMark::SKIP_ONCE);
    EXPECT_FALSE(sack.probeResponse);
    EXPECT_EQ(sack.ackPsnOffset, 1);
    EXPECT_EQ(sack.entropy, 0xc0010003u);
    EXPECT_EQ(sack.spdcid, 0x0123);
    EXPECT_EQ(sack.dpdcid, 0x0456);
    EXPECT_EQ(sack.cackPsn, 0x0fu);
    EXPECT_EQ(sack.ccType, 0);
    EXPECT_EQ(sack.ccFlags, 0);
    EXPECT_EQ(sack.mpr, 8);
    EXPECT_EQ(sack.sackOffset, 1);
    EXPECT_EQ(sack.bitmap, 0x5u);
    EXPECT_EQ(sack.txTimestamp, 0x0141);
    EXPECT_EQ(sack.oooCount, 1);
    EXPECT_FALSE(sack.r);
    EXPECT_FALSE(sack.restoreCwnd);
    EXPECT_EQ(sack.cwndPenalty, 0);
    EXPECT_EQ(sack.receivedUnits256, 40u);
    EXPECT_EQ(reader.Remaining(), ICRC_BYTES);
}

TEST(Golden, SackBaseWrapsAroundTheTopPsn)
{
    // 0xffffff + 2 = 0x1000001, of which 24 bits are 1.
    Sack sack{};
    sack.cackPsn = 0xffffff;
    sack.sackOffset = 2;
    EXPECT_EQ((sack.cackPsn + static_cast<uint32_t>(sack.sackOffset)) & PSN_MASK, 1u);
}

TEST(Golden, CwndPenaltyHasItsRestoreBitOnTop)
{
    Sack sack{};
    sack.cwndPenalty = 5;
    sack.restoreCwnd = true;
    const auto bytes = test::Encoded(EncodeSack, sack, SETH_BYTES + CC_STATE_BYTES);
    EXPECT_EQ(bytes[32], 0x85);
}

TEST(Golden, SackOffsetsAreSigned)
{
    Sack sack{};
    sack.ackPsnOffset = -2;
    sack.sackOffset = -300;
    const auto bytes = test::Encoded(EncodeSack, sack, SETH_BYTES + CC_STATE_BYTES);
    EXPECT_EQ(bytes[2], 0xff);
    EXPECT_EQ(bytes[3], 0xfe);
    EXPECT_EQ(bytes[18], 0xfe); // -300 = 0xfed4
    EXPECT_EQ(bytes[19], 0xd4);
    ByteReader reader(bytes.data(), bytes.size());
    Sack again{};
    ASSERT_EQ(DecodeSack(reader, again), DecodeError::OK);
    EXPECT_EQ(again.ackPsnOffset, -2);
    EXPECT_EQ(again.sackOffset, -300);
}

//= MRC-REF 2 NACK type=test
TEST(Golden, NackIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::NACK;
    bth.destinationQp = 0x456;
    bth.psn = 0x11;
    EncodeBth(out.writer, bth);
    EncodeNack(out.writer, golden::NackHeader());
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::NACK));
}

TEST(Golden, NackIsDecoded)
{
    const std::vector<uint8_t> bytes = Bytes(golden::NACK);
    ByteReader reader(bytes.data() + BTH_BYTES, bytes.size() - BTH_BYTES);
    Nack nack{};
    ASSERT_EQ(DecodeNack(reader, nack), DecodeError::OK);
    EXPECT_EQ(nack.reason, NackCode::TRIMMED);
    EXPECT_EQ(nack.vendorInfo, 0);
    EXPECT_EQ(nack.entropy, 0xc0010004u);
    EXPECT_EQ(nack.spdcid, 0x0123);
    EXPECT_EQ(nack.dpdcid, 0x0456);
    EXPECT_EQ(nack.nackPsn, 0x11u);
    EXPECT_EQ(nack.ccType, 2);
    EXPECT_EQ(nack.ccFlags, 0);
    EXPECT_EQ(nack.txTimestamp, 0x0142);
    EXPECT_EQ(reader.Remaining(), ICRC_BYTES);
}

TEST(Golden, WriteLastWithImmediateIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::WRITE_LAST_IMM;
    bth.padCount = 3;
    bth.destinationQp = 0x123;
    bth.retransmission = true;
    bth.psn = 0xfffffe;
    EncodeBth(out.writer, bth);
    EncodeMeth(out.writer, Meth{7, 0xffff});
    EncodeReth(out.writer, Reth{0xfff, 0xdeadbeef, 0x1005});
    EncodeImmDt(out.writer, 0x01020304);
    const uint8_t payload[] = {0x11, 0x22, 0x33, 0x44, 0x55};
    out.writer.Copy(payload, sizeof payload);
    out.writer.Zeros(3);
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::WRITE_LAST_IMM));
}

//= MRC-REF 2 Request headers type=test
TEST(Golden, AcknowledgeIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::ACKNOWLEDGE;
    bth.destinationQp = 0x456;
    bth.psn = 0x12;
    EncodeBth(out.writer, bth);
    EncodeAeth(out.writer, Aeth{AETH_ACK, 3});
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::ACKNOWLEDGE));
}

//= MRC-REF 2 PETH, ERTH, EETH type=test
TEST(Golden, ProbeIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::RELIABILITY_PROBE;
    bth.destinationQp = 0x123;
    bth.ackRequest = true;
    bth.timestamp = true;
    EncodeBth(out.writer, bth);
    Peth peth{};
    peth.ftype = TIMESTAMP_FTYPE;
    peth.probeId = 0x0102;
    peth.spdcid = 0x0456;
    peth.dpdcid = 0x0123;
    peth.txTimestamp = 0x0141;
    EncodePeth(out.writer, peth);
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::PROBE));
}

TEST(Golden, EndpointRequestIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::ENDPOINT_REQUEST;
    bth.destinationQp = ENDPOINT_QP;
    bth.psn = 0xbeef;
    EncodeBth(out.writer, bth);
    Erth erth{};
    erth.op = EndpointOp::PORT_STATUS_UPDATE;
    erth.ftype = TIMESTAMP_FTYPE;
    erth.portStatusMask = 0xd; // ports 1, 3, 4
    erth.txTimestamp = 0x0141;
    EncodeErth(out.writer, erth);
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::ENDPOINT_REQUEST));
}

TEST(Golden, EndpointResponseIsEncoded)
{
    Output out;
    Bth bth;
    bth.opcode = Opcode::ENDPOINT_RESPONSE;
    bth.destinationQp = ENDPOINT_QP;
    bth.psn = 0xbeef;
    EncodeBth(out.writer, bth);
    EncodeEeth(out.writer, Eeth{EndpointOp::EV_PROBE, 0x0141});
    out.writer.U32(0);
    EXPECT_EQ(out.Written(), Bytes(golden::ENDPOINT_RESPONSE));
}

} // namespace
} // namespace mrc
