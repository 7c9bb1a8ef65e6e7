// SPDX-License-Identifier: GPL-2.0-or-later
/// @file
/// The memory of a capture: everything in file scope, nothing per packet but one entry.
#include "packet-mrc-flow.h"

#include <epan/to_str.h>

namespace
{

/// Frames of one page of the frame table.
constexpr uint32_t PAGE_FRAMES = 1024;

/// QPs of one pair that are looked at for an answer.
constexpr unsigned MAX_CANDIDATES = 1024;

} // namespace

/// All directions between two addresses, one way.
struct mrc_pair
{
    address source;      ///< inner source
    address destination; ///< inner destination
    mrc_half* halves;    ///< those seen, newest first
};

namespace
{

/// Everything known of the capture that is open.
struct memory
{
    wmem_map_t* halves;    ///< by addresses and QP
    wmem_map_t* pairs;     ///< by addresses
    wmem_map_t* pages;     ///< frame table by frame / PAGE_FRAMES
    mrc_analysis** page;   ///< the page used last
    uint32_t page_number;  ///< its number
    uint32_t streams;      ///< connections so far
    uint32_t next_message; ///< messages so far
};

memory* g_memory = nullptr;

guint
hash_addresses(const address* source, const address* destination, uint32_t start)
{
    guint hash = start;
    hash = add_address_to_hash(hash, source);
    return add_address_to_hash(hash, destination);
}

guint
hash_half(gconstpointer key)
{
    const auto half = static_cast<const mrc_half*>(key);
    return hash_addresses(&half->source, &half->destination, half->dqp);
}

gboolean
equal_halves(gconstpointer left, gconstpointer right)
{
    const auto a = static_cast<const mrc_half*>(left);
    const auto b = static_cast<const mrc_half*>(right);
    return a->dqp == b->dqp && addresses_equal(&a->source, &b->source) &&
           addresses_equal(&a->destination, &b->destination);
}

guint
hash_pair(gconstpointer key)
{
    const auto pair = static_cast<const mrc_pair*>(key);
    return hash_addresses(&pair->source, &pair->destination, 0);
}

gboolean
equal_pairs(gconstpointer left, gconstpointer right)
{
    const auto a = static_cast<const mrc_pair*>(left);
    const auto b = static_cast<const mrc_pair*>(right);
    return addresses_equal(&a->source, &b->source) &&
           addresses_equal(&a->destination, &b->destination);
}

memory*
get_memory()
{
    if (g_memory == nullptr)
    {
        wmem_allocator_t* scope = wmem_file_scope();
        g_memory = wmem_new0(scope, memory);
        g_memory->halves = wmem_map_new(scope, hash_half, equal_halves);
        g_memory->pairs = wmem_map_new(scope, hash_pair, equal_pairs);
        g_memory->pages = wmem_map_new(scope, g_direct_hash, g_direct_equal);
    }
    return g_memory;
}

void
forget()
{
    g_memory = nullptr; // wmem frees what it points to
}

mrc_pair*
find_pair(const address* source, const address* destination)
{
    mrc_pair key{*source, *destination, nullptr};
    return static_cast<mrc_pair*>(wmem_map_lookup(get_memory()->pairs, &key));
}

mrc_pair*
get_pair(mrc_half* half)
{
    mrc_pair* pair = find_pair(&half->source, &half->destination);
    if (pair == nullptr)
    {
        pair = wmem_new0(wmem_file_scope(), mrc_pair);
        pair->source = half->source;
        pair->destination = half->destination;
        wmem_map_insert(get_memory()->pairs, pair, pair);
    }
    return pair;
}

/// How well a direction fits as the data that an answer is about; 0 = not at all.
unsigned
score(mrc_half* data, const mrc_evidence& evidence)
{
    const bool is_named =
        evidence.source_qp_low != 0 && evidence.source_qp_low == (data->dqp & 0xffff);
    unsigned points = is_named ? 2 : 0;
    if (!evidence.has_psn || !data->has_psn)
    {
        return points;
    }
    const uint64_t psn = mrc_flow_extend(data, evidence.psn);
    const auto distance = static_cast<int64_t>(psn - data->highest);
    if (distance > MRC_MAX_WINDOW_PSNS || distance < -2 * MRC_MAX_WINDOW_PSNS)
    {
        return 0;
    }
    const mrc_analysis* sent = mrc_flow_sent_on(data, psn, evidence.ev);
    if (sent != nullptr)
    {
        points += 4;
        if (sent->has_timestamp && sent->tx_timestamp == evidence.tx_timestamp)
        {
            points += 4;
        }
    }
    return points;
}

} // namespace

void
mrc_flow_register()
{
    register_init_routine(forget);
    register_cleanup_routine(forget);
}

