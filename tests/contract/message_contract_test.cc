// SPDX-License-Identifier: Apache-2.0
// The information that a client reads after a failure: the report's text and the thread's last runtime error.
#include <regex>
#include <string>

#include "contract_support.h"

namespace contract {
namespace {

TEST(Message, IsTakenOnceAndPerThread) {
  TakeMessage();
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "nothing new was recorded";
  EXPECT_EQ(aclrtFree(nullptr), kInvalidParam);
  OnFreshThread([] { EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "another thread does not see it"; });
  EXPECT_NE(TakeMessage().find("aclrtFree"), std::string::npos);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr) << "reading clears";
}

TEST(Message, NewestReportComesFirst) {
  TakeMessage();
  EXPECT_NE(aclrtFree(nullptr), kOk);
  EXPECT_NE(aclrtFreeHost(nullptr), kOk);
  const std::string text = TakeMessage();
  const size_t newest = text.find("aclrtFreeHost:"), oldest = text.find("aclrtFree:");
  ASSERT_NE(newest, std::string::npos) << text;
  ASSERT_NE(oldest, std::string::npos) << text;
  EXPECT_LT(newest, oldest);
}

TEST(Message, HasTheDocumentedForm) {
  TakeMessage();
  EXPECT_NE(aclrtMalloc(nullptr, 8, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  const std::string text = TakeMessage();
  const std::regex form(
      R"(\[PID: \d+\] \d{4}-\d{2}-\d{2}-\d{2}:\d{2}:\d{2}\.\d{3}\.\d{3} \w+\(E[A-Z]\w{4}\): aclrtMalloc: argument 'devPtr': [^\n]*\n?)");
  EXPECT_TRUE(std::regex_match(text, form)) << text;
}

TEST(Message, ListIsBounded) {
  TakeMessage();
  for (size_t i = 1; i <= 1500; ++i) {
    char block[8];
    EXPECT_EQ(aclrtMemcpy(block, 1, block + 1, i + 1, ACL_MEMCPY_DEFAULT), kRtParamInvalid);
  }
  const std::string text = TakeMessage();
  size_t reports = 0;
  for (size_t at = text.find("[PID:"); at != std::string::npos; at = text.find("[PID:", at + 1)) ++reports;
  EXPECT_EQ(reports, 1000u);
  EXPECT_NE(text.find("1501"), std::string::npos) << "the newest is kept";
}

TEST(Message, IdenticalReportsAppearOnce) {
  TakeMessage();
  for (int i = 0; i < 3; ++i) EXPECT_NE(aclrtFree(nullptr), kOk);
  const std::string text = TakeMessage();
  EXPECT_EQ(text.find("aclrtFree:"), text.rfind("aclrtFree:")) << text;
}

TEST(LastError, KeepsRuntimeCodesUntilTheyAreTaken) {
  OnFreshThread([] {
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kOk);
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kRtNoContext);
    EXPECT_EQ(aclrtFree(nullptr), kInvalidParam);  // codes of the acl layer are not runtime errors
    uint32_t count = 0;
    EXPECT_EQ(aclrtGetDeviceCount(&count), kOk);  // success does not clear the error
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), kRtNoContext);
    EXPECT_EQ(aclrtGetLastError(ACL_RT_THREAD_LEVEL), kRtNoContext);
    EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), kOk);
  });
}

TEST(LastError, KnowsOneLevelOnly) {
  EXPECT_EQ(aclrtGetLastError(static_cast<aclrtLastErrLevel>(1)), kInvalidParam);
  EXPECT_EQ(aclrtPeekAtLastError(static_cast<aclrtLastErrLevel>(1)), kInvalidParam);
}

TEST(LastError, BelongsToItsThread) {
  aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  OnFreshThread([] { EXPECT_NE(aclrtSynchronizeDevice(), kOk); });
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), kOk);
}

}  // namespace
}  // namespace contract
