// SPDX-License-Identifier: Apache-2.0
// Operators by name: settings of the compiler, and what is refused. Functions under the names of the layer below the
// runtime, and of the profiler.
#include <climits>
#include <cstdint>
#include <cstring>

#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/rt/rt_functions.h"
#include "contract_support.h"

namespace contract {
namespace {

TEST(OperatorsByNameDeathTest, KeepCompilerOptions) {
  EXPECT_IN_FRESH_PROCESS({
    char text[16] = "?";
    EXPECT_EQ(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), 1u);
    EXPECT_EQ(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, sizeof text), kOk);
    EXPECT_STREQ(text, "");
    EXPECT_EQ(aclGetCompileoptSize(ACL_AICORE_NUM), 3u);
    EXPECT_EQ(aclGetCompileopt(ACL_AICORE_NUM, text, sizeof text), kOk);
    EXPECT_STREQ(text, "24");
    EXPECT_EQ(aclSetCompileopt(ACL_OP_JIT_COMPILE, "enable"), kOk);
    EXPECT_EQ(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), 7u);
    EXPECT_REFUSED(kInvalidParam, aclGetCompileopt(ACL_OP_JIT_COMPILE, text, 6));
    EXPECT_STREQ(text, "24");
    EXPECT_EQ(aclGetCompileopt(ACL_OP_JIT_COMPILE, text, 7), kOk);
    EXPECT_STREQ(text, "enable");
    EXPECT_EQ(aclSetCompileopt(ACL_OP_JIT_COMPILE, ""), kOk);
    EXPECT_EQ(aclGetCompileoptSize(ACL_OP_JIT_COMPILE), 1u);
  });
}

TEST(OperatorsByName, RefuseOtherCompilerOptions) {
  char text[16] = {};
  for (const int number : {-1, 17, INT_MAX}) {
    const auto option = static_cast<aclCompileOpt>(number);
    EXPECT_REFUSED(kInvalidParam, aclSetCompileopt(option, "1"));
    EXPECT_REFUSED(kInvalidParam, aclGetCompileopt(option, text, sizeof text));
    EXPECT_REFUSED(0u, aclGetCompileoptSize(option));
  }
  EXPECT_REFUSED(kInvalidParam, aclSetCompileopt(ACL_DEBUG_DIR, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclGetCompileopt(ACL_DEBUG_DIR, nullptr, 1));
  EXPECT_EQ(aclopSetCompileFlag(ACL_OP_COMPILE_FUZZ), kOk);
  EXPECT_REFUSED(kInvalidParam, aclopSetCompileFlag(static_cast<aclOpCompileFlag>(2)));
}

TEST(OperatorsByName, SetDeterminismOfTheProcess) {
  int64_t value = -1;
  EXPECT_EQ(aclSetCompileopt(ACL_OP_DETERMINISTIC, "1"), kOk);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), kOk);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclSetCompileopt(ACL_OP_DETERMINISTIC, "0"), kOk);
  EXPECT_EQ(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), kOk);
  EXPECT_EQ(value, 0);
}

