// SPDX-License-Identifier: Apache-2.0
#include "base/report_list.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "acl/acl_base_rt.h"
#include "acl/error_codes/rt_error_codes.h"
#include "base/status.h"

namespace portacl {
namespace {

constexpr ReportClass kInvalidArgument = {"Invalid_Argument", "EE1003"};
constexpr ReportClass kNullArgument = {"Null_Argument", "EE1004"};
constexpr ReportClass kWrongContext = {"Wrong_Context", "EE1010"};
constexpr ReportClass kInvalidCombination = {"Invalid_Combination", "EE1017"};
constexpr ReportClass kWrongCallOrder = {"Wrong_Call_Order", "EE1018"};
constexpr ReportClass kRuntimeResource = {"Runtime_Resource_Error", "EE9999"};
constexpr ReportClass kRuntimeInner = {"Runtime_Inner_Error", "EE9999"};

ReportClass ClassifyRuntimeArgument(int32_t code) noexcept {
  switch (code) {
    case ACL_ERROR_RT_CONTEXT_NULL:
    case ACL_ERROR_RT_STREAM_CONTEXT:
    case ACL_ERROR_RT_MODEL_CONTEXT:
      return kWrongContext;
    case ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL:
      return kInvalidCombination;
    case ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID:
    case ACL_ERROR_RT_STREAM_SUBSCRIBE:
    case ACL_ERROR_RT_THREAD_SUBSCRIBE:
    case ACL_ERROR_RT_STREAM_NO_CB_REG:
    case ACL_ERROR_RT_SYSPARAMOPT_NOT_SET:
      return kWrongCallOrder;
    default:
      return kInvalidArgument;
  }
}

ReportClass ClassifyAcl(int32_t code, std::string_view text) noexcept {
  switch (code) {
    case ACL_ERROR_INVALID_PARAM:
      return text.ends_with("got NULL") ? kNullArgument : ReportClass{"Invalid_Argument", "EH0001"};
    case ACL_ERROR_UNINITIALIZE:
    case ACL_ERROR_REPEAT_INITIALIZE:
    case ACL_ERROR_REPEAT_FINALIZE:
      return kWrongCallOrder;
    case ACL_ERROR_INVALID_FILE:
    case ACL_ERROR_PARSE_FILE:
      return {"Invalid_File", "EH0002"};
    default:
      return code < 300000 ? ReportClass{"Invalid_Argument", "EH0001"} : ReportClass{"Inner_Error", "EH9999"};
  }
}

}  // namespace

ReportClass ClassifyReport(int32_t code, std::string_view text) noexcept {
  switch (code / 1000) {
    case 161:
      return {"AclNN_Parameter_Error", "EZ1001"};
    case 361:
      return {"AclNN_Runtime_Error", "EZ9903"};
    case 561:
      return {"AclNN_Inner_Error", "EZ9999"};
    case 107:
      return ClassifyRuntimeArgument(code);
    case 207:
      return kRuntimeResource;
    case 507:
      return code == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR ? kWrongCallOrder : kRuntimeInner;
    default:
      return ClassifyAcl(code, text);
  }
}

void ReportList::Append(int32_t code, std::string_view text, const Timestamp& time) {
  const uint64_t hash = std::hash<std::string_view>{}(text);
  const auto same = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.hash == hash && entry.report->code == code && entry.report->text == text;
  });
  if (same != entries_.end()) {
    same->report->time = time;
    std::rotate(same, same + 1, entries_.end());
    return;
  }
  auto report = std::make_unique<Report>(Report{code, time, std::string(text)});
  entries_.push_back({hash, std::move(report)});
  if (entries_.size() > kMaxReports) entries_.pop_front();
}

std::string ReportList::Take() {
  fmt::memory_buffer lines;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    const Report& report = *entry->report;
    const ReportClass kind = ClassifyReport(report.code, report.text);
    fmt::format_to(std::back_inserter(lines), "{}[PID: {}] {} {}({}): {}", lines.size() == 0 ? "" : "\n", getpid(),
                   TimestampText(report.time).view(), kind.title, kind.letters, report.text);
  }
  std::string text(lines.data(), lines.size());
  entries_.clear();
  return text;
}

std::string ReportList::TakeNewest(int32_t code) noexcept {
  std::string text;
  if (!entries_.empty() && entries_.back().report->code == code) text = std::move(entries_.back().report->text);
  entries_.clear();
  return text;
}

}  // namespace portacl
