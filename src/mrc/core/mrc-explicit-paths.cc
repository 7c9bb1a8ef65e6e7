// SPDX-License-Identifier: GPL-2.0-only
#include "mrc-explicit-paths.h"

#include "mrc-frame-srh.h"

#include <algorithm>

namespace mrc
{

void
ExplicitPaths::Add(uint32_t ev, const SourceRoute& route)
{
    const auto listed = static_cast<uint8_t>(route.size() - 1);
    const auto first = static_cast<uint32_t>(m_segments.size());
    m_paths.push_back({route[0].high, route[0].low, ev, first, listed});
    m_segments.resize(first + listed * size_t{SEGMENT_BYTES});
    ByteWriter writer(m_segments.data() + first, m_segments.size() - first);
    for (size_t i = route.size() - 1; i > 0; --i)
    {
        writer.U64(route[i].high);
        writer.U64(route[i].low);
    }
}

void
ExplicitPaths::Sort()
{
    std::sort(m_paths.begin(), m_paths.end(), [](const Path& left, const Path& right) {
        return left.ev < right.ev;
    });
}

bool
ExplicitPaths::Apply(Frame& frame) const
{
    const auto path = std::lower_bound(m_paths.begin(),
                                       m_paths.end(),
                                       frame.ev,
                                       [](const Path& one, uint32_t ev) { return one.ev < ev; });
    if (path == m_paths.end() || path->ev != frame.ev)
    {
        return false;
    }
    frame.daHigh = path->daHigh;
    frame.daLow = path->daLow;
    if (path->segmentCount > 0)
    {
        frame.flags |= Frame::HAS_SRH;
        frame.segments = m_segments.data() + path->firstSegment;
        frame.segmentCount = path->segmentCount;
        frame.segmentsLeft = path->segmentCount;
        frame.wireBytes += FrameSrhBytes(frame);
    }
    return true;
}

} // namespace mrc
