// SPDX-License-Identifier: Apache-2.0
// The seed of a run, and of one test in it, see random.h.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "testing/random.h"

namespace portacl::testing {

uint64_t TestSeed() {
  static const uint64_t seed = [] {
    const char* const text = std::getenv("PORTACL_TEST_SEED");
    if (text == nullptr) return 20250131ULL;
    if (std::strcmp(text, "random") != 0) return std::strtoull(text, nullptr, 0);
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return static_cast<unsigned long long>(now) % 1000000007;
  }();
  return seed;
}

Random::Random() : state_(TestSeed()) {
  if (const auto* test = ::testing::UnitTest::GetInstance()->current_test_info()) {
    state_ ^= std::hash<std::string>{}(std::string(test->test_suite_name()) + "." + test->name());
  }
}

}  // namespace portacl::testing
