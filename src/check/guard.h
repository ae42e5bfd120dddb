// SPDX-License-Identifier: Apache-2.0
// Memory that the host must not touch: device memory, and the targets of queued copies until the host has waited for
// their stream. Its pages are closed unless a task of the library uses them. An access by the client is a fault, which
// is reported, and the program continues.
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

  // Whether another block can be guarded; it then needs pages of its own.
  bool HasRoom() noexcept;
  void BlockMade(const void* begin, size_t bytes, bool device, CallSiteId made);
  void BlockEnds(const void* begin) noexcept;

  // Pages that a task touches are open while it runs; for a task without a stream, until this thread's call ends.
  void TaskQueued(const TaskNote& task);
  void TaskBegan(const void* task) noexcept;
  void TaskEnded(const void* task) noexcept;

  // The page-locked target or source of a queued copy: closed until the host has waited for the copy. Called before
  // TaskQueued().
  void TargetQueued(const Touch& target, const Stamp& stamp) { SideQueued(target, stamp, false); }
  void SourceQueued(const Touch& source, const Stamp& stamp) { SideQueued(source, stamp, true); }
  void HostIsAfter(const Clocks& host) noexcept;

  // The client's function that a task runs has begun: targets that it shares with later copies stay open until the task
  // ends.
  void FunctionBegins(const void* task);
  void FunctionEnds(const void* task) noexcept { CloseOf(task); }

  // Called when a call of this thread begins or has ended.
  void CloseOfThread() noexcept;

  // Opens all pages for the rest of the process.
  void End() noexcept;

  // The number of accesses by the library to pages that no task had opened: 0, unless a Describe() is wrong.
  uint64_t undeclared() const noexcept { return undeclared_.load(std::memory_order_relaxed); }

  // Called by the fault handler. Returns false when the address belongs to no guarded block.
  bool Fault(uintptr_t address, void* code) noexcept;

 private:
  // A range of whole pages. For device memory it is the whole block, without a copy.
  struct Area {
    uintptr_t begin;
    uintptr_t end;
    Stamp copy;
    bool is_source;      // the source of a copy: closed only for writing
    bool again = false;  // an earlier copy had the same target
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

  // The callers of the functions below hold the lock.
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
      holders_;  // threads until their calls end, and functions until they end
  int users_of_all_ = 0;
  bool ended_ = false;
  const pid_t process_ = getpid();
  uintptr_t late_address_ = 0;  // the address of a fault that another thread's Open() resolved first
  int late_count_ = 0;
  std::atomic<uint64_t> undeclared_{0};
};

}  // namespace portacl::check
