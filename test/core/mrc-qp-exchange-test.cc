// SPDX-License-Identifier: GPL-2.0-only
// Connecting out of band: states of a QP, offers as text, what both ends agree on.

#include "mrc-qp-exchange.h"
#include "mrc-qp-state.h"
#include "mrc-random.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

namespace
{

using namespace mrc;

/// An offer that differs from every default.
QpOffer
Unusual()
{
    QpOffer offer;
    offer.qpn = 0xfffffe;
    offer.psn = 0xfffff0;
    offer.mtuBytes = 1024;
    offer.maxWimm = 33;
    offer.mprUnits = 200;
    offer.hasTrimNack = false;
    offer.hasDynamicMpr = true;
    offer.hasServiceTime = true;
    offer.rKey = 0xffffffff;
    offer.va = 0xfffffffffffff000;
    offer.bytes = 4096; // ends at the very last address
    return offer;
}

QpOffer
Usual()
{
    QpOffer offer;
    offer.qpn = 3;
    return offer;
}

TEST(QpState, GoesOneStepAtATime)
{
    //= MRC-REF 1 QP states
    const std::vector<QpState> all{
        QpState::RESET, QpState::INIT, QpState::RTR, QpState::RTS, QpState::ERROR};
    // Rows: from. Columns: to RESET, INIT, RTR, RTS, ERROR.
    const std::vector<std::string> allowed{"yy...", "y.y.y", "y..yy", "y...y", "y...y"};
    for (size_t from = 0; from < all.size(); ++from)
    {
        for (size_t to = 0; to < all.size(); ++to)
        {
            QpStateMachine qp;
            for (size_t step = 1; step <= std::min<size_t>(from, 3); ++step)
            {
                ASSERT_TRUE(qp.Change(all[step]));
            }
            ASSERT_TRUE(from != 4 || qp.Change(QpState::ERROR));
            ASSERT_EQ(qp.State(), all[from]);
            const bool isAllowed = allowed[from][to] == 'y';
            EXPECT_EQ(qp.Change(all[to]), isAllowed)
                << QpStateText(all[from]) << " to " << QpStateText(all[to]);
            EXPECT_EQ(qp.State(), all[isAllowed ? to : from]);
        }
    }
}

TEST(QpState, ReceivesFromRtrAndSendsFromRts)
{
    QpStateMachine qp;
    EXPECT_FALSE(qp.MayReceive());
    qp.Change(QpState::INIT);
    EXPECT_FALSE(qp.MayReceive());
    qp.Change(QpState::RTR);
    EXPECT_TRUE(qp.MayReceive());
    EXPECT_FALSE(qp.MaySend());
    qp.Change(QpState::RTS);
    EXPECT_TRUE(qp.MayReceive());
    EXPECT_TRUE(qp.MaySend());
    qp.Change(QpState::ERROR);
    EXPECT_FALSE(qp.MayReceive());
    EXPECT_FALSE(qp.MaySend());
}

TEST(QpExchange, OffersAreOneLineOfText)
{
    //= MRC-REF 1 Connection set-up is out of band
    EXPECT_EQ(EncodeQpOffer(Usual()),
              "mrc 1 offer qpn=3 psn=0 mtu=4096 wimm=128 mpr=8 caps=trim-nack\n");
    EXPECT_EQ(EncodeQpOffer(Unusual()),
              "mrc 1 offer qpn=16777214 psn=16777200 mtu=1024 wimm=33 mpr=200 "
              "caps=dynamic-mpr,svc-time rkey=4294967295 va=18446744073709547520 bytes=4096\n");
    QpOffer nothing = Usual();
    nothing.hasTrimNack = false;
    EXPECT_EQ(EncodeQpOffer(nothing),
              "mrc 1 offer qpn=3 psn=0 mtu=4096 wimm=128 mpr=8 caps=none\n");
}

TEST(QpExchange, WhatWasWrittenIsRead)
{
    const QpOffer offer = Unusual();
    const QpMessage read = DecodeQpMessage(EncodeQpOffer(offer));
    ASSERT_EQ(read.kind, QpMessage::Kind::OFFER) << read.reason;
    EXPECT_EQ(read.offer.qpn, offer.qpn);
    EXPECT_EQ(read.offer.psn, offer.psn);
    EXPECT_EQ(read.offer.mtuBytes, offer.mtuBytes);
    EXPECT_EQ(read.offer.maxWimm, offer.maxWimm);
    EXPECT_EQ(read.offer.mprUnits, offer.mprUnits);
    EXPECT_FALSE(read.offer.hasTrimNack);
    EXPECT_TRUE(read.offer.hasDynamicMpr);
    EXPECT_TRUE(read.offer.hasServiceTime);
    EXPECT_EQ(read.offer.rKey, offer.rKey);
    EXPECT_EQ(read.offer.va, offer.va);
    EXPECT_EQ(read.offer.bytes, offer.bytes);
}

TEST(QpExchange, KeysComeInAnyOrder)
{
    const QpMessage read =
        DecodeQpMessage("mrc 1 offer caps=none mpr=8 wimm=32 mtu=256 psn=007 qpn=3");
    ASSERT_EQ(read.kind, QpMessage::Kind::OFFER) << read.reason;
    EXPECT_EQ(read.offer.psn, 7u);
    EXPECT_EQ(read.offer.bytes, 0u);
}

TEST(QpExchange, RefusalsCarryTheirReason)
{
    const QpMessage read = DecodeQpMessage(EncodeQpRefusal("no QP is free"));
    EXPECT_EQ(read.kind, QpMessage::Kind::REFUSED);
    EXPECT_EQ(read.reason, "no QP is free");
    const std::string tricky = EncodeQpRefusal("a\nb\x1b[31m\xff" + std::string(1000, 'x'));
    EXPECT_EQ(tricky.size(), QP_MESSAGE_BYTES);
    EXPECT_EQ(tricky.find('\n'), tricky.size() - 1);
    const QpMessage shown = DecodeQpMessage(tricky);
    EXPECT_EQ(shown.kind, QpMessage::Kind::REFUSED);
    EXPECT_EQ(shown.reason.substr(0, 9), "a b [31m ");
}

TEST(QpExchange, WhatIsWrongIsNamed)
{
    const std::string rest = " psn=0 mtu=4096 wimm=128 mpr=8 caps=none";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "'' starts neither 'mrc 1 offer' nor 'mrc 1 refuse'"},
        {"GET / HTTP/1.1", "'GET / HTTP/' starts neither 'mrc 1 offer' nor 'mrc 1 refuse'"},
        {"mrc 2 offer qpn=3" + rest,
         "'mrc 2 offer' starts neither 'mrc 1 offer' nor 'mrc 1 refuse'"},
        {"mrc 1 offer", "'mrc 1 offer' starts neither 'mrc 1 offer' nor 'mrc 1 refuse'"},
        {"mrc 1 offer qpn=3", "an offer needs qpn, psn, mtu, wimm, mpr and caps"},
        {"mrc 1 offer qpn=3 qpn=4" + rest, "'qpn=4' comes twice"},
        {"mrc 1 offer qpn=3  psn=0", "'' is no part of an offer"},
        {"mrc 1 offer qpn=" + rest, "'qpn=' is no part of an offer"},
        {"mrc 1 offer qpn" + rest, "'qpn' is no part of an offer"},
        {"mrc 1 offer qpn=-3" + rest, "'qpn=-3' is no part of an offer"},
        {"mrc 1 offer qpn=3x" + rest, "'qpn=3x' is no part of an offer"},
        {"mrc 1 offer qpn=4294967299" + rest, "'qpn=4294967299' is no part of an offer"},
        {"mrc 1 offer qpn=3 color=red" + rest, "'color=red' is no part of an offer"},
        {"mrc 1 offer qpn=3 caps=trim-nack,trim-nack",
         "'caps=trim-nack,trim-nack' is no part of an offer"},
        {"mrc 1 offer qpn=3 caps=trim-nack,", "'caps=trim-nack,' is no part of an offer"},
        {"mrc 1 offer qpn=3 caps=", "'caps=' is no part of an offer"},
        {"mrc 1 offer qpn=3 rkey=1" + rest, "rkey, va and bytes come together"},
        {"mrc 1 offer qpn=2" + rest, "QPN 2 is outside 3 to 16777215"},
        {"mrc 1 offer qpn=16777216" + rest, "QPN 16777216 is outside 3 to 16777215"},
        {"mrc 1 offer qpn=3 psn=16777216 mtu=256 wimm=32 mpr=8 caps=none",
         "initial PSN 16777216 is outside 0 to 16777215"},
        {"mrc 1 offer qpn=3 psn=0 mtu=255 wimm=32 mpr=8 caps=none",
         "MTU 255 is outside 256 to 4096"},
        {"mrc 1 offer qpn=3 psn=0 mtu=4097 wimm=32 mpr=8 caps=none",
         "MTU 4097 is outside 256 to 4096"},
        {"mrc 1 offer qpn=3 psn=0 mtu=256 wimm=31 mpr=8 caps=none",
         "MAX_WIMM 31 is outside 32 to 32768"},
        {"mrc 1 offer qpn=3 psn=0 mtu=256 wimm=32 mpr=7 caps=none", "MPR 7 is outside 8 to 255"},
        {"mrc 1 offer qpn=3 psn=0 mtu=256 wimm=32 mpr=256 caps=none",
         "MPR 256 is outside 8 to 255"},
        {"mrc 1 offer qpn=3 rkey=1 va=18446744073709551615 bytes=2" + rest,
         "memory at 18446744073709551615 of 2 bytes ends beyond the last address"},
        {std::string(600, 'a'), "a message has at most 512 bytes"},
    };
    for (const auto& [line, reason] : cases)
    {
        const QpMessage read = DecodeQpMessage(line);
        EXPECT_EQ(read.kind, QpMessage::Kind::MALFORMED) << line;
        EXPECT_EQ(read.reason, reason) << line;
    }
}

