// SPDX-License-Identifier: Apache-2.0
// For tests: pairs of a name of the public headers and its required value.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace portacl::contract {

struct Pin {
  const char* name;
  int64_t actual;
  int64_t wanted;
};

template <size_t kCount>
void ExpectPinned(const Pin (&pins)[kCount]) {
  for (const Pin& pin : pins) {
    EXPECT_EQ(pin.actual, pin.wanted) << pin.name;
  }
}

// `name` provides both the text and the value.
#define PIN(name, wanted) {#name, static_cast<int64_t>(name), wanted}

}  // namespace portacl::contract
