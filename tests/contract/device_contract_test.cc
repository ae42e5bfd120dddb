// SPDX-License-Identifier: Apache-2.0
// Properties of devices and of the toolkit, limits and options that are stored, and absent features.
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/rt/rt_functions.h"
#include "contract_support.h"

namespace contract {
namespace {

TEST(DeviceQuery, NumbersDescribeTheDevice) {
  int64_t value = 0;
  for (int info : {ACL_DEVICE_INFO_AI_CORE_NUM, ACL_DEVICE_INFO_VECTOR_CORE_NUM, ACL_DEVICE_INFO_L2_SIZE}) {
    value = 0;
    EXPECT_EQ(aclGetDeviceCapability(0, static_cast<aclDeviceInfo>(info), &value), kOk);
    EXPECT_GT(value, 0);
  }
  for (int attribute : {1,   101, 102, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211,
                        212, 301, 302, 401, 402, 403, 404, 405, 406, 407, 408, 409, 501, 601}) {
    value = -1;
    EXPECT_EQ(aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(attribute), &value), kOk) << attribute;
    EXPECT_GE(value, attribute < 400 ? 1 : 0) << attribute;
  }
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetDeviceInfo(0, static_cast<aclrtDevAttr>(2), &value));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtGetDeviceInfo(0xFFFFFFFFu, ACL_DEV_ATTR_AICORE_CORE_NUM, &value));
  EXPECT_REFUSED(kInvalidParam, aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value));
  EXPECT_REFUSED(kRtInvalidDevice, aclGetDeviceCapability(99, ACL_DEVICE_INFO_L2_SIZE, &value));
  int32_t feature = 9;
  EXPECT_EQ(aclrtGetDeviceCapability(0, ACL_FEATURE_SYSTEM_MEMQ_EVENT_CROSS_DEV, &feature), kOk);
  EXPECT_EQ(feature, ACL_DEV_FEATURE_NOT_SUPPORT);
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetDeviceCapability(0, static_cast<aclrtDevFeatureType>(2), &feature));
}

TEST(DeviceQuery, HealthIdentityAndProcess) {
  aclrtDeviceStatus status{};
  EXPECT_EQ(aclrtQueryDeviceStatus(0, &status), kOk);
  EXPECT_EQ(status, ACL_RT_DEVICE_STATUS_NORMAL);
  aclrtUtilizationInfo load = {};
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &load), kOk);
  EXPECT_EQ(load.memoryUtilization, -1);
  EXPECT_LE(load.vectorUtilization, 100);
  load.utilizationExtend = reinterpret_cast<aclrtUtilizationExtendInfo*>(&load);
  EXPECT_REFUSED(kInvalidParam, aclrtGetDeviceUtilizationRate(0, &load));
  aclrtUuid one = {}, same = {};
  EXPECT_EQ(aclrtDeviceGetUuid(0, &one), kOk);
  EXPECT_EQ(aclrtDeviceGetUuid(0, &same), kOk);
  EXPECT_EQ(std::memcmp(&one, &same, sizeof one), 0);
  char address[13];
  int32_t device = -1;
  EXPECT_EQ(aclrtDeviceGetPCIBusId(0, address, sizeof address), kOk);
  EXPECT_EQ(aclrtDeviceGetByPCIBusId(address, &device), kOk);
  EXPECT_EQ(device, 0);
  EXPECT_REFUSED(kRtParamInvalid, aclrtDeviceGetPCIBusId(0, address, 12));
  EXPECT_REFUSED(kRtParamInvalid, aclrtDeviceGetByPCIBusId("0000:ff:00.0", &device));
  EXPECT_EQ(aclrtDeviceGetBareTgid(&device), kOk);
  EXPECT_EQ(device, getpid());
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend910B4", &device), kOk);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(aclrtCheckArchCompatibility("Ascend310P3", &device), kOk);
  EXPECT_EQ(device, 0);
  EXPECT_REFUSED(kRtParamInvalid, aclrtCheckArchCompatibility("", &device));
}

