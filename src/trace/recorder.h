// SPDX-License-Identifier: Apache-2.0
// Writes events of the library into a trace (docs/traces.md): PORTACL_TRACE, and aclprof*.
//
// Rows of process 1 are threads with their calls; rows of the processes from 100 on are the streams of a device with
// their tasks. Times are microseconds of a monotonic clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/observer.h"
#include "base/process_mutex.h"
#include "trace/summary.h"
#include "trace/trace_file.h"

namespace portacl::trace {

class Recorder final : public Observer {
 public:
  // `name`: a file, where %p is replaced by the process; empty: no file, only the table.
  void Start(const std::string& name, bool table);
  // Like Start() for a part of the program, which Pause() and Resume() may divide. Returns false, with the reason in
  // `error`, when the file cannot be written.
  bool Begin(const std::string& path, std::string* error);
  void Pause() noexcept;
  void Resume() noexcept;
  // Closes the file and prints the table.
  void Finish() noexcept;
  // Called in a forked child.
  void BeginAnew() noexcept;

  void CallBegan(const char* function) noexcept override;
  void CallEnded(const char* function) noexcept override;
  void Planned(const PlanNote& plan) noexcept override;
  void PlanCopied(const void* from, const void* to) noexcept override;
  void TaskQueued(const TaskNote& task) noexcept override;
  void TaskRefused(const void* task) noexcept override;
  void TaskBegan(const void* task, uint64_t stream) noexcept override;
  void TaskEnded(const void* task, uint64_t stream, int32_t status) noexcept override;
  void BlockMade(const void* begin, size_t bytes, bool device, bool own_pages) noexcept override;
  void BlockEnds(const void* begin, bool device) noexcept override;

 private:
  struct Operands {
    std::string text;     // "self FLOAT[2,3] out FLOAT[2,3]"
    std::string outputs;  // "out"
    double bytes = 0;
  };
  struct Pending {
    const char* name;
    TaskRole role;
    int device;
    const void* moment;
    Operands operands;
    uint64_t flow;
    int64_t began_ns = 0;
  };

  // The callers of the functions below hold the lock.
  bool Open(const std::string& path) noexcept;
  void OpenNamed() noexcept;
  void Forget() noexcept;
  void Write(std::string_view element) noexcept;
  void NameThread(int64_t thread);
  int NameStream(int device, uint64_t stream);
  void WriteMemory(int64_t now, bool device);

  ProcessMutex mutex_;
  std::atomic<bool> runs_{false};
  bool table_ = false;
  std::string name_;
  TraceFile file_;
  Summary summary_;
  uint64_t next_flow_ = 1;
  std::unordered_map<const void*, Operands> plans_;
  std::unordered_map<const void*, Pending> tasks_;
  std::unordered_map<const void*, uint64_t> recorded_;  // the arrow from a moment to the task that waits for it
  std::unordered_map<const void*, size_t> blocks_[2];
  int64_t used_[2] = {};
  std::unordered_set<int64_t> threads_;
  std::unordered_set<uint64_t> streams_;
  std::unordered_set<int> devices_;
};

}  // namespace portacl::trace
