// SPDX-License-Identifier: Apache-2.0
// Owners of the report lists, one per thread and one for the process; and aclGetRecentErrMsg().
#include "base/status.h"

#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "acl/acl_rt.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "base/observer.h"
#include "base/process_mutex.h"
#include "base/report_list.h"
#include "base/thread_end.h"

namespace portacl {
namespace {

struct ThreadReports {
  ReportList list;
  std::string shown;  // the last result of aclGetRecentErrMsg()
};

struct ProcessReports {
  ProcessMutex mutex;
  ReportList list;
};

// Trivial thread-locals stay readable while a thread ends and in destructors of static objects; the list itself does
// not.
PORTACL_HOT_THREAD_LOCAL constinit thread_local ThreadReports* thread_reports = nullptr;
PORTACL_HOT_THREAD_LOCAL constinit thread_local bool thread_ended = false;
PORTACL_HOT_THREAD_LOCAL constinit thread_local bool report_lost = false;
PORTACL_HOT_THREAD_LOCAL constinit thread_local int32_t last_runtime_error = 0;
PORTACL_HOT_THREAD_LOCAL constinit thread_local ReportCatcher* report_catcher = nullptr;

constinit std::atomic<ReportScope> scope{ReportScope::kThread};

constexpr const char kReportLost[] = "the text of an error was lost because the process is out of memory";

const ThreadEnd reports_end([](void* reports) {
  thread_ended = true;
  thread_reports = nullptr;
  delete static_cast<ThreadReports*>(reports);
});

ThreadReports* MyReports() {
  if (thread_reports != nullptr || thread_ended) return thread_reports;
  auto reports = std::make_unique<ThreadReports>();
  if (!reports_end.Watch(reports.get())) throw std::bad_alloc();
  thread_reports = reports.release();
  return thread_reports;
}

// Never destroyed: clients call from destructors of their own static objects.
ProcessReports& SharedReports() {
  static NeverDestroyed<ProcessReports> reports;
  return *reports;
}

bool IsRuntimeCode(int32_t code) noexcept {
  const int32_t family = code / 1000;
  return family == 107 || family == 207 || family == 507;
}

void Record(int32_t code, std::string_view text) {
  const Timestamp now = Now();
  if (scope.load(std::memory_order_relaxed) == ReportScope::kProcess) {
    ProcessReports& reports = SharedReports();
    const std::lock_guard lock(reports.mutex);
    reports.list.Append(code, text, now);
  } else if (ThreadReports* mine = MyReports()) {
    mine->list.Append(code, text, now);
  }
}

std::string TakeReports(ThreadReports& mine) {
  if (scope.load(std::memory_order_relaxed) == ReportScope::kThread) return mine.list.Take();
  ProcessReports& reports = SharedReports();
  const std::lock_guard lock(reports.mutex);
  return reports.list.Take();
}

}  // namespace

inline namespace v1 {

int32_t Fail(int32_t code, const char* text, size_t length) noexcept {
  if (length > kMaxReportBytes) {
    length = kMaxReportBytes;
    // Bytes 10xxxxxx continue a UTF-8 character.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0u) == 0x80u) --length;
  }
  if (report_catcher != nullptr) {
    report_catcher->Catch(text, length);
    return code;
  }
  if (IsRuntimeCode(code)) last_runtime_error = code;
  try {
    Record(code, {text, length});
  } catch (...) {
    report_lost = true;
  }
  NotifyObservers([=](Observer& each) { each.Failed(code, {text, length}); });
  if (LogEnabled(LogLevel::kError)) Log(LogLevel::kError, text, length);
  return code;
}

ReportCatcher::ReportCatcher() noexcept : outer_(std::exchange(report_catcher, this)) {}
ReportCatcher::~ReportCatcher() { report_catcher = outer_; }
void ReportCatcher::Catch(const char* text, size_t length) noexcept {
  std::memcpy(text_, text, length);
  length_ = length;
}

}  // namespace v1

void SetReportScope(ReportScope new_scope) noexcept { scope.store(new_scope, std::memory_order_relaxed); }

std::string TakeReportOf(int32_t code) noexcept {
  const bool has_list = thread_reports != nullptr && scope.load(std::memory_order_relaxed) == ReportScope::kThread;
  return has_list ? thread_reports->list.TakeNewest(code) : std::string();
}

int32_t LastRuntimeError() noexcept { return last_runtime_error; }

void ClearLastRuntimeError() noexcept { last_runtime_error = 0; }

}  // namespace portacl

const char* aclGetRecentErrMsg() {
  using namespace portacl;
  try {
    ThreadReports* mine = MyReports();
    if (mine == nullptr) return nullptr;
    std::string text = TakeReports(*mine);
    if (!text.empty()) {
      mine->shown = std::move(text);
      report_lost = false;
      return mine->shown.c_str();
    }
  } catch (...) {
    report_lost = true;
  }
  return std::exchange(report_lost, false) ? kReportLost : nullptr;
}
