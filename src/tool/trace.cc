// SPDX-License-Identifier: Apache-2.0
// portacl trace: prints the table of a trace and draws its time line.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tool/commands.h"
#include "tool/error.h"
#include "tool/svg.h"
#include "tool/text.h"
#include "trace/summary.h"

namespace portacl::tool {
namespace {

struct Task {
  std::string name;
  double begin_us;
  double us;
};

struct Trace {
  trace::Summary summary;
  std::map<std::pair<int64_t, int64_t>, std::vector<Task>> streams;  // by device and number
  size_t tasks = 0;
  size_t calls = 0;
};

Trace ReadTrace(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Failure(fmt::format("{}: {}", path, std::strerror(errno)));
  Trace read;
  try {
    const auto events = nlohmann::json::parse(file);
    if (!events.is_array() && !events.contains("traceEvents"))
      throw Failure(path + ": expected a trace; PORTACL_TRACE=FILE.json writes one");
    for (const auto& event : events.is_object() ? events.at("traceEvents") : events) {
      if (event.at("ph") != "X") continue;
      const auto category = event.value("cat", std::string());
      if (category == "call") ++read.calls;
      if (category != "operator" && category != "task" && category != "order") continue;
      const Task task{event.at("name"), event.at("ts"), event.at("dur")};
      read.streams[{event.at("pid").get<int64_t>(), event.at("tid").get<int64_t>()}].push_back(task);
      if (category == "order") continue;
      ++read.tasks;
      const auto& arguments = event.at("args");
      const auto operands = arguments.value("operands", std::string());
      read.summary.Add(operands.empty() ? task.name : task.name + " " + operands, task.us * 1e3,
                       arguments.value("bytes", 0.0));
    }
  } catch (const nlohmann::json::exception& error) {
    throw Failure(fmt::format("{}: expected a trace, PORTACL_TRACE=FILE.json writes one: {}", path, error.what()));
  }
  return read;
}

constexpr int kWidth = 1400;  // width of the time line
constexpr int kLabel = 140;   // width of the streams' names
constexpr int kLine = 28;     // height of a stream's row
constexpr int kMargin = 24;
constexpr size_t kNames = 10;  // those that take longest have their own colours
constexpr Colour kColours[kNames] = {{31, 119, 180}, {255, 127, 14},  {44, 160, 44},  {214, 39, 40},  {148, 103, 189},
                                     {140, 86, 75},  {227, 119, 194}, {188, 189, 34}, {23, 190, 207}, {57, 59, 121}};
constexpr Colour kOthers = {160, 160, 160};

void DrawTimeLine(const Trace& trace, const std::string& path) {
  double first = 0;
  double last = 0;
  std::map<std::string, double> by_name;
  for (const auto& [stream, tasks] : trace.streams) {
    for (const Task& task : tasks) {
      first = last == 0 ? task.begin_us : std::min(first, task.begin_us);
      last = std::max(last, task.begin_us + task.us);
      by_name[task.name] += task.us;
    }
  }
  std::vector<std::pair<std::string, double>> names(by_name.begin(), by_name.end());
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  const auto colour_of = [&](const std::string& name) {
    for (size_t i = 0; i < std::min(kNames, names.size()); ++i) {
      if (names[i].first == name) return kColours[i];
    }
    return kOthers;
  };
  const int shown = static_cast<int>(std::min(kNames, names.size()));
  const int lines = static_cast<int>(std::min<size_t>(trace.streams.size(), 200));
  Svg svg(kLabel + kWidth + 2 * kMargin, 3 * kMargin + (lines + 1 + shown) * kLine);
  const double scale = kWidth / std::max(last - first, 1e-3);
  const auto column_of = [&](double us) {
    const double column = (us - first) * scale;
    return column > 0 ? static_cast<int>(std::min<double>(column, kWidth)) : 0;  // also 0 for a NaN
  };
  int top = kMargin;
  for (const auto& [stream, tasks] : trace.streams) {
    if (top >= kMargin + lines * kLine) break;
    svg.Write(kMargin, top + 3, fmt::format("{}: {}", stream.first - 100, stream.second));
    std::vector<Colour> columns(kWidth, kBackground);
    for (const Task& task : tasks) {
      const int left = std::min(column_of(task.begin_us), kWidth - 1);
      const int right = std::max(column_of(task.begin_us + task.us), left + 1);
      std::fill(columns.begin() + left, columns.begin() + right, colour_of(task.name));
    }
    svg.Fill(kMargin + kLabel, top, 1, kLine - 6, columns);
    top += kLine;
  }
  svg.Write(kMargin + kLabel, top + 3, "0");
  svg.Write(kMargin + kLabel + kWidth, top + 3, fmt::format("{:.3f} ms", (last - first) * 1e-3), true);
  top += kLine + kMargin;
  for (int i = 0; i < shown; ++i, top += kLine) {
    const auto& [name, us] = names[static_cast<size_t>(i)];
    svg.Fill(kMargin, top, kLine - 6, kLine - 6, {kColours[i]});
    svg.Write(kMargin + kLine, top + 3, fmt::format("{}  {:.3f} ms", name, us * 1e-3));
  }
  try {
    svg.Save(path);
  } catch (const std::runtime_error& error) {
    throw Failure(error.what());
  }
}

}  // namespace

int ShowTrace(const Options& options) {
  const Trace trace = ReadTrace(options.target);
  const std::string picture = std::filesystem::path(options.target).replace_extension(".svg");
  DrawTimeLine(trace, picture);
  if (!options.json) {
    fmt::print("{}", trace.summary.Table());
    fmt::print("{} calls, {} tasks; the time line is {}\n", trace.calls, trace.tasks, picture);
    return 0;
  }
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& [what, total] : trace.summary.Rows()) {
    rows.push_back({{"task", what}, {"calls", total.calls}, {"ms", total.ns * 1e-6}, {"bytes", total.bytes}});
  }
  fmt::print("{}\n", nlohmann::json{{"calls", trace.calls}, {"picture", picture}, {"tasks", rows}}.dump(2));
  return 0;
}

}  // namespace portacl::tool
