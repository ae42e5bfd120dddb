// SPDX-License-Identifier: Apache-2.0
// portacl run: runs any operator on files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/dtype.h"
#include "tool/accuracy_text.h"
#include "tool/commands.h"
#include "tool/error.h"
#include "tool/progress.h"
#include "tool/schema_text.h"
#include "tool/text.h"
#include "tool/timing.h"
#include "tool/verify.h"

namespace portacl::tool {
namespace {

constexpr double kTimedSeconds = 0.1;
constexpr int64_t kMaxRepeats = 1'000'000;

struct Result {
  Timing timing;
  double bytes = 0;
  std::optional<std::vector<WorstElement>> worst;  // for --verify

  double GigabytesPerSecond() const { return bytes / timing.median * 1e-9; }
  bool good() const {
    return !worst || std::all_of(worst->begin(), worst->end(), [](const auto& row) { return row.good(); });
  }
};

Json AsJson(PreparedCall& prepared, const Result& result) {
  Json tensors = Json::array();
  for (const HostTensor& tensor : prepared.tensors()) {
    const calls::TensorSpec& spec = prepared.spec(tensor);
    tensors.push_back({{"name", tensor.name},
                       {"role", RoleText(prepared.arg(tensor).role)},
                       {"dtype", DtypeName(spec.dtype)},
                       {"shape", spec.shape}});
    if (!tensor.output_path.empty()) tensors.back()["saved"] = tensor.output_path;
  }
  Json json = {
      {"operator", prepared.call().schema().api},
      {"tensors", tensors},
      {"runs", result.timing.runs},
      {"seconds", {{"median", result.timing.median}, {"low", result.timing.low}, {"high", result.timing.high}}},
      {"bytes", result.bytes},
      {"gb_per_s", result.GigabytesPerSecond()}};
  if (!result.worst) return json;
  json["verified"] = result.good();
  for (const WorstElement& row : *result.worst) {
    const calls::Deviation deviation = row.deviation.value_or(calls::Deviation{});
    json["verify"].push_back({{"name", row.name},
                              {"largest_ulp", deviation.error},
                              {"limit", deviation.limit},
                              {"index", row.index},
                              {"got", row.got},
                              {"exact", row.exact}});
  }
  return json;
}

void PrintText(PreparedCall& prepared, const Result& result) {
  for (const HostTensor& tensor : prepared.tensors()) {
    const std::string saved = tensor.output_path.empty() ? "" : " -> " + tensor.output_path;
    fmt::print("{:<8} {}{}\n", tensor.name, TensorText(prepared.spec(tensor)), saved);
  }
  fmt::print("time     {} (median of {} runs), {:.3g} GB/s\n", SecondsText(result.timing.median), result.timing.runs,
             result.GigabytesPerSecond());
  if (!result.worst) return;
  for (const WorstElement& row : *result.worst) {
    if (!row.deviation) {
      fmt::print("verify   {}: no elements\n", row.name);
      continue;
    }
    fmt::print("verify   {}: largest error {:.3g} {} at [{}], got {}, exact {}; promised {:g}: {}\n", row.name,
               row.deviation->error, UnitText(*row.deviation->bound), fmt::join(row.index, ","), row.got, row.exact,
               row.deviation->limit, row.good() ? "ok" : "WRONG");
  }
}

}  // namespace

int Run(const Options& options) {
  if (options.repeat < 0 || options.repeat > kMaxRepeats) {
    throw UsageError(fmt::format("--repeat: expected a number from 1 to {}, got {}", kMaxRepeats, options.repeat));
  }
  ChooseSoc(options.soc);
  const exec::OperatorEntry& entry = FindOperator(options.target);
  Progress progress("run");
  progress.Stage("reading");
  PreparedCall prepared(entry, options.call);
  UseDevice();
  prepared.Allocate();
  std::optional<Verifier> verifier;
  if (options.verify) verifier.emplace(prepared);

  const auto& args = prepared.call().schema().args;
  const bool in_place =
      std::any_of(args.begin(), args.end(), [](const auto& arg) { return arg.role == exec::Role::kInOut; });
  Result result;
  result.bytes = static_cast<double>(prepared.Bytes());
  {
    progress.Stage(fmt::format("running {}", entry.schema->api));
    Launcher launcher(prepared.call());
    result.timing = Measure(
        kTimedSeconds, options.repeat, [&] { launcher.Run(); },
        [&] {
          if (in_place) prepared.Refill();
        });
    launcher.ReadShapes(prepared.call());
  }
  prepared.Fetch();
  if (verifier) {
    result.worst = verifier->Compare([&](double part) { progress.Stage("comparing with the reference", part); });
  }
  progress.Stage("writing");
  prepared.Save();
  options.json ? Print(AsJson(prepared, result)) : PrintText(prepared, result);
  return result.good() ? 0 : 1;
}

}  // namespace portacl::tool
