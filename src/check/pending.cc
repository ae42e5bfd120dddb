// SPDX-License-Identifier: Apache-2.0
// Checks that are made when a task begins or ends, or when the host waits.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "check/checker.h"
#include "check/thread_state.h"

namespace portacl::check {
namespace {

// A hash like FNV-1a that takes eight bytes at a time.
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

// Queued tasks may write to the source, and so may a function before the copy. While such a function is unfinished,
// closed pages detect other writes, and the bytes are compared from the beginning of the copy.
void Checker::QueueSource(const Current& copy, const Touch& touch) {
  uintptr_t begin = 0;
  Block* const block = FindBlock(touch.begin, &begin);
  if (block == nullptr || block->device) return;
  const size_t bytes = touch.rows * touch.width;
  const Clocks& host = agents_[kHost].clocks;
  bool stays = true;
  const size_t from = Number(touch.begin) - begin;
  block->shadow.Each(from, from + bytes, [&](const Bytes& range) {
    const Stamp& write = range.write;
    if (write.clock != 0 && (write.agent == kOrderedWithAll || !write.IsBefore(host))) stays = false;
  });
  if (!stays) return;
  Source source{copy.agent, touch.begin, bytes, {}, copy.task, copy.stamp};
  if (functions_.ComeBefore(copy.clocks))
    guard_.SourceQueued(touch, copy.stamp);
  else
    source.sum = SumOf(source.begin, source.bytes);
  sources_.push_back(source);
}

void Checker::SumSources(const void* task) {
  for (Source& source : sources_) {
    if (source.task == task && !source.sum) source.sum = SumOf(source.begin, source.bytes);
  }
}

void Checker::ForgetSources(const std::byte* begin, size_t bytes) {
  std::erase_if(sources_, [=](const Source& source) {
    return source.begin < begin + bytes && begin < source.begin + source.bytes;
  });
}

void Checker::ReportUninitialized(const char* name, CallSiteId site, const Block& block) {
  reports_.Add(Kind::kUninitialized, fmt::format("{} reads device memory that was never written", name), site,
               "allocated", block.made);
}

// Work of other agents may be ordered before the reader, because it is unknown what the reader waits for.
void Checker::AwaitedComes(uint32_t writer, uintptr_t begin, uintptr_t end) {
  std::vector<Awaited> rest;
  std::erase_if(awaited_, [&](const Awaited& awaited) {
    if (awaited.agent == writer || awaited.end <= begin || end <= awaited.begin) return false;
    if (awaited.begin < begin) rest.push_back({awaited.task, awaited.agent, awaited.begin, begin, awaited.stamp});
    if (end < awaited.end) rest.push_back({awaited.task, awaited.agent, end, awaited.end, awaited.stamp});
    return true;
  });
  awaited_.insert(awaited_.end(), rest.begin(), rest.end());
}

void Checker::JudgeAwaited(const void* task) {
  std::erase_if(awaited_, [&](const Awaited& awaited) {
    if (awaited.task != task) return false;
    uintptr_t begin = 0;
    Block* const block = FindBlock(reinterpret_cast<const std::byte*>(awaited.begin), &begin);
    if (block == nullptr) return true;
    ReportUninitialized(awaited.stamp.name, awaited.stamp.site, *block);
    block->shadow.Each(awaited.begin - begin, awaited.end - begin,
                       [](Bytes& range) { range.content = Bytes::Content::kWritten; });
    return true;
  });
}

void Checker::Forget(const void* task) noexcept {
  if (functions_.TaskEnded(task)) guard_.FunctionEnds(task);
  std::erase_if(awaited_, [=](const Awaited& awaited) { return awaited.task == task; });
}

void Checker::TaskRefused(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  guard_.TaskEnded(task);
  Forget(task);
  queued_.erase(task);
}

void Checker::TaskBegan(const void* task, uint64_t) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    guard_.TaskBegan(task);
    SumSources(task);
    JudgeAwaited(task);
    const auto found = queued_.find(task);
    if (found == queued_.end() || !found->second.before) return;
    HostFunctionBegins(found->second);
    guard_.FunctionBegins(task);
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

// The function may tell other threads that the work before it has finished. This includes the work that its stream
// waited for, even if that is unknown.
void Checker::HostFunctionBegins(Queued& function) {
  Agent before = std::move(*function.before);
  function.before.reset();
  if (std::exchange(before.follows_unknown, false)) {
    for (uint32_t agent = kHost + 1; agent < agents_.size(); ++agent)
      before.clocks.Reach(agent, agents_[agent].finished);
  }
  JoinHost(before);
}

void Checker::TaskEnded(const void* task, uint64_t, int32_t status) noexcept {
  const std::scoped_lock lock(mutex_);
  guard_.TaskEnded(task);
  Forget(task);
  const auto found = queued_.find(task);
  if (found == queued_.end()) return;
  const Queued queued = std::move(found->second);
  queued_.erase(found);
  uint64_t& finished = agents_[queued.agent].finished;
  finished = std::max(finished, queued.stamp.clock);
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

// After a wait for an unknown event the host may be ordered after any work. Also checks the sources of copies.
void Checker::JoinHost(const Agent& other) {
  Clocks& host = agents_[kHost].clocks;
  host.Join(other.clocks);
  if (other.follows_unknown) {
    for (const Agent& each : agents_) host.Join(each.clocks);
  }
  guard_.HostIsAfter(host);
  std::erase_if(sources_, [&](const Source& source) {
    if (host.At(source.agent) < source.stamp.clock) return false;
    if (source.sum && SumOf(source.begin, source.bytes) != *source.sum) {
      reports_.Add(Kind::kHostMemory,
                   fmt::format("the source of {} was changed before its stream was waited for", source.stamp.name),
                   source.stamp.site, "", 0);
    }
    return true;
  });
}

void Checker::HostIsAfter(uint32_t agent) {
  JoinHost(agents_[agent]);
  agents_[agent].follows_unknown = false;
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
        // The record is not made yet, or follows an unknown event.
        if (found == moments_.end() || found->second.follows_unknown) agent.follows_unknown = true;
        if (found != moments_.end()) agent.clocks.Join(found->second.clocks);
        return;
      }
    }
  } catch (...) {
    // When memory is exhausted, an order is missing.
  }
}

}  // namespace portacl::check
