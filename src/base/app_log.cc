// SPDX-License-Identifier: Apache-2.0
// The log to which programs and plug-ins write through the library.
#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "acl/acl_base_rt.h"
#include "base/log.h"

namespace portacl {
namespace {

constexpr int kLevels = 4;  // ACL_DEBUG..ACL_ERROR are the values of LogLevel

const char* OrNothing(const char* text) noexcept { return text == nullptr ? "" : text; }

}  // namespace
}  // namespace portacl

extern "C" void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt,
                          ...) {
  const int level = logLevel;  // clients can pass any value
  if (fmt == nullptr || level < 0 || level >= portacl::kLevels) return;
  if (!portacl::LogEnabled(static_cast<portacl::LogLevel>(level))) return;
  char text[portacl::kMaxLogBytes];
  std::va_list arguments;
  va_start(arguments, fmt);
  const int length = std::vsnprintf(text, sizeof(text), fmt, arguments);
  va_end(arguments);
  if (length < 0) return;  // the format is invalid
  portacl::Logf(static_cast<portacl::LogLevel>(level), "{}:{} {}: {}", portacl::OrNothing(file), line,
                portacl::OrNothing(func), static_cast<const char*>(text));
}
