// SPDX-License-Identifier: Apache-2.0
// portacl accuracy: the largest errors that a search finds, beside what the operators promise. A process uses one
// instruction set, so that this one starts itself once for each, unless PORTACL_TARGET names one.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
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

// JSON has no infinity.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json("infinite"); }

Json AsJson(const exec::OperatorEntry& entry, const LargestError& row) {
  return {{"operator", entry.schema->api},
          {"output", PlaceText(*row.deviation.bound)},
          {"dtype", DtypeName(row.dtype)},
          {"target", TargetName(ActiveTarget())},
          {"unit", UnitText(*row.deviation.bound)},
          {"largest", Number(row.deviation.error)},
          {"limit", row.deviation.limit},
          {"good", row.deviation.good()},
          {"elements", row.elements},
          {"inputs", row.inputs},
          {"result", row.result}};
}

Json SearchHere(const Options& options, Progress& progress) {
  UseDevice();
  std::vector<const exec::OperatorEntry*> entries = FindOperators(options.target);
  std::erase_if(entries, [](const auto* entry) { return !entry->schema->products.Holds(CurrentProduct().family); });
  if (entries.empty()) throw Failure(fmt::format("{} has no such operator", CurrentProduct().family_name));
  Json rows = Json::array();
  for (size_t i = 0; i < entries.size(); ++i) {
    ErrorSearch search(*entries[i]);
    search.Run(options.search_seconds, [&](double part) {
      progress.Stage(fmt::format("{} on {}", entries[i]->schema->api, TargetName(ActiveTarget())),
                     (static_cast<double>(i) + part) / static_cast<double>(entries.size()));
    });
    for (const LargestError& row : search.rows()) rows.push_back(AsJson(*entries[i], row));
  }
  return rows;
}

std::string ReadAll(int descriptor) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t count = read(descriptor, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<size_t>(count));
  }
}

// The rows of this program run with PORTACL_TARGET.
Json SearchOn(const char* target, const Options& options) {
  std::vector<std::string> words = {"portacl", "accuracy", "--json", "--seconds",
                                    fmt::format("{}", options.search_seconds)};
  if (!options.soc.empty()) words.insert(words.end(), {"--soc", options.soc});
  if (!options.target.empty()) words.push_back(options.target);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  setenv("PORTACL_TARGET", target, 1);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Failure(fmt::format("pipe: {}", std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int problem = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  const std::string text = problem == 0 ? ReadAll(ends[0]) : "";
  close(ends[0]);
  if (problem != 0) throw Failure(fmt::format("cannot start this program on {}: {}", target, std::strerror(problem)));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  Json rows = Json::parse(text, nullptr, false);
  if (!rows.is_array()) throw Failure(fmt::format("the search on {} failed", target));
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
    throw UsageError("--seconds: expected more than 0 and at most 86400");
  ChooseProduct(options.soc);
  FindOperators(options.target);
  Json rows = Json::array();
  if (std::getenv("PORTACL_TARGET") != nullptr) {
    Progress progress("accuracy");
    rows = SearchHere(options, progress);
  } else {
    for (const int64_t target : UsableTargets()) {
      for (Json& row : SearchOn(TargetName(target), options)) rows.push_back(std::move(row));
    }
  }
  // The same output and dtype on every target one below the other.
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
