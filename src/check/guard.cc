// SPDX-License-Identifier: Apache-2.0
#include "check/guard.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/host_function.h"
#include "check/faults.h"
#include "check/thread_state.h"

namespace portacl::check {
namespace {

// Each block may take 64 KiB of address space and some entries of the process's table of mappings.
constexpr size_t kMostBlocks = 8192;

// How often a thread retries whose fault was already resolved by another thread.
constexpr int kMostLate = 1000;

uintptr_t AddressOf(const void* address) noexcept { return reinterpret_cast<uintptr_t>(address); }

uintptr_t PageBytes() noexcept {
  static const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
uintptr_t PageUp(uintptr_t address) noexcept { return (address + PageBytes() - 1) & ~(PageBytes() - 1); }
uintptr_t PageDown(uintptr_t address) noexcept { return address & ~(PageBytes() - 1); }

// When the system refuses to close pages, fewer mistakes are found.
void Protect(uintptr_t begin, uintptr_t end, int protection) noexcept {
  if (begin < end) static_cast<void>(mprotect(reinterpret_cast<void*>(begin), end - begin, protection));
}

template <class Area>
void OpenPages(const Area& area) noexcept {
  Protect(area.begin, area.end, PROT_READ | PROT_WRITE);
}
template <class Area>
void ClosePages(const Area& area) noexcept {
  Protect(area.begin, area.end, area.is_source ? PROT_READ : PROT_NONE);
}

}  // namespace

bool Guard::HasRoom() noexcept {
  const std::scoped_lock lock(mutex_);
  return !ended_ && blocks_.size() < kMostBlocks;
}

Guard::BlockPointer Guard::Find(uintptr_t address) const {
  const auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const auto found = std::prev(after);
  return address < PageUp(found->second->end) ? found->second : nullptr;
}

void Guard::Open(Block& block) noexcept {
  if (block.users++ > 0 || users_of_all_ > 0) return;
  for (const Area& area : block.areas) OpenPages(area);
}

void Guard::Close(Block& block) noexcept {
  if (--block.users > 0 || users_of_all_ > 0) return;
  for (const Area& area : block.areas) ClosePages(area);
}

void Guard::Open(Held& held) noexcept {
  if (std::exchange(held.open, true)) return;
  for (const BlockPointer& block : held.blocks) Open(*block);
  if (!held.all || users_of_all_++ > 0) return;
  for (const auto& [begin, block] : blocks_) {
    if (block->users > 0) continue;
    for (const Area& area : block->areas) OpenPages(area);
  }
}

void Guard::Close(Held& held) noexcept {
  if (!std::exchange(held.open, false)) return;
  for (const BlockPointer& block : held.blocks) Close(*block);
  if (!held.all || --users_of_all_ > 0) return;
  for (const auto& [begin, block] : blocks_) {
    if (block->users > 0) continue;
    for (const Area& area : block->areas) ClosePages(area);
  }
}

void Guard::BlockMade(const void* address, size_t bytes, bool device, CallSiteId made) {
  const uintptr_t begin = AddressOf(address);
  auto block = std::make_shared<Block>(Block{begin, begin + bytes, device, made});
  if (device) block->areas.push_back({begin, PageUp(block->end), {}, false});
  const std::scoped_lock lock(mutex_);
  if (ended_ || !CatchFaults(*this)) return;
  blocks_.insert_or_assign(begin, block);
  if (device && !IsOpen(*block)) ClosePages(block->areas.front());
}

// Opens the memory, because delayed tasks and later blocks may use it.
void Guard::BlockEnds(const void* address) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = blocks_.find(AddressOf(address));
  if (found == blocks_.end()) return;
  DropAreas(*found->second, [](const Area&) { return true; });
  std::erase(targets_, found->second);
  blocks_.erase(found);
}

Guard::Held Guard::Of(const TaskNote& task) const {
  Held held{.all = task.touches_all};
  const auto add = [&](const void* address) {
    const BlockPointer block = Find(AddressOf(address));
    if (block != nullptr && std::find(held.blocks.begin(), held.blocks.end(), block) == held.blocks.end())
      held.blocks.push_back(block);
  };
  for (const Touch& touch : task.touches) add(touch.begin);
  if (task.number != nullptr) add(task.number);
  return held;
}

void Guard::TaskQueued(const TaskNote& task) {
  const std::scoped_lock lock(mutex_);
  Held held = Of(task);
  if (held.blocks.empty() && !held.all) return;
  // A thread that waits for a value reads it at any time.
  if (task.stream == 0 || task.number != nullptr) Open(held);
  if (task.stream != 0) {
    tasks_.insert_or_assign(task.task, std::move(held));
  } else {
    holders_[&t_checked].push_back(std::move(held));
    t_checked.holds_open = true;
  }
}

// Also called each time a parked task is resumed.
void Guard::TaskBegan(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(task);
  if (found != tasks_.end()) Open(found->second);
}

void Guard::TaskEnded(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end()) return;
  Close(found->second);
  tasks_.erase(found);
}

void Guard::CloseOfThread() noexcept {
  t_checked.holds_open = false;
  CloseOf(&t_checked);
}

void Guard::CloseOf(const void* holder) noexcept {
  const std::scoped_lock lock(mutex_);
  const auto found = holders_.find(holder);
  if (found == holders_.end()) return;
  for (Held& held : found->second) Close(held);
  holders_.erase(found);
}

