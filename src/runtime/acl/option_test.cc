// SPDX-License-Identifier: Apache-2.0
// System options: their ranges, and the values that a context keeps.
#include <gtest/gtest.h>

#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

using OptionTest = DeviceTest;
constexpr aclError kBad = ACL_ERROR_RT_PARAM_INVALID;

TEST_F(OptionTest, ProcessOptionsKeepTheirRanges) {
  struct Row {
    aclSysParamOpt option;
    int64_t most;
  };
  for (const Row row : {Row{ACL_OPT_DETERMINISTIC, 3}, Row{ACL_OPT_ENABLE_DEBUG_KERNEL, 1},
                        Row{ACL_OPT_STRONG_CONSISTENCY, 1}, Row{ACL_OPT_ENABLE_KERNEL_EARLY_START, 1}}) {
    int64_t value = -7;
    ASSERT_EQ(aclrtGetSysParamOpt(row.option, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 0);
    for (int64_t good = row.most; good >= 0; --good) {
      EXPECT_EQ(aclrtSetSysParamOpt(row.option, good), ACL_SUCCESS);
      ASSERT_EQ(aclrtGetSysParamOpt(row.option, &value), ACL_SUCCESS);
      EXPECT_EQ(value, good);
    }
    for (const int64_t bad : {row.most + 1, int64_t{-1}, INT64_MAX, INT64_MIN}) {
      EXPECT_EQ(aclrtSetSysParamOpt(row.option, bad), kBad);
      ExpectReport("aclrtSetSysParamOpt", std::to_string(bad).c_str());
    }
    ASSERT_EQ(aclrtGetSysParamOpt(row.option, &value), ACL_SUCCESS);
    EXPECT_EQ(value, 0);
  }
}

TEST_F(OptionTest, UnknownOptionsAndNullAreRefused) {
  int64_t value = 0;
  for (const int number : {-1, 4, 1000}) {
    const auto unknown = static_cast<aclSysParamOpt>(number);
    EXPECT_EQ(aclrtSetSysParamOpt(unknown, 0), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtGetSysParamOpt(unknown, &value), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtCtxSetSysParamOpt(unknown, 0), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(unknown, &value), ACL_ERROR_INVALID_PARAM);
  }
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(OptionTest, AContextRemembersWhetherAnOptionWasSet) {
  int64_t value = -7;
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  ASSERT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  EXPECT_EQ(value, -7);
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4), kBad);
  ASSERT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 2), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 2);
  value = -7;
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  EXPECT_EQ(value, 2);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_STRONG_CONSISTENCY, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET);
  EXPECT_EQ(aclrtDestroyContext(other), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), ACL_SUCCESS);
}

TEST_F(OptionTest, EarlyStartBelongsToTheProcessOnly) {
  int64_t value = 0;
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, &value), ACL_ERROR_INVALID_PARAM);
}

TEST_F(OptionTest, ContextFormsNeedAContext) {
  InFreshThread([] {
    int64_t value = 0;
    EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_SUCCESS);
  });
}

}  // namespace
}  // namespace portacl::testing
