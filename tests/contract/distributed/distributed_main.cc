// SPDX-License-Identifier: Apache-2.0
// Runs the test, or plays one of its ranks.
#include <gtest/gtest.h>

#include "processes.h"

int main(int argc, char** argv) {
  if (const int status = portacl::distributed::PlayIfAsked(argc, argv); status >= 0) return status;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// Gloo is not instrumented: ThreadSanitizer cannot see that its reference counts order the accesses of threads to its
// objects.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:libgloo.so\n";
}
