// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_PERF_LAB_H
#define MRC_PERF_LAB_H

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

namespace mrc::test
{

/**
 * Two hosts, a and b, joined by one veth per plane, in namespaces of their own that an ordinary
 * user may make and that end with the test.
 *
 * Plane p has the addresses fd00:0:0:p::1 at a, on interface ap, and ::2 at b, on interface bp.
 */
class PerfLab : public testing::Test
{
  protected:
    /// What a program printed and returned.
    struct Outcome
    {
        int exitCode;       ///< of the shell
        std::string output; ///< stdout and stderr
    };

    void SetUp() override;
    void TearDown() override;

    /**
     * Run a shell script between the two hosts.
     *
     * It sees $PERF, the program, $WIRE, the lossy wire, $OUT, a folder, and the functions
     * `a CMD` and `b CMD`, which run a command on a host, `join P MTU`, which makes plane P, and
     * `flowing P N`, which waits until host b got N packets in plane P.
     *
     * @param script for bash
     * @return what it did
     */
    Outcome Run(const std::string& script);

    /**
     * Measure between the hosts.
     *
     * @param planes number of planes, direct veths of MTU 9000
     * @param options of the client
     * @param meanwhile script that runs while the test does
     * @return the client's JSON; the test has failed if there is none
     */
    nlohmann::json Measure(int planes,
                           const std::string& options,
                           const std::string& meanwhile = "");

    /// @param planes number of planes @return script that makes them
    static std::string Join(int planes);

    /// @param planes number of planes @param options of the client @param meanwhile see Measure()
    /// @return script that measures
    static std::string Transfer(int planes,
                                const std::string& options,
                                const std::string& meanwhile);

    /// @param name of a file that a script wrote into $OUT @return it as JSON
    nlohmann::json ReadJson(const std::string& name) const;

    /// Expect that all bytes of all messages were checked and right. @param result of the client
    static void ExpectVerified(const nlohmann::json& result);

    std::string m_folder; //!< $OUT
};

} // namespace mrc::test

#endif // MRC_PERF_LAB_H
