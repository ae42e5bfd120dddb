// SPDX-License-Identifier: Apache-2.0
// The order of tasks, the blocks of memory, and the checks of accesses.
#include "check/checker.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/host_function.h"
#include "base/visibility.h"
#include "check/thread_state.h"

namespace portacl::check {

PORTACL_HOT_THREAD_LOCAL constinit thread_local CheckedThread t_checked;

namespace {

constexpr size_t kFreedKept = 4096;

}  // namespace

bool Checker::UnderPlugIn() noexcept {
  void* const plugin = dlopen("libtorch_npu.so", RTLD_NOLOAD | RTLD_LAZY);
  if (plugin != nullptr) dlclose(plugin);
  return plugin != nullptr;
}

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
  if (current.agent == kHost && functions_.ComesBefore(t_host_function, other)) return;
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
  reports_.Add(kind, what, current.site, fmt::format("{} by {}", other_wrote ? "written" : "read", other.name),
               other.site);
}

void Checker::Access(const Current& current, const std::byte* address, size_t bytes, bool written, bool exact,
                     bool workspace, bool partly) {
  uintptr_t begin = 0;
  Block* const block = FindBlock(address, &begin);
  if (block == nullptr) return;
  const size_t from = Number(address) - begin;
  Stamp stamp = current.stamp;
  stamp.workspace = workspace;
  if (written) AwaitedComes(current.agent, begin + from, begin + from + bytes);
  block->shadow.Each(from, from + bytes, [&](Bytes& range, size_t range_from, size_t range_to) {
    if (exact) Judge(current, *block, range.write, true, written, workspace);
    if (written) {
      if (exact) {
        for (const Stamp& read : range.reads) Judge(current, *block, read, false, true, workspace);
        if (partly) {
          range.write = stamp;
          range.reads.clear();
        }
      } else {
        range.content = Bytes::Content::kWritten;
      }
      return;
    }
    if (exact && block->device && range.content == Bytes::Content::kNever && !UnderPlugIn()) {
      if (current.unordered) {
        awaited_.push_back({current.task, current.agent, begin + range_from, begin + range_to, current.stamp});
      } else {
        ReportUninitialized(current.name, current.site, *block);
        range.content = Bytes::Content::kWritten;  // reported only once
      }
    }
    if (range.content == Bytes::Content::kFailed) {
      reports_.Add(Kind::kStatus, fmt::format("{} reads a result of {}, which failed", current.name, range.write.name),
                   current.site, fmt::format("{} was called", range.write.name), range.write.site);
    }
    if (!exact) return;
    for (Stamp& read : range.reads) {
      if (read.agent != stamp.agent) continue;
      read = stamp;
      return;
    }
    range.reads.push_back(stamp);
  });
  if (written && exact && !partly) block->shadow.Set(from, from + bytes, {Bytes::Content::kWritten, stamp, {}});
  if (written && !block->device) ForgetSources(address, bytes);
}

void Checker::Touches(const Current& current, const Touch& touch, const Plan* plan) {
  const bool workspace = plan != nullptr && touch.operand < 0;
  if (plan != nullptr && touch.operand >= 0 && static_cast<size_t>(touch.operand) < plan->operands.size()) {
    const ViewBytes& view = plan->operands[static_cast<size_t>(touch.operand)].view;
    for (const Run& run : view.runs)
      Access(current, touch.begin + run.begin, run.bytes, touch.written, view.exact, false, touch.partly);
    return;
  }
  if (touch.rows == 1 || touch.pitch == touch.width)
    return Access(current, touch.begin, touch.width * touch.rows, touch.written, true, workspace);
  for (size_t row = 0; row < touch.rows; ++row)
    Access(current, touch.begin + row * touch.pitch, touch.width, touch.written, true, false);
}

