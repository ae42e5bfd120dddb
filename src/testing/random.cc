// SPDX-License-Identifier: Apache-2.0
#include "testing/random.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

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

namespace {

uint64_t SeedOfRunningTest() {
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  if (test == nullptr) return TestSeed();
  return TestSeed() ^ std::hash<std::string>{}(std::string(test->test_suite_name()) + "." + test->name());
}

}  // namespace

Random::Random() : calls::Random(SeedOfRunningTest()) {}

}  // namespace portacl::testing
