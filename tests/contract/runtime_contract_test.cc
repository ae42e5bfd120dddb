// SPDX-License-Identifier: Apache-2.0
// Initialising and finalizing, devices, contexts and options: properties of the runtime that concern the whole process
// or a thread.
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "aclnn/aclnn_base.h"
#include "contract_support.h"

namespace contract {
namespace {

std::string WriteConfig(const std::string& name, const std::string& text) {
  const std::string path = ::testing::TempDir() + "portacl_contract_" + name + ".json";
  std::ofstream(path) << text;
  return path;
}

TEST(InitDeathTest, RepeatedInitIsCountedAndReported) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(nullptr), kOk);
    EXPECT_EQ(aclInit(nullptr), kRepeatInitialize);
    EXPECT_EQ(aclInit("/no/such/file"), kRepeatInitialize) << "repeat calls do not look at the path";
    uint64_t left = 99;
    EXPECT_EQ(aclFinalizeReference(&left), kOk);
    EXPECT_EQ(left, 2u);
    EXPECT_EQ(aclFinalizeReference(nullptr), kOk);
    EXPECT_EQ(aclFinalizeReference(&left), kOk);
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(aclFinalizeReference(&left), kRepeatFinalize);
  });
}

TEST(InitDeathTest, FinalizeClosesWhateverTheCount) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(""), kOk);
    EXPECT_EQ(aclInit(nullptr), kRepeatInitialize);
    EXPECT_EQ(aclFinalize(), kOk);
    EXPECT_EQ(aclFinalize(), kRepeatFinalize);
    EXPECT_EQ(aclInit(nullptr), kOk) << "opening again works";
    EXPECT_EQ(aclFinalize(), kOk);
  });
}

TEST(InitDeathTest, FirstFinalizeOfAProcessThatNeverOpenedSucceeds) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclFinalize(), kOk);
    EXPECT_EQ(aclFinalize(), kRepeatFinalize);
  });
}

TEST(InitDeathTest, ConfigFilesAreChecked) {
  const std::string bad = WriteConfig("bad", "{ not json");
  const std::string mode = WriteConfig("mode", R"({"err_msg_mode": "2"})");
  const std::string empty = WriteConfig("empty", "");
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_REFUSED(kInvalidFile, aclInit("/no/such/file.json"));
    EXPECT_REFUSED(kParseFile, aclInit(bad.c_str()));
    EXPECT_REFUSED(kInvalidParam, aclInit(mode.c_str()));
    EXPECT_EQ(aclInit(empty.c_str()), kOk) << "the failures before did not open the library";
  });
}

TEST(InitDeathTest, ReopeningWithAnotherConfigIsRefused) {
  const std::string one = WriteConfig("one", R"({"dump": {"dump_scene": "lite_exception"}})");
  const std::string two = WriteConfig("two", R"({"dump": {}})");
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(one.c_str()), kOk);
    EXPECT_EQ(aclFinalize(), kOk);
    EXPECT_EQ(aclInit(two.c_str()), kInvalidParam);
    EXPECT_EQ(aclInit(one.c_str()), kOk);
  });
}

TEST(InitDeathTest, ConfiguredDefaultDeviceServesThreadsWithoutContext) {
  const std::string path = WriteConfig("default", R"({"defaultDevice": {"default_device": "0"}})");
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(path.c_str()), kOk);
    OnFreshThread([] {
      void* block = nullptr;
      EXPECT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
      EXPECT_EQ(aclrtFree(block), kOk);
      int32_t device = -1;
      EXPECT_EQ(aclrtGetDevice(&device), kOk);
      EXPECT_EQ(device, 0);
    });
  });
}

TEST(InitDeathTest, MessagesCanBeSharedByTheProcess) {
  const std::string path = WriteConfig("process", R"({"err_msg_mode": "1"})");
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(path.c_str()), kOk);
    OnFreshThread([] { EXPECT_EQ(aclrtFree(nullptr), kInvalidParam); });
    EXPECT_NE(TakeMessage().find("aclrtFree"), std::string::npos);
  });
}

TEST(InitDeathTest, EverythingWorksWithoutOpening) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_EQ(aclrtResetDevice(0), kOk);
  });
}

