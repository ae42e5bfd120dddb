// SPDX-License-Identifier: Apache-2.0
// Memory that the host must not touch: device memory, and the targets of queued copies until their stream was waited
// for. Its pages are closed while no work of the library has them open. A touch by the client is a fault, which is
// reported, and the program goes on.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/observer.h"
#include "base/process_mutex.h"
#include "check/places.h"
#include "check/reports.h"
#include "check/shadow.h"

namespace portacl::check {

class Guard {
 public:
  Guard(Places& places, Reports& reports) : places_(places), reports_(reports) {}

  // Whether one more block can be guarded, for which it needs pages of its own.
  bool HasRoom() noexcept;
  void BlockMade(const void* begin, size_t bytes, bool device, PlaceId made);
  void BlockEnds(const void* begin) noexcept;

  // What a task touches is open while it runs; of a task without stream until the call of this thread ends.
  void TaskQueued(const TaskNote& task);
  void TaskBegan(const void* task) noexcept;
  void TaskEnded(const void* task) noexcept;

  // The page-locked target of a queued copy, before TaskQueued(): closed until the host comes after it.
  void TargetQueued(const Touch& target, const Stamp& stamp);
  void HostIsAfter(const Clocks& host) noexcept;

  // A call of this thread begins or has ended.
  void CloseOfThread() noexcept;

  // Opens all for good.
  void End() noexcept;

  // Touches by the library of what no task had open: 0, but for mistakes in Describe().
  uint64_t undeclared() const noexcept { return undeclared_.load(std::memory_order_relaxed); }

  // Of the handler of faults. False: the address is none of ours.
  bool Fault(uintptr_t address, void* code) noexcept;

 private:
  // Whole pages. Of device memory all of the block, and no copy.
  struct Area {
    uintptr_t begin;
    uintptr_t end;
    Stamp copy;
  };
  struct Block {
    uintptr_t begin;
    uintptr_t end;
    bool device;
    PlaceId made;
    int users = 0;
    std::vector<Area> areas = {};
  };
  using BlockPointer = std::shared_ptr<Block>;
  struct Held {
    bool all = false;
    bool open = false;
    std::vector<BlockPointer> blocks = {};
  };

  // All below hold the lock.
  BlockPointer Find(uintptr_t address) const;
  Held Of(const TaskNote& task) const;
  bool IsOpen(const Block& block) const noexcept { return block.users > 0 || users_of_all_ > 0; }
  void Open(Block& block) noexcept;
  void Close(Block& block) noexcept;
  void Open(Held& held) noexcept;
  void Close(Held& held) noexcept;
  void OpenForThread(const BlockPointer& block);
  void DropAreas(Block& block, const auto& which) noexcept;
  const Area* AreaAt(const Block& block, uintptr_t address) const noexcept;

  Places& places_;
  Reports& reports_;
  ProcessMutex mutex_;
  std::map<uintptr_t, BlockPointer> blocks_;
  std::vector<BlockPointer> targets_;  // page-locked blocks with areas
  std::unordered_map<const void*, Held> tasks_;
  std::unordered_map<const void*, std::vector<Held>> threads_;  // until their calls end
  int users_of_all_ = 0;
  bool ended_ = false;
  const pid_t process_ = getpid();
  uintptr_t late_address_ = 0;  // of a fault that another thread's Open() came before
  int late_count_ = 0;
  std::atomic<uint64_t> undeclared_{0};
};

}  // namespace portacl::check
