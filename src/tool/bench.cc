// SPDX-License-Identifier: Apache-2.0
// portacl bench: measures operators and compares them with a copy of the same size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "calls/oracle.h"
#include "ops/operators.h"
#include "runtime/parallel/parallel.h"
#include "tool/commands.h"
#include "tool/elements.h"
#include "tool/error.h"
#include "tool/machine.h"
#include "tool/progress.h"
#include "tool/schema_text.h"
#include "tool/stream_ceiling.h"
#include "tool/text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

constexpr double kOverviewSeconds = 0.1;  // enough for all operators within a minute

// Bytes of all tensors of a call together.
struct Size {
  const char* name;
  size_t bytes;
  double ceiling = 0;  // bytes per second
};

struct Case {
  const exec::OperatorEntry* entry;
  aclDataType dtype;
};

struct Row {
  Case which;
  const Size* size;
  double bytes = 0;
  Timing timing;
  std::string problem;  // why there is no timing

  // Half the distance between the quartiles, relative to the median.
  double Spread() const { return (timing.high - timing.low) / 2 / timing.median; }
  double Rate() const { return bytes / timing.median; }
};

constexpr char kAll[] = "all";

std::vector<Size> Sizes(const std::string& wanted) {
  const int64_t l2 = CacheBytes(2, 1 << 20);
  const int64_t l3 = CacheBytes(3, 32 << 20);
  // Caches of hundreds of MiB are shared by virtual machines. Allocating 1 GiB of pages for each row took most of the
  // time.
  const int64_t memory = std::clamp<int64_t>(4 * l3, 128 << 20, 256 << 20);
  // A quarter of the last-level cache exceeds the second level and is quick to allocate.
  std::vector<Size> sizes = {{"L2", static_cast<size_t>(l2 / 2)},
                             {"L3", static_cast<size_t>(std::clamp<int64_t>(l3 / 4, l2, 16 << 20))},
                             {"DRAM", static_cast<size_t>(memory)}};
  if (wanted == kAll) return sizes;
  std::erase_if(sizes, [&](const Size& size) { return size.name != wanted; });
  if (sizes.empty()) throw UsageError(fmt::format("--size: expected L2, L3, DRAM or all, got '{}'", wanted));
  return sizes;
}

// `wanted`: a dtype, "all", or empty for the first dtype of each operator.
std::vector<Case> Cases(const std::string& name, const std::string& wanted) {
  const SocFamily family = CurrentSoc().family;
  const bool is_named = !wanted.empty() && wanted != kAll;
  const aclDataType only = is_named ? ReadDtype(wanted) : ACL_DT_UNDEFINED;
  std::vector<Case> cases;
  for (const exec::OperatorEntry* entry : FindOperators(name)) {
    if (!entry->schema->socs.Holds(family)) continue;
    std::vector<std::string> dtypes = DtypesOn(*entry->schema, family);
    if (dtypes.empty()) dtypes = {DtypeName(ACL_FLOAT)};
    if (wanted.empty()) dtypes.resize(1);
    for (const std::string& dtype : dtypes) {
      if (!is_named || DtypeOf(dtype) == only) cases.push_back({entry, DtypeOf(dtype)});
    }
  }
  if (cases.empty()) {
    throw Failure(fmt::format("{} has no {}{}; 'portacl ops {}' lists dtypes, --soc chooses another SoC",
                              CurrentSoc().family_name, name.empty() ? "operator" : name,
                              is_named ? " of " + wanted : "", name));
  }
  return cases;
}

size_t BytesOf(calls::Call& call) {
  size_t bytes = 0;
  for (const calls::TensorSpec* tensor : call.Tensors()) {
    bytes += static_cast<size_t>(calls::ElementCount(tensor->shape)) * aclDataTypeSize(tensor->dtype);
  }
  return bytes;
}

// Real attributes are mostly small in practice (eps, scale, beta); 1 is a special value for some operators. What the
// operator has chosen stays.
void ChooseAttributes(calls::Call& call) {
  for (calls::ArgumentSpec& argument : call.arguments()) {
    if (argument.real == 1) argument.real = 0.1;
  }
  for (const exec::Step& step : call.schema().steps) {
    if (step.word != exec::Word::kValueAtLeast) continue;
    calls::ArgumentSpec& argument = call.argument(step.refs[0].index);
    argument.real = std::max(argument.real, step.real_low);
  }
}

calls::Call MakeCall(const Case& which, size_t bytes) {
  constexpr int64_t kProbe = 1 << 16;
  calls::Call probe = calls::MakeLargeCall(*which.entry, kProbe, which.dtype);
  const double scale = static_cast<double>(bytes) / static_cast<double>(std::max<size_t>(1, BytesOf(probe)));
  calls::Call call = calls::MakeLargeCall(*which.entry, static_cast<int64_t>(kProbe * scale), which.dtype);
  ChooseAttributes(call);
  call.AllocateData();
  for (const calls::TensorSpec* tensor : call.Tensors()) {
    if (!IsNumber(tensor->dtype) || tensor->data == nullptr) continue;
    const auto contents = RandomElements(tensor->dtype, static_cast<size_t>(calls::ElementCount(tensor->shape)));
    aclrtMemcpy(tensor->data, contents.size(), contents.data(), contents.size(), ACL_MEMCPY_HOST_TO_DEVICE);
  }
  calls::CompleteContents(call);
  return call;
}