TEST(OperatorsByName, AreDescribedAndNotRun) {
  aclopAttr* attributes = aclopCreateAttr();
  ASSERT_NE(attributes, nullptr);
  const char* strings[] = {"a"};
  const aclDataType dtypes[] = {ACL_FLOAT};
  EXPECT_EQ(aclopSetAttrListString(attributes, "s", 1, strings), kOk);
  EXPECT_EQ(aclopSetAttrListDataType(attributes, "d", 1, dtypes), kOk);
  aclopHandle* handle = nullptr;
  EXPECT_REFUSED(kRtNotSupported, aclopSetModelDir("."));
  EXPECT_REFUSED(kRtNotSupported, aclopLoad("x", 1));
  EXPECT_REFUSED(kRtNotSupported,
                 aclopCompile("Add", 0, nullptr, 0, nullptr, attributes, ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclopExecute("Add", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclopExecuteV2("Add", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclopCreateHandle("Add", 0, nullptr, 0, nullptr, attributes, &handle));
  EXPECT_REFUSED(kRtNotSupported, aclopExecWithHandle(handle, 0, nullptr, 0, nullptr, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclopCast(nullptr, nullptr, nullptr, nullptr, 0, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclopInferShape("Add", 0, nullptr, nullptr, 0, nullptr, attributes));
  aclGraphDumpOption* dump = aclCreateGraphDumpOpt();
  ASSERT_NE(dump, nullptr);
  EXPECT_REFUSED(kRtNotSupported, aclGenGraphAndDumpForOp("Add", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes,
                                                          ACL_ENGINE_SYS, ".", dump));
  EXPECT_EQ(aclDestroyGraphDumpOpt(dump), kOk);
  EXPECT_EQ(handle, nullptr);
  aclopDestroyHandle(handle);
  aclopDestroyAttr(attributes);
}

TEST(Profiler, HasNoFurtherFeatures) {
  for (const auto get : {aclprofGetSupportedFeatures, aclprofGetSupportedFeaturesV2}) {
    size_t size = 7;
    void* data = &size;
    EXPECT_EQ(get(&size, &data), kOk);
    EXPECT_EQ(size, 0u);
    EXPECT_EQ(data, nullptr);
  }
  size_t size = 7;
  void* data = nullptr;
  EXPECT_REFUSED(kInvalidParam, aclprofGetSupportedFeatures(nullptr, &data));
  EXPECT_REFUSED(kInvalidParam, aclprofGetSupportedFeaturesV2(&size, nullptr));
  EXPECT_EQ(size, 7u);
  EXPECT_EQ(aclprofWarmup(nullptr), kOk);
  EXPECT_EQ(aclprofRegisterDeviceCallback(), kOk);
}

class LowerNames : public OnDevice {};

TEST_F(LowerNames, NameTheSoc) {
  char name[64] = "?";
  const auto room = static_cast<uint32_t>(std::strlen(aclrtGetSocName()) + 1);
  EXPECT_REFUSED(kRtParamInvalid, rtGetSocVersion(name, room - 1));
  EXPECT_REFUSED(kInvalidParam, rtGetSocVersion(nullptr, 64));
  EXPECT_STREQ(name, "?");
  EXPECT_EQ(rtGetSocVersion(name, room), kOk);
  EXPECT_STREQ(name, aclrtGetSocName());
}

TEST_F(LowerNames, CountCores) {
  uint32_t count = 0;
  int64_t want = 0;
  ASSERT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &want), kOk);
  EXPECT_EQ(rtGetAiCoreCount(&count), kOk);
  EXPECT_EQ(count, want);
  ASSERT_EQ(aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICPU_CORE_NUM, &want), kOk);
  EXPECT_EQ(rtGetAiCpuCount(&count), kOk);
  EXPECT_EQ(count, want);
  EXPECT_REFUSED(kInvalidParam, rtGetAiCoreCount(nullptr));
  OnFreshThread([&] { EXPECT_EQ(rtGetAiCpuCount(&count), kRtNoContext); });
}

TEST_F(LowerNames, CopyMemoryInAllDirections) {
  int there = 42;
  int back = 0;
  void* device = nullptr;
  void* host = nullptr;
  ASSERT_EQ(rtMalloc(&device, sizeof there, 2, 0), kOk);
  ASSERT_EQ(rtMallocHost(&host, sizeof there, 0), kOk);
  EXPECT_EQ(rtMemcpy(host, sizeof there, &there, sizeof there, 0), kOk);
  EXPECT_EQ(rtMemcpy(device, sizeof there, host, sizeof there, 1), kOk);
  EXPECT_EQ(rtMemcpy(&back, sizeof back, device, sizeof back, 2), kOk);
  EXPECT_EQ(back, 42);
  back = 0;
  EXPECT_EQ(rtMemcpy(&back, sizeof back, device, sizeof back, 8), kOk);
  EXPECT_EQ(back, 42);
  for (const int32_t kind : {-1, 4, 7, 9}) {
    EXPECT_REFUSED(kRtParamInvalid, rtMemcpy(&back, sizeof back, device, sizeof back, kind));
  }
  EXPECT_EQ(rtMemcpy(&back, 1, device, sizeof back, 2), kRtParamInvalid);
  EXPECT_EQ(rtFree(device), kOk);
  EXPECT_EQ(rtFree(device), kRtParamInvalid);
  EXPECT_EQ(rtFreeHost(host), kOk);
}

TEST_F(LowerNames, MakeStreams) {
  rtStream_t stream = nullptr;
  EXPECT_EQ(rtStreamCreate(&stream, 0), kOk);
  std::atomic<bool> raised = false;
  EXPECT_EQ(aclrtLaunchHostFunc(stream, Raise, &raised), kOk);
  EXPECT_EQ(rtStreamSynchronize(stream), kOk);
  EXPECT_TRUE(raised);
  EXPECT_EQ(rtStreamDestroy(stream), kOk);
  EXPECT_EQ(rtStreamDestroy(stream), kRtInvalidHandle);
  EXPECT_REFUSED(kRtParamInvalid, rtStreamCreate(&stream, -1));
}

TEST_F(LowerNames, SetAndResetDevices) {
  uint32_t process = 0;
  int32_t want = 0;
  EXPECT_EQ(aclrtDeviceGetBareTgid(&want), kOk);
  EXPECT_EQ(rtDeviceGetBareTgid(&process), kOk);
  EXPECT_EQ(process, static_cast<uint32_t>(want));
  EXPECT_EQ(rtSetDevice(0), kOk);
  EXPECT_EQ(rtDeviceReset(0), kOk);
  EXPECT_EQ(rtSetDevice(-1), kRtInvalidDevice);
}

TEST(LowerNamesRefused, KernelsMemoryOfOthersAndQueriesWithoutAnAnswer) {
  int64_t value = 7;
  uint32_t id = 7;
  void* memory = nullptr;
  char name[8] = "?";
  EXPECT_REFUSED(kRtNotSupported, rtGetDeviceInfo(0, 0, 0, &value));
  EXPECT_REFUSED(kRtNotSupported, rtGetTaskIdAndStreamID(&id, &id));
  EXPECT_REFUSED(kRtNotSupported, rtIpcSetMemoryName(&value, sizeof value, name, sizeof name));
  EXPECT_REFUSED(kRtNotSupported, rtIpcOpenMemory(&memory, name));
  EXPECT_REFUSED(kRtNotSupported, rtIpcCloseMemory(&value));
  EXPECT_REFUSED(kRtNotSupported, rtKernelLaunch(nullptr, 1, nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(value, 7);
  EXPECT_EQ(id, 7u);
}

}  // namespace
}  // namespace contract
