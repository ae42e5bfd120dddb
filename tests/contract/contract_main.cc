// SPDX-License-Identifier: Apache-2.0
// main() of the contract tests. Death tests start the binary again, so their statement runs in a process that has not
// used the library yet.
#include <gtest/gtest.h>

#include "testing/reproduce.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  portacl::testing::InstallReproducePrinter();
  return RUN_ALL_TESTS();
}
