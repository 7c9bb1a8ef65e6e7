// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_HELLO_H
#define MRC_PERF_HELLO_H

#include "mrc-ipv6.h"
#include "mrc-perf-parameters.h"
#include "mrc-qp-exchange.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace mrc::perf
{

/// What one end says about itself; docs/mrc-perf.md describes it as JSON.
struct Hello
{
    /// A port of the end.
    struct Port
    {
        Ipv6Address address; ///< in its plane
        uint64_t mac;        ///< low 48 bits
    };

    TestParameters test;         ///< what is to be done; both ends say the same
    int64_t baseRttPs{0};        ///< round trip that the client measured
    Ipv6Address address{};       ///< of the endpoint
    bool isEncapsulated{false};  ///< speaks SRv6
    uint32_t nic{0};             ///< number in the fabric, if there is one
    std::vector<Port> ports;     ///< by plane
    std::vector<QpOffer> offers; ///< by QP
};

/// @param hello what to say @return as JSON
nlohmann::json EncodeHello(const Hello& hello);

/// @param json from the network, never trusted @return what it says @throws RunError
Hello DecodeHello(const nlohmann::json& json);

} // namespace mrc::perf

#endif // MRC_PERF_HELLO_H
