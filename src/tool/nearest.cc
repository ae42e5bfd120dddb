// SPDX-License-Identifier: Apache-2.0
#include "tool/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace portacl::tool {
namespace {

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Letters that have to be inserted, deleted or replaced; case does not count.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kLongestName = 256;  // the distance costs the product of the lengths
  const std::string* best = nullptr;
  size_t least = 0;
  for (const std::string& candidate : candidates) {
    if (name.size() > kLongestName) break;
    const size_t distance = EditDistance(name, candidate);
    if (3 * distance > std::max(name.size(), candidate.size()) + 3) continue;
    if (best == nullptr || distance < least) {
      best = &candidate;
      least = distance;
    }
  }
  return best == nullptr ? "" : " (did you mean '" + *best + "'?)";
}

}  // namespace portacl::tool
