// SPDX-License-Identifier: Apache-2.0
#include "trace/recorder.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/dtype.h"
#include "base/log.h"
#include "base/visibility.h"

namespace portacl::trace {
namespace {

constexpr int kCalls = 1;      // the trace's process of the threads
constexpr int kDevices = 100;  // the trace's process of the first device
constexpr uint64_t kStreamIndex = (1u << 20) - 1;

PORTACL_HOT_THREAD_LOCAL constinit thread_local int64_t t_call_began_ns = 0;
PORTACL_HOT_THREAD_LOCAL constinit thread_local int64_t t_thread = 0;

int64_t NowNs() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int64_t ThisThread() noexcept {
  if (t_thread == 0) t_thread = syscall(SYS_gettid);
  return t_thread;
}

double Us(int64_t ns) noexcept { return static_cast<double>(ns) * 1e-3; }

// Replaces %p by the process, and %% by one %.
std::string FileName(const std::string& pattern) {
  std::string name;
  for (size_t at = 0; at < pattern.size(); ++at) {
    const char next = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (pattern[at] != '%' || (next != 'p' && next != '%')) {
      name += pattern[at];
      continue;
    }
    name += next == 'p' ? std::to_string(getpid()) : "%";
    ++at;
  }
  return name;
}

}  // namespace

void Recorder::Start(const std::string& name, bool table) {
  {
    const std::scoped_lock lock(mutex_);
    name_ = name;
    table_ = table;
    OpenNamed();
    if (!file_.IsOpen() && !table_) return;
    runs_.store(true, std::memory_order_release);
  }
  AddObserver(*this);
}

bool Recorder::Begin(const std::string& path, std::string* error) {
  {
    const std::scoped_lock lock(mutex_);
    Forget();
    plans_.clear();
    for (const bool device : {false, true}) {
      blocks_[device].clear();
      used_[device] = 0;
    }
    if (!Open(path)) {
      *error = file_.error();
      return false;
    }
  }
  Resume();
  return true;
}

void Recorder::Pause() noexcept {
  runs_.store(false, std::memory_order_release);
  RestObserver(*this);
}

void Recorder::Resume() noexcept {
  runs_.store(true, std::memory_order_release);
  AddObserver(*this);
}

bool Recorder::Open(const std::string& path) noexcept {
  if (!file_.Open(path)) return false;
  Write(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"calls of process {}"}}}})", kCalls,
                    getpid()));
  return true;
}

void Recorder::OpenNamed() noexcept {
  if (name_.empty()) return;
  const std::string path = FileName(name_);
  if (Open(path)) return;
  std::fprintf(stderr, "portacl: PORTACL_TRACE: expected a file that can be written, got '%s': %s\n", path.c_str(),
               file_.error().c_str());
}

void Recorder::Write(std::string_view element) noexcept {
  if (!file_.IsOpen() || file_.Append(element)) return;
  if (name_.empty()) {
    Logf(LogLevel::kError, "aclprofStart: the trace ends here: {}", file_.error());
    return;
  }
  std::fprintf(stderr, "portacl: PORTACL_TRACE: the trace ends here: %s\n", file_.error().c_str());
}

void Recorder::Finish() noexcept {
  Pause();
  const std::scoped_lock lock(mutex_);
  file_.Close();
  if (!table_) return;
  try {
    const std::string text = summary_.Table();
    std::fprintf(stderr, "%s", text.empty() ? "portacl: no task ran\n" : text.c_str());
  } catch (...) {
    std::fputs("portacl: PORTACL_TRACE: out of host memory\n", stderr);
  }
}

void Recorder::Forget() noexcept {
  summary_ = {};
  tasks_.clear();
  recorded_.clear();
  threads_.clear();
  streams_.clear();
  devices_.clear();
}

void Recorder::BeginAnew() noexcept {
  file_.Abandon();
  if (!runs_.load(std::memory_order_relaxed)) return;
  const bool own_file = name_.find("%p") != std::string::npos;
  Forget();
  t_thread = 0;
  table_ = false;  // only the parent prints it
  if (own_file) OpenNamed();
  runs_.store(file_.IsOpen(), std::memory_order_relaxed);
}

