// SPDX-License-Identifier: Apache-2.0
// Initialising and finalizing. The library's state belongs to the process, so most tests use a state of their own.
#include "runtime/process/init.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "base/status.h"
#include "runtime/contexts/context.h"
#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

class InitTest : public ::testing::Test {
 protected:
  void TearDown() override {
    SetReportScope(ReportScope::kThread);
    contexts::SetDefaultDevice(-1);
    if (!path_.empty()) std::remove(path_.c_str());
  }

  // Writes a file with that content.
  const char* File(const std::string& content) {
    path_ = ::testing::TempDir() + "portacl_init_test_" + std::to_string(getpid()) + ".json";
    FILE* file = std::fopen(path_.c_str(), "w");
    EXPECT_EQ(std::fwrite(content.data(), 1, content.size(), file), content.size());
    std::fclose(file);
    return path_.c_str();
  }

  process::ProcessLife& life_ = Immortal<process::ProcessLife>();

 private:
  std::string path_;
};

TEST_F(InitTest, RepeatedCallsAreToldSoAndStillCount) {
  EXPECT_EQ(life_.Init(nullptr), ACL_SUCCESS);
  EXPECT_EQ(life_.Init("/no/such/file"), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(life_.Init(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  uint64_t left = 99;
  EXPECT_EQ(life_.FinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2u);
  EXPECT_EQ(life_.FinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_EQ(life_.FinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0u);
  left = 99;
  EXPECT_EQ(life_.FinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(left, 99u);
  EXPECT_EQ(life_.Finalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST_F(InitTest, FinalizeClosesWhateverTheCountIs) {
  EXPECT_EQ(life_.Init(""), ACL_SUCCESS);
  EXPECT_EQ(life_.Init(""), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(life_.Finalize(), ACL_SUCCESS);
  EXPECT_EQ(life_.Finalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(life_.Init(nullptr), ACL_SUCCESS);
  EXPECT_EQ(life_.Finalize(), ACL_SUCCESS);
}

TEST_F(InitTest, TheFirstFinalizeSucceedsWithoutInit) {
  EXPECT_EQ(life_.Finalize(), ACL_SUCCESS);
  EXPECT_EQ(life_.Finalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST_F(InitTest, FilesThatCannotBeUsedHaveTheirCodes) {
  EXPECT_EQ(life_.Init("/no/such/file"), ACL_ERROR_INVALID_FILE);
  ExpectReport("aclInit", "/no/such/file");
  EXPECT_EQ(life_.Init("/"), ACL_ERROR_INVALID_FILE);
  EXPECT_EQ(life_.Init(File("not json")), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(life_.Init(File("{\"a\":")), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(life_.Init(File("{\"err_msg_mode\": \"2\"}")), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclInit", "err_msg_mode");
  EXPECT_EQ(life_.Init(File("{\"err_msg_mode\": 1}")), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(life_.Init(File("{\"defaultDevice\": {\"default_device\": \"x\"}}")), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(life_.Init(File("{\"defaultDevice\": {\"default_device\": \"1\"}}")), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(life_.Init(nullptr), ACL_SUCCESS);  // the call that failed was not counted
}

TEST_F(InitTest, EmptyFilesUnknownKeysAndOddShapesAreFine) {
  for (const char* content :
       {"", " \n", "{}", "[1]", "3", "{\"dump\":{\"dump_scene\":\"lite_exception\"},\"StackSize\":1}",
        "{\"defaultDevice\": 3}", "{\"err_msg_mode\": \"0\"}"}) {
    auto& life = Immortal<process::ProcessLife>();
    EXPECT_EQ(life.Init(File(content)), ACL_SUCCESS) << content;
  }
}

TEST_F(InitTest, ASecondOpeningMustHaveTheContentOfTheFirst) {
  EXPECT_EQ(life_.Init(File("{\"a\": 1}")), ACL_SUCCESS);
  EXPECT_EQ(life_.Finalize(), ACL_SUCCESS);
  EXPECT_EQ(life_.Init(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(life_.Init(File("{\"a\": 2}")), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(life_.Init(File("{\"a\": 1}")), ACL_SUCCESS);
}

TEST_F(InitTest, NestingTakesNoStack) {
  const std::string nested = std::string(1000000, '[') + "1" + std::string(1000000, ']');
  EXPECT_EQ(life_.Init(File(std::string(1000000, '['))), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(life_.Init(File("{\"err_msg_mode\": " + nested + "}")), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclInit", "err_msg_mode");
  EXPECT_EQ(life_.Init(File("{\"defaultDevice\": {\"default_device\": " + nested + "}}")), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclInit", "default_device");
  EXPECT_EQ(life_.Init(File("{\"other\": " + nested + "}")), ACL_SUCCESS);
}

TEST_F(InitTest, ThreadsWithoutAContextUseTheDefaultDevice) {
  EXPECT_EQ(life_.Init(File("{\"defaultDevice\": {\"default_device\": \"0\"}}")), ACL_SUCCESS);
  InFreshThread([] {
    int32_t device = -1;
    EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
}

TEST_F(InitTest, ModeOneSharesOneListOfReports) {
  EXPECT_EQ(life_.Init(File("{\"err_msg_mode\": \"1\"}")), ACL_SUCCESS);
  InFreshThread([] { EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM); });
  ExpectReport("aclrtFree", "NULL");
}

TEST(Init, TheCFunctionsKeepOneCount) {
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  uint64_t left = 0;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 1u);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
}

TEST(Init, VersionIsTheOneOfTheHeaders) {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), ACL_SUCCESS);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 17);
  EXPECT_EQ(patch, 0);
  EXPECT_EQ(aclrtGetVersion(nullptr, &minor, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, nullptr, &patch), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetVersion(&major, &minor, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(LastError, SeesRuntimeCodesOnlyAndIsClearedByGet) {
  InFreshThread([] {
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    uint32_t count = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetLastError(static_cast<aclrtLastErrLevel>(1)), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtPeekAtLastError(static_cast<aclrtLastErrLevel>(1)), ACL_ERROR_INVALID_PARAM);
  });
}

}  // namespace
}  // namespace portacl::testing