TEST_F(OnDevice, StateAndLimitsAreKept) {
  uint32_t flags = 9;
  int32_t active = 0;
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, &flags, &active), kOk);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(aclrtResetDevice(0), kOk);
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, &flags, &active), kOk);
  EXPECT_EQ(active, 0);
  EXPECT_REFUSED(107000, aclrtGetPrimaryCtxState(0, nullptr, &active));
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  size_t size = 0;
  EXPECT_EQ(aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, 12345), kOk);
  EXPECT_EQ(aclrtDeviceGetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, &size), kOk);
  EXPECT_EQ(size, 12345u);
  EXPECT_REFUSED(kInvalidParam, aclrtDeviceSetLimit(static_cast<aclrtDeviceLimit>(5), 1));
  EXPECT_REFUSED(kInvalidParam, aclrtDeviceSetLimit(ACL_RT_DEV_LIMIT_SIMD_STACK_SIZE, size_t{1} << 32));
  EXPECT_EQ(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtSetTsDevice(ACL_TS_ID_RESERVED));
  aclrtFloatOverflowMode mode{};
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), kOk);
  EXPECT_EQ(aclrtGetDeviceSatMode(&mode), kOk);
  EXPECT_EQ(mode, ACL_RT_OVERFLOW_MODE_SATURATION);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF));
}