void Recorder::NameThread(int64_t thread) {
  if (!threads_.insert(thread).second) return;
  Write(fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"thread {}"}}}})", kCalls,
                    thread, thread));
}

int Recorder::NameStream(int device, uint64_t stream) {
  const int process = kDevices + device;
  if (devices_.insert(device).second) {
    Write(fmt::format(R"({{"name":"process_name","ph":"M","pid":{},"args":{{"name":"streams of device {}"}}}})",
                      process, device));
  }
  if (streams_.insert(stream).second) {
    const uint64_t number = stream & kStreamIndex;
    Write(fmt::format(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"stream {}"}}}})", process,
                      number, number));
  }
  return process;
}

void Recorder::CallBegan(const char*) noexcept { t_call_began_ns = NowNs(); }

void Recorder::CallEnded(const char* function) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  if (!file_.IsOpen()) return;
  try {
    NameThread(ThisThread());
    Write(fmt::format(R"({{"name":"{}","cat":"call","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}})", function,
                      kCalls, ThisThread(), Us(t_call_began_ns), Us(now - t_call_began_ns)));
  } catch (...) {
    // When memory is exhausted, the call is missing.
  }
}

void Recorder::Planned(const PlanNote& plan) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  try {
    Operands operands;
    for (const OperandNote& operand : plan.operands) {
      if (operand.data == nullptr && operand.bytes == 0) continue;
      const auto dtype = static_cast<aclDataType>(operand.dtype);
      if (!operands.text.empty()) operands.text += ' ';
      const std::string name =
          operand.element < 0 ? operand.argument : fmt::format("{}[{}]", operand.argument, operand.element);
      operands.text += name;
      if (operand.written) operands.outputs += (operands.outputs.empty() ? "" : " ") + name;
      fmt::format_to(std::back_inserter(operands.text), " {}[{}]", DtypeName(dtype), fmt::join(operand.shape, ","));
      double bytes = static_cast<double>(ElementBytes(dtype));
      for (const int64_t size : operand.shape) bytes *= static_cast<double>(size);
      // A broadcast operand is read once.
      const auto reach = static_cast<double>(operand.bytes);
      operands.bytes += bytes == 0 ? reach : std::min(bytes, reach);
    }
    const std::scoped_lock lock(mutex_);
    plans_[plan.executor] = std::move(operands);
  } catch (...) {
    // When memory is exhausted, the task has no shapes.
  }
}

void Recorder::PlanCopied(const void* from, const void* to) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const std::scoped_lock lock(mutex_);
  try {
    const auto found = plans_.find(from);
    if (found != plans_.end()) plans_[to] = Operands(found->second);
  } catch (...) {
    // When memory is exhausted, the task has no shapes.
  }
}

void Recorder::TaskQueued(const TaskNote& task) noexcept {
  if (!runs_.load(std::memory_order_acquire) || task.stream == 0) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  try {
    Pending pending{task.name, task.role, task.device, task.moment, {}, next_flow_++};
    if (const auto plan = plans_.find(task.task); plan != plans_.end() && task.role == TaskRole::kOperator) {
      pending.operands = std::move(plan->second);
      plans_.erase(plan);
    } else {
      for (const Touch& touch : task.touches)
        pending.operands.bytes += static_cast<double>(touch.width) * static_cast<double>(touch.rows);
      if (!task.touches.empty())
        pending.operands.text = fmt::format("{} bytes", task.touches.back().width * task.touches.back().rows);
    }
    if (task.role == TaskRole::kRecord && task.moment != nullptr) recorded_[task.moment] = next_flow_++;
    NameThread(ThisThread());
    Write(fmt::format(R"({{"name":"queued","cat":"flow","ph":"s","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                      pending.flow, kCalls, ThisThread(), Us(now)));
    tasks_.insert_or_assign(task.task, std::move(pending));
  } catch (...) {
    // When memory is exhausted, the task is missing.
  }
}

