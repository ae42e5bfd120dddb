// SPDX-License-Identifier: Apache-2.0
// The test, or one of its ranks.
#include <gtest/gtest.h>

#include "processes.h"

int main(int argc, char** argv) {
  if (const int status = portacl::distributed::PlayIfAsked(argc, argv); status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// Gloo is not instrumented: that threads share its objects in turn, by their counts, cannot be seen.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:libgloo.so\n";
}
