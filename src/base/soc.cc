// SPDX-License-Identifier: Apache-2.0
#include "base/soc.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>

#include "acl/acl_rt.h"
#include "base/environment.h"
#include "base/soc_variable.h"
#include "base/target.h"

namespace portacl {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsNamePart(char c) { return IsDigit(c) || IsUpper(c) || IsLower(c) || c == '_' || c == '-'; }

constexpr std::string_view kOlderNameOf950 = "Ascend910_95";

// Whether the text may follow the family name. It is a number (910B2C, 910_9391, 310P3); for the two families without a
// letter of their own it is a variant in letters (910A, 910ProB, 950PR_9599). The variants of 910 exclude the letters
// that name other families.
bool IsVariant(std::string_view family, std::string_view rest) noexcept {
  if (!std::all_of(rest.begin(), rest.end(), IsNamePart)) return false;
  if (family == "Ascend950") return IsUpper(rest.front());
  if (family == "Ascend910") return rest == "A" || rest.starts_with("Pro") || rest.starts_with("Premium");
  return IsDigit(rest.front());
}

// The names of all families, with a text before and after them.
constexpr std::array<char, 256> TextOfFamilies(std::string_view before, std::string_view after) {
  std::array<char, 256> text = {};
  auto at = text.begin();
  const auto append = [&](std::string_view part) { at = std::copy(part.begin(), part.end(), at); };
  append(before);
  for (const Soc& soc : kSocs) {
    if (soc.family != kSocs[0].family) append(", ");
    append(soc.family_name);
  }
  append(after);
  return text;
}

constinit std::atomic<const Soc*> test_soc{nullptr};

Soc ReadSoc() noexcept {
  Soc soc = kSocs[0];
  const char* name = VariableText(Variable::kSoc);
  if (name != nullptr && !ParseSoc(name, &soc)) {
    char outcome[64];
    std::snprintf(outcome, sizeof(outcome), "%s is imitated", soc.full_name);
    RejectSoc(Variable::kSoc, outcome);
  }
  return soc;
}

}  // namespace

inline namespace v1 {

bool ParseSoc(std::string_view name, Soc* soc) noexcept {
  const Soc* family = nullptr;
  std::string_view family_name;
  // Ascend910 is a prefix of the names of other families, so the longest match is used.
  const auto consider = [&](std::string_view prefix, const Soc& candidate) {
    if (prefix.size() <= family_name.size() || !name.starts_with(prefix)) return;
    family = &candidate;
    family_name = prefix;
  };
  for (const Soc& candidate : kSocs) consider(candidate.family_name, candidate);
  consider(kOlderNameOf950, kSocs[static_cast<size_t>(SocFamily::kAscend950)]);
  if (family == nullptr) return false;
  const std::string_view rest = name.substr(family_name.size());
  if (!rest.empty() && (name.size() >= sizeof(soc->full_name) || !IsVariant(family_name, rest))) return false;
  Soc result = *family;
  if (!rest.empty()) *std::copy(name.begin(), name.end(), result.full_name) = '\0';
  *soc = result;
  return true;
}

const Soc& CurrentSoc() noexcept {
  static const Soc from_environment = ReadSoc();
  const Soc* from_test = test_soc.load(std::memory_order_relaxed);
  return from_test == nullptr ? from_environment : *from_test;
}

}  // namespace v1

void RejectSoc(Variable variable, const char* outcome) noexcept {
  const bool one = variable == Variable::kSoc;
  static constexpr auto kName = TextOfFamilies("", " or a full name such as Ascend910B1");
  static constexpr auto kNames = TextOfFamilies("a comma list of ", " or full names");
  const char* const expected = one ? kName.data() : kNames.data();
  RejectVariable(variable, expected);
  std::fprintf(stderr, "[ERROR] PORTACL(%d) environment variable %s: expected %s, got '%s'; %s\n",
               static_cast<int>(getpid()), one ? "PORTACL_SOC" : "PORTACL_SOC_REPORT", expected, VariableText(variable),
               outcome);
}

void SetCurrentSocForTest(const Soc* soc) noexcept {
  test_soc.store(soc, std::memory_order_relaxed);
  settings_version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace portacl

const char* aclrtGetSocName() { return portacl::CurrentSoc().full_name; }