TEST_F(OnDevice, OverflowStatusIsZero) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  ASSERT_EQ(aclrtMemset(memory, 64, 1, 64), kOk);
  EXPECT_EQ(aclrtGetOverflowStatus(memory, 64, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  uint64_t words[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(aclrtMemcpy(words, 64, memory, 64, ACL_MEMCPY_DEVICE_TO_HOST), kOk);
  for (uint64_t word : words) EXPECT_EQ(word, 0u);
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetOverflowStatus(memory, 32, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtGetOverflowStatus(nullptr, 64, nullptr));
  EXPECT_EQ(aclrtResetOverflowStatus(nullptr), kOk);
  EXPECT_EQ(aclrtFree(memory), kOk);
}

TEST(TimeLimits, AreKept) {
  uint32_t milliseconds = 9;
  uint64_t actual = 0, interval = 0;
  EXPECT_EQ(aclrtSetOpExecuteTimeOut(547), kOk);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(&milliseconds), kOk);
  EXPECT_EQ(milliseconds, 547000u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutV2(1500, &actual), kOk);
  EXPECT_EQ(actual, UINT64_MAX);
  EXPECT_EQ(aclrtGetOpExecuteTimeout(&milliseconds), kOk);
  EXPECT_EQ(milliseconds, 2u);
  EXPECT_EQ(aclrtSetOpExecuteTimeOutWithMs(0), kOk);
  EXPECT_EQ(aclrtGetOpTimeOutInterval(&interval), kOk);
  EXPECT_EQ(interval, 1u);
  EXPECT_REFUSED(kInvalidParam, aclrtSetOpExecuteTimeOutV2(1, nullptr));
  EXPECT_EQ(aclrtCacheLastTaskOpInfo("x", 1), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtCacheLastTaskOpInfo(nullptr, 1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtCacheLastTaskExtendInfo("x", 0));
}

TEST(SeveralDevicesDeathTest, ReachEachOther) {
  EXPECT_IN_FRESH_PROCESS({
    setenv("PORTACL_DEVICES", "4", 1);
    setenv("ASCEND_RT_VISIBLE_DEVICES", "3,1", 1);
    int32_t value = 9;
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&value, 0, 1), kOk);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&value, 1, 1), kInvalidParam);
    EXPECT_EQ(aclrtDeviceCanAccessPeer(&value, 0, 2), kRtInvalidDevice);
    EXPECT_EQ(aclrtDeviceCanAccessPeer(nullptr, 0, 1), kRtParamInvalid);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), kRtNoContext);
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 1), 200006);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(0, 0), kInvalidParam);
    EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &value), kOk);
    EXPECT_EQ(value, 0);
    EXPECT_EQ(aclrtDeviceEnablePeerAccess(1, 0), kOk);
    EXPECT_EQ(aclrtDevicePeerAccessStatus(0, 1, &value), kOk);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(aclrtDevicePeerAccessStatus(1, 0, &value), kOk);
    EXPECT_EQ(value, 0) << "one direction";
    EXPECT_EQ(aclrtDeviceDisablePeerAccess(1), kOk);
    EXPECT_EQ(aclrtGetLogicDevIdByUserDevId(0, &value), kOk);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(aclrtGetUserDevIdByLogicDevId(1, &value), kOk);
    EXPECT_EQ(value, 1);
    EXPECT_EQ(aclrtGetPhyDevIdByLogicDevId(3, &value), kOk);
    EXPECT_EQ(value, 3);
    EXPECT_EQ(aclrtGetUserDevIdByLogicDevId(0, &value), kRtInvalidDevice);
    EXPECT_EQ(aclrtGetPhyDevIdByUserDevId(0, nullptr), kInvalidParam);
    uint64_t link = 0;
    EXPECT_EQ(aclrtGetDevicesTopo(0, 1, &link), kOk);
    EXPECT_NE(link, 0u);
    // Access between devices, which frameworks enable dozens of times and disable once.
    void* here = nullptr;
    void* there = nullptr;
    int32_t number = 42;
    EXPECT_EQ(aclrtMalloc(&here, 4, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclrtSetDevice(1), kOk);
    EXPECT_EQ(aclrtMalloc(&there, 4, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_EQ(aclrtMemcpy(there, 4, &number, 4, ACL_MEMCPY_HOST_TO_DEVICE), kOk);
    EXPECT_EQ(aclrtMemcpyAsync(here, 4, there, 4, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
    number = 0;
    EXPECT_EQ(aclrtMemcpy(&number, 4, here, 4, ACL_MEMCPY_DEVICE_TO_HOST), kOk);
    EXPECT_EQ(number, 42);
    aclrtPtrAttributes attributes = {};
    EXPECT_EQ(aclrtPointerGetAttributes(there, &attributes), kOk);
    EXPECT_EQ(attributes.location.id, 1u);
    for (int count = 0; count < 30; ++count) EXPECT_EQ(aclrtSetDevice(count % 2), kOk);
    EXPECT_EQ(aclrtResetDevice(0), kOk);
    EXPECT_EQ(aclFinalize(), kOk);
  });
}

// Writes a toolkit that consists only of files.
std::string WriteToolkit() {
  const std::filesystem::path root = ::testing::TempDir() + "portacl_contract_toolkit";
  for (const auto& [package, version] : std::vector<std::pair<std::string, std::string>>{
           {"runtime", "9.1.0"}, {"ops-legacy", "8.1.RC1.alpha2"}, {"ops-nn", "8.5.0.beta3"}, {"odd", "x.y"}}) {
    std::filesystem::create_directories(root / "share/info" / package);
    std::ofstream(root / "share/info" / package / "version.info") << "# head\nVersion=" << version << "\nother=1\n";
  }
  return root;
}

TEST(VersionDeathTest, ComesFromTheToolkit) {
  EXPECT_IN_FRESH_PROCESS({
    setenv("ASCEND_HOME_PATH", WriteToolkit().c_str(), 1);
    char text[ACL_PKG_VERSION_MAX_SIZE];
    int32_t number = 0;
    EXPECT_EQ(aclsysGetVersionStr(const_cast<char*>("runtime"), text), kOk);
    EXPECT_STREQ(text, "9.1.0");
    EXPECT_EQ(aclsysGetVersionNum(const_cast<char*>("runtime"), &number), kOk);
    EXPECT_EQ(number, 90100000);
    EXPECT_EQ(aclsysGetVersionNum(const_cast<char*>("ops_nn"), &number), kOk);
    EXPECT_EQ(number, 80500000 - 200 + 3);
    EXPECT_EQ(aclsysGetVersionNum(const_cast<char*>("odd"), &number), 500000);
    EXPECT_EQ(aclsysGetVersionStr(const_cast<char*>("../runtime"), text), kInvalidFile);
    EXPECT_EQ(aclsysGetVersionStr(const_cast<char*>("ops_cv"), text), kInvalidFile);
    EXPECT_EQ(aclsysGetVersionStr(nullptr, text), kInvalidParam);
    aclCANNPackageVersion version;
    std::memset(&version, 1, sizeof version);
    EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), kOk);
    EXPECT_STREQ(version.version, "9.1.0");
    EXPECT_STREQ(version.majorVersion, "9");
    EXPECT_STREQ(version.patchVersion, "");
    EXPECT_EQ(version.reserved[127], 0);
    EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_OPP, &version), kOk);
    EXPECT_STREQ(version.minorVersion, "1");
    EXPECT_STREQ(version.releaseVersion, "RC1");
    EXPECT_STREQ(version.patchVersion, "alpha2");
    EXPECT_EQ(aclsysGetCANNVersion(static_cast<aclCANNPackageName>(8), &version), kInvalidParam);
    EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version), kInvalidFile);
  });
}

