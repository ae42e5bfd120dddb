// SPDX-License-Identifier: Apache-2.0
// The Ascend products that can be imitated, and the one that is: PORTACL_SOC names a family or a full product name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/visibility.h"

namespace portacl {

enum class Family : uint8_t { kAscend910B, kAscend910_93, kAscend910, kAscend310P, kAscend310B, kAscend950 };

inline constexpr size_t kFamilies = 6;

struct Product {
  Family family;
  const char* family_name;  // "Ascend910B"
  const char* series;       // "Atlas A2"
  char full_name[32];       // "Ascend910B1", what aclrtGetSocName() answers
};

/// One product of each family, in the order of Family: the one a bare family name stands for.
inline constexpr Product kProducts[kFamilies] = {
    {Family::kAscend910B, "Ascend910B", "Atlas A2", "Ascend910B1"},
    {Family::kAscend910_93, "Ascend910_93", "Atlas A3", "Ascend910_9391"},
    {Family::kAscend910, "Ascend910", "Atlas training series", "Ascend910A"},
    {Family::kAscend310P, "Ascend310P", "Atlas inference series", "Ascend310P3"},
    {Family::kAscend310B, "Ascend310B", "Atlas 200I/500 A2", "Ascend310B1"},
    {Family::kAscend950, "Ascend950", "Ascend 950", "Ascend950PR_9599"},
};

inline namespace v1 {

/// Reads a family name, also the older one of Ascend950, Ascend910_95, or a full name that begins with one. False, and
/// `product` untouched, when it is neither.
PORTACL_EXPORT bool ParseProduct(std::string_view name, Product* product) noexcept;

/// The product that is imitated. PORTACL_SOC is read once, at the first call; a value that is not understood is also
/// one line on the error stream.
PORTACL_EXPORT const Product& CurrentProduct() noexcept;

}  // namespace v1

/// Imitates another product from now on, nullptr: the one of the environment. Only for tests; not while another thread
/// calls.
void SetCurrentProductForTest(const Product* product) noexcept;

}  // namespace portacl
