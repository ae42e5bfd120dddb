// SPDX-License-Identifier: Apache-2.0
// A failing test ends with the one command that repeats it.
#pragma once

#include <string>

namespace portacl::testing {

// PORTACL_TEST_SEED=7 PORTACL_TARGET=AVX2 /path/to/logit_test --gtest_filter=LogitGrad.KeepsNan
std::string ReproduceCommand(const std::string& test_name);

// Prints the command after each failed test. Called once, before RUN_ALL_TESTS.
void InstallReproducePrinter();

}  // namespace portacl::testing