TEST(VersionDeathTest, IsUnknownWithoutAToolkit) {
  EXPECT_IN_FRESH_PROCESS({
    unsetenv("ASCEND_HOME_PATH");
    aclCANNPackageVersion version;
    EXPECT_EQ(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &version), kInvalidFile);
  });
}

TEST(Attributes, FollowTheProduct) {
  const aclCannAttr* list = nullptr;
  size_t count = 0;
  EXPECT_EQ(aclGetCannAttributeList(&list, &count), kOk);
  for (size_t index = 0; index < count; ++index) {
    int32_t value = 9;
    EXPECT_EQ(aclGetCannAttribute(list[index], &value), kOk);
    EXPECT_TRUE(value == 0 || value == 1);
  }
  int32_t value = 0;
  EXPECT_EQ(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value), kOk);
  EXPECT_EQ(value, 1);
  EXPECT_REFUSED(kInvalidParam, aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value));
  EXPECT_REFUSED(kInvalidParam, aclGetCannAttributeList(nullptr, &count));
}

std::string g_config;
aclError NoteConfig(const char* text, size_t length, void*) {
  g_config.assign(text, length);
  return kOk;
}
int g_closings = 0;
aclError NoteClosing(void*) {
  ++g_closings;
  return kOk;
}

TEST(LifeCallbackDeathTest, TellsOfOpeningAndClosing) {
  EXPECT_IN_FRESH_PROCESS({
    g_config = "none";
    EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, NoteConfig, nullptr), kOk);
    EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, NoteConfig, nullptr), 500000);
    EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NoteClosing, nullptr), kOk);
    EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NoteClosing, nullptr), kOk);
    EXPECT_EQ(aclInit(nullptr), kOk);
    EXPECT_EQ(g_config, "");
    g_config = "none";
    EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NoteConfig, nullptr), kOk);
    EXPECT_EQ(g_config, "") << "called at once";
    EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, NoteConfig), kOk);
    EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, NoteConfig), 500000);
    EXPECT_EQ(aclFinalize(), kOk);
    EXPECT_EQ(g_closings, 2);
    EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NoteClosing), kOk);
    EXPECT_EQ(aclInitCallbackRegister(static_cast<aclRegisterCallbackType>(8), NoteConfig, nullptr), kInvalidParam);
    EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr), kInvalidParam);
  });
}

TEST(DataBuffer, IsAPair) {
  int data = 0;
  aclDataBuffer* buffer = aclCreateDataBuffer(&data, (size_t{1} << 32) + 4);
  ASSERT_NE(buffer, nullptr);
  EXPECT_EQ(aclGetDataBufferAddr(buffer), &data);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), (size_t{1} << 32) + 4);
  EXPECT_EQ(aclGetDataBufferSize(buffer), 4u);
  EXPECT_EQ(aclUpdateDataBuffer(buffer, nullptr, 8), kOk);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 8u);
  EXPECT_EQ(aclDestroyDataBuffer(buffer), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclDestroyDataBuffer(buffer));
  EXPECT_REFUSED(kRtInvalidHandle, aclUpdateDataBuffer(buffer, &data, 8));
  EXPECT_EQ(aclGetDataBufferAddr(buffer), nullptr);
  EXPECT_EQ(aclGetDataBufferSizeV2(buffer), 0u);
  EXPECT_REFUSED(kInvalidParam, aclDestroyDataBuffer(nullptr));
  EXPECT_EQ(aclGetDataBufferAddr(nullptr), nullptr);
}

