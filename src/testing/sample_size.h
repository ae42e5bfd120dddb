// SPDX-License-Identifier: Apache-2.0
// The size of a large sample.
#pragma once

#include <cstdint>

namespace portacl::testing {

// The whole sample in normal builds, a sixteenth under an emulator or a sanitizer, which executes some or tens of
// instructions for one: tests there look for differences only, as normal builds have checked every value.
#ifdef PORTACL_SLOW_TESTS
constexpr bool kTestsAreSlow = true;
#else
constexpr bool kTestsAreSlow = false;
#endif
constexpr int64_t SampleSize(int64_t full) { return kTestsAreSlow ? full / 16 : full; }

// For cases that take long each: slow builds run every `whole`th one.
constexpr int OneOf(int whole) { return kTestsAreSlow ? whole : 1; }

}  // namespace portacl::testing
