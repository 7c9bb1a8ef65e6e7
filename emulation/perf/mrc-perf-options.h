// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_OPTIONS_H
#define MRC_PERF_OPTIONS_H

#include "mrc-clos-plan.h"
#include "mrc-ipv6.h"
#include "mrc-perf-parameters.h"
#include "mrc-udp.h"
#include "mrc-usid-plan.h"
#include "mrc-usid.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mrc::perf
{

/// TCP port of the set-up, as perftest.
inline constexpr uint16_t DEFAULT_TCP_PORT = 18515;

/// What the user asked for.
struct Options
{
    bool isServer{false};               ///< wait for a client
    bool isKept{false};                 ///< server: serve one client after the other
    std::string peer;                   ///< client: host to connect to
    uint16_t tcpPort{DEFAULT_TCP_PORT}; ///< of the set-up
    TestParameters test;                ///< client: what to do; mtuBytes 0 = what interfaces carry

    std::vector<std::string> interfaces; ///< one per plane; none: the one towards the peer
    std::optional<Ipv6Address> address;  ///< of the endpoint; none: that of the first port
    uint16_t udpPort{DEFAULT_UDP_PORT};  ///< destination port of MRC

    std::vector<std::vector<UsidCarrier>> carriers; ///< explicit paths by plane
    std::optional<ClosConfig> fabric;               ///< paths of a planned fabric
    uint32_t usidBlock{DEFAULT_USID_BLOCK};         ///< of the fabric
    std::optional<uint32_t> nic;                    ///< own index in it; none: by own address

    uint16_t evsPerPlane{16};                   ///< EVs that take turns
    bool isNscc{true};                          ///< NSCC or a fixed window
    uint64_t windowBytes{1 << 20};              ///< the fixed window
    int64_t baseRttPs{0};                       ///< 0 = measured over TCP
    uint64_t portBitsPerSecond{10'000'000'000}; ///< what a port carries
    uint8_t ackTimeoutExponent{17};             ///< packets time out after 1.024 us x 2^t
    uint8_t mprUnits{8};                        ///< receive window granted
    uint32_t ringFrames{4096};                  ///< frames of a receive ring
    int64_t jitterPs{4'000'000'000}; ///< how late a host may run before it looks like loss
    int64_t spinPs{0};               ///< look for frames so long before sleeping

    bool isJson{false};  ///< one JSON object instead of the table
    bool isGbits{false}; ///< Gb/s instead of MiB/s in the table

    /// @return whether packets are encapsulated with a uSID carrier
    bool IsSrv6() const
    {
        return fabric || !carriers.empty();
    }
};

/**
 * Read the command line.
 *
 * @param argc from main()
 * @param argv from main()
 * @param[out] options the answer
 * @return false if help or version was asked for and printed
 * @throws BadInput
 */
bool ParseCommandLine(int argc, char** argv, Options& options);

} // namespace mrc::perf

#endif // MRC_PERF_OPTIONS_H
