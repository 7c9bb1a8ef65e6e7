// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-qp-exchange.h"

#include "mrc-psn.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace mrc
{

namespace
{

constexpr std::string_view OFFER = "mrc 1 offer";   ///< starts an offer
constexpr std::string_view REFUSE = "mrc 1 refuse"; ///< starts a refusal

constexpr uint32_t LAST_RESERVED_QPN = 2;
constexpr uint32_t MIN_MTU_BYTES = 256;
constexpr uint32_t MAX_MTU_BYTES = 4096;
constexpr uint32_t MIN_WIMM = 32;    ///< an implementation takes at least this
constexpr uint32_t MAX_WIMM = 32768; ///< half of what RQMSN can number
constexpr uint32_t MIN_MPR_UNITS = 8;
constexpr uint32_t MAX_MPR_UNITS = 255;

/// Words of `caps`.
struct Capability
{
    std::string_view name; ///< on the line
    bool QpOffer::*flag;   ///< what it sets
};

constexpr std::array<Capability, 3> CAPABILITIES{{{"trim-nack", &QpOffer::hasTrimNack},
                                                  {"dynamic-mpr", &QpOffer::hasDynamicMpr},
                                                  {"svc-time", &QpOffer::hasServiceTime}}};

/// Cut off what stands before a separator. @param[in,out] rest what follows it @return the part
std::string_view
Cut(std::string_view& rest, char separator)
{
    const size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

/// @param[out] value the number @return whether the text is one and fits
template <class T>
bool
Parse(std::string_view text, T& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

/// @return whether the text is a list of capabilities, each once
bool
ParseCapabilities(std::string_view text, QpOffer& offer)
{
    for (const Capability& capability : CAPABILITIES)
    {
        offer.*capability.flag = false;
    }
    if (text == "none")
    {
        return true;
    }
    if (text.empty() || text.back() == ',')
    {
        return false;
    }
    while (!text.empty())
    {
        const std::string_view word = Cut(text, ',');
        const auto found = std::find_if(CAPABILITIES.begin(),
                                        CAPABILITIES.end(),
                                        [word](const Capability& c) { return c.name == word; });
        if (found == CAPABILITIES.end() || offer.*found->flag)
        {
            return false;
        }
        offer.*found->flag = true;
    }
    return true;
}

/// Set the field of a key. @return its bit among the keys, 0 if the key or its value is wrong
uint32_t
ParseField(std::string_view key, std::string_view value, QpOffer& offer)
{
    const std::array<std::pair<std::string_view, uint32_t QpOffer::*>, 6> words{
        {{"qpn", &QpOffer::qpn},
         {"psn", &QpOffer::psn},
         {"mtu", &QpOffer::mtuBytes},
         {"wimm", &QpOffer::maxWimm},
         {"mpr", &QpOffer::mprUnits},
         {"rkey", &QpOffer::rKey}}};
    for (uint32_t i = 0; i < words.size(); ++i)
    {
        if (words[i].first == key)
        {
            return Parse(value, offer.*words[i].second) ? 1u << i : 0;
        }
    }
    const uint32_t next = words.size();
    if (key == "caps")
    {
        return ParseCapabilities(value, offer) ? 1u << next : 0;
    }
    if (key == "va")
    {
        return Parse(value, offer.va) ? 1u << (next + 1) : 0;
    }
    return key == "bytes" && Parse(value, offer.bytes) ? 1u << (next + 2) : 0;
}

/// Keys that every offer has, as ParseField() numbers them: qpn psn mtu wimm mpr caps.
constexpr uint32_t REQUIRED_KEYS = 0b0'0101'1111;
/// Keys that an offer has all or none of: rkey va bytes.
constexpr uint32_t MEMORY_KEYS = 0b1'1010'0000;

QpMessage
Malformed(std::string reason)
{
    return {QpMessage::Kind::MALFORMED, {}, std::move(reason)};
}

/// @param text from the network @return it, fit to be shown
std::string
Printable(std::string_view text)
{
    std::string shown(text);
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
    return shown;
}

/// @param rest what stands after OFFER
QpMessage
DecodeOffer(std::string_view rest)
{
    QpMessage message;
    message.kind = QpMessage::Kind::OFFER;
    uint32_t seen = 0;
    while (!rest.empty())
    {
        std::string_view value = Cut(rest, ' ');
        const std::string word = Printable(value);
        const std::string_view key = Cut(value, '=');
        const uint32_t bit = ParseField(key, value, message.offer);
        if (bit == 0)
        {
            return Malformed("'" + word + "' is no part of an offer");
        }
        if ((seen & bit) != 0)
        {
            return Malformed("'" + word + "' comes twice");
        }
        seen |= bit;
    }
    if ((seen & REQUIRED_KEYS) != REQUIRED_KEYS)
    {
        return Malformed("an offer needs qpn, psn, mtu, wimm, mpr and caps");
    }
    if ((seen & MEMORY_KEYS) != 0 && (seen & MEMORY_KEYS) != MEMORY_KEYS)
    {
        return Malformed("rkey, va and bytes come together");
    }
    const QpRefusal refusal = CheckQpOffer(message.offer);
    return refusal == QpRefusal::NONE ? message : Malformed(QpRefusalText(refusal, message.offer));
}

/// @return "WHAT VALUE is outside LOW to HIGH"
std::string
OutsideText(const char* what, uint32_t value, uint32_t low, uint32_t high)
{
    return std::string(what) + " " + std::to_string(value) + " is outside " + std::to_string(low) +
           " to " + std::to_string(high);
}

} // namespace

QpOffer
MakeQpOffer(const TransportConfig& config, uint32_t qpn, uint32_t psn)
{
    QpOffer offer;
    offer.qpn = qpn;
    offer.psn = psn;
    offer.mtuBytes = config.mtuBytes;
    offer.maxWimm = config.maxWimm;
    offer.mprUnits = config.mprUnits;
    offer.hasTrimNack = config.trimNack;
    offer.hasDynamicMpr = config.dynamicMpr;
    offer.hasServiceTime = config.serviceTime;
    return offer;
}

//= MRC-REF 1 MPR, MTU
QpRefusal
CheckQpOffer(const QpOffer& offer)
{
    if (offer.qpn <= LAST_RESERVED_QPN || offer.qpn > PSN_MASK)
    {
        return QpRefusal::BAD_QPN;
    }
    if (offer.psn > PSN_MASK)
    {
        return QpRefusal::BAD_PSN;
    }
    if (offer.mtuBytes < MIN_MTU_BYTES || offer.mtuBytes > MAX_MTU_BYTES)
    {
        return QpRefusal::BAD_MTU;
    }
    if (offer.maxWimm < MIN_WIMM || offer.maxWimm > MAX_WIMM)
    {
        return QpRefusal::BAD_WIMM;
    }
    if (offer.mprUnits < MIN_MPR_UNITS || offer.mprUnits > MAX_MPR_UNITS)
    {
        return QpRefusal::BAD_MPR;
    }
    if (offer.bytes != 0 && offer.va + (offer.bytes - 1) < offer.va)
    {
        return QpRefusal::BAD_MEMORY;
    }
    return QpRefusal::NONE;
}

std::string
QpRefusalText(QpRefusal refusal, const QpOffer& offer)
{
    switch (refusal)
    {
    case QpRefusal::NONE:
        return "";
    case QpRefusal::BAD_QPN:
        return OutsideText("QPN", offer.qpn, LAST_RESERVED_QPN + 1, PSN_MASK);
    case QpRefusal::BAD_PSN:
        return OutsideText("initial PSN", offer.psn, 0, PSN_MASK);
    case QpRefusal::BAD_MTU:
        return OutsideText("MTU", offer.mtuBytes, MIN_MTU_BYTES, MAX_MTU_BYTES);
    case QpRefusal::BAD_WIMM:
        return OutsideText("MAX_WIMM", offer.maxWimm, MIN_WIMM, MAX_WIMM);
    case QpRefusal::BAD_MPR:
        return OutsideText("MPR", offer.mprUnits, MIN_MPR_UNITS, MAX_MPR_UNITS);
    case QpRefusal::BAD_MEMORY:
        return "memory at " + std::to_string(offer.va) + " of " + std::to_string(offer.bytes) +
               " bytes ends beyond the last address";
    }
    return "unknown";
}

QpSetup
NegotiateQp(const QpOffer& own, const QpOffer& peer, bool isEncapsulated)
{
    QpSetup setup{};
    setup.localQp = own.qpn;
    setup.remoteQp = peer.qpn;
    setup.sendPsn = own.psn;
    setup.receivePsn = peer.psn;
    setup.remoteMprUnits = static_cast<uint8_t>(peer.mprUnits);
    setup.isEncapsulated = isEncapsulated;
    setup.isDynamicMpr = own.hasDynamicMpr && peer.hasDynamicMpr;
    setup.isTrimmable = peer.hasTrimNack;
    setup.mtuBytes = static_cast<uint16_t>(std::min(own.mtuBytes, peer.mtuBytes));
    setup.remoteMaxWimm = static_cast<uint16_t>(peer.maxWimm);
    return setup;
}

std::string
EncodeQpOffer(const QpOffer& offer)
{
    std::string line(OFFER);
    auto add = [&line](const char* key, uint64_t value) {
        line += std::string(" ") + key + "=" + std::to_string(value);
    };
    add("qpn", offer.qpn);
    add("psn", offer.psn);
    add("mtu", offer.mtuBytes);
    add("wimm", offer.maxWimm);
    add("mpr", offer.mprUnits);
    std::string words;
    for (const Capability& capability : CAPABILITIES)
    {
        if (offer.*capability.flag)
        {
            words += (words.empty() ? "" : ",") + std::string(capability.name);
        }
    }
    line += " caps=" + (words.empty() ? "none" : words);
    if (offer.bytes != 0)
    {
        add("rkey", offer.rKey);
        add("va", offer.va);
        add("bytes", offer.bytes);
    }
    return line + "\n";
}

std::string
EncodeQpRefusal(std::string_view reason)
{
    const size_t room = QP_MESSAGE_BYTES - REFUSE.size() - 2;
    return std::string(REFUSE) + " " + Printable(reason.substr(0, room)) + "\n";
}

QpMessage
DecodeQpMessage(std::string_view line)
{
    if (!line.empty() && line.back() == '\n')
    {
        line.remove_suffix(1);
    }
    if (line.size() >= QP_MESSAGE_BYTES)
    {
        return Malformed("a message has at most " + std::to_string(QP_MESSAGE_BYTES) + " bytes");
    }
    for (const std::string_view start : {OFFER, REFUSE})
    {
        if (line.substr(0, start.size() + 1) == std::string(start) + " ")
        {
            const std::string_view rest = line.substr(start.size() + 1);
            return start == OFFER ? DecodeOffer(rest)
                                  : QpMessage{QpMessage::Kind::REFUSED, {}, Printable(rest)};
        }
    }
    return Malformed("'" + Printable(line.substr(0, OFFER.size())) + "' starts neither '" +
                     std::string(OFFER) + "' nor '" + std::string(REFUSE) + "'");
}

} // namespace mrc
