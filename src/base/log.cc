// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "base/environment.h"
#include "base/no_cancel.h"
#include "base/timestamp.h"
#include "base/visibility.h"

namespace portacl {
namespace {

constexpr uint8_t kUnread = 255;
constinit std::atomic<uint8_t> least_level{kUnread};

constexpr const char* kLevelNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};

uint8_t ReadLeastLevel() noexcept {
  if (VariableInteger(Variable::kLogToStdout, 0, 1, 0) == 0) return static_cast<uint8_t>(LogLevel::kOff);
  const auto level = VariableInteger(Variable::kLogLevel, static_cast<int64_t>(LogLevel::kDebug),
                                     static_cast<int64_t>(LogLevel::kOff), static_cast<int64_t>(LogLevel::kError));
  return static_cast<uint8_t>(level);
}

uint8_t LeastLevel() noexcept {
  uint8_t level = least_level.load(std::memory_order_relaxed);
  if (level != kUnread) return level;
  // An invalid value of one of the two variables is itself logged, which needs the level again: that call gets the
  // default.
  PORTACL_HOT_THREAD_LOCAL static thread_local bool reading = false;
  if (reading) return static_cast<uint8_t>(LogLevel::kError);
  reading = true;
  level = ReadLeastLevel();
  reading = false;
  least_level.store(level, std::memory_order_relaxed);
  return level;
}

}  // namespace

inline namespace v1 {

bool LogEnabled(LogLevel level) noexcept {
  return level < LogLevel::kOff && static_cast<uint8_t>(level) >= LeastLevel();
}

void Log(LogLevel level, const char* text, size_t length) noexcept {
  if (!LogEnabled(level)) return;
  const TimestampText time(Now());
  const NoCancel no_cancel;
  // One call for each line: lines of several threads are not mixed, and their order with the client's own output is
  // kept.
  std::fprintf(stdout, "[%s] PORTACL(%d) %.*s %.*s\n", kLevelNames[static_cast<size_t>(level)],
               static_cast<int>(getpid()), static_cast<int>(time.view().size()), time.view().data(),
               static_cast<int>(std::min(length, kMaxLogBytes)), text);
  std::fflush(stdout);
}

}  // namespace v1

void ForgetLogLevelForTest() noexcept { least_level.store(kUnread, std::memory_order_relaxed); }

}  // namespace portacl
