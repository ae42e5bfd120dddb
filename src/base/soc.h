// SPDX-License-Identifier: Apache-2.0
// The Ascend SoCs that can be imitated, and the current one: PORTACL_SOC names a family or a full SoC name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "base/visibility.h"

namespace portacl {

// One row for each family: its name, its series, and the SoC that the family name alone selects.
#define PORTACL_SOCS(ROW)                                  \
  ROW(Ascend910B, "Atlas A2", "Ascend910B1")               \
  ROW(Ascend910_93, "Atlas A3", "Ascend910_9391")          \
  ROW(Ascend910, "Atlas training series", "Ascend910A")    \
  ROW(Ascend310P, "Atlas inference series", "Ascend310P3") \
  ROW(Ascend310B, "Atlas 200I/500 A2", "Ascend310B1")      \
  ROW(Ascend950, "Ascend 950", "Ascend950PR_9599")

#define PORTACL_SOC_FAMILY(name, ...) k##name,
enum class SocFamily : uint8_t { PORTACL_SOCS(PORTACL_SOC_FAMILY) };
#undef PORTACL_SOC_FAMILY

struct Soc {
  SocFamily family;
  const char* family_name;  // "Ascend910B"
  const char* series;       // "Atlas A2"
  char full_name[32];       // "Ascend910B1", the result of aclrtGetSocName()
};

/// One SoC of each family, in the order of SocFamily.
#define PORTACL_SOC_ROW(name, series, full_name) {SocFamily::k##name, #name, series, full_name},
inline constexpr Soc kSocs[] = {PORTACL_SOCS(PORTACL_SOC_ROW)};
#undef PORTACL_SOC_ROW

inline constexpr size_t kSocFamilies = std::size(kSocs);

inline namespace v1 {

/// Reads a family name, also the older name Ascend910_95 of Ascend950, or a full name that begins with one. Otherwise
/// returns false, and `soc` is unchanged.
PORTACL_EXPORT bool ParseSoc(std::string_view name, Soc* soc) noexcept;

/// The SoC that is imitated. PORTACL_SOC is read once, at the first call; an invalid value also prints one line on the
/// error stream.
PORTACL_EXPORT const Soc& CurrentSoc() noexcept;

}  // namespace v1

/// Imitates another SoC from now on; nullptr: the SoC of the environment. Only for tests; not while another thread
/// calls.
void SetCurrentSocForTest(const Soc* soc) noexcept;

}  // namespace portacl