mrc_half*
mrc_flow_find_half(const address* source, const address* destination, uint32_t dqp)
{
    mrc_half key{};
    key.source = *source;
    key.destination = *destination;
    key.dqp = dqp;
    return static_cast<mrc_half*>(wmem_map_lookup(get_memory()->halves, &key));
}

mrc_half*
mrc_flow_half(const address* source, const address* destination, uint32_t dqp)
{
    mrc_half* half = mrc_flow_find_half(source, destination, dqp);
    if (half != nullptr)
    {
        return half;
    }
    wmem_allocator_t* scope = wmem_file_scope();
    half = wmem_new0(scope, mrc_half);
    copy_address_wmem(scope, &half->source, source);
    copy_address_wmem(scope, &half->destination, destination);
    half->dqp = dqp;
    half->stream = get_memory()->streams++;
    half->pair = get_pair(half);
    half->next_in_pair = half->pair->halves;
    half->pair->halves = half;
    wmem_map_insert(get_memory()->halves, half, half);
    return half;
}

const char*
mrc_flow_end(mrc_half* half)
{
    if (half->name == nullptr)
    {
        char* text = address_to_str(nullptr, &half->destination);
        half->name = wmem_strdup_printf(wmem_file_scope(), "%s QP 0x%06x", text, half->dqp);
        wmem_free(nullptr, text);
    }
    return half->name;
}

mrc_half*
mrc_flow_data_of(mrc_half* answers, const mrc_evidence& evidence)
{
    //= MRC-REF 2 BTH
    // Answers carry the requester's QPN only: nothing in them names the data's QP for sure.
    constexpr unsigned MISMATCHES = 8;
    if (answers->peer != nullptr)
    {
        if (score(answers->peer, evidence) > 0 || !evidence.has_psn)
        {
            answers->mismatches = 0;
            return answers->peer;
        }
        if (++answers->mismatches < MISMATCHES)
        {
            return answers->peer;
        }
    }
    const mrc_pair* pair = find_pair(&answers->destination, &answers->source);
    if (pair == nullptr)
    {
        return answers->peer;
    }
    mrc_half* best = nullptr;
    unsigned best_points = 0;
    bool is_alone = true;
    unsigned candidates = 0;
    for (mrc_half* data = pair->halves; data != nullptr && candidates < MAX_CANDIDATES;
         data = data->next_in_pair, ++candidates)
    {
        if (data->dqp == mrc::ENDPOINT_QP || (data->peer != nullptr && data->peer != answers))
        {
            continue;
        }
        const unsigned points = score(data, evidence);
        if (points > best_points)
        {
            best = data;
            best_points = points;
            is_alone = true;
        }
        else if (points == best_points && points > 0)
        {
            is_alone = false;
        }
    }
    if (best == nullptr && !evidence.has_psn && pair->halves != nullptr &&
        pair->halves->next_in_pair == nullptr && pair->halves->peer == nullptr)
    {
        best = pair->halves; // a single QP: it can be no other
    }
    if (best == nullptr || !is_alone)
    {
        return answers->peer;
    }
    if (answers->peer != nullptr)
    {
        answers->peer->peer = nullptr;
    }
    answers->peer = best;
    best->peer = answers;
    answers->mismatches = 0;
    answers->stream = best->stream;
    return best;
}

uint64_t
mrc_flow_extend(const mrc_half* half, uint32_t wire)
{
    return half->has_psn || half->has_cack
               ? mrc::ExtendPsn(half->has_psn ? half->highest : half->cack, wire)
               : mrc::FirstPsn(wire);
}

mrc_psn_block*
mrc_flow_find_block(mrc_half* half, uint64_t psn)
{
    const uint64_t number = psn / 16;
    if (half->block != nullptr && half->block->number == number)
    {
        return half->block;
    }
    if (half->blocks == nullptr)
    {
        return nullptr;
    }
    const auto block = static_cast<mrc_psn_block*>(wmem_map_lookup(half->blocks, &number));
    if (block != nullptr)
    {
        half->block = block;
    }
    return block;
}

mrc_psn_block*
mrc_flow_block(mrc_half* half, uint64_t psn)
{
    mrc_psn_block* block = mrc_flow_find_block(half, psn);
    if (block == nullptr)
    {
        wmem_allocator_t* scope = wmem_file_scope();
        if (half->blocks == nullptr)
        {
            half->blocks = wmem_map_new(scope, wmem_int64_hash, g_int64_equal);
        }
        block = wmem_new0(scope, mrc_psn_block);
        block->number = psn / 16;
        wmem_map_insert(half->blocks, &block->number, block);
        half->block = block;
    }
    return block;
}

mrc_analysis*
mrc_flow_sent(mrc_half* half, uint64_t psn)
{
    const mrc_psn_block* block = mrc_flow_find_block(half, psn);
    return block == nullptr ? nullptr : block->sent[psn % 16];
}