TEST(AbsentFeatures, RefuseWithTheirName) {
  aclmdlRI graph = nullptr;
  char key[65];
  EXPECT_REFUSED(kRtNotSupported, aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  EXPECT_REFUSED(kRtNotSupported, aclmdlRICaptureEnd(nullptr, &graph));
  EXPECT_REFUSED(kRtNotSupported, aclrtIpcMemGetExportKey(nullptr, 0, key, 65, 0));
  EXPECT_REFUSED(kRtNotSupported, aclrtIpcOpenEventHandle(aclrtIpcEventHandle{}, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclrtMemExportToShareableHandle(nullptr, ACL_MEM_HANDLE_TYPE_NONE, 0, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclrtBinaryLoadFromData(nullptr, 0, nullptr, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclrtGetMemUceInfo(0, nullptr, 0, nullptr));
  EXPECT_REFUSED(kRtNotSupported, rtKernelLaunch(nullptr, 0, nullptr, 0, nullptr, nullptr));
  TakeMessage();
  EXPECT_EQ(aclrtCreateBinary("x", 1), nullptr);
  EXPECT_NE(TakeMessage().find("aclrtCreateBinary"), std::string::npos);
  EXPECT_EQ(acldumpGetPath(DATA_DUMP), nullptr);
  EXPECT_EQ(aclprofGetOpDuration(nullptr, 0, 0), 0u);
}

TEST(AbsentFeatures, ADeviceHasNoFault) {
  aclrtErrorInfo info = {};
  info.hasDetail = 1;
  info.errorType = ACL_RT_ERROR_AICORE;
  EXPECT_EQ(aclrtGetErrorVerbose(0, &info), ACL_SUCCESS);
  EXPECT_EQ(info.errorType, ACL_RT_NO_ERROR);
  EXPECT_EQ(info.hasDetail, 0);
  EXPECT_REFUSED(kInvalidParam, aclrtGetErrorVerbose(0, nullptr));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtGetErrorVerbose(99, &info));
}

TEST(AbsentFeatures, SucceedWhereClientsDoNotAsk) {
  aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  int any = 0;
  aclmdlRI graph = &any;
  EXPECT_EQ(aclmdlRICaptureGetInfo(nullptr, &status, &graph), kOk);
  EXPECT_EQ(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
  EXPECT_EQ(graph, nullptr);
  aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), kOk);
  EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
  EXPECT_EQ(aclmdlRICaptureThreadExchangeMode(&mode), kOk);
  EXPECT_EQ(mode, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
  mode = static_cast<aclmdlRICaptureMode>(3);
  EXPECT_REFUSED(kInvalidParam, aclmdlRICaptureThreadExchangeMode(&mode));
  EXPECT_EQ(aclmdlInitDump(), kOk);
  EXPECT_EQ(aclprofInit("x", 1), kOk);
  aclprofConfig* config = aclprofCreateConfig(nullptr, 0, ACL_AICORE_NONE, nullptr, 0);
  EXPECT_NE(config, nullptr);
  EXPECT_REFUSED(kInvalidParam, aclprofInit(nullptr, 1));
  EXPECT_REFUSED(kInvalidParam, aclprofStart(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclprofStop(nullptr));
  EXPECT_EQ(aclprofDestroyConfig(config), kOk);
  EXPECT_EQ(MsprofReportApi(0, nullptr), 0);
}

TEST(OperatorsByName, CanBeDescribedAndNotRun) {
  const int64_t dims[] = {2, 3};
  aclTensorDesc* tensor = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  aclopAttr* attributes = aclopCreateAttr();
  ASSERT_NE(tensor, nullptr);
  ASSERT_NE(attributes, nullptr);
  EXPECT_EQ(aclopSetAttrInt(attributes, "axis", 1), kOk);
  EXPECT_EQ(aclSetTensorShape(tensor, 2, dims), kOk);
  EXPECT_EQ(aclSetCompileopt(ACL_OP_SELECT_IMPL_MODE, ""), kOk);
  EXPECT_REFUSED(kRtNotSupported, aclopCompileAndExecute("Conv2D", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes,
                                                         ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr));
  EXPECT_REFUSED(kRtNotSupported,
                 aclopCompileAndExecuteV2("Conv2D", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes,
                                          ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr));
  aclopCompileAndExecute("Conv2D", 0, nullptr, nullptr, 0, nullptr, nullptr, attributes, ACL_ENGINE_SYS,
                         ACL_COMPILE_SYS, nullptr, nullptr);
  EXPECT_NE(TakeMessage().find("'Conv2D'"), std::string::npos);
  aclDestroyTensorDesc(tensor);
  aclopDestroyAttr(attributes);
}

}  // namespace
}  // namespace contract