// A page that contains other bytes of the block as well stays open: those bytes may be accessed.
void Guard::SideQueued(const Touch& side, const Stamp& stamp, bool is_source) {
  if (stamp.agent == kOrderedWithAll || (side.rows > 1 && side.pitch != side.width)) return;
  const std::scoped_lock lock(mutex_);
  const BlockPointer block = Find(AddressOf(side.begin));
  if (block == nullptr || block->device || ended_) return;
  const uintptr_t begin = AddressOf(side.begin);
  const uintptr_t end = begin + side.rows * side.width;
  const Area area{PageUp(begin), end >= block->end ? PageUp(end) : PageDown(end), stamp, is_source};
  if (area.begin >= area.end) return;
  if (block->areas.empty()) targets_.push_back(block);
  const auto same = std::find_if(block->areas.begin(), block->areas.end(), [&](const Area& other) {
    return other.begin == area.begin && other.end == area.end && other.copy.agent == stamp.agent &&
           other.is_source == is_source;
  });
  if (same != block->areas.end()) {
    same->copy = stamp;
    same->again = !is_source;
    return;
  }
  // Targets come last, so that pages shared with a source are closed for reading as well.
  block->areas.insert(is_source ? block->areas.begin() : block->areas.end(), area);
  if (IsOpen(*block)) return;
  for (const Area& each : block->areas) ClosePages(each);
}

void Guard::DropAreas(Block& block, const auto& which) noexcept {
  if (!IsOpen(block)) {
    for (const Area& area : block.areas) {
      if (which(area)) OpenPages(area);
    }
  }
  if (std::erase_if(block.areas, which) == 0 || IsOpen(block)) return;
  for (const Area& area : block.areas) ClosePages(area);
}

void Guard::HostIsAfter(const Clocks& host) noexcept {
  const std::scoped_lock lock(mutex_);
  std::erase_if(targets_, [&](const BlockPointer& block) {
    DropAreas(*block, [&](const Area& area) { return area.copy.IsBefore(host); });
    return block->areas.empty();
  });
}

void Guard::End() noexcept {
  const std::scoped_lock lock(mutex_);
  Held all{.all = true};
  Open(all);
  ended_ = true;
}

void Guard::OpenFor(const void* holder, const BlockPointer& block) {
  Held held{.blocks = {block}};
  Open(held);
  holders_[holder].push_back(std::move(held));
}

void Guard::OpenForThread(const BlockPointer& block) {
  OpenFor(&t_checked, block);
  t_checked.holds_open = true;
}

// A system call fails at closed pages without a fault, so shared targets are opened beforehand.
void Guard::FunctionBegins(const void* task) {
  const std::scoped_lock lock(mutex_);
  for (const BlockPointer& block : targets_) {
    if (std::any_of(block->areas.begin(), block->areas.end(),
                    [&](const Area& area) { return area.again && functions_.ComesBefore(task, area.copy); }))
      OpenFor(task, block);
  }
}

bool Guard::Fault(uintptr_t address, void* code) noexcept {
  try {
    BlockPointer block;
    Stamp copy;
    bool is_source = false;
    {
      const std::scoped_lock lock(mutex_);
      block = Find(address);
      if (block == nullptr) return false;
      const auto is_there = [=](const Area& area) { return Holds(area, address); };
      if (IsOpen(*block) || std::none_of(block->areas.begin(), block->areas.end(), is_there)) {
        late_count_ = std::exchange(late_address_, address) == address ? late_count_ + 1 : 0;
        return late_count_ < kMostLate;
      }
      const auto found = std::find_if(block->areas.rbegin(), block->areas.rend(), [&](const Area& area) {
        return Holds(area, address) && !functions_.ComesBefore(t_host_function, area.copy);
      });
      if (found == block->areas.rend()) {
        OpenFor(t_host_function, block);
        return true;
      }
      copy = found->copy;
      is_source = found->is_source;
    }
    CallSiteId here = 0;
    const bool client = call_sites_.OfClient(code, &here);
    {
      const std::scoped_lock lock(mutex_);
      if (client && !block->device) {
        DropAreas(*block, [=](const Area& area) { return Holds(area, address); });
        if (block->areas.empty()) std::erase(targets_, block);
      } else if (client || t_checked.function != nullptr) {
        OpenForThread(block);  // until its next call, so that the next faulty access is found, too
      } else {
        Open(*block);
      }
      late_count_ = 0;
    }
    // A child of fork() has the parent's memory and reports nothing.
    if (getpid() != process_) return true;
    if (!client) {
      undeclared_.fetch_add(1, std::memory_order_relaxed);
      return true;
    }
    reports_.NextCall();
    if (block->device) {
      reports_.Add(Kind::kHostAccess, "the host touches device memory through its address", here, "allocated",
                   block->made);
    } else if (is_source) {
      reports_.Add(Kind::kHostMemory,
                   fmt::format("the source of {} is changed before its stream was waited for", copy.name), here,
                   fmt::format("read by {}", copy.name), copy.site);
    } else {
      reports_.Add(Kind::kUnwaited,
                   fmt::format("the host touches the target of {}, whose stream was not waited for", copy.name), here,
                   fmt::format("written by {}", copy.name), copy.site);
    }
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace portacl::check
