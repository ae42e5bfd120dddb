// SPDX-License-Identifier: Apache-2.0
// Strict mode: an observer that judges accesses by the order that the program defines, never by when a task actually
// ran.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/observer.h"
#include "base/process_mutex.h"
#include "base/soc.h"
#include "check/call_sites.h"
#include "check/guard.h"
#include "check/host_functions.h"
#include "check/reports.h"
#include "check/shadow.h"
#include "check/views.h"

namespace portacl::check {

inline uintptr_t Number(const void* address) noexcept { return reinterpret_cast<uintptr_t>(address); }

class Checker final : public Observer {
 public:
  Checker() : reports_(call_sites_), guard_(call_sites_, reports_, functions_) {}

  Reports& reports() noexcept { return reports_; }
  Guard& guard() noexcept { return guard_; }
  // The SoCs whose refusals are reported: "Ascend310P,Ascend950". Returns false, and none is reported, when a name is
  // not a SoC.
  bool AskAbout(std::string_view socs) noexcept;
  // Reports the objects that are still alive at the end of the process.
  void ReportLeaks() noexcept;

  void CallBegan(const char* function) noexcept override;
  void CallEnded(const char* function) noexcept override;
  bool AsksAbout(SocFamily family) const noexcept override { return asked_[static_cast<size_t>(family)]; }
  void RefusedOn(const Soc& soc, int32_t code, std::string_view text) noexcept override;
  void Failed(int32_t code, std::string_view text) noexcept override;
  void Planned(const PlanNote& plan) noexcept override;
  void PlanCopied(const void* from, const void* to) noexcept override;
  void TaskQueued(const TaskNote& task) noexcept override;
  void TaskRefused(const void* task) noexcept override;
  void TaskBegan(const void* task, uint64_t stream) noexcept override;
  void TaskEnded(const void* task, uint64_t stream, int32_t status) noexcept override;
  void Wrote(const std::byte* address, size_t bytes) noexcept override;
  void Ordered(Order order, uint64_t stream, const void* moment) noexcept override;
  bool WantsPages() noexcept override { return !UnderPlugIn() && guard_.HasRoom(); }
  void BlockMade(const void* begin, size_t bytes, bool device, bool own_pages) noexcept override;
  void BlockEnds(const void* begin, bool device) noexcept override;
  void HandleMade(HandleKind kind, uint64_t handle) noexcept override;
  void HandleEnded(HandleKind kind, uint64_t handle) noexcept override;
  void HandleDead(HandleKind kind, uint64_t handle) noexcept override;

 private:
  struct Agent {
    Clocks clocks;
    bool follows_unknown = false;  // it waits for an event that cannot be tracked
    uint64_t finished = 0;         // the clock of its last finished task
  };
  struct Block {
    size_t bytes;
    bool device;
    bool of_plug_in;  // not reported as a leak: PyTorch's tensors may use it after the interpreter has ended
    CallSiteId made;
    Shadow shadow;
  };
  struct FreedBlock {
    uintptr_t begin;
    size_t bytes;
    CallSiteId freed;
  };
  struct Operand {
    const char* argument;
    bool written;
    const std::byte* begin;
    ViewBytes view;
    std::vector<int64_t> layout;
  };
  struct Plan {
    const char* name;
    uint64_t handle;
    CallSiteId site;
    std::vector<Operand> operands;
  };
  struct Queued {
    uint32_t agent;
    Stamp stamp;
    std::vector<Touch> outputs;
    std::optional<Agent> before;  // for a function that has not begun: the work before it
  };
  // The source of a queued copy, which must not change.
  struct Source {
    uint32_t agent;
    const std::byte* begin;
    size_t bytes;
    std::optional<uint64_t> sum;  // none: functions before the copy may still write it
    const void* task;
    Stamp stamp;
  };
  // Bytes that were not written when a task was queued that reads them and waits for an event that cannot be tracked:
  // until the task begins, others may write them.
  struct Awaited {
    const void* task;
    uint32_t agent;
    uintptr_t begin;
    uintptr_t end;
    Stamp stamp;
  };
  // The access that is being checked.
  struct Current {
    const void* task;
    const char* name;
    CallSiteId site;
    uint32_t agent;
    const Clocks& clocks;
    Stamp stamp;
    bool unordered;  // it waits for an unknown event, so its order is not checked
  };

  // Whether PyTorch's plug-in is loaded: then CPU kernels replace operators that the toolkit lacks, and use device
  // memory without a call of the library.
  static bool UnderPlugIn() noexcept;

  // The callers of the functions below hold the lock.
  uint32_t AgentOf(uint64_t stream);
  Block* FindBlock(const std::byte* address, uintptr_t* begin);
  void Touches(const Current& current, const Touch& touch, const Plan* plan);
  void Access(const Current& current, const std::byte* begin, size_t bytes, bool written, bool exact, bool workspace,
              bool partly = false);
  void Judge(const Current& current, const Block& block, const Stamp& other, bool other_wrote, bool written,
             bool workspace);
  void ReportOverlaps(const Plan& plan, const std::vector<Touch>& touches, CallSiteId site);
  void MarkFailed(const Plan& plan);
  void JoinHost(const Agent& other);
  void HostIsAfter(uint32_t agent);
  void HostFunctionBegins(Queued& function);
  void QueueSource(const Current& copy, const Touch& touch);
  void SumSources(const void* task);
  void ForgetSources(const std::byte* begin, size_t bytes);
  void ReportUninitialized(const char* name, CallSiteId site, const Block& block);
  void AwaitedComes(uint32_t writer, uintptr_t begin, uintptr_t end);
  void JudgeAwaited(const void* task);
  void Forget(const void* task) noexcept;

  bool asked_[kSocFamilies] = {};
  CallSites call_sites_;
  Reports reports_;
  HostFunctions functions_;
  Guard guard_;
  ProcessMutex mutex_;
  std::vector<Agent> agents_{1};
  std::unordered_map<uint64_t, uint32_t> streams_;
  std::vector<uint32_t> spare_agents_;
  std::unordered_map<const void*, Agent> moments_;
  std::map<uintptr_t, Block> blocks_;
  std::deque<FreedBlock> freed_;
  std::unordered_map<const void*, Plan> plans_;
  std::unordered_map<uint64_t, const void*> executors_;  // plans by the handle of their executor
  std::unordered_set<uint64_t> repeatable_;              // executors that have run and are still alive
  std::unordered_map<const void*, Queued> queued_;
  std::vector<Source> sources_;
  std::vector<Awaited> awaited_;
  std::unordered_map<uint64_t, CallSiteId> live_[9];
  std::unordered_map<uint64_t, CallSiteId> ended_;
  std::deque<uint64_t> ended_order_;
};

}  // namespace portacl::check
