// SPDX-License-Identifier: Apache-2.0
// Log lines. They are written only if ASCEND_SLOG_PRINT_TO_STDOUT is 1; ASCEND_GLOBAL_LOG_LEVEL sets the lowest level
// that is written.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/visibility.h"

namespace portacl {

/// Values of ASCEND_GLOBAL_LOG_LEVEL.
enum class LogLevel : uint8_t { kDebug, kInfo, kWarning, kError, kOff };

/// The length limit of the text of one line in bytes; longer text is truncated.
inline constexpr size_t kMaxLogBytes = 1024;

inline namespace v1 {

/// Takes one relaxed load once the variables have been read.
PORTACL_EXPORT bool LogEnabled(LogLevel level) noexcept;

/// Writes "[ERROR] PORTACL(<pid>) <time> <text>" when the level is enabled.
PORTACL_EXPORT void Log(LogLevel level, const char* text, size_t length) noexcept;

}  // namespace v1

template <class... Arguments>
void Logf(LogLevel level, fmt::format_string<Arguments...> format, Arguments&&... arguments) noexcept {
  if (!LogEnabled(level)) return;
  char text[kMaxLogBytes];
  try {
    const auto written = fmt::format_to_n(text, sizeof(text), format, std::forward<Arguments>(arguments)...);
    Log(level, text, written.size < sizeof(text) ? written.size : sizeof(text));
  } catch (...) {
    const fmt::string_view pattern = format;
    Log(level, pattern.data(), pattern.size());
  }
}

/// Makes the next line read the variables again.
void ForgetLogLevelForTest() noexcept;

}  // namespace portacl
