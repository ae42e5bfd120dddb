// SPDX-License-Identifier: Apache-2.0
// The current SoC is read once per process, so tests that depend on PORTACL_SOC run in children; the parent never reads
// it.
#include "base/soc.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "acl/acl_rt.h"
#include "base/environment.h"

namespace portacl {
namespace {

std::string FullName(const char* name) {
  Soc soc = {};
  return ParseSoc(name, &soc) ? soc.full_name : "";
}

TEST(Soc, AFamilyNameStandsForOneSoc) {
  EXPECT_EQ(FullName("Ascend910B"), "Ascend910B1");
  EXPECT_EQ(FullName("Ascend910_93"), "Ascend910_9391");
  EXPECT_EQ(FullName("Ascend910"), "Ascend910A");
  EXPECT_EQ(FullName("Ascend310P"), "Ascend310P3");
  EXPECT_EQ(FullName("Ascend310B"), "Ascend310B1");
  EXPECT_EQ(FullName("Ascend950"), "Ascend950PR_9599");
  EXPECT_EQ(FullName("Ascend910_95"), "Ascend950PR_9599");  // its older name
}

TEST(Soc, AFullNameBelongsToItsFamily) {
  const std::pair<const char*, SocFamily> rows[] = {
      {"Ascend910B1", SocFamily::kAscend910B},      {"Ascend910B2C", SocFamily::kAscend910B},
      {"Ascend910B4-1", SocFamily::kAscend910B},    {"Ascend910_9391", SocFamily::kAscend910_93},
      {"Ascend910_9362", SocFamily::kAscend910_93}, {"Ascend910A", SocFamily::kAscend910},
      {"Ascend910ProA", SocFamily::kAscend910},     {"Ascend910PremiumA", SocFamily::kAscend910},
      {"Ascend310P3", SocFamily::kAscend310P},      {"Ascend310B4", SocFamily::kAscend310B},
      {"Ascend950PR_9599", SocFamily::kAscend950},  {"Ascend950DT_9591", SocFamily::kAscend950},
      {"Ascend910_9599", SocFamily::kAscend950},
  };
  for (const auto& [name, family] : rows) {
    Soc soc = {};
    ASSERT_TRUE(ParseSoc(name, &soc)) << name;
    EXPECT_EQ(soc.family, family) << name;
    EXPECT_STREQ(soc.full_name, name);
    EXPECT_STREQ(soc.family_name, kSocs[static_cast<size_t>(family)].family_name);
  }
}

TEST(Soc, OtherNamesAreRefused) {
  for (const char* name : {"", "Ascend", "Ascend310", "ascend910b", "Ascend910C", "Ascend9105", "Ascend910Bx",
                           "Ascend910B1 ", "Ascend910_92", "Ascend910_95B", "Ascend9509", "Ascend950_",
                           "Ascend910B123456789012345678901234567890", "Atlas A2"}) {
    EXPECT_EQ(FullName(name), "") << name;
  }
}

TEST(Soc, TheTableIsInTheOrderOfFamilies) {
  for (size_t i = 0; i < kSocFamilies; ++i) EXPECT_EQ(static_cast<size_t>(kSocs[i].family), i);
}

// Exits with 0 when PORTACL_SOC = `value` makes `name` the current SoC.
[[noreturn]] void ExpectSocName(const char* value, const char* name, bool rejected) {
  if (value == nullptr)
    unsetenv("PORTACL_SOC");
  else
    setenv("PORTACL_SOC", value, 1);
  ForgetVariablesForTest();
  const bool right = std::strcmp(aclrtGetSocName(), name) == 0 && aclrtGetSocName() == CurrentSoc().full_name;
  VariableRecord records[static_cast<size_t>(Variable::kCount)];
  ListVariables(records, std::size(records));
  std::_Exit(right && records[static_cast<size_t>(Variable::kSoc)].rejected == rejected ? 0 : 1);
}

TEST(SocDeathTest, TheEnvironmentChoosesTheSoc) {
  EXPECT_EXIT(ExpectSocName(nullptr, "Ascend910B1", false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ExpectSocName("Ascend310P", "Ascend310P3", false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(ExpectSocName("Ascend910_9382", "Ascend910_9382", false), ::testing::ExitedWithCode(0), "");
}

TEST(SocDeathTest, AnUnknownNameGivesTheDefaultAndALineOnTheErrorStream) {
  EXPECT_EXIT(ExpectSocName("Turing", "Ascend910B1", true), ::testing::ExitedWithCode(0),
              "PORTACL_SOC: expected .*, got 'Turing'; Ascend910B1 is imitated");
}

// Exits with the number of lines that three queries of the SoC print; with 99 when there are other lines on the
// standard output.
[[noreturn]] void CountLines(const char* soc) {
  setenv("PORTACL_SOC", soc, 1);
  unsetenv("ASCEND_SLOG_PRINT_TO_STDOUT");
  ForgetVariablesForTest();
  ::testing::internal::CaptureStdout();
  std::FILE* file = std::tmpfile();  // GoogleTest has captured the error stream already
  if (file == nullptr || dup2(fileno(file), STDERR_FILENO) < 0) std::_Exit(98);
  for (int i = 0; i < 3; ++i) aclrtGetSocName();
  if (!::testing::internal::GetCapturedStdout().empty()) std::_Exit(99);
  std::rewind(file);
  int lines = 0;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) lines += c == '\n' ? 1 : 0;
  std::_Exit(lines);
}

TEST(SocDeathTest, TheLineIsWrittenOnceAndOnlyForUnknownNames) {
  EXPECT_EXIT(CountLines("Turing"), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(CountLines("Ascend910_95"), ::testing::ExitedWithCode(0), "");
}

TEST(Soc, ATestMayImitateAnotherSoc) {
  const Soc& soc = kSocs[static_cast<size_t>(SocFamily::kAscend310P)];
  SetCurrentSocForTest(&soc);
  EXPECT_EQ(&CurrentSoc(), &soc);
  EXPECT_STREQ(aclrtGetSocName(), "Ascend310P3");
  SetCurrentSocForTest(nullptr);
}

}  // namespace
}  // namespace portacl