TEST(InitDeathTest, AclnnInitNeverFailsAndNeverCounts) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclnnFinalize(), kOk);
    EXPECT_EQ(aclnnInit("/no/such/file"), kOk);
    EXPECT_EQ(aclnnInit(nullptr), kOk);
    EXPECT_EQ(aclnnFinalize(), kOk);
    EXPECT_EQ(aclInit(nullptr), kOk);
  });
}

TEST(InitDeathTest, StreamsAndMemorySurviveFinalize) {
  EXPECT_IN_FRESH_PROCESS({
    aclrtStream stream = nullptr;
    void* block = nullptr;
    EXPECT_EQ(aclInit(nullptr), kOk);
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclrtCreateStream(&stream), kOk);
    EXPECT_EQ(aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclFinalize(), kOk);
    EXPECT_EQ(aclrtMemsetAsync(block, 64, 1, 64, stream), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  });
}

// Destroyed after main(), when the library's own static objects may already be destroyed.
struct LateClient {
  void* block = nullptr;
  ~LateClient() {
    if (block == nullptr) return;
    if (aclrtFree(block) != kOk) std::_Exit(3);
  }
};
LateClient late_client;

TEST(InitDeathTest, StaticDestructorsOfTheClientMayStillCall) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclrtMalloc(&late_client.block, 64, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclFinalize(), kOk);
  });
}

TEST(Device, FreshThreadHasNoContext) {
  OnFreshThread([] {
    void* block = nullptr;
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    aclrtContext context = nullptr;
    int32_t device = 0;
    EXPECT_REFUSED(kRtNoContext, aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    EXPECT_REFUSED(kRtNoContext, aclrtMallocHost(&block, 8));
    EXPECT_REFUSED(kRtNoContext, aclrtCreateStream(&stream));
    EXPECT_REFUSED(kRtNoContext, aclrtCreateEvent(&event));
    EXPECT_REFUSED(kRtNoContext, aclrtSynchronizeDevice());
    EXPECT_REFUSED(kRtNoContext, aclrtSynchronizeStream(nullptr));
    EXPECT_REFUSED(kRtNoContext, aclrtGetDevice(&device));
    EXPECT_REFUSED(kRtNoContext, aclrtGetCurrentContext(&context));
    char from[4] = {}, to[4] = {};
    EXPECT_REFUSED(kRtNoContext, aclrtMemcpy(to, 4, from, 4, ACL_MEMCPY_DEFAULT));
    EXPECT_EQ(block, nullptr);
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_EQ(aclrtResetDevice(0), kOk);
  });
}

TEST(Device, IdsOutsideTheCountAreRefused) {
  uint32_t count = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&count), kOk);
  ASSERT_GE(count, 1u);
  EXPECT_REFUSED(kRtInvalidDevice, aclrtSetDevice(static_cast<int32_t>(count)));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtSetDevice(-1));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtResetDevice(static_cast<int32_t>(count)));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtResetDeviceForce(-1));
  aclrtContext context = nullptr;
  EXPECT_REFUSED(kRtInvalidDevice, aclrtCreateContext(&context, static_cast<int32_t>(count)));
  EXPECT_REFUSED(kInvalidParam, aclrtGetDeviceCount(nullptr));
}

TEST(Device, ReferencesAreCountedExactly) {
  OnFreshThread([] {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(aclrtSetDevice(0), kOk);
    const aclrtStream stream = CreateStream();
    EXPECT_EQ(aclrtResetDevice(0), kOk);
    EXPECT_EQ(aclrtResetDevice(0), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(stream), kOk) << "a reset that is not the last one changes nothing";
    EXPECT_EQ(aclrtResetDevice(0), kOk);
    EXPECT_REFUSED(kRtReleasedTooOften, aclrtResetDevice(0));
    EXPECT_REFUSED(kRtReleasedTooOften, aclrtResetDeviceForce(0));
  });
}

TEST(Device, BindingRevivesWhenSomebodySetsTheDeviceAgain) {
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  ASSERT_EQ(aclrtResetDeviceForce(0), kOk);
  aclrtStream stream = nullptr;
  EXPECT_NE(aclrtCreateStream(&stream), kOk);
  OnFreshThread([] { EXPECT_EQ(aclrtSetDevice(0), kOk); });
  EXPECT_EQ(aclrtCreateStream(&stream), kOk);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtResetDevice(0), kOk);
}

