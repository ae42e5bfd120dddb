// SPDX-License-Identifier: Apache-2.0
#include "base/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"

namespace portacl {
namespace {

class Environment : public ::testing::Test {
 protected:
  void SetUp() override { Forget(); }

  void TearDown() override {
    for (const char* name :
         {"PORTACL_DEVICES", "PORTACL_SOC", "PORTACL_NON_TEMPORAL_BYTES", "ASCEND_SLOG_PRINT_TO_STDOUT"}) {
      unsetenv(name);
    }
    Forget();
  }

  static void Forget() {
    ForgetVariablesForTest();
    ForgetLogLevelForTest();
  }

  static void Set(const char* name, const char* value) { setenv(name, value, 1); }

  static VariableRecord Record(Variable variable) {
    VariableRecord records[static_cast<size_t>(Variable::kCount)];
    EXPECT_EQ(ListVariables(records, std::size(records)), std::size(records));
    return records[static_cast<size_t>(variable)];
  }
};

TEST_F(Environment, AVariableIsReadOnce) {
  EXPECT_EQ(VariableText(Variable::kSoc), nullptr);
  Set("PORTACL_SOC", "Ascend310P3");
  EXPECT_EQ(VariableText(Variable::kSoc), nullptr);
  Forget();
  EXPECT_STREQ(VariableText(Variable::kSoc), "Ascend310P3");
  Set("PORTACL_SOC", "Ascend950");
  EXPECT_STREQ(VariableText(Variable::kSoc), "Ascend310P3");
}

TEST_F(Environment, AnEmptyVariableIsNotSet) {
  Set("PORTACL_DEVICES", "");
  EXPECT_EQ(VariableText(Variable::kDevices), nullptr);
  EXPECT_EQ(VariableInteger(Variable::kDevices, 1, 8, 1), 1);
  EXPECT_FALSE(Record(Variable::kDevices).rejected);
}

TEST_F(Environment, AnIntegerInRangeIsTaken) {
  Set("PORTACL_DEVICES", "8");
  EXPECT_EQ(VariableInteger(Variable::kDevices, 1, 8, 1), 8);
  const VariableRecord record = Record(Variable::kDevices);
  EXPECT_STREQ(record.name, "PORTACL_DEVICES");
  EXPECT_STREQ(record.value, "8");
  EXPECT_FALSE(record.rejected);
}

TEST_F(Environment, AnythingElseIsRejectedForTheDefault) {
  for (const char* value : {"0", "9", "-1", "two", "2x", " 2", "+2", "2.0", "99999999999999999999"}) {
    Set("PORTACL_DEVICES", value);
    Forget();
    EXPECT_EQ(VariableInteger(Variable::kDevices, 1, 8, 3), 3) << value;
    EXPECT_TRUE(Record(Variable::kDevices).rejected) << value;
  }
}

TEST_F(Environment, ARejectedValueIsOneLogLine) {
  Set("ASCEND_SLOG_PRINT_TO_STDOUT", "1");
  Set("PORTACL_DEVICES", "many");
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 3; ++i) VariableInteger(Variable::kDevices, 1, 8, 1);
  const std::string lines = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  EXPECT_NE(lines.find("[ERROR]"), std::string::npos) << lines;
  EXPECT_NE(lines.find("PORTACL_DEVICES: expected an integer from 1 to 8, got 'many'"), std::string::npos) << lines;
}

TEST_F(Environment, TheListHasANameAndAMeaningForEveryVariable) {
  for (size_t i = 0; i < static_cast<size_t>(Variable::kCount); ++i) {
    const VariableRecord record = Record(static_cast<Variable>(i));
    EXPECT_NE(record.name, nullptr);
    EXPECT_NE(record.meaning, nullptr);
    EXPECT_NE(record.default_text, nullptr);
  }
  VariableRecord none;
  EXPECT_EQ(ListVariables(&none, 0), static_cast<size_t>(Variable::kCount));
}

TEST_F(Environment, ThreadsMayAskTogether) {
  Set("PORTACL_DEVICES", "none");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] { EXPECT_EQ(VariableInteger(Variable::kDevices, 1, 8, 2), 2); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace portacl
