// SPDX-License-Identifier: Apache-2.0
// Assertions about ULP distance, see ulp.h.
#include "testing/ulp.h"

#include <cmath>

#include "calls/element.h"

namespace portacl::testing {

using calls::DescribeElement;
using calls::ElementBits;
using calls::LoadElement;
using calls::StoreElement;
using calls::UlpError;

::testing::AssertionResult WithinUlp(aclDataType dtype, long double exact, const void* got, double limit,
                                     std::string_view note, double term) {
  const double error = UlpError(dtype, got, exact, term);
  if (error <= limit) return ::testing::AssertionSuccess();
  std::byte rounded[sizeof(uint64_t)] = {};
  StoreElement(dtype, exact, rounded);
  return ::testing::AssertionFailure() << (note.empty() ? "" : "inputs ") << note << (note.empty() ? "" : ": ")
                                       << "want " << static_cast<double>(exact) << ", which rounds to "
                                       << DescribeElement(dtype, rounded) << "; got " << DescribeElement(dtype, got)
                                       << ": " << error << " ULP, limit " << limit;
}

::testing::AssertionResult WithinUlp(double exact, float got, double limit) {
  return WithinUlp(ACL_FLOAT, exact, &got, limit);
}

::testing::AssertionResult WithinUlp(long double exact, double got, double limit) {
  return WithinUlp(ACL_DOUBLE, exact, &got, limit);
}

::testing::AssertionResult SameBits(aclDataType dtype, const void* want, const void* got, std::string_view note) {
  const bool both_nan = std::isnan(LoadElement(dtype, want)) && std::isnan(LoadElement(dtype, got));
  if (both_nan || ElementBits(dtype, want) == ElementBits(dtype, got)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << note << (note.empty() ? "" : ": ") << "want the bits of "
                                       << DescribeElement(dtype, want) << "; got " << DescribeElement(dtype, got);
}

}  // namespace portacl::testing
