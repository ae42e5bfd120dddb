// SPDX-License-Identifier: Apache-2.0
// The mistakes that strict mode has found: one report for each kind and pair of sites, printed at once; repetitions are
// counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/process_mutex.h"
#include "check/call_sites.h"

namespace portacl::check {

enum class Kind : uint8_t {
  kUninitialized,
  kFreed,
  kHostMemory,
  kRace,
  kUnwaited,
  kWorkspace,
  kLeak,
  kDestroyed,
  kStatus,
  kOverlap,
  kProduct,
  kHostAccess,
  kCount,
};
const char* NameOf(Kind kind) noexcept;

class Reports {
 public:
  explicit Reports(CallSites& sites) : call_sites_(sites) {}

  // Suppresses reports: "race:function,leak:*" names kinds and functions of the client; * matches all.
  void Suppress(std::string_view list);

  // `here`: the site of the misuse. `there`: the site where the object was made, described by `there_text` ("written by
  // aclnnAdd"); 0: none. `about`: distinguishes reports with the same sites. Repeated findings of one call are counted
  // once. Takes locks, and opens files to find names.
  void Add(Kind kind, const std::string& what, CallSiteId here, const std::string& there_text, CallSiteId there,
           const std::string& about = {}) noexcept;
  void NextCall() noexcept { ++call_; }

  // Prints the summary when the process ends; writes `json` unless it is empty. Returns false when no mistake was
  // found. `undeclared`: see Guard.
  bool Finish(const std::string& json, uint64_t undeclared) noexcept;

 private:
  struct Report {
    Kind kind;
    std::string what;
    CallSiteId here;
    std::string there_text;
    CallSiteId there;
    uint64_t count;
    uint64_t last_call;
  };

  bool IsSuppressed(Kind kind, CallSiteId here, CallSiteId there);
  void WriteJson(const std::string& name, uint64_t undeclared);

  CallSites& call_sites_;
  ProcessMutex mutex_;
  std::map<std::tuple<int, CallSiteId, CallSiteId, std::string>, size_t> index_;  // by kind, sites and `about`
  std::vector<Report> reports_;
  std::vector<std::pair<std::string, std::string>> suppressed_;
  uint64_t hidden_ = 0;
  std::atomic<uint64_t> call_{1};
};

}  // namespace portacl::check