TEST(Device, DescribesItself) {
  aclrtRunMode mode = ACL_DEVICE;
  EXPECT_EQ(aclrtGetRunMode(&mode), kOk);
  EXPECT_EQ(mode, ACL_HOST);
  EXPECT_REFUSED(kInvalidParam, aclrtGetRunMode(nullptr));
  ASSERT_NE(aclrtGetSocName(), nullptr);
  EXPECT_NE(std::string(aclrtGetSocName()).find("Ascend"), std::string::npos);
  int32_t major = 0, minor = 0, patch = -1;
  EXPECT_EQ(aclrtGetVersion(&major, &minor, &patch), kOk);
  EXPECT_EQ((std::vector<int32_t>{major, minor, patch}), (std::vector<int32_t>{1, 17, 0}));
  EXPECT_REFUSED(kInvalidParam, aclrtGetVersion(&major, nullptr, &patch));
}

class Context : public OnDevice {};

TEST_F(Context, ExplicitOneBecomesCurrentAndCanBeLeft) {
  aclrtContext primary = nullptr, made = nullptr, current = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), kOk);
  ASSERT_EQ(aclrtCreateContext(&made, 0), kOk);
  ASSERT_EQ(aclrtGetCurrentContext(&current), kOk);
  EXPECT_EQ(current, made);
  EXPECT_EQ(aclrtSetCurrentContext(primary), kOk);
  EXPECT_EQ(aclrtSetCurrentContext(made), kOk);
  EXPECT_EQ(aclrtDestroyContext(made), kOk);
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kRtNoContext);
  EXPECT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtGetCurrentContext(&current), kOk);
  EXPECT_EQ(current, primary);
}

bool IsContextRefusal(aclError code) {
  return code == kRtParamInvalid || code == kRtNoContext || code == kRtInvalidHandle;
}

TEST_F(Context, PrimaryForeignAndDeadHandlesAreRefused) {
  aclrtContext primary = nullptr, made = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&primary), kOk);
  EXPECT_TRUE(IsContextRefusal(aclrtDestroyContext(primary)));
  ASSERT_EQ(aclrtCreateContext(&made, 0), kOk);
  ASSERT_EQ(aclrtDestroyContext(made), kOk);
  EXPECT_TRUE(IsContextRefusal(aclrtDestroyContext(made)));
  EXPECT_TRUE(IsContextRefusal(aclrtSetCurrentContext(made)));
  int local = 0;
  EXPECT_TRUE(IsContextRefusal(aclrtSetCurrentContext(&local)));
  EXPECT_REFUSED(kInvalidParam, aclrtSetCurrentContext(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyContext(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateContext(nullptr, 0));
}

class Options : public OnDevice {};

TEST_F(Options, ContextValueIsUnsetUntilItIsSet) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), kOk);
  int64_t value = -1;
  EXPECT_REFUSED(kRtOptionNotSet, aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
  EXPECT_EQ(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), kOk);
  EXPECT_EQ(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), kOk);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), kOk);
  EXPECT_EQ(value, 1) << "the context's setter also sets the process";
  EXPECT_EQ(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0), kOk);
  EXPECT_EQ(aclrtDestroyContext(context), kOk);
}

TEST_F(Options, ValuesOutOfRangeAreRefused) {
  int64_t value = 0;
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, -1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetSysParamOpt(ACL_OPT_ENABLE_DEBUG_KERNEL, 2));
  EXPECT_REFUSED(kInvalidParam, aclrtSetSysParamOpt(static_cast<aclSysParamOpt>(99), 0));
  EXPECT_REFUSED(kInvalidParam, aclrtGetSysParamOpt(static_cast<aclSysParamOpt>(99), &value));
  EXPECT_REFUSED(kInvalidParam, aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtCtxSetSysParamOpt(ACL_OPT_ENABLE_KERNEL_EARLY_START, 1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4));
}

TEST(Dim3, ExtentsDefaultToOne) {
  const dim3 one;
  EXPECT_EQ(one.x * one.y * one.z, 1u);
  const dim3 row(7);
  EXPECT_EQ(row.x, 7u);
  EXPECT_EQ(row.y * row.z, 1u);
}

}  // namespace
}  // namespace contract
