// SPDX-License-Identifier: Apache-2.0
#include "base/timestamp.h"

#include <time.h>

#include <cstdio>

namespace portacl {

Timestamp Now() noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec, static_cast<int32_t>(now.tv_nsec / 1000)};
}

TimestampText::TimestampText(const Timestamp& time) noexcept {
  const time_t seconds = static_cast<time_t>(time.seconds);
  tm local{};
  localtime_r(&seconds, &local);
  length_ = strftime(text_, sizeof(text_), "%Y-%m-%d-%H:%M:%S", &local);
  const int fraction = std::snprintf(text_ + length_, sizeof(text_) - length_, ".%03d.%03d", time.microseconds / 1000,
                                     time.microseconds % 1000);
  length_ += static_cast<size_t>(fraction);
}

}  // namespace portacl
