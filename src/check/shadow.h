// SPDX-License-Identifier: Apache-2.0
// The shadow of the bytes of blocks: which agents wrote and read them last, and which of these accesses come before the
// work of a stream or the host.
//
// Streams and the host are agents. Each has a vector clock: how much of every agent's work comes before its own next
// task. All threads of the host are one agent, since the program orders them by means that strict mode cannot see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <type_traits>
#include <vector>

#include "check/call_sites.h"

namespace portacl::check {

inline constexpr uint32_t kHost = 0;
inline constexpr uint32_t kOrderedWithAll = UINT32_MAX;

class Clocks {
 public:
  uint64_t At(uint32_t agent) const noexcept { return agent < counts_.size() ? counts_[agent] : 0; }
  uint64_t Advance(uint32_t agent);
  void Join(const Clocks& other);
  void Reach(uint32_t agent, uint64_t clock);  // sets the clock to at least that value

 private:
  std::vector<uint64_t> counts_;
};

// One access.
struct Stamp {
  uint32_t agent = kOrderedWithAll;
  uint64_t clock = 0;
  CallSiteId site = 0;
  const char* name = "";
  bool workspace = false;

  bool IsBefore(const Clocks& clocks) const noexcept { return agent == kOrderedWithAll || clocks.At(agent) >= clock; }
};

struct Bytes {
  enum class Content : uint8_t { kNever, kWritten, kFailed };
  Content content = Content::kNever;
  Stamp write;
  std::vector<Stamp> reads;  // since the last write, one for each agent
};

// The bytes of one block, in ranges that have the same history.
class Shadow {
 public:
  explicit Shadow(size_t bytes) : end_(bytes) { ranges_[0]; }

  // Calls visit(Bytes&) or visit(Bytes&, its begin, its end) for every range in [begin, end).
  template <class Visit>
  void Each(size_t begin, size_t end, Visit&& visit) {
    end = end < end_ ? end : end_;
    if (begin >= end) return;
    Split(begin);
    Split(end);
    for (auto at = ranges_.find(begin); at != ranges_.end() && at->first < end;) {
      Bytes& bytes = at->second;
      const size_t from = at->first;
      const size_t to = ++at == ranges_.end() ? end_ : at->first;
      if constexpr (std::is_invocable_v<Visit&, Bytes&, size_t, size_t>)
        visit(bytes, from, to);
      else
        visit(bytes);
    }
  }

  // Sets the history of all bytes in [begin, end).
  void Set(size_t begin, size_t end, const Bytes& bytes);

 private:
  void Split(size_t at);

  std::map<size_t, Bytes> ranges_;  // by their beginnings; the last range ends at end_
  size_t end_;
};

}  // namespace portacl::check
