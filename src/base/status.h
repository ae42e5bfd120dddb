// SPDX-License-Identifier: Apache-2.0
// How a function fails: one report with one sentence, and the status code handed back to the caller.
//
//   if (size == 0) return Failf(100000, "aclrtMalloc: argument 'size': expected a positive number of bytes, got 0");
//
// Reports are read by the client with aclGetRecentErrMsg(). Every function here may be called from any thread at any
// time, also from destructors of static objects: when the thread's list is already gone the report is dropped, the code
// still comes back.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include "base/visibility.h"

namespace portacl {

/// Longest text of one report in bytes; a longer one is cut at a character boundary.
inline constexpr size_t kMaxReportBytes = 1024;

/// Most reports one list holds; the oldest gives way.
inline constexpr size_t kMaxReports = 1000;

inline namespace v1 {

/// Appends one report to the calling thread's list (or the process list) and writes it to the log. A runtime code
/// (107xxx, 207xxx, 507xxx) also becomes the thread's last runtime error. Returns `code`.
PORTACL_EXPORT int32_t Fail(int32_t code, const char* text, size_t length) noexcept;

}  // namespace v1

inline namespace v1 {

/// While it lives, what fails in this thread is no report of the call and reaches nobody else: for checks whose outcome
/// no status tells the client.
class ReportCatcher {
 public:
  PORTACL_EXPORT ReportCatcher() noexcept;
  PORTACL_EXPORT ~ReportCatcher();
  ReportCatcher(const ReportCatcher&) = delete;
  ReportCatcher& operator=(const ReportCatcher&) = delete;

  void Catch(const char* text, size_t length) noexcept;
  /// The text of the last failure.
  std::string_view text() const noexcept { return {text_, length_}; }

 private:
  char text_[kMaxReportBytes];
  size_t length_ = 0;
  ReportCatcher* const outer_;
};

}  // namespace v1

/// The threads that share a list of reports.
enum class ReportScope : uint8_t { kThread, kProcess };

/// From now on reports are appended to, and read from, the lists of this scope.
void SetReportScope(ReportScope scope) noexcept;

/// The thread's last runtime error, 0 when there is none.
int32_t LastRuntimeError() noexcept;
void ClearLastRuntimeError() noexcept;

/// Fail() with a formatted text; nothing is allocated for the usual argument types. Kept out of line, as its buffer
/// would burden the stack frames of functions that succeed.
template <class... Arguments>
[[gnu::cold, gnu::noinline]] int32_t Failf(int32_t code, fmt::format_string<Arguments...> format,
                                           Arguments&&... arguments) noexcept {
  // A few bytes more than a report keeps let Fail() see where the last whole character ends.
  char text[kMaxReportBytes + 4];
  try {
    const auto written = fmt::format_to_n(text, sizeof(text), format, std::forward<Arguments>(arguments)...);
    return Fail(code, text, written.size < sizeof(text) ? written.size : sizeof(text));
  } catch (...) {
    const fmt::string_view pattern = format;
    return Fail(code, pattern.data(), pattern.size());
  }
}

/// Runs `body` (which returns a status code) so that no exception leaves a C function. The default codes are those of
/// the runtime functions; aclnn functions pass their own.
template <class Body>
int32_t Guard(const char* function, Body&& body, int32_t out_of_memory = 207001, int32_t internal = 500000) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (const std::bad_alloc&) {
    return Failf(out_of_memory, "{}: out of host memory", function);
  } catch (...) {
    return Failf(internal, "{}: an internal error stopped the call", function);
  }
}

}  // namespace portacl
