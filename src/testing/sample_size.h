// SPDX-License-Identifier: Apache-2.0
// How large a large sample is.
#pragma once

#include <cstdint>

namespace portacl::testing {

// All of it where instructions run at the machine's speed, a sixteenth where an emulator or a sanitizer runs some or
// tens for one: there a test looks for what differs, and the plain builds have looked at every value.
#ifdef PORTACL_SLOW_TESTS
constexpr bool kTestsAreSlow = true;
#else
constexpr bool kTestsAreSlow = false;
#endif
constexpr int64_t SampleSize(int64_t full) { return kTestsAreSlow ? full / 16 : full; }

// For cases that each take long: every `whole`th one there.
constexpr int OneOf(int whole) { return kTestsAreSlow ? whole : 1; }

}  // namespace portacl::testing
