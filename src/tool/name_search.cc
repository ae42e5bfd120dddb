// SPDX-License-Identifier: Apache-2.0
#include "tool/name_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace portacl::tool {
namespace {

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Number of letters to insert, delete or replace; ignores case.
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

bool IsSame(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

std::string_view Without(std::string_view prefix, std::string_view name) {
  return IsSame(name.substr(0, prefix.size()), prefix) ? name.substr(prefix.size()) : name;
}

}  // namespace

std::vector<std::string> Matches(std::string_view name, const std::vector<std::string>& candidates,
                                 std::string_view prefix) {
  std::vector<std::string> matches;
  for (const std::string& candidate : candidates) {
    if (candidate == name) return {candidate};
    if (IsSame(Without(prefix, candidate), Without(prefix, name))) matches.push_back(candidate);
  }
  return matches;
}

std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates, std::string_view prefix) {
  constexpr size_t kLongestName = 256;  // the cost is the product of the lengths
  constexpr size_t kShown = 3;
  if (name.size() > kLongestName) return "";
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string& candidate : candidates) {
    const std::string_view a = Without(prefix, name);
    const std::string_view b = Without(prefix, candidate);
    const size_t distance = std::min(EditDistance(a, b), EditDistance(name, candidate));  // the prefix can be misspelt
    if (3 * distance <= std::max(a.size(), b.size()) + 3) near.emplace_back(distance, candidate);
  }
  if (near.empty()) return "";
  std::ranges::stable_sort(near, {}, [](const auto& pair) { return pair.first; });
  near.resize(std::min(near.size(), kShown));
  std::string text;
  for (size_t i = 0; i < near.size(); ++i) {
    if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
    text += fmt::format("'{}'", near[i].second);
  }
  return fmt::format(" (did you mean {}?)", text);
}

}  // namespace portacl::tool