TEST(QpExchange, DamagedOffersDoNoHarm)
{
    const char* given = std::getenv("MRC_TEST_SEED");
    const uint64_t seed = given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
    Random random(seed);
    for (int i = 0; i < 20'000; ++i)
    {
        std::string line = EncodeQpOffer(Unusual());
        for (uint64_t changes = 1 + random.Below(4); changes > 0; --changes)
        {
            line[random.Below(static_cast<uint32_t>(line.size()))] =
                static_cast<char>(random.Below(256));
        }
        const QpMessage read = DecodeQpMessage(line);
        if (read.kind == QpMessage::Kind::OFFER)
        {
            ASSERT_EQ(CheckQpOffer(read.offer), QpRefusal::NONE) << "MRC_TEST_SEED=" << seed;
        }
        else
        {
            ASSERT_FALSE(read.reason.empty()) << "MRC_TEST_SEED=" << seed;
        }
    }
}

TEST(QpExchange, EachDirectionGetsWhatBothEndsCan)
{
    //= MRC-REF 1 Capabilities exchanged per direction
    const QpOffer a = Usual();
    const QpOffer b = Unusual();
    const QpSetup atA = NegotiateQp(a, b, true);
    const QpSetup atB = NegotiateQp(b, a, true);
    EXPECT_EQ(atA.localQp, 3u);
    EXPECT_EQ(atA.remoteQp, 0xfffffeu);
    EXPECT_EQ(atA.sendPsn, 0u);
    EXPECT_EQ(atA.receivePsn, 0xfffff0u);
    EXPECT_EQ(atB.sendPsn, atA.receivePsn);
    EXPECT_EQ(atA.mtuBytes, 1024); // the lesser
    EXPECT_EQ(atB.mtuBytes, 1024);
    EXPECT_EQ(atA.remoteMprUnits, 200); // what B grants to A
    EXPECT_EQ(atB.remoteMprUnits, 8);
    EXPECT_EQ(atA.remoteMaxWimm, 33);
    EXPECT_EQ(atB.remoteMaxWimm, 128);
    EXPECT_FALSE(atA.isTrimmable); // B does not answer trimmed packets
    EXPECT_TRUE(atB.isTrimmable);
    EXPECT_FALSE(atA.isDynamicMpr); // A cannot
    EXPECT_FALSE(atB.isDynamicMpr);
    QpOffer c = a;
    c.hasDynamicMpr = true;
    EXPECT_TRUE(NegotiateQp(c, b, true).isDynamicMpr);
}

TEST(QpExchange, OffersSayWhatTheConfigurationSays)
{
    TransportConfig config;
    config.mtuBytes = 512;
    config.maxWimm = 40;
    config.mprUnits = 16;
    config.trimNack = false;
    config.dynamicMpr = true;
    config.serviceTime = true;
    const QpOffer offer = MakeQpOffer(config, 5, 6);
    EXPECT_EQ(EncodeQpOffer(offer),
              "mrc 1 offer qpn=5 psn=6 mtu=512 wimm=40 mpr=16 caps=dynamic-mpr,svc-time\n");
    EXPECT_EQ(CheckQpOffer(MakeQpOffer(TransportConfig(), 3, 0)), QpRefusal::NONE);
}

} // namespace
