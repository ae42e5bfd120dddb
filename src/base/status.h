// SPDX-License-Identifier: Apache-2.0
// How a function reports a failure: one report with one sentence, and the status code for the caller.
//
//   if (size == 0) return Failf(100000, "aclrtMalloc: argument 'size': expected a positive number of bytes, got 0");
//
// The client reads reports with aclGetRecentErrMsg(). Every function here may be called from any thread at any time,
// also from destructors of static objects: when the thread's list is already destroyed, the report is dropped, but the
// code is still returned.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "base/visibility.h"

namespace portacl {

/// The length limit of the text of one report in bytes; a longer text is truncated at a character boundary.
inline constexpr size_t kMaxReportBytes = 1024;

/// The largest number of reports in one list; after that, the oldest one is dropped.
inline constexpr size_t kMaxReports = 1000;

inline namespace v1 {

/// Appends one report to the calling thread's list (or the process list) and writes it to the log. A runtime code
/// (107xxx, 207xxx, 507xxx) also becomes the thread's last runtime error. Returns `code`.
PORTACL_EXPORT int32_t Fail(int32_t code, const char* text, size_t length) noexcept;

}  // namespace v1

inline namespace v1 {

/// While it lives, failures in this thread make no report of the call and are not passed to anything else: for checks
/// whose outcome does not affect the status of the call.
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

/// Whether a list of reports belongs to a thread or to the process.
enum class ReportScope : uint8_t { kThread, kProcess };

/// From now on reports are appended to, and read from, the lists of this scope.
void SetReportScope(ReportScope scope) noexcept;

/// Removes the reports of this thread, which must not be a client's, and returns the text of the newest if that has this
/// code; empty where the client can read it, because reports belong to the process.
std::string TakeReportOf(int32_t code) noexcept;

/// The thread's last runtime error; 0 when there is none.
int32_t LastRuntimeError() noexcept;
void ClearLastRuntimeError() noexcept;

/// Fail() with a formatted text; nothing is allocated for the usual argument types. Not inlined, because its buffer
/// would enlarge the stack frames of functions that succeed.
template <class... Arguments>
[[gnu::cold, gnu::noinline]] int32_t Failf(int32_t code, fmt::format_string<Arguments...> format,
                                           Arguments&&... arguments) noexcept {
  // The buffer has a few bytes more than a report, so that Fail() sees where the last complete character ends.
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
/// the runtime functions; aclnn functions pass other codes.
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
