// SPDX-License-Identifier: GPL-2.0-only
// The small parts that requester and responder are made of.

#include "mrc-age-limit.h"
#include "mrc-loss-detector.h"
#include "mrc-memory.h"
#include "mrc-probe-scheduler.h"
#include "mrc-psn-bitmap.h"
#include "mrc-psn.h"
#include "mrc-random.h"
#include "mrc-receive-window.h"
#include "mrc-ring.h"
#include "mrc-send-queue.h"
#include "mrc-send-window.h"
#include "mrc-timestamp.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

namespace
{

using namespace mrc;

/// A SACK that tells about every PSN.
constexpr LossDetector::Covered ALL{0, UINT64_MAX};
using Verdict = ReceiveWindow::Verdict;

/// @return a seed for random tests, MRC_TEST_SEED if it is set
uint64_t
Seed()
{
    const char* text = std::getenv("MRC_TEST_SEED");
    return text == nullptr ? 20261130 : std::strtoull(text, nullptr, 10);
}

TEST(PsnTest, ExtendsToTheNearest)
{
    EXPECT_EQ(ExtendPsn(0x1fffffe, 0x000001), 0x2000001u); // forward over the wrap
    EXPECT_EQ(ExtendPsn(0x2000001, 0xfffffe), 0x1fffffeu); // and back
    EXPECT_EQ(ExtendPsn(0x1000000, 0x7fffff), 0x17fffffu); // 2^23 - 1 ahead
    EXPECT_EQ(ExtendPsn(0x1000000, 0x800000), 0x0800000u); // 2^23 behind
    EXPECT_EQ(ExtendMsn(0xffff, 0), 0x10000u);
    EXPECT_EQ(ExtendMsn(0x10000, 0xffff), 0xffffu);
}

TEST(TimestampTest, AgeSurvivesTheWrap)
{
    // 2^16 units of 128 ns are 8.388608 ms.
    EXPECT_EQ(MakeTimestamp(128'000), 1);
    EXPECT_EQ(MakeTimestamp(8'388'608'000 + 128'000), 1);
    const int64_t sentPs = 8'388'608'000 - 1'280'000;
    EXPECT_EQ(TimestampAgePs(sentPs + 14'080'000, MakeTimestamp(sentPs)), 14'080'000);
}

TEST(RingTest, KeepsNumbersWhileItGrows)
{
    Ring<int> ring;
    for (int i = 0; i < 3; ++i)
    {
        ring.Push(i);
    }
    ring.Pop();
    ring.Pop();
    for (int i = 3; i < 40; ++i)
    {
        ring.Push(i);
    }
    EXPECT_EQ(ring.Begin(), 2u);
    EXPECT_EQ(ring.End(), 40u);
    for (uint64_t i = ring.Begin(); i < ring.End(); ++i)
    {
        EXPECT_EQ(ring.At(i), static_cast<int>(i));
    }
}

TEST(PsnBitmapTest, AgreesWithASetOfNumbers)
{
    const uint64_t seed = Seed();
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    PsnBitmap bitmap;
    uint64_t begin = 1'000'000;
    uint32_t capacity = 64;
    bitmap.Resize(capacity, begin, begin);
    std::set<uint64_t> reference;
    for (int step = 0; step < 20000; ++step)
    {
        const uint64_t psn = begin + random.Below(capacity);
        switch (random.Below(6))
        {
        case 0:
        case 1:
            bitmap.Set(psn);
            reference.insert(psn);
            break;
        case 2:
            bitmap.Clear(psn);
            reference.erase(psn);
            break;
        case 3: {
            const uint64_t first = begin + random.Below(capacity - 63);
            const uint64_t bits = bitmap.Extract(first);
            for (uint64_t bit = 0; bit < 64; ++bit)
            {
                ASSERT_EQ(bits >> bit & 1, reference.count(first + bit));
            }
            break;
        }
        case 4: {
            const bool value = random.Below(2) != 0;
            uint64_t expected = psn;
            while (expected < begin + capacity && (reference.count(expected) != 0) != value)
            {
                ++expected;
            }
            ASSERT_EQ(bitmap.Find(psn, begin + capacity, value), expected);
            break;
        }
        default: {
            uint32_t count = 0;
            for (uint64_t i = begin; i < psn; ++i)
            {
                count += static_cast<uint32_t>(reference.erase(i));
            }
            ASSERT_EQ(bitmap.ClearRange(begin, psn), count);
            begin = psn;
        }
        }
        if (step == 10000)
        {
            bitmap.Resize(4 * capacity, begin, begin + capacity);
            capacity *= 4;
        }
    }
}

TEST(ReceiveWindowTest, AcceptsExactlyItsWidth)
{
    ReceiveWindow window(1000, 128);
    EXPECT_EQ(window.Check(999), Verdict::DUPLICATE);
    EXPECT_EQ(window.Check(1000), Verdict::FRESH);
    EXPECT_EQ(window.Check(1127), Verdict::FRESH);
    EXPECT_EQ(window.Check(1128), Verdict::OUTSIDE);
    window.Receive(1127, false);
    EXPECT_EQ(window.Check(1127), Verdict::DUPLICATE);
    EXPECT_EQ(window.OutOfOrderCount(), 1u);
    window.Receive(1000, false);
    EXPECT_EQ(window.Expected(), 1001u);
    EXPECT_EQ(window.Check(1128), Verdict::FRESH);
}

TEST(ReceiveWindowTest, AgreesWithASetInRandomOrder)
{
    const uint64_t seed = Seed();
    SCOPED_TRACE("replay with MRC_TEST_SEED=" + std::to_string(seed));
    Random random(seed);
    ReceiveWindow window(500, 256);
    std::set<uint64_t> have;
    uint64_t expected = 500;
    uint64_t messages = 0;
    uint64_t ended = 0;
    auto ends = [](uint64_t psn) { return psn % 7 == 3; };
    for (int step = 0; step < 50000; ++step)
    {
        const uint64_t psn = expected + random.Below(300) - 20;
        const bool isKnown = psn < expected || have.count(psn) != 0;
        const Verdict verdict = window.Check(psn);
        if (isKnown)
        {
            ASSERT_EQ(verdict, Verdict::DUPLICATE);
        }
        else if (psn >= expected + 256)
        {
            ASSERT_EQ(verdict, Verdict::OUTSIDE);
        }
        else
        {
            ASSERT_EQ(verdict, Verdict::FRESH);
            have.insert(psn);
            while (have.erase(expected) != 0)
            {
                ended += ends(expected++);
            }
            messages += window.Receive(psn, ends(psn));
        }
        ASSERT_EQ(window.Expected(), expected);
        ASSERT_EQ(window.OutOfOrderCount(), have.size());
        ASSERT_EQ(messages, ended);
        const uint64_t bits = window.Bitmap(expected);
        for (uint64_t bit = 0; bit < 64; ++bit)
        {
            ASSERT_EQ(bits >> bit & 1, have.count(expected + bit));
        }
    }
}

TEST(SendWindowTest, KnowsWhatIsNews)
{
    SendWindow window(100);
    EXPECT_EQ(window.NewlyReceived(100, ~uint64_t{0}), 0u); // nothing was sent
    for (int i = 0; i < 200; ++i)
    {
        window.Append();
    }
    EXPECT_EQ(window.NewlyReceived(100, 0b1011), 0b1011u);
    window.MarkReceived(101);
    EXPECT_EQ(window.NewlyReceived(100, 0b1011), 0b1001u);
    EXPECT_EQ(window.NewlyReceived(299, ~uint64_t{0}), 1u); // beyond the last
    window.MarkReceived(100);
    window.AdvanceTo(102);
    EXPECT_EQ(window.NewlyReceived(98, 0b111111), 0b110000u); // before the base
    EXPECT_EQ(window.NewlyReceived(30, ~uint64_t{0}), 0u);
}

TEST(SendWindowTest, LostPacketsComeOldestFirst)
{
    SendWindow window(0);
    for (int i = 0; i < 10; ++i)
    {
        window.Append();
    }
    window.MarkLost(7);
    window.MarkLost(3);
    EXPECT_EQ(window.LostCount(), 2u);
    EXPECT_EQ(window.FirstLost(), 3u);
    EXPECT_TRUE(window.Resend(3).isRetransmission);
    EXPECT_EQ(window.FirstLost(), 7u);
    window.MarkReceived(7); // it had arrived after all
    EXPECT_EQ(window.LostCount(), 0u);
}

TEST(LossDetectorTest, FollowsEachPathOnItsOwn)
{
    // PSN   0 1 2 3 4 5
    // path  0 1 0 1 0 1     4 arrives: 0 and 2 are lost, the odd ones are not judged
    SendWindow window(0);
    LossDetector detector(2, 0);
    for (uint64_t psn = 0; psn < 6; ++psn)
    {
        SentPacket& packet = window.Append();
        packet.sentPs = static_cast<int64_t>(10 * psn);
        packet.path = psn % 2;
        detector.OnSent(window, psn);
    }
    std::vector<uint64_t> lost;
    window.MarkReceived(4);
    detector.OnReceived(window, 4, 0, lost);
    EXPECT_EQ(lost, (std::vector<uint64_t>{2, 0}));
    lost.clear();
    window.MarkReceived(5);
    detector.OnReceived(window, 5, 2, lost); // the SACK does not cover 1
    EXPECT_EQ(lost, (std::vector<uint64_t>{3}));
}

TEST(LossDetectorTest, OldMeansSentBeforeALimitAndBeforeWhatArrived)
{
    SendWindow window(0);
    LossDetector detector(4, 0);
    for (uint64_t psn = 0; psn < 4; ++psn)
    {
        SentPacket& packet = window.Append();
        packet.sentPs = static_cast<int64_t>(10 * psn);
        packet.path = static_cast<EvIndex>(psn);
        detector.OnSent(window, psn);
    }
    std::vector<uint64_t> lost;
    detector.FindLost(window, 100, ALL, lost);
    EXPECT_TRUE(lost.empty()); // nothing later has arrived
    window.MarkReceived(2);
    detector.OnReceived(window, 2, 0, lost);
    detector.FindLost(window, 10, ALL, lost);
    EXPECT_EQ(lost, (std::vector<uint64_t>{0}));
    window.MarkLost(0);
    lost.clear();
    detector.FindLost(window, 100, ALL, lost);
    EXPECT_EQ(lost, (std::vector<uint64_t>{1})); // 3 was sent after what arrived
}

TEST(AgeLimitTest, RemembersAGreatAgeForOneToTwoEpochs)
{
    AgeLimit limit;
    EXPECT_EQ(limit.LimitPs(100), 100);
    limit.OnReceived(1000, 200, 50); // epoch until 1050
    EXPECT_EQ(limit.LimitPs(100), 250);
    limit.OnReceived(1060, 40, 50); // epoch until 1110; the 200 is the epoch's before
    EXPECT_EQ(limit.LimitPs(100), 250);
    limit.OnReceived(1120, 40, 50);
    EXPECT_EQ(limit.LimitPs(100), 100);
}

TEST(ProbeSchedulerTest, TailProbesBackOffAndAnswersAreTakenOnce)
{
    ProbeScheduler probes;
    probes.OnFeedback(1000);
    EXPECT_EQ(probes.TailDeadlinePs(30), 1030);
    probes.WantTail();
    EXPECT_TRUE(probes.IsTailWanted());
    EXPECT_EQ(probes.TailDeadlinePs(30), 1060);
    const uint16_t id = probes.OnSent(1030, 5);
    EXPECT_FALSE(probes.IsTailWanted());
    EXPECT_EQ(probes.Take(id).path, 5);
    EXPECT_LT(probes.Take(id).sentPs, 0);
    EXPECT_LT(probes.Take(static_cast<uint16_t>(id + 8)).sentPs, 0);
}

TEST(SendQueueTest, FindsTheMessageOfAPsn)
{
    SendQueue queue(10, 1000);
    for (const uint32_t bytes : {0u, 1000u, 2500u, 1u})
    {
        queue.Post({0, 0, nullptr, bytes, 0, 0, false});
    }
    // PSNs: 10 | 11 | 12 13 14 | 15
    EXPECT_EQ(queue.EndPsn(), 16u);
    EXPECT_EQ(queue.Find(10), 0u);
    EXPECT_EQ(queue.Find(12), 2u);
    EXPECT_EQ(queue.Find(14), 2u);
    EXPECT_EQ(queue.Find(15), 3u);
    EXPECT_EQ(queue.PayloadBytes(queue.At(0), 10), 0u);
    EXPECT_EQ(queue.PayloadBytes(queue.At(2), 13), 1000u);
    EXPECT_EQ(queue.PayloadBytes(queue.At(2), 14), 500u);
}

TEST(MemoryTest, AccountsEachGranuleOnce)
{
    MemoryTable memory;
    std::vector<uint8_t> storage(300);
    const uint32_t key =
        memory.Region(memory.Register(1000, storage.size(), storage.data(), 100)).RKey();
    const uint8_t payload[100] = {1, 2, 3};
    EXPECT_EQ(memory.Write(key, 1100, 300, payload, 100), AccessResult::OK);
    EXPECT_EQ(storage[101], 2);
    EXPECT_TRUE(memory.Region(0).IsPlaced(1100, 100));
    EXPECT_FALSE(memory.Region(0).IsPlaced(1000, 200));
    memory.Write(key, 1100, 300, payload, 100);
    EXPECT_EQ(memory.Region(0).RepeatedGranules(), 1u);
    EXPECT_EQ(memory.Write(key, 1201, 300, payload, 100), AccessResult::OUT_OF_BOUNDS);
    EXPECT_EQ(memory.Write(key, 999, 300, payload, 1), AccessResult::OUT_OF_BOUNDS);
    EXPECT_EQ(memory.Write(key, 1000, 50, payload, 51), AccessResult::OUT_OF_BOUNDS);
    EXPECT_EQ(memory.Write(key + 256, 1000, 300, payload, 1), AccessResult::BAD_KEY);
    EXPECT_EQ(memory.Write(key ^ 1, 1000, 300, payload, 1), AccessResult::BAD_KEY);
}

TEST(RingTest, NumbersGoOnAfterItWasEmpty)
{
    Ring<int> ring;
    EXPECT_TRUE(ring.IsEmpty());
    for (int i = 0; i < 1000; ++i)
    {
        ring.Push(i);
        ASSERT_EQ(ring.Front(), i);
        ASSERT_EQ(ring.Begin(), static_cast<uint64_t>(i));
        ring.Pop();
        ASSERT_TRUE(ring.IsEmpty());
    }
    ring.Push(1);
    ring.Push(2);
    ring.Clear();
    EXPECT_EQ(ring.Size(), 0u);
    EXPECT_EQ(ring.Begin(), 1002u);
}

TEST(ReceiveWindowTest, FindsTheNextThatArrived)
{
    ReceiveWindow window(0, 1024);
    window.Receive(1, false);
    window.Receive(900, false);
    EXPECT_EQ(window.NextReceived(1), 1u);
    EXPECT_EQ(window.NextReceived(2), 900u);
    EXPECT_EQ(window.NextReceived(901), 901u); // none: one past the highest
    EXPECT_EQ(window.NextReceived(5000), 901u);
    EXPECT_EQ(window.HighestEnd(), 901u);
    EXPECT_EQ(window.Bitmap(901), 0u);
}

TEST(ReceiveWindowTest, BitmapBelowTheExpectedIsSet)
{
    ReceiveWindow window(1000, 128);
    for (uint64_t psn = 1000; psn < 1100; ++psn)
    {
        window.Receive(psn, false);
    }
    window.Receive(1101, false);
    EXPECT_EQ(window.Bitmap(1098), 0b1011u); // 1098, 1099 and 1101
    EXPECT_EQ(window.Bitmap(1000), ~uint64_t{0});
}

TEST(SendWindowTest, KeepsItsPacketsWhileItGrows)
{
    // The base has moved to 40, so that the array of 64 is used round its end before it grows.
    SendWindow window(0);
    for (int i = 0; i < 100; ++i)
    {
        if (i == 60)
        {
            for (uint64_t psn = 0; psn < 40; ++psn)
            {
                window.MarkReceived(psn);
            }
            window.AdvanceTo(40);
        }
        window.Append().sentPs = i;
    }
    window.MarkLost(50);
    window.MarkReceived(90);
    for (int i = 100; i < 300; ++i)
    {
        window.Append().sentPs = i;
    }
    for (uint64_t psn = 40; psn < 300; ++psn)
    {
        ASSERT_EQ(window.At(psn).sentPs, static_cast<int64_t>(psn));
        ASSERT_EQ(window.IsLost(psn), psn == 50);
        ASSERT_EQ(window.IsReceived(psn), psn == 90);
    }
    EXPECT_EQ(window.FirstLost(), 50u);
    EXPECT_EQ(window.LostCount(), 1u);
}

TEST(SendWindowTest, PlaceOfAnAcknowledgedPacketStartsAfresh)
{
    SendWindow window(0);
    for (int round = 0; round < 10; ++round)
    {
        for (int i = 0; i < 64; ++i)
        {
            const SentPacket& packet = window.Append();
            ASSERT_TRUE(packet.isOutstanding);
            ASSERT_FALSE(packet.isRetransmission);
            ASSERT_EQ(packet.timeouts, 0);
            ASSERT_FALSE(window.IsReceived(window.Next() - 1));
            ASSERT_FALSE(window.IsLost(window.Next() - 1));
        }
        for (uint64_t psn = window.Base(); psn < window.Next(); ++psn)
        {
            window.At(psn).timeouts = 3;
            window.MarkLost(psn);
            window.Resend(psn);
            window.MarkReceived(psn);
        }
        window.AdvanceTo(window.Next());
        ASSERT_TRUE(window.IsEmpty());
        ASSERT_EQ(window.LostCount(), 0u);
    }
    window.AdvanceTo(5); // never back
    EXPECT_EQ(window.Base(), 640u);
}

TEST(LossDetectorTest, RetransmissionIsJudgedByItsOwnTime)
{
    SendWindow window(0);
    LossDetector detector(2, 0);
    auto send = [&](int64_t sentPs, EvIndex path) {
        SentPacket& packet = window.Append();
        packet.sentPs = sentPs;
        packet.path = path;
        detector.OnSent(window, window.Next() - 1);
    };
    send(0, 0);
    send(10, 1);
    window.MarkLost(0);
    SentPacket& again = window.Resend(0);
    again.sentPs = 20;
    again.path = 1;
    detector.OnResent(0);
    send(30, 1);

    std::vector<uint64_t> lost;
    window.MarkReceived(1); // sent before the retransmission on its path
    detector.OnReceived(window, 1, 0, lost);
    detector.FindLost(window, 0, ALL, lost);
    EXPECT_TRUE(lost.empty());
    EXPECT_EQ(detector.Resent(), (std::vector<uint64_t>{0}));
    window.MarkReceived(2); // sent after it
    detector.OnReceived(window, 2, 0, lost);
    detector.FindLost(window, 0, ALL, lost);
    EXPECT_EQ(lost, (std::vector<uint64_t>{0}));
    EXPECT_TRUE(detector.Resent().empty());
}

/// Two packets on paths 0 and 1; the first is sent again on path 1 at 10, a third goes there at 20.
struct SentAgain
{
    SentAgain()
    {
        for (const EvIndex path : {0, 1, 1})
        {
            SentPacket& packet = window.Append();
            packet.sentPs = window.Next() == 3 ? 20 : 0;
            packet.path = path;
            detector.OnSent(window, window.Next() - 1);
        }
        window.MarkLost(0);
        SentPacket& again = window.Resend(0);
        again.sentPs = 10;
        again.path = 1;
        detector.OnResent(0);
    }

    SendWindow window{0};
    LossDetector detector{2, 0};
    std::vector<uint64_t> lost;
};

TEST(LossDetectorTest, ASackThatDoesNotCoverARetransmissionDoesNotJudgeIt)
{
    SentAgain sent;
    sent.window.MarkReceived(1);
    sent.window.MarkReceived(2);
    sent.detector.OnReceived(sent.window, 2, 1, sent.lost);
    sent.detector.FindLost(sent.window, 0, {1, 65}, sent.lost);
    EXPECT_TRUE(sent.lost.empty()) << "the SACK that reports 0 may have been overtaken";
    sent.detector.FindLost(sent.window, 0, {0, 64}, sent.lost);
    EXPECT_EQ(sent.lost, (std::vector<uint64_t>{0}));
}

TEST(LossDetectorTest, AnArrivalOfARetransmittedPacketSaysNothingAboutItsPath)
{
    // 0 arrives: the first transmission, late. Path 1 has delivered nothing sent at 10 or later.
    SentAgain sent;
    SentPacket& other = sent.window.At(1);
    sent.window.MarkLost(1);
    sent.window.Resend(1);
    other.sentPs = 5;
    sent.detector.OnResent(1);
    sent.window.MarkReceived(0);
    sent.detector.OnReceived(sent.window, 0, 0, sent.lost);
    sent.detector.FindLost(sent.window, 0, ALL, sent.lost);
    EXPECT_TRUE(sent.lost.empty());
    sent.detector.OnHeard(1, 10); // the SACK reflected the EV of the retransmission
    sent.detector.FindLost(sent.window, 0, ALL, sent.lost);
    EXPECT_EQ(sent.lost, (std::vector<uint64_t>{1}));
}

TEST(LossDetectorTest, AnsweredProbeJudgesRetransmissionsOfItsPath)
{
    SendWindow window(0);
    LossDetector detector(2, 0);
    for (EvIndex path = 0; path < 2; ++path)
    {
        SentPacket& packet = window.Append();
        packet.sentPs = 0;
        packet.path = path;
        detector.OnSent(window, path);
        window.MarkLost(path);
        window.Resend(path).sentPs = 10;
        detector.OnResent(path);
    }
    std::vector<uint64_t> lost;
    detector.OnHeard(1, 10); // sent no later
    detector.FindLost(window, 0, ALL, lost);
    EXPECT_TRUE(lost.empty());
    detector.OnHeard(1, 11);
    detector.FindLost(window, 0, ALL, lost);
    EXPECT_EQ(lost, (std::vector<uint64_t>{1}));
}

TEST(LossDetectorTest, OldestFirstSendPassesOverWhatIsSettled)
{
    SendWindow window(0);
    LossDetector detector(1, 0);
    EXPECT_EQ(detector.OldestFirstSend(window), 0u); // = Next(): none
    for (uint64_t psn = 0; psn < 5; ++psn)
    {
        window.Append().path = 0;
        detector.OnSent(window, psn);
    }
    EXPECT_EQ(detector.OldestFirstSend(window), 0u);
    window.MarkReceived(0);
    window.MarkLost(1);
    window.MarkLost(2);
    window.Resend(2);
    EXPECT_EQ(detector.OldestFirstSend(window), 3u);
    window.MarkReceived(3);
    window.MarkReceived(4);
    EXPECT_EQ(detector.OldestFirstSend(window), 5u);
}

TEST(AgeLimitTest, GreatAgeIsForgottenAfterAPause)
{
    AgeLimit limit;
    limit.OnReceived(1000, 800, 50);     // epoch until 1050
    EXPECT_EQ(limit.LimitPs(999), 1000); // 800 x 1.25, greater than the floor
    EXPECT_EQ(limit.LimitPs(1001), 1001);
    limit.OnReceived(1100, 8, 50); // the epoch after next: the 800 is too long ago
    EXPECT_EQ(limit.LimitPs(5), 10);
}

TEST(ProbeSchedulerTest, EvProbeAndTailProbeAreTwoWishes)
{
    ProbeScheduler probes;
    probes.OnFeedback(0);
    EXPECT_EQ(probes.EvWanted(), NO_EV);
    probes.WantEv(3, 70);
    probes.WantTail();
    EXPECT_EQ(probes.EvWantedPs(), 70);
    const uint16_t first = probes.OnSent(100, 3); // serves the EV only
    EXPECT_EQ(probes.EvWanted(), NO_EV);
    EXPECT_TRUE(probes.IsTailWanted());
    const uint16_t second = probes.OnSent(110, 3);
    EXPECT_FALSE(probes.IsTailWanted());
    EXPECT_EQ(probes.Take(second).sentPs, 110); // answers may overtake each other
    EXPECT_EQ(probes.Take(first).sentPs, 100);
}

TEST(ProbeSchedulerTest, NinthProbeForgetsTheFirst)
{
    ProbeScheduler probes;
    const uint16_t first = probes.OnSent(1, 0);
    for (int64_t i = 2; i <= 8; ++i)
    {
        probes.OnSent(i, 0);
    }
    const uint16_t ninth = probes.OnSent(9, 0);
    EXPECT_LT(probes.Take(first).sentPs, 0);
    EXPECT_EQ(probes.Take(ninth).sentPs, 9);
}

TEST(ProbeSchedulerTest, DeadlineNeverStopsMovingOn)
{
    ProbeScheduler probes;
    probes.OnFeedback(5);
    int64_t last = 0;
    for (int i = 0; i < 100; ++i)
    {
        const int64_t deadline = probes.TailDeadlinePs(30'000'000);
        ASSERT_GT(deadline, last) << i;
        last = deadline;
        probes.WantTail();
    }
    probes.OnFeedback(7);
    EXPECT_EQ(probes.TailDeadlinePs(30), 37);
}

TEST(SendQueueTest, NumbersImmediatesAndForgetsWhatIsPopped)
{
    SendQueue queue(0, 256);
    EXPECT_TRUE(queue.IsEmpty());
    for (const bool hasImmediate : {true, false, true, true})
    {
        queue.Post({0, 0, nullptr, 257, 0, 0, hasImmediate}); // two packets each
    }
    EXPECT_EQ(queue.At(0).rqmsn, 0u);
    EXPECT_EQ(queue.At(1).rqmsn, 0u); // has none
    EXPECT_EQ(queue.At(2).rqmsn, 1u);
    EXPECT_EQ(queue.At(3).rqmsn, 2u);
    queue.Pop();
    queue.Pop();
    EXPECT_EQ(queue.BeginMsn(), 2u);
    EXPECT_EQ(queue.EndMsn(), 4u);
    EXPECT_EQ(queue.Find(4), 2u);
    EXPECT_EQ(queue.Find(7), 3u);
    EXPECT_EQ(queue.PayloadBytes(queue.At(3), 7), 1u);
    EXPECT_EQ(queue.At(3).EndPsn(), 8u);
}

TEST(MemoryTest, RegionsAreToldApartByKey)
{
    MemoryTable memory;
    std::vector<uint8_t> storage(100);
    EXPECT_EQ(memory.Write(0x5a, 0, 1, nullptr, 1), AccessResult::BAD_KEY); // no region at all
    memory.Register(0, storage.size(), storage.data(), 0);
    memory.Register(0, 250, nullptr, 100);
    EXPECT_EQ(memory.Count(), 2u);
    EXPECT_NE(memory.Region(0).RKey(), memory.Region(1).RKey());
    const uint8_t payload[100] = {7};
    // Without storage placement is accounted all the same; the last granule is half one.
    const uint32_t key = memory.Region(1).RKey();
    EXPECT_EQ(memory.Write(key, 0, 250, payload, 100), AccessResult::OK);
    EXPECT_EQ(memory.Write(key, 100, 250, nullptr, 100), AccessResult::OK);
    EXPECT_FALSE(memory.Region(1).IsPlaced(0, 250));
    EXPECT_EQ(memory.Write(key, 200, 250, nullptr, 50), AccessResult::OK);
    EXPECT_TRUE(memory.Region(1).IsPlaced(0, 250));
    EXPECT_EQ(memory.Region(1).PlacedBytes(), 250u);
    EXPECT_EQ(memory.Region(0).PlacedBytes(), 0u);
    EXPECT_EQ(storage[0], 0);
    // A null payload changes no byte of a region that has storage.
    EXPECT_EQ(memory.Write(memory.Region(0).RKey(), 0, 1, nullptr, 1), AccessResult::OK);
    EXPECT_EQ(storage[0], 0);
    EXPECT_TRUE(memory.Region(0).IsPlaced(0, 100)); // no account
}

TEST(MemoryTest, BoundsDoNotOverflow)
{
    MemoryTable memory;
    memory.Register(~uint64_t{0} - 99, 100, nullptr, 0); // up to the last address
    const MemoryRegion& region = memory.Region(0);
    EXPECT_TRUE(region.Contains(~uint64_t{0} - 99, 100));
    EXPECT_TRUE(region.Contains(~uint64_t{0}, 1));
    EXPECT_FALSE(region.Contains(~uint64_t{0}, 2));
    EXPECT_FALSE(region.Contains(~uint64_t{0} - 100, 1));
    EXPECT_FALSE(region.Contains(~uint64_t{0} - 99, ~uint64_t{0}));
    EXPECT_FALSE(region.Contains(0, 1));
}

TEST(TimestampTest, AgeIsRoundedByLessThanOneUnit)
{
    // The sender's clock reads k units and a bit; the bit is lost.
    for (const int64_t sentPs : {int64_t{0}, int64_t{127'999}, int64_t{8'388'607'999}})
    {
        const int64_t agePs = TimestampAgePs(sentPs + 10'000'000, MakeTimestamp(sentPs));
        EXPECT_GE(agePs, 10'000'000 - 128'000) << sentPs;
        EXPECT_LE(agePs, 10'000'000 + 128'000) << sentPs;
    }
}

} // namespace
