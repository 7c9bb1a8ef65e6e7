// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_QP_EXCHANGE_H
#define MRC_QP_EXCHANGE_H

#include "mrc-qp-setup.h"
#include "mrc-transport-config.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mrc
{

/**
 * What one end tells the other before they connect.
 *
 * MRC has no packets for this: the ends talk over whatever they have, usually TCP. What is said
 * is about the direction towards the end that says it: "send to this QPN, from this PSN on, no
 * more than that".
 */
//= MRC-REF 1 Connection set-up is out of band
struct QpOffer
{
    uint32_t qpn{0};            ///< own QPN, 24 bits, > 2
    uint32_t psn{0};            ///< PSN of the first packet that this end will send, 24 bits
    uint32_t mtuBytes{4096};    ///< largest payload that this end sends and takes, 256 to 4096
    uint32_t maxWimm{128};      ///< WRITEs with immediate that it takes at once, 32 to 32768
    uint32_t mprUnits{8};       ///< window that it grants, units of 128 PSNs, 8 to 255
    bool hasTrimNack{true};     ///< it answers trimmed packets with NACKs
    bool hasDynamicMpr{false};  ///< it can change the window through SACKs, and follow
    bool hasServiceTime{false}; ///< it takes its own delay out of reflected time stamps
    uint32_t rKey{0};           ///< of memory that the peer may write to
    uint64_t va{0};             ///< first address of that memory
    uint64_t bytes{0};          ///< its length; 0: no memory is offered
};

/// Why an offer cannot be connected to.
enum class QpRefusal : uint8_t
{
    NONE,      ///< it can
    BAD_QPN,   ///< reserved or more than 24 bits
    BAD_PSN,   ///< more than 24 bits
    BAD_MTU,   ///< outside 256 to 4096
    BAD_WIMM,  ///< outside 32 to 32768
    BAD_MPR,   ///< outside 8 to 255 units
    BAD_MEMORY ///< the region ends beyond the last address
};

/**
 * Describe this end.
 *
 * @param config its parameters
 * @param qpn its QPN
 * @param psn PSN of the first packet that it will send
 * @return the offer, without memory
 */
QpOffer MakeQpOffer(const TransportConfig& config, uint32_t qpn, uint32_t psn);

/// @return NONE if an implementation may offer this, or the first reason why not
QpRefusal CheckQpOffer(const QpOffer& offer);

/**
 * Say why an offer was refused.
 *
 * @param refusal what CheckQpOffer() found
 * @param offer the offer
 * @return one line for people, with what would be right; empty for NONE
 */
std::string QpRefusalText(QpRefusal refusal, const QpOffer& offer);

/**
 * Agree: each direction gets what both of its ends can do.
 *
 * @param own offer of this end, checked
 * @param peer offer of the other end, checked
 * @param isEncapsulated whether packets travel in IPv6 with a uSID carrier
 * @return the connection as this end sees it
 */
QpSetup NegotiateQp(const QpOffer& own, const QpOffer& peer, bool isEncapsulated);

/// Longest line that EncodeQpOffer() and EncodeQpRefusal() produce and DecodeQpMessage() reads.
inline constexpr size_t QP_MESSAGE_BYTES = 512;

/**
 * Write an offer as a line of text:
 *
 *     mrc 1 offer qpn=3 psn=1193046 mtu=4096 wimm=128 mpr=8 caps=trim-nack,dynamic-mpr,svc-time
 *     rkey=90 va=4096 bytes=65536
 *
 * (one line, one blank between words, numbers in decimal). `caps` lists what the end can do,
 * `caps=none` if nothing of it; rkey, va and bytes are left out if no memory is offered.
 *
 * @param offer any
 * @return the line, ended by a line feed
 */
std::string EncodeQpOffer(const QpOffer& offer);

/**
 * Write a refusal as a line of text: `mrc 1 refuse REASON`.
 *
 * @param reason for people; what is not printable ASCII becomes a blank, too long is cut
 * @return the line, ended by a line feed
 */
std::string EncodeQpRefusal(std::string_view reason);

/// What came from the other end.
struct QpMessage
{
    /// Kinds of messages.
    enum class Kind : uint8_t
    {
        OFFER,    ///< `offer` is set, and CheckQpOffer() has nothing against it
        REFUSED,  ///< `reason` is what the peer says
        MALFORMED ///< `reason` is what is wrong with the message
    };

    Kind kind{Kind::MALFORMED}; ///< which
    QpOffer offer{};            ///< for OFFER
    std::string reason;         ///< for REFUSED and MALFORMED
};

/**
 * Read what the other end wrote.
 *
 * Numbers may have leading zeros and the keys of an offer any order; a key that is unknown,
 * missing or there twice makes the message malformed, and so does a value out of range.
 *
 * @param line from the network, with or without its line feed; never trusted
 * @return what it says
 */
QpMessage DecodeQpMessage(std::string_view line);

} // namespace mrc

#endif // MRC_QP_EXCHANGE_H
