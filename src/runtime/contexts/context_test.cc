// SPDX-License-Identifier: Apache-2.0
// Devices and contexts through the C API. Environment variables are read once in a process, so tests that set one run
// in a child process.
#include "runtime/contexts/context.h"
#include "runtime/parallel/threads.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

// Runs a check in a fresh process, with variables set.
void InChild(const std::vector<std::pair<const char*, const char*>>& variables, const std::function<bool()>& holds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (const auto& [name, value] : variables) setenv(name, value, 1);
        std::_Exit(holds() ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

uint32_t Count() {
  uint32_t count = 99;
  EXPECT_EQ(aclrtGetDeviceCount(&count), ACL_SUCCESS);
  return count;
}

TEST(Device, ThereIsOneAndTheProgramRunsBesideIt) {
  EXPECT_EQ(Count(), 1u);
  aclrtRunMode mode{};
  EXPECT_EQ(aclrtGetRunMode(&mode), ACL_SUCCESS);
  EXPECT_EQ(mode, ACL_HOST);
  EXPECT_EQ(aclrtGetDeviceCount(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetRunMode(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST(Device, NumbersOutOfRangeAreRefusedByName) {
  for (const int32_t id : {-1, 1, INT32_MAX}) {
    EXPECT_EQ(aclrtSetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID);
    ExpectReport("aclrtSetDevice", std::to_string(id).c_str());
    EXPECT_EQ(aclrtResetDevice(id), ACL_ERROR_RT_INVALID_DEVICEID);
    EXPECT_EQ(aclrtResetDeviceForce(id), ACL_ERROR_RT_INVALID_DEVICEID);
    aclrtContext context = nullptr;
    EXPECT_EQ(aclrtCreateContext(&context, id), ACL_ERROR_RT_INVALID_DEVICEID);
  }
}

TEST(Device, CountsReferencesExactly) {
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtResetDevice(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  ExpectReport("aclrtResetDevice", "without a reference");
}

TEST(Device, ForcedResetIgnoresTheCount) {
  for (int i = 0; i < 3; ++i) ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR);
  int32_t id = 7;
  EXPECT_EQ(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(id, 7);
}

TEST(Device, LastResetWaitsForWorkAndKillsStreamsAndEventsButNotMemory) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  void* memory = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), ACL_SUCCESS);  // the event is never recorded: the reset must not hang
  std::atomic<bool> ran{false};
  Launch(stream, kInlineCostNs + 1, [&] { return static_cast<int32_t>(ran = true, 0); });
  ASSERT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_ERROR_RT_INVALID_HANDLE);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(Device, AThreadKeepsItsBindingOverAReset) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  InFreshThread([] { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); });
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
  InFreshThread([] { EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS); });
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(Device, AFreshThreadHasNoContext) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  InFreshThread([] {
    void* memory = nullptr;
    int32_t id = 0;
    EXPECT_EQ(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_CONTEXT_NULL);
    ExpectReport("aclrtMalloc", "aclrtSetDevice");
    EXPECT_EQ(aclrtGetDevice(&id), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtGetDevice(nullptr), ACL_ERROR_INVALID_PARAM);
    EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    EXPECT_EQ(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  });
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(Context, CreatedBecomesCurrentAndSetDeviceDropsIt) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext primary = nullptr;
  aclrtContext made = nullptr;
  aclrtContext current = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateContext(&made, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, made);
  EXPECT_NE(made, primary);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  ASSERT_EQ(aclrtGetCurrentContext(&current), ACL_SUCCESS);
  EXPECT_EQ(current, primary);
  EXPECT_EQ(aclrtDestroyContext(made), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
}

TEST(Context, DestroyedLeavesItsThreadWithoutOneAndItsStreamsDead) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(aclrtDestroyContext(context), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INVALID_HANDLE);
  EXPECT_EQ(aclrtResetDeviceForce(0), ACL_SUCCESS);
}

TEST(Context, PrimaryAndForeignHandlesAreRefused) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext primary = nullptr;
  aclrtStream stream = nullptr;
  int local = 0;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  for (aclrtContext wrong : {primary, static_cast<aclrtContext>(stream), static_cast<aclrtContext>(&local)}) {
    EXPECT_EQ(aclrtDestroyContext(wrong), ACL_ERROR_RT_PARAM_INVALID);
    ExpectReport("aclrtDestroyContext", "'context'");
  }
  EXPECT_EQ(aclrtSetCurrentContext(&local), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtSetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyContext(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateContext(nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtGetCurrentContext(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(Context, MayBeCurrentInManyThreads) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
  InFreshThread([context] {
    ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    int32_t id = -1;
    EXPECT_EQ(aclrtGetDevice(&id), ACL_SUCCESS);
    EXPECT_EQ(id, 0);
  });
  EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
}

TEST(DeviceDeathTest, VariablesDecideHowManyDevicesAreVisible) {
  const auto shows = [](uint32_t count) { return [count] { return Count() == count; }; };
  InChild({{"PORTACL_DEVICES", "3"}}, shows(3));
  InChild({{"PORTACL_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", "2,0"}}, shows(2));
  InChild({{"PORTACL_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", "1,9,2"}}, shows(1));
  InChild({{"PORTACL_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", "1,1"}}, shows(1));
  InChild({{"ASCEND_RT_VISIBLE_DEVICES", "5"}}, shows(0));
  InChild({{"PORTACL_DEVICES", "no number"}}, shows(1));
}

TEST(DeviceDeathTest, DevicesHaveTheirOwnContextsAndShareTheCores) {
  InChild({{"PORTACL_DEVICES", "2"}, {"PORTACL_NUM_THREADS", "6"}}, [] {
    aclrtStream stream = nullptr;
    int32_t id = -1;
    return parallel::CoresPerDevice() == 3 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0 &&
           aclrtSetDevice(1) == 0 && aclrtGetDevice(&id) == 0 && id == 1 &&
           aclrtDestroyStream(stream) == ACL_ERROR_RT_STREAM_CONTEXT && aclrtResetDevice(1) == 0 &&
           aclrtResetDevice(1) == ACL_ERROR_RT_CONTEXT_RELEASE_ERROR && aclrtSetDevice(0) == 0 &&
           aclrtDestroyStream(stream) == 0;
  });
}

}  // namespace
}  // namespace portacl::testing
