// SPDX-License-Identifier: Apache-2.0
// The command that repeats a failed test, see reproduce.h.
#include "testing/reproduce.h"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

#include <gtest/gtest.h>

#include "testing/random.h"

namespace portacl::testing {
namespace {

// The environment variables that affect a test.
constexpr const char* kVariables[] = {"PORTACL_TARGET",  "PORTACL_SOC",         "PORTACL_NUM_THREADS",
                                      "PORTACL_DEVICES", "PORTACL_TEST_DEVICE", "PORTACL_TEST_TARGETS"};

std::string ThisBinary() {
  char path[PATH_MAX] = {};
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : "<test binary>";
}

class ReproducePrinter : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    std::printf("To repeat: %s\n", ReproduceCommand(name).c_str());
  }
};

}  // namespace

std::string ReproduceCommand(const std::string& test_name) {
  std::string command = "PORTACL_TEST_SEED=" + std::to_string(TestSeed()) + " ";
  for (const char* variable : kVariables) {
    if (const char* value = std::getenv(variable)) command += std::string(variable) + "=" + value + " ";
  }
  return command + ThisBinary() + " --gtest_filter=" + test_name;
}

void InstallReproducePrinter() {
  ::testing::UnitTest::GetInstance()->listeners().Append(new ReproducePrinter);  // owned by the list
}

}  // namespace portacl::testing
