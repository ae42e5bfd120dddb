// SPDX-License-Identifier: Apache-2.0
// A bounded list of error reports and their text form; status.cc owns the lists and locks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/timestamp.h"

namespace portacl {

/// The title and code letters of a status code, as the first line of a report shows them.
struct ReportClass {
  const char* title;    // "AclNN_Parameter_Error"
  const char* letters;  // "EZ1001"
};

ReportClass ClassifyReport(int32_t code, std::string_view text) noexcept;

class ReportList {
 public:
  /// Appends one report. If the list already has the same code and text, that report becomes the newest; a full list
  /// drops its oldest report. May throw std::bad_alloc; the list is then unchanged.
  void Append(int32_t code, std::string_view text, const Timestamp& time);

  /// Removes all reports from the list and returns them: newest first, one per line. Empty when there is none. When
  /// memory is exhausted, the list is unchanged and std::bad_alloc is thrown.
  std::string Take();

  /// Removes all reports and returns the text of the newest if that has this code.
  std::string TakeNewest(int32_t code) noexcept;

  bool empty() const noexcept { return entries_.empty(); }

 private:
  struct Report {
    int32_t code;
    Timestamp time;
    std::string text;
  };
  struct Entry {
    uint64_t hash;  // of the text: comparing a thousand texts in every failing call would be slow
    std::unique_ptr<Report> report;
  };

  std::deque<Entry> entries_;  // oldest first
};

}  // namespace portacl