void Recorder::TaskRefused(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  tasks_.erase(task);
}

void Recorder::TaskBegan(const void* task, uint64_t) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(task);
  // Only the first beginning counts: a wait begins again each time it is resumed.
  if (found != tasks_.end() && found->second.began_ns == 0) found->second.began_ns = now;
}

void Recorder::TaskEnded(const void* task, uint64_t stream, int32_t status) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  const auto found = tasks_.find(task);
  if (found == tasks_.end() || found->second.began_ns == 0) return;
  try {
    const Pending pending = std::move(found->second);
    tasks_.erase(found);
    const auto ns = static_cast<double>(now - pending.began_ns);
    if (pending.role != TaskRole::kWait && pending.role != TaskRole::kRecord) {
      summary_.Add(
          pending.operands.text.empty() ? pending.name : fmt::format("{} {}", pending.name, pending.operands.text), ns,
          pending.operands.bytes);
    }
    if (!file_.IsOpen()) return;
    const int process = NameStream(pending.device, stream);
    const uint64_t thread = stream & kStreamIndex;
    const bool orders = pending.role == TaskRole::kWait || pending.role == TaskRole::kRecord;
    const char* const category = orders ? "order" : pending.role == TaskRole::kOperator ? "operator" : "task";
    Write(fmt::format(R"({{"name":"{}","cat":"{}","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f},)"
                      R"("args":{{"operands":"{}","outputs":"{}","bytes":{:.0f},"GB/s":{:.3f},"status":{}}}}})",
                      pending.name, category, process, thread, Us(pending.began_ns), Us(now - pending.began_ns),
                      pending.operands.text, pending.operands.outputs, pending.operands.bytes,
                      ns == 0 ? 0.0 : pending.operands.bytes / ns, status));
    Write(fmt::format(R"({{"name":"queued","cat":"flow","ph":"f","bp":"e","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                      pending.flow, process, thread, Us(pending.began_ns)));
    if (pending.moment == nullptr) return;
    if (pending.role == TaskRole::kRecord) {
      // A waiting stream may be resumed before this task has ended.
      Write(fmt::format(R"({{"name":"event","cat":"event","ph":"s","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                        recorded_[pending.moment], process, thread, Us(pending.began_ns)));
    } else if (const auto arrow = recorded_.find(pending.moment); arrow != recorded_.end()) {
      Write(fmt::format(R"({{"name":"event","cat":"event","ph":"f","bp":"e","id":{},"pid":{},"tid":{},"ts":{:.3f}}})",
                        arrow->second, process, thread, Us(now)));
    }
  } catch (...) {
    // When memory is exhausted, the task is missing.
  }
}

void Recorder::WriteMemory(int64_t now, bool device) {
  Write(fmt::format(R"({{"name":"{} memory","ph":"C","pid":{},"ts":{:.3f},"args":{{"bytes":{}}}}})",
                    device ? "device" : "page-locked", kCalls, Us(now), used_[device]));
}

void Recorder::BlockMade(const void* begin, size_t bytes, bool device, bool) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  try {
    blocks_[device][begin] = bytes;
    used_[device] += static_cast<int64_t>(bytes);
    WriteMemory(now, device);
  } catch (...) {
    // When memory is exhausted, the block is not counted.
  }
}

void Recorder::BlockEnds(const void* begin, bool device) noexcept {
  if (!runs_.load(std::memory_order_acquire)) return;
  const int64_t now = NowNs();
  const std::scoped_lock lock(mutex_);
  try {
    const auto found = blocks_[device].find(begin);
    if (found == blocks_[device].end()) return;
    used_[device] -= static_cast<int64_t>(found->second);
    blocks_[device].erase(found);
    WriteMemory(now, device);
  } catch (...) {
    // When memory is exhausted, the block is not counted.
  }
}

}  // namespace portacl::trace
