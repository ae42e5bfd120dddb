// SPDX-License-Identifier: Apache-2.0
// Wall-clock time as reports and log lines show it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portacl {

struct Timestamp {
  int64_t seconds = 0;  // since 1970
  int32_t microseconds = 0;
};

Timestamp Now() noexcept;

/// "YYYY-MM-DD-hh:mm:ss.mmm.uuu" in local time, stored in an object that allocates nothing.
class TimestampText {
 public:
  explicit TimestampText(const Timestamp& time) noexcept;
  std::string_view view() const noexcept { return {text_, length_}; }

 private:
  char text_[48];
  size_t length_;
};

}  // namespace portacl
