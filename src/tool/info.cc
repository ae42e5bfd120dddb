// SPDX-License-Identifier: Apache-2.0
// portacl info, version and doctor: the machine, the build and the environment.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hwy/highway.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/soc.h"
#include "base/target.h"
#include "runtime/parallel/parallel.h"
#include "tool/commands.h"
#include "tool/error.h"
#include "tool/machine.h"
#include "tool/name_search.h"
#include "tool/text.h"
#include "tool/timing.h"

namespace portacl::tool {
namespace {

std::vector<VariableRecord> Variables() {
  std::vector<VariableRecord> records(ListVariables(nullptr, 0));
  ListVariables(records.data(), records.size());
  return records;
}

struct Setting {
  std::string value;
  std::string source;
};

Setting SettingOf(const VariableRecord& record) {
  if (record.value == nullptr) return {record.default_text, "default"};
  if (record.rejected)
    return {record.default_text, fmt::format("default; the environment's '{}' is not understood", record.value)};
  return {record.value, "environment"};
}

Json Versions() {
  int32_t version[3] = {};
  aclrtGetVersion(&version[0], &version[1], &version[2]);
  return {{"portacl", PORTACL_VERSION},
          {"cann", PORTACL_CANN_VERSION},
          {"runtime_interface", fmt::format("{}.{}.{}", version[0], version[1], version[2])},
          {"compiler", PORTACL_COMPILER},
          {"highway", fmt::format("{}.{}.{}", HWY_MAJOR, HWY_MINOR, HWY_PATCH)}};
}

Json Collect() {
  // Each of these calls reads its variable; only afterwards is it known which values are invalid.
  uint32_t devices = 0;
  aclrtGetDeviceCount(&devices);
  UseDevice();
  LogEnabled(LogLevel::kError);
  const Soc& soc = CurrentSoc();
  Json targets = Json::array();
  for (const int64_t target : UsableTargets()) targets.push_back(TargetName(target));
  Json json = {{"device", {{"count", devices}, {"name", soc.full_name}, {"processor", ProcessorName()}}},
               {"product", {{"family", soc.family_name}, {"series", soc.series}, {"name", soc.full_name}}},
               {"instruction_set", {{"in_use", TargetName(ActiveTarget())}, {"available", targets}}},
               {"cores", {{"online", std::thread::hardware_concurrency()}, {"used", parallel::Width()}}},
               {"caches", Json::array()},
               {"versions", Versions()},
               {"variables", Json::array()}};
  for (const Cache& cache : Caches()) {
    json["caches"].push_back(
        {{"level", cache.level}, {"type", cache.type}, {"bytes", cache.bytes}, {"shared_by", cache.cores}});
  }
  for (const VariableRecord& record : Variables()) {
    const Setting setting = SettingOf(record);
    json["variables"].push_back(
        {{"name", record.name}, {"value", setting.value}, {"source", setting.source}, {"meaning", record.meaning}});
  }
  return json;
}

std::string Text(const Json& json) { return json.get<std::string>(); }

void PrintText(const Json& info) {
  const Json& device = info["device"];
  const Json& product = info["product"];
  const Json& versions = info["versions"];
  fmt::print("device           {} of {} ({})\n", Text(device["name"]), device["count"].get<int>(),
             Text(device["processor"]));
  fmt::print("product          {} ({})\n", Text(product["family"]), Text(product["series"]));
  fmt::print("instruction set  {} (available: {})\n", Text(info["instruction_set"]["in_use"]),
             fmt::join(info["instruction_set"]["available"].get<std::vector<std::string>>(), ", "));
  fmt::print("cores            {} used of {}\n", info["cores"]["used"].get<int>(), info["cores"]["online"].get<int>());
  for (const Json& cache : info["caches"]) {
    fmt::print("cache            L{} {} {}, shared by cores {}\n", cache["level"].get<int>(), Text(cache["type"]),
               BytesText(cache["bytes"].get<double>()), Text(cache["shared_by"]));
  }
  fmt::print("portacl          {}, interface of CANN {}, runtime interface {}\n", Text(versions["portacl"]),
             Text(versions["cann"]), Text(versions["runtime_interface"]));
  fmt::print("built with       {}, Highway {}\n\n", Text(versions["compiler"]), Text(versions["highway"]));
  for (const Json& variable : info["variables"]) {
    fmt::print("{:<28} {:<24} {}\n{:<28}   {}\n", Text(variable["name"]), Text(variable["value"]),
               Text(variable["source"]), "", Text(variable["meaning"]));
  }
}

}  // namespace

void ChooseSoc(const std::string& name) {
  if (name.empty()) return;
  setenv("PORTACL_SOC", name.c_str(), 1);
  if (Soc soc; ParseSoc(name, &soc)) return;
  std::vector<std::string> names;
  for (const Soc& soc : kSocs) {
    names.emplace_back(soc.family_name);
    names.emplace_back(soc.full_name);
  }
  throw UsageError(fmt::format("unknown SoC '{}'{}", name, DidYouMean(name, names)));
}

int Info(const Options& options) {
  const Json info = Collect();
  options.json ? Print(info) : PrintText(info);
  return 0;
}

int Version(const Options& options) {
  const Json versions = Versions();
  if (options.json) {
    Print(versions);
  } else {
    fmt::print("portacl {} (interface of CANN {})\n", Text(versions["portacl"]), Text(versions["cann"]));
  }
  return 0;
}

int Doctor(const Options& options) {
  execlp("python3", "python3", "-m", "portacl", "doctor", options.json ? "--json" : nullptr, nullptr);
  throw Failure(
      fmt::format("doctor is part of the Python package, and python3 cannot be started: {}", std::strerror(errno)));
}

}  // namespace portacl::tool
