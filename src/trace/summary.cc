// SPDX-License-Identifier: Apache-2.0
#include "trace/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace portacl::trace {

void Summary::Add(const std::string& what, double ns, double bytes) {
  Total& total = totals_[what];
  ++total.calls;
  total.ns += ns;
  total.bytes += bytes;
}

std::vector<Summary::Row> Summary::Rows() const {
  std::vector<Row> rows(totals_.begin(), totals_.end());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.second.ns != b.second.ns ? a.second.ns > b.second.ns : a.first < b.first;
  });
  return rows;
}

std::string Summary::Table() const {
  const std::vector<Row> rows = Rows();
  if (rows.empty()) return {};
  double all_ns = 0;
  for (const auto& [what, total] : rows) all_ns += total.ns;
  std::string text = fmt::format("{:>8} {:>12} {:>7} {:>8}  {}\n", "calls", "time in ms", "share", "GB/s", "task");
  for (const auto& [what, total] : rows) {
    const std::string speed = total.bytes == 0 || total.ns == 0 ? "-" : fmt::format("{:.2f}", total.bytes / total.ns);
    fmt::format_to(std::back_inserter(text), "{:>8} {:>12.3f} {:>6.1f}% {:>8}  {}\n", total.calls, total.ns * 1e-6,
                   all_ns == 0 ? 0.0 : 100 * total.ns / all_ns, speed, what);
  }
  return text;
}

}  // namespace portacl::trace
