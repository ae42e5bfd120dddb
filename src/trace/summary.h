// SPDX-License-Identifier: Apache-2.0
// The table of a trace: times by operator and shapes. For the library and for the tool.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace portacl::trace {

struct Total {
  int64_t calls = 0;
  double ns = 0;
  double bytes = 0;
};

class Summary {
 public:
  // `what`: operator and shapes, "aclnnAdd self FLOAT[2,3] ...".
  void Add(const std::string& what, double ns, double bytes);
  using Row = std::pair<std::string, Total>;
  std::vector<Row> Rows() const;  // the longest time first
  // One line for each row, the longest time first; "" when empty.
  std::string Table() const;

 private:
  std::map<std::string, Total> totals_;
};

}  // namespace portacl::trace