Row MeasureCase(const Case& which, const Size& size, double seconds) {
  Row row{which, &size, 0, {}, ""};
  try {
    calls::Call call = MakeCall(which, size.bytes);
    row.bytes = static_cast<double>(BytesOf(call));
    Launcher launcher(call);
    launcher.Run();  // the memory has been touched, and threads are awake
    row.timing = Measure(seconds, 0, [&] { launcher.Run(); });
  } catch (const Failure& failure) {
    row.problem = failure.what();
  }
  return row;
}

Json AsJson(const Row& row) {
  Json json = {
      {"operator", row.which.entry->schema->api}, {"dtype", DtypeName(row.which.dtype)}, {"size", row.size->name}};
  if (!row.problem.empty()) {
    json["problem"] = row.problem;
    return json;
  }
  json["bytes"] = row.bytes;
  json["seconds"] = {{"median", row.timing.median}, {"low", row.timing.low}, {"high", row.timing.high}};
  json["runs"] = row.timing.runs;
  json["threads"] = parallel::Width();
  json["gb_per_s"] = row.Rate() * 1e-9;
  json["ceiling_gb_per_s"] = row.size->ceiling * 1e-9;
  json["fraction_of_ceiling"] = row.Rate() / row.size->ceiling;
  return json;
}

std::string Header(size_t width) {
  return fmt::format("{:<{}}  {:<9} {:<5} {:>10} {:>10} {:>7} {:>8} {:>9}\n", "operator", width, "dtype", "size",
                     "bytes", "median", "spread", "GB/s", "of a copy");
}

std::string AsText(const Row& row, size_t width) {
  const std::string begin = fmt::format("{:<{}}  {:<9} {:<5} ", row.which.entry->schema->api, width,
                                        DtypeName(row.which.dtype), row.size->name);
  if (!row.problem.empty()) return fmt::format("{}not measured at this size: {}\n", begin, row.problem);
  return fmt::format("{}{:>10} {:>10} {:>5.1f} % {:>8.1f} {:>7.0f} %\n", begin, BytesText(row.bytes),
                     SecondsText(row.timing.median), 100 * row.Spread(), row.Rate() * 1e-9,
                     100 * row.Rate() / row.size->ceiling);
}

// Must be called before the library counts its threads.
void ChooseThreads(int64_t count) {
  constexpr int64_t kMost = 1024;
  if (count < 1 || count > kMost) throw UsageError(fmt::format("--threads: expected 1 to {}, got {}", kMost, count));
  setenv("PORTACL_NUM_THREADS", fmt::format("{}", count).c_str(), 1);
}

}  // namespace

int Bench(const Options& options) {
  const bool is_overview = options.target.empty();
  const double seconds = options.seconds.value_or(is_overview ? kOverviewSeconds : kBenchSeconds);
  if (!(seconds > 0) || seconds > 3600)
    throw UsageError(fmt::format("--seconds: expected more than 0 and at most 3600, got {}", seconds));
  if (options.threads) ChooseThreads(*options.threads);
  if (options.target == "hccl") return BenchHccl(options);
  if (options.target == "runtime") return BenchRuntime(options);
  const auto or_else = [](const std::string& given, const char* other) { return given.empty() ? other : given; };
  std::vector<Size> sizes = Sizes(or_else(options.size, is_overview ? "L2" : kAll));
  ChooseSoc(options.soc);
  const std::vector<Case> cases = Cases(options.target, or_else(options.dtype, is_overview ? "" : kAll));
  size_t width = std::string_view("operator").size();
  for (const Case& which : cases) width = std::max(width, std::string_view(which.entry->schema->api).size());
  UseDevice();
  Json rows = Json::array();
  bool any = false;  // if a room's own rule refuses one shape, the other shapes still count
  {
    Progress progress("bench");
    if (!options.json) progress.Print(Header(width));
    const double steps = static_cast<double>(sizes.size() * (1 + cases.size()));
    double step = 0;
    for (Size& size : sizes) {
      progress.Stage(fmt::format("copy, {}", size.name), step++ / steps);
      size.ceiling = StreamCeiling(size.bytes, seconds);
      for (const Case& which : cases) {
        progress.Stage(fmt::format("{} {}, {}", which.entry->schema->api, DtypeName(which.dtype), size.name),
                       step++ / steps);
        const Row row = MeasureCase(which, size, seconds);
        any = any || row.problem.empty();
        if (options.json) {
          rows.push_back(AsJson(row));
        } else {
          progress.Print(AsText(row, width));
        }
      }
    }
  }
  if (options.json) Print(rows);
  return any ? 0 : 1;
}

}  // namespace portacl::tool
