// SPDX-License-Identifier: Apache-2.0
// Order, blocks, and the judgement of accesses.
#include "check/checker.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/visibility.h"
#include "check/thread_state.h"

namespace portacl::check {

PORTACL_HOT_THREAD_LOCAL constinit thread_local CheckedThread t_checked;

namespace {

constexpr size_t kFreedKept = 4096;

uintptr_t Number(const void* address) noexcept { return reinterpret_cast<uintptr_t>(address); }

// Of FNV, eight bytes at a time.
uint64_t SumOf(const std::byte* begin, size_t bytes) noexcept {
  uint64_t sum = 0xCBF29CE484222325;
  for (; bytes >= sizeof(uint64_t); begin += sizeof(uint64_t), bytes -= sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, begin, sizeof(word));
    sum = (sum ^ word) * 0x100000001B3;
    sum ^= sum >> 29;
  }
  for (; bytes > 0; ++begin, --bytes) sum = (sum ^ static_cast<uint64_t>(*begin)) * 0x100000001B3;
  return sum;
}

}  // namespace

bool Checker::UnderPlugIn() noexcept {
  void* const plugin = dlopen("libtorch_npu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (plugin != nullptr) dlclose(plugin);
  return plugin != nullptr;
}

struct Checker::Current {
  const char* name;
  PlaceId place;
  uint32_t agent;
  const Clocks& clocks;
  Stamp stamp;
  bool unordered;  // what it waits for is not known, so that nothing is said of its order
};

uint32_t Checker::AgentOf(uint64_t stream) {
  if (stream == 0) return kHost;
  const auto [found, fresh] = streams_.try_emplace(stream, 0);
  if (!fresh) return found->second;
  if (spare_agents_.empty()) {
    found->second = static_cast<uint32_t>(agents_.size());
    agents_.emplace_back();
  } else {
    found->second = spare_agents_.back();
    spare_agents_.pop_back();
  }
  return found->second;
}

Checker::Block* Checker::FindBlock(const std::byte* address, uintptr_t* begin) {
  const auto after = blocks_.upper_bound(Number(address));
  if (after == blocks_.begin()) return nullptr;
  const auto found = std::prev(after);
  if (Number(address) - found->first >= found->second.bytes) return nullptr;
  *begin = found->first;
  return &found->second;
}

void Checker::Judge(const Current& current, const Block& block, const Stamp& other, bool other_wrote, bool written,
                    bool workspace) {
  if (current.unordered || other.IsBefore(current.clocks)) return;
  const char* const does = written ? "writes" : "reads";
  const char* const did = other_wrote ? "writes" : "reads";
  Kind kind = Kind::kRace;
  std::string what = fmt::format("{} {} bytes that {} on another stream {}, and nothing orders the two", current.name,
                                 does, other.name, did);
  if (workspace || other.workspace) {
    kind = Kind::kWorkspace;
    what = fmt::format("{} and {} use the same workspace, and nothing orders the two", current.name, other.name);
  } else if (current.agent == kHost) {
    kind = !block.device ? Kind::kHostMemory : other_wrote && !written ? Kind::kUnwaited : Kind::kRace;
    what = fmt::format("{} {} bytes that {} {}, whose stream was not waited for", current.name, does, other.name, did);
  }
  reports_.Add(kind, what, current.place, fmt::format("{} by {}", other_wrote ? "written" : "read", other.name),
               other.place);
}

void Checker::Access(const Current& current, const std::byte* address, size_t bytes, bool written, bool exact,
                     bool workspace) {
  uintptr_t begin = 0;
  Block* const block = FindBlock(address, &begin);
  if (block == nullptr) return;
  const size_t from = Number(address) - begin;
  Stamp stamp = current.stamp;
  stamp.workspace = workspace;
  block->shadow.Each(from, from + bytes, [&](Bytes& range) {
    if (exact) Judge(current, *block, range.write, true, written, workspace);
    if (written) {
      if (exact) {
        for (const Stamp& read : range.reads) Judge(current, *block, read, false, true, workspace);
      } else {
        range.content = Bytes::Content::kWritten;
      }
      return;
    }
    if (exact && block->device && range.content == Bytes::Content::kNever && !UnderPlugIn()) {
      reports_.Add(Kind::kUninitialized, fmt::format("{} reads device memory that was never written", current.name),
                   current.place, "allocated", block->made);
      range.content = Bytes::Content::kWritten;  // once is enough
    }
    if (range.content == Bytes::Content::kFailed) {
      reports_.Add(Kind::kStatus, fmt::format("{} reads a result of {}, which failed", current.name, range.write.name),
                   current.place, fmt::format("{} was called", range.write.name), range.write.place);
    }
    if (!exact) return;
    for (Stamp& read : range.reads) {
      if (read.agent != stamp.agent) continue;
      read = stamp;
      return;
    }
    range.reads.push_back(stamp);
  });
  if (written && exact) block->shadow.Set(from, from + bytes, {Bytes::Content::kWritten, stamp, {}});
  if (written && !block->device) ForgetSources(address, bytes);
}

void Checker::Touches(const Current& current, const Touch& touch, const Plan* plan) {
  const bool workspace = plan != nullptr && touch.operand < 0;
  if (plan != nullptr && touch.operand >= 0 && static_cast<size_t>(touch.operand) < plan->operands.size()) {
    const ViewBytes& view = plan->operands[static_cast<size_t>(touch.operand)].view;
    for (const Run& run : view.runs)
      Access(current, touch.begin + run.begin, run.bytes, touch.written, view.exact, false);
    return;
  }
  if (touch.rows == 1 || touch.pitch == touch.width)
    return Access(current, touch.begin, touch.width * touch.rows, touch.written, true, workspace);
  for (size_t row = 0; row < touch.rows; ++row)
    Access(current, touch.begin + row * touch.pitch, touch.width, touch.written, true, false);
}

void Checker::TaskQueued(const TaskNote& task) noexcept {
  const PlaceId here = places_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    const uint32_t number = AgentOf(task.stream);
    if (number != kHost) agents_[number].clocks.Join(agents_[kHost].clocks);
    Agent& agent = agents_[number];
    const uint64_t clock = agent.clocks.Advance(number);
    const auto found = task.role == TaskRole::kOperator ? plans_.find(task.task) : plans_.end();
    const Plan* const plan = found == plans_.end() ? nullptr : &found->second;
    // A thread of a plug-in hands over what the client's thread has planned.
    const PlaceId place = here == 0 && plan != nullptr ? plan->place : here;
    const char* const name =
        task.role == TaskRole::kOperator || t_checked.function == nullptr ? task.name : t_checked.function;
    Stamp stamp{agent.follows_unknown ? kOrderedWithAll : number, clock, place, name};
    const Current current{name, place, number, agent.clocks, stamp, agent.follows_unknown};
    if (plan != nullptr) ReportOverlaps(*plan, task.touches, place);
    for (const bool written : {false, true}) {
      for (const Touch& touch : task.touches) {
        if (touch.written == written) Touches(current, touch, plan);
      }
    }
    if (task.touches_all) {
      for (auto& [begin, block] : blocks_) {
        block.shadow.Each(0, block.bytes, [](Bytes& range) {
          if (range.content == Bytes::Content::kNever) range.content = Bytes::Content::kWritten;
        });
      }
    }
    if (task.role == TaskRole::kRecord && task.moment != nullptr) moments_[task.moment] = agent;
    if (task.role == TaskRole::kWait && task.moment == nullptr) agent.follows_unknown = true;
    if (number != kHost) {
      Queued queued{task.role, stamp, {}};
      for (const Touch& touch : task.touches) {
        if (touch.written) queued.outputs.push_back(touch);
        if (task.role != TaskRole::kCopy) continue;
        if (touch.written) {
          guard_.TargetQueued(touch, stamp);
        } else if (touch.rows == 1) {
          QueueSource(number, touch, stamp);
        }
      }
      queued_.insert_or_assign(task.task, std::move(queued));
    }
    if (plan != nullptr) {
      executors_.erase(plan->handle);
      plans_.erase(found);
    }
    guard_.TaskQueued(task);
  } catch (...) {
    // Without memory less is found.
  }
}