mrc_analysis*
mrc_flow_sent_on(mrc_half* half, uint64_t psn, uint32_t ev)
{
    mrc_analysis* sent = mrc_flow_sent(half, psn);
    for (unsigned i = 0; sent != nullptr && i < MRC_MAX_CHAIN; ++i)
    {
        if (sent->ev == ev)
        {
            return sent;
        }
        sent = sent->related;
    }
    return nullptr;
}

mrc_ev*
mrc_flow_ev(mrc_half* half, uint32_t ev)
{
    wmem_allocator_t* scope = wmem_file_scope();
    if (half->evs == nullptr)
    {
        half->evs = wmem_map_new(scope, g_direct_hash, g_direct_equal);
    }
    auto state = static_cast<mrc_ev*>(wmem_map_lookup(half->evs, GUINT_TO_POINTER(ev)));
    if (state == nullptr)
    {
        state = wmem_new0(scope, mrc_ev);
        state->last_ns = -1;
        wmem_map_insert(half->evs, GUINT_TO_POINTER(ev), state);
    }
    return state;
}

namespace
{

uint64_t
extend_msn(const mrc_half* half, uint16_t msn)
{
    return half->newest != nullptr ? mrc::ExtendMsn(half->newest->msn, msn) : 0x10000u + msn;
}

} // namespace

mrc_message*
mrc_flow_find_message(mrc_half* half, uint16_t msn)
{
    if (half->messages == nullptr)
    {
        return nullptr;
    }
    const uint64_t extended = extend_msn(half, msn);
    if (half->message != nullptr && half->message->msn == extended)
    {
        return half->message;
    }
    return static_cast<mrc_message*>(wmem_map_lookup(half->messages, &extended));
}

mrc_message*
mrc_flow_add_message(mrc_half* half, uint16_t msn)
{
    wmem_allocator_t* scope = wmem_file_scope();
    if (half->messages == nullptr)
    {
        half->messages = wmem_map_new(scope, wmem_int64_hash, g_int64_equal);
    }
    mrc_message* message = wmem_new0(scope, mrc_message);
    message->msn = extend_msn(half, msn);
    message->number = get_memory()->next_message++;
    wmem_map_insert(half->messages, &message->msn, message);
    if (half->newest == nullptr || half->newest->msn < message->msn)
    {
        if (half->newest != nullptr)
        {
            half->newest->next = message;
        }
        half->newest = message;
        if (half->oldest == nullptr)
        {
            half->oldest = message;
        }
        return message;
    }
    // Packets of several planes: a message may be seen after the next one.
    constexpr unsigned MAX_STEPS = 256;
    mrc_message** at = &half->oldest;
    for (unsigned i = 0; i < MAX_STEPS && *at != nullptr && (*at)->msn < message->msn; ++i)
    {
        at = &(*at)->next;
    }
    if (*at != nullptr)
    {
        message->next = *at;
        *at = message;
    }
    return message;
}

mrc_analysis*
mrc_flow_request(mrc_half* half, uint16_t id)
{
    return half->requests == nullptr
               ? nullptr
               : static_cast<mrc_analysis*>(wmem_map_lookup(half->requests, GUINT_TO_POINTER(id)));
}

void
mrc_flow_add_request(mrc_half* half, uint16_t id, mrc_analysis* request)
{
    if (half->requests == nullptr)
    {
        half->requests = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    }
    wmem_map_insert(half->requests, GUINT_TO_POINTER(id), request);
}

mrc_analysis*
mrc_flow_frame(uint32_t frame)
{
    memory* all = get_memory();
    const uint32_t number = frame / PAGE_FRAMES;
    if (all->page == nullptr || all->page_number != number)
    {
        const auto page =
            static_cast<mrc_analysis**>(wmem_map_lookup(all->pages, GUINT_TO_POINTER(number)));
        if (page == nullptr)
        {
            return nullptr;
        }
        all->page = page;
        all->page_number = number;
    }
    return all->page[frame % PAGE_FRAMES];
}

mrc_analysis*
mrc_flow_add_frame(uint32_t frame)
{
    memory* all = get_memory();
    wmem_allocator_t* scope = wmem_file_scope();
    const uint32_t number = frame / PAGE_FRAMES;
    if (all->page == nullptr || all->page_number != number)
    {
        auto page =
            static_cast<mrc_analysis**>(wmem_map_lookup(all->pages, GUINT_TO_POINTER(number)));
        if (page == nullptr)
        {
            page = wmem_alloc0_array(scope, mrc_analysis*, PAGE_FRAMES);
            wmem_map_insert(all->pages, GUINT_TO_POINTER(number), page);
        }
        all->page = page;
        all->page_number = number;
    }
    mrc_analysis* analysis = wmem_new0(scope, mrc_analysis);
    analysis->frame = frame;
    all->page[frame % PAGE_FRAMES] = analysis;
    return analysis;
}
