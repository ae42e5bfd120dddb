// SPDX-License-Identifier: Apache-2.0
#include "check/reports.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

namespace portacl::check {

const char* NameOf(Kind kind) noexcept {
  constexpr const char* kNames[] = {"uninitialized", "freed",     "host-memory", "race",    "unwaited", "workspace",
                                    "leak",          "destroyed", "status",      "overlap", "product",  "host-access"};
  return kNames[static_cast<size_t>(kind)];
}

void Reports::Suppress(std::string_view list) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    const std::string_view item = list.substr(0, comma);
    const size_t colon = item.find(':');
    if (colon != std::string_view::npos)
      suppressed_.emplace_back(std::string(item.substr(0, colon)), std::string(item.substr(colon + 1)));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
}

// `suppressed_` may have the function's name with or without its parameters.
bool Reports::IsSuppressed(Kind kind, CallSiteId here, CallSiteId there) {
  for (const auto& [its_kind, function] : suppressed_) {
    if (its_kind != "*" && its_kind != NameOf(kind)) continue;
    if (function == "*") return true;
    for (const CallSiteId site : {here, there}) {
      const std::string name = call_sites_.Describe(site).function;
      if (name == function || name.substr(0, name.find('(')) == function) return true;
    }
  }
  return false;
}

void Reports::Add(Kind kind, const std::string& what, CallSiteId here, const std::string& there_text, CallSiteId there,
                  const std::string& about) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    const auto [found, fresh] = index_.try_emplace({static_cast<int>(kind), here, there, about}, reports_.size());
    if (!fresh) {
      if (found->second == SIZE_MAX) {
        ++hidden_;
      } else if (Report& report = reports_[found->second]; report.last_call != call_ || kind == Kind::kLeak) {
        ++report.count;
        report.last_call = call_;
      }
      return;
    }
    if (IsSuppressed(kind, here, there)) {
      found->second = SIZE_MAX;
      ++hidden_;
      return;
    }
    reports_.push_back({kind, what, here, there_text, there, 1, call_});
    std::string text = fmt::format("portacl: check: {}: {}\n", NameOf(kind), what);
    if (here != 0) text += fmt::format("    in {}\n", call_sites_.Describe(here).Text());
    if (there != 0) text += fmt::format("    {} in {}\n", there_text, call_sites_.Describe(there).Text());
    std::fputs(text.c_str(), stderr);
  } catch (...) {
    std::fputs("portacl: check: out of host memory\n", stderr);
  }
}

void Reports::WriteJson(const std::string& name, uint64_t undeclared) {
  nlohmann::json list = nlohmann::json::array();
  const auto site = [this](CallSiteId id) {
    const CallSiteText& text = call_sites_.Describe(id);
    return nlohmann::json{{"function", text.function}, {"file", text.file}, {"line", text.line}};
  };
  for (const Report& report : reports_) {
    nlohmann::json entry{{"kind", NameOf(report.kind)}, {"what", report.what}, {"count", report.count}};
    if (report.here != 0) entry["here"] = site(report.here);
    if (report.there != 0) entry["there"] = site(report.there);
    if (report.there != 0) entry["there"]["what"] = report.there_text;
    list.push_back(std::move(entry));
  }
  const std::string text = nlohmann::json{{"reports", list}, {"suppressed", hidden_}, {"undeclared", undeclared}}.dump(
                               2, ' ', false, nlohmann::json::error_handler_t::replace) +
                           "\n";
  FILE* const file = std::fopen(name.c_str(), "we");
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int number = errno;
  if ((file != nullptr && std::fclose(file) != 0) || !written) {
    std::fprintf(stderr, "portacl: PORTACL_CHECK_REPORT: expected a file that can be written, got '%s': %s\n",
                 name.c_str(), std::strerror(written ? errno : number));
  }
}

bool Reports::Finish(const std::string& json, uint64_t undeclared) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    if (!json.empty()) WriteJson(json, undeclared);
    if (reports_.empty()) return false;
    uint64_t all = 0;
    for (const Report& report : reports_) all += report.count;
    std::fprintf(stderr, "portacl: check: %zu reports, found %llu times\n", reports_.size(),
                 static_cast<unsigned long long>(all));
  } catch (...) {
    std::fputs("portacl: check: out of host memory\n", stderr);
  }
  return true;
}

}  // namespace portacl::check