void Checker::Wrote(const std::byte* address, size_t bytes) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    uintptr_t begin = 0;
    Block* const block = FindBlock(address, &begin);
    if (block == nullptr) return;
    const size_t from = Number(address) - begin;
    block->shadow.Each(from, from + bytes, [](Bytes& range) { range.content = Bytes::Content::kWritten; });
  } catch (...) {
    // When memory is exhausted, more reads count as those of bytes that were never written.
  }
}

void Checker::TaskQueued(const TaskNote& task) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    const uint32_t number = AgentOf(task.stream);
    if (number != kHost) agents_[number].clocks.Join(agents_[kHost].clocks);
    Agent& agent = agents_[number];
    std::optional<Agent> before;
    if (task.role == TaskRole::kHost) before = agent;
    const uint64_t clock = agent.clocks.Advance(number);
    const auto found = task.role == TaskRole::kOperator ? plans_.find(task.task) : plans_.end();
    const Plan* const plan = found == plans_.end() ? nullptr : &found->second;
    // A plug-in may submit on one of its own threads a call that the client's thread has planned.
    const CallSiteId site = here == 0 && plan != nullptr ? plan->site : here;
    const char* const name =
        task.role == TaskRole::kOperator || t_checked.function == nullptr ? task.name : t_checked.function;
    Stamp stamp{agent.follows_unknown ? kOrderedWithAll : number, clock, site, name};
    const Current current{task.task, name, site, number, agent.clocks, stamp, agent.follows_unknown};
    functions_.TaskQueued(number, agent.clocks);
    if (plan != nullptr) ReportOverlaps(*plan, task.touches, site);
    for (const bool written : {false, true}) {
      for (const Touch& touch : task.touches) {
        if (touch.written == written) Touches(current, touch, plan);
      }
    }
    if (task.touches_all) {
      AwaitedComes(number, 0, UINTPTR_MAX);
      for (auto& [begin, block] : blocks_) {
        block.shadow.Each(0, block.bytes, [](Bytes& range) {
          if (range.content == Bytes::Content::kNever) range.content = Bytes::Content::kWritten;
        });
      }
    }
    if (task.role == TaskRole::kRecord && task.moment != nullptr) moments_[task.moment] = agent;
    if (task.role == TaskRole::kWait && task.moment == nullptr) agent.follows_unknown = true;
    if (number != kHost) {
      if (before) functions_.FunctionQueued(task.task, number, clock);
      Queued queued{number, stamp, {}, std::move(before)};
      for (const Touch& touch : task.touches) {
        if (touch.written) queued.outputs.push_back(touch);
        if (task.role != TaskRole::kCopy) continue;
        if (touch.written) {
          guard_.TargetQueued(touch, stamp);
        } else if (touch.rows == 1 || touch.pitch == touch.width) {
          QueueSource(current, touch);
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
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::BlockMade(const void* address, size_t bytes, bool device, bool own_pages) noexcept {
  const CallSiteId here = call_sites_.Here();
  // With the plug-in no block has pages of its own.
  const bool of_plug_in = !own_pages && UnderPlugIn() && call_sites_.CalledByPlugIn();
  try {
    const std::scoped_lock lock(mutex_);
    blocks_.insert_or_assign(Number(address), Block{bytes, device, of_plug_in, here, Shadow(bytes)});
    if (own_pages) guard_.BlockMade(address, bytes, device, here);
  } catch (...) {
    // When memory is exhausted, the block is unknown.
  }
}

void Checker::BlockEnds(const void* address, bool device) noexcept {
  const CallSiteId here = call_sites_.Here();
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
                     here, "queued", stamp.site);
      };
      judge(range.write);
      for (const Stamp& read : range.reads) judge(read);
    });
    ForgetSources(static_cast<const std::byte*>(address), block.bytes);
    AwaitedComes(kHost, found->first, found->first + block.bytes);
    guard_.BlockEnds(address);
    freed_.push_back({found->first, block.bytes, here});
    if (freed_.size() > kFreedKept) freed_.pop_front();
    blocks_.erase(found);
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

}  // namespace portacl::check