// What a task is still to write into it is no change.
void Checker::QueueSource(uint32_t agent, const Touch& touch, const Stamp& stamp) {
  uintptr_t begin = 0;
  Block* const block = FindBlock(touch.begin, &begin);
  if (block == nullptr || block->device) return;
  const Clocks& host = agents_[kHost].clocks;
  bool stays = true;
  const size_t from = Number(touch.begin) - begin;
  block->shadow.Each(from, from + touch.width, [&](const Bytes& range) {
    const Stamp& write = range.write;
    if (write.clock != 0 && (write.agent == kOrderedWithAll || !write.IsBefore(host))) stays = false;
  });
  if (stays) sources_.push_back({agent, touch.begin, touch.width, SumOf(touch.begin, touch.width), stamp});
}

void Checker::TaskRefused(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  guard_.TaskEnded(task);
  queued_.erase(task);
}

void Checker::TaskBegan(const void* task, uint64_t stream) noexcept {
  const std::scoped_lock lock(mutex_);
  guard_.TaskBegan(task);
  const auto found = queued_.find(task);
  // The function may tell other threads.
  if (found != queued_.end() && found->second.role == TaskRole::kHost) HostIsAfter(AgentOf(stream));
}

void Checker::TaskEnded(const void* task, uint64_t, int32_t status) noexcept {
  const std::scoped_lock lock(mutex_);
  guard_.TaskEnded(task);
  const auto found = queued_.find(task);
  if (found == queued_.end()) return;
  const Queued queued = std::move(found->second);
  queued_.erase(found);
  if (status == 0) return;
  for (const Touch& touch : queued.outputs) {
    uintptr_t begin = 0;
    Block* const block = FindBlock(touch.begin, &begin);
    if (block == nullptr) continue;
    const size_t from = Number(touch.begin) - begin;
    block->shadow.Each(from, from + touch.width, [&](Bytes& range) {
      if (range.write.agent == queued.stamp.agent && range.write.clock == queued.stamp.clock)
        range.content = Bytes::Content::kFailed;
    });
  }
}

