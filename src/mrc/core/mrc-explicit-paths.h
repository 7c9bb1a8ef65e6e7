// SPDX-License-Identifier: GPL-2.0-only
#ifndef MRC_EXPLICIT_PATHS_H
#define MRC_EXPLICIT_PATHS_H

#include "mrc-frame.h"
#include "mrc-source-route.h"

#include <cstdint>
#include <vector>

namespace mrc
{

/**
 * The paths of EVs that a controller gave as addresses: what to write into a frame for each EV.
 *
 * Frames under way point into it, so it has to live as long as they do.
 */
class ExplicitPaths
{
  public:
    /**
     * Add a path. Call Sort() after the last one.
     *
     * @param ev 32 bits that stand for it on the wire
     * @param route 1 to 128 carriers
     */
    void Add(uint32_t ev, const SourceRoute& route);

    /// Make the paths ready for Apply().
    void Sort();

    /**
     * Send a frame on the path of its EV: set the outer destination, add the SRH and its bytes.
     *
     * @param frame encapsulated, without SRH
     * @return whether the EV is one of these; if not the frame is unchanged
     */
    bool Apply(Frame& frame) const;

    /// @return number of paths
    size_t Size() const
    {
        return m_paths.size();
    }

  private:
    /// A path.
    struct Path
    {
        uint64_t daHigh;       ///< first carrier, bytes 0-7
        uint64_t daLow;        ///< bytes 8-15
        uint32_t ev;           ///< its EV
        uint32_t firstSegment; ///< where its list begins in m_segments, bytes
        uint8_t segmentCount;  ///< carriers after the first
    };

    std::vector<Path> m_paths;       ///< by EV
    std::vector<uint8_t> m_segments; ///< lists of reduced SRHs
};

} // namespace mrc

#endif // MRC_EXPLICIT_PATHS_H
