// SPDX-License-Identifier: Apache-2.0
// portacl accuracy: searches for the largest errors and compares them with the promised ones, on every instruction set
// or the one that PORTACL_TARGET names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/target.h"
#include "ops/operators.h"
#include "tool/accuracy_text.h"
#include "tool/commands.h"
#include "tool/error.h"
#include "tool/error_search.h"
#include "tool/progress.h"
#include "tool/schema_text.h"
#include "tool/text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

// JSON cannot represent infinity.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json("infinite"); }

Json AsJson(const exec::OperatorEntry& entry, const LargestError& row) {
  return {{"operator", entry.schema->api},
          {"output", OutputText(*row.deviation.bound)},
          {"dtype", DtypeName(row.dtype)},
          {"target", TargetName(row.target)},
          {"unit", UnitText(*row.deviation.bound)},
          {"largest", Number(row.deviation.error)},
          {"limit", row.deviation.limit},
          {"good", row.deviation.good()},
          {"elements", row.elements},
          {"inputs", row.inputs},
          {"result", row.result}};
}

Json Search(const Options& options) {
  UseDevice();
  std::vector<const exec::OperatorEntry*> entries = FindOperators(options.target);
  std::erase_if(entries, [](const auto* entry) { return !entry->schema->socs.Holds(CurrentSoc().family); });
  if (entries.empty())
    throw Failure(fmt::format("{} has no {}; --soc chooses another SoC", CurrentSoc().family_name,
                              options.target.empty() ? "operator" : options.target));
  const int64_t named = ActiveTarget();
  const auto targets = std::getenv("PORTACL_TARGET") != nullptr ? std::span(&named, 1) : UsableTargets();
  Progress progress("accuracy");
  Json rows = Json::array();
  for (size_t i = 0; i < entries.size(); ++i) {
    ErrorSearch search(*entries[i], targets);
    search.Run(options.search_seconds, [&](double part) {
      progress.Stage(entries[i]->schema->api, (static_cast<double>(i) + part) / static_cast<double>(entries.size()));
    });
    for (const LargestError& row : search.rows()) rows.push_back(AsJson(*entries[i], row));
  }
  return rows;
}

std::string ErrorText(const Json& largest) {
  return largest.is_number() ? fmt::format("{:.3g}", largest.get<double>()) : largest.get<std::string>();
}

void PrintLargest(const Json& rows) {
  size_t name_width = 8;
  size_t output_width = 6;
  for (const Json& row : rows) {
    name_width = std::max(name_width, row["operator"].get<std::string>().size());
    output_width = std::max(output_width, row["output"].get<std::string>().size());
  }
  fmt::print("{:<{}}  {:<{}}  {:<10} {:<8} {:>8} {:>8}  {:<8} inputs of the largest\n", "operator", name_width,
             "output", output_width, "dtype", "target", "largest", "promised", "");
  for (const Json& row : rows) {
    const auto text = [&](const char* key) { return row[key].get<std::string>(); };
    const std::string wrong = row["good"].get<bool>() ? "" : fmt::format("WRONG: {}, for ", text("result"));
    fmt::print("{:<{}}  {:<{}}  {:<10} {:<8} {:>8} {:>8g}  {:<8} {}{}\n", text("operator"), name_width, text("output"),
               output_width, text("dtype"), text("target"), ErrorText(row["largest"]), row["limit"].get<double>(),
               text("unit"), wrong, text("inputs"));
  }
}

}  // namespace

int Accuracy(const Options& options) {
  if (!(options.search_seconds > 0) || options.search_seconds > 86400)
    throw UsageError(fmt::format("--seconds: expected more than 0 and at most 86400, got {}", options.search_seconds));
  ChooseSoc(options.soc);
  Json rows = Search(options);
  // Rows of the same output and dtype on different targets are adjacent.
  std::multimap<std::array<std::string, 3>, Json> sorted;
  for (Json& row : rows) {
    const std::array key{row["operator"].get<std::string>(), row["output"].get<std::string>(),
                         row["dtype"].get<std::string>()};
    sorted.emplace(key, std::move(row));
  }
  rows = Json::array();
  for (auto& [key, row] : sorted) rows.push_back(std::move(row));
  options.json ? Print(rows) : PrintLargest(rows);
  return std::all_of(rows.begin(), rows.end(), [](const Json& row) { return row["good"].get<bool>(); }) ? 0 : 1;
}

}  // namespace portacl::tool