// What waits for something that cannot be followed may come after anything. Also says what has become of the sources
// of copies.
void Checker::JoinHost(const Agent& other) {
  Clocks& host = agents_[kHost].clocks;
  host.Join(other.clocks);
  if (other.follows_unknown) {
    for (const Agent& each : agents_) host.Join(each.clocks);
  }
  guard_.HostIsAfter(host);
  std::erase_if(sources_, [&](const Source& source) {
    if (host.At(source.agent) < source.stamp.clock) return false;
    if (SumOf(source.begin, source.bytes) != source.sum) {
      reports_.Add(Kind::kHostMemory,
                   fmt::format("the source of {} was changed before its stream was waited for", source.stamp.name),
                   source.stamp.place, "", 0);
    }
    return true;
  });
}

void Checker::HostIsAfter(uint32_t agent) {
  JoinHost(agents_[agent]);
  agents_[agent].follows_unknown = false;
}

void Checker::ForgetSources(const std::byte* begin, size_t bytes) {
  std::erase_if(sources_, [=](const Source& source) {
    return source.begin < begin + bytes && begin < source.begin + source.bytes;
  });
}

void Checker::Ordered(Order order, uint64_t stream, const void* moment) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    const auto found = moments_.find(moment);
    switch (order) {
      case Order::kHostAfterStream:
        return HostIsAfter(AgentOf(stream));
      case Order::kHostAfterMoment:
        if (found != moments_.end()) JoinHost(found->second);
        return;
      case Order::kStreamAfterMoment: {
        Agent& agent = agents_[AgentOf(stream)];
        // A record that is still to come, or one that follows what is not known.
        if (found == moments_.end() || found->second.follows_unknown) agent.follows_unknown = true;
        if (found != moments_.end()) agent.clocks.Join(found->second.clocks);
        return;
      }
    }
  } catch (...) {
    // Without memory order is missing.
  }
}

void Checker::BlockMade(const void* address, size_t bytes, bool device, bool own_pages) noexcept {
  const PlaceId here = places_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    blocks_.insert_or_assign(Number(address), Block{bytes, device, here, Shadow(bytes)});
    if (own_pages) guard_.BlockMade(address, bytes, device, here);
  } catch (...) {
    // Without memory the block is not known.
  }
}

void Checker::BlockEnds(const void* address, bool device) noexcept {
  const PlaceId here = places_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    const auto found = blocks_.find(Number(address));
    if (found == blocks_.end() || found->second.device != device) return;
    const char* const function = t_checked.function == nullptr ? "the library" : t_checked.function;
    Block& block = found->second;
    const Clocks& host = agents_[kHost].clocks;
    block.shadow.Each(0, block.bytes, [&](const Bytes& range) {
      const auto judge = [&](const Stamp& stamp) {
        if (stamp.IsBefore(host)) return;
        reports_.Add(device ? Kind::kFreed : Kind::kHostMemory,
                     fmt::format("{} frees memory that {} uses, whose stream was not waited for", function, stamp.name),
                     here, "queued", stamp.place);
      };
      judge(range.write);
      for (const Stamp& read : range.reads) judge(read);
    });
    ForgetSources(static_cast<const std::byte*>(address), block.bytes);
    guard_.BlockEnds(address);
    freed_.push_back({found->first, block.bytes, here});
    if (freed_.size() > kFreedKept) freed_.pop_front();
    blocks_.erase(found);
  } catch (...) {
    // Without memory less is found.
  }
}

}  // namespace portacl::check
