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
#include "check/call_sites.h"
#include "check/host_functions.h"
#include "check/reports.h"
#include "check/shadow.h"

namespace portacl::check {

class Guard {
 public:
  Guard(CallSites& sites, Reports& reports, HostFunctions& functions)
      : call_sites_(sites), reports_(reports), functions_(functions) {}

  // Whether one more block can be guarded, for which it needs pages of its own.
  bool HasRoom() noexcept;
  void BlockMade(const void* begin, size_t bytes, bool device, CallSiteId made);
  void BlockEnds(const void* begin) noexcept;

  // Pages that a task touches are open while it runs; those of a task without stream until this thread's call ends.
  void TaskQueued(const TaskNote& task);
  void TaskBegan(const void* task) noexcept;
  void TaskEnded(const void* task) noexcept;

  // The page-locked target or source of a queued copy, before TaskQueued(): closed until the host comes after it.
  void TargetQueued(const Touch& target, const Stamp& stamp) { SideQueued(target, stamp, false); }
  void SourceQueued(const Touch& source, const Stamp& stamp) { SideQueued(source, stamp, true); }
  void HostIsAfter(const Clocks& host) noexcept;

  // The function of the client that a task stands for begins: targets that it shares with copies behind it stay open
  // until the task ends.
  void FunctionBegins(const void* task);
  void FunctionEnds(const void* task) noexcept { CloseOf(task); }

  // A call of this thread begins or has ended.
  void CloseOfThread() noexcept;

  // Opens all for good.
  void End() noexcept;

  // Touches by the library of what no task had open: 0, but for mistakes in Describe().
  uint64_t undeclared() const noexcept { return undeclared_.load(std::memory_order_relaxed); }

  // Called by the handler of faults. False: the address is none of ours.
  bool Fault(uintptr_t address, void* code) noexcept;

 private:
  // Whole pages. Of device memory all of the block, and no copy.
  struct Area {
    uintptr_t begin;
    uintptr_t end;
    Stamp copy;
    bool is_source;      // of a copy: closed for writing only
    bool again = false;  // another copy had this target before
  };
  struct Block {
    uintptr_t begin;
    uintptr_t end;
    bool device;
    CallSiteId made;
    int users = 0;
    std::vector<Area> areas = {};
  };
  using BlockPointer = std::shared_ptr<Block>;
  struct Held {
    bool all = false;
    bool open = false;
    std::vector<BlockPointer> blocks = {};
  };

  void SideQueued(const Touch& side, const Stamp& stamp, bool is_source);
  void CloseOf(const void* holder) noexcept;

  // All below hold the lock.
  BlockPointer Find(uintptr_t address) const;
  Held Of(const TaskNote& task) const;
  bool IsOpen(const Block& block) const noexcept { return block.users > 0 || users_of_all_ > 0; }
  void Open(Block& block) noexcept;
  void Close(Block& block) noexcept;
  void Open(Held& held) noexcept;
  void Close(Held& held) noexcept;
  void OpenFor(const void* holder, const BlockPointer& block);
  void OpenForThread(const BlockPointer& block);
  void DropAreas(Block& block, const auto& which) noexcept;
  static bool Holds(const Area& area, uintptr_t address) noexcept {
    return area.begin <= address && address < area.end;
  }

  CallSites& call_sites_;
  Reports& reports_;
  HostFunctions& functions_;
  ProcessMutex mutex_;
  std::map<uintptr_t, BlockPointer> blocks_;
  std::vector<BlockPointer> targets_;  // page-locked blocks with areas
  std::unordered_map<const void*, Held> tasks_;
  std::unordered_map<const void*, std::vector<Held>>
      holders_;  // threads until their calls end, functions until they do
  int users_of_all_ = 0;
  bool ended_ = false;
  const pid_t process_ = getpid();
  uintptr_t late_address_ = 0;  // of a fault that another thread's Open() came before
  int late_count_ = 0;
  std::atomic<uint64_t> undeclared_{0};
};

}  // namespace portacl::check
