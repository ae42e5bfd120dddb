// SPDX-License-Identifier: Apache-2.0
// Copies of rows, words and batches, registered host memory, queries about memory, and address space that is reserved
// separately from memory.
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class MemoryTools : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(aclrtMalloc(&device_, 4096, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    ASSERT_EQ(aclrtMemset(device_, 4096, 0, 4096), kOk);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(device_), kOk);
    OnDevice::TearDown();
  }
  template <class T>
  std::vector<T> Read(size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(aclrtMemcpy(values.data(), count * sizeof(T), device_, count * sizeof(T), ACL_MEMCPY_DEVICE_TO_HOST),
              kOk);
    return values;
  }
  char* At(size_t offset) { return static_cast<char*>(device_) + offset; }

  void* device_ = nullptr;
};

TEST_F(MemoryTools, WordsAreFilled) {
  EXPECT_EQ(aclrtMemsetD32(device_, 4096, 0x01020304, 3), kOk);
  EXPECT_EQ(Read<uint32_t>(4), (std::vector<uint32_t>{0x01020304, 0x01020304, 0x01020304, 0}));
  EXPECT_EQ(aclrtMemsetD32Async(At(8), 4088, 7, 2, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_EQ(Read<uint32_t>(5), (std::vector<uint32_t>{0x01020304, 0x01020304, 7, 7, 0}));
  uint32_t host[4] = {};
  EXPECT_EQ(aclrtMemsetD32(nullptr, 0, 1, 0), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemsetD32(nullptr, 16, 1, 1));
  EXPECT_REFUSED(kInvalidParam, aclrtMemsetD32(At(2), 16, 1, 1));
  EXPECT_REFUSED(kInvalidParam, aclrtMemsetD32(host, sizeof host, 1, 4));
  EXPECT_REFUSED(kInvalidParam, aclrtMemsetD32(device_, 11, 1, 3));
}

TEST_F(MemoryTools, RowsAreCopied) {
  std::array<char, 12> host;
  std::iota(host.begin(), host.end(), char{1});
  EXPECT_EQ(aclrtMemcpy2d(device_, 8, host.data(), 4, 3, 3, ACL_MEMCPY_HOST_TO_DEVICE), kOk);
  EXPECT_EQ(Read<char>(20), (std::vector<char>{1, 2, 3, 0, 0, 0, 0, 0, 5, 6, 7, 0, 0, 0, 0, 0, 9, 10, 11, 0}));
  EXPECT_EQ(aclrtMemcpy2dAsync(At(64), 2, device_, 8, 2, 3, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  std::array<char, 6> back{};
  EXPECT_EQ(aclrtMemcpy2dAsync(back.data(), 2, At(64), 2, 2, 3, ACL_MEMCPY_DEVICE_TO_HOST, nullptr), kOk);
  EXPECT_EQ(back, (std::array<char, 6>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(aclrtMemcpy2d(nullptr, 0, nullptr, 0, 0, 5, ACL_MEMCPY_HOST_TO_HOST), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy2d(device_, 2, host.data(), 4, 3, 1, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy2d(device_, 4, host.data(), 4, 3, 1, ACL_MEMCPY_HOST_TO_HOST));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy2d(nullptr, 4, host.data(), 4, 3, 1, ACL_MEMCPY_HOST_TO_DEVICE));
  EXPECT_REFUSED(kRtNotSupported,
                 aclrtMemcpy2dAsync(back.data(), 2, host.data(), 2, 2, 3, ACL_MEMCPY_DEFAULT, nullptr));
}

TEST_F(MemoryTools, BatchesAreCheckedAsAWhole) {
  std::array<char, 4> one = {1, 2, 3, 4};
  std::array<char, 4> two = {5, 6, 7, 8};
  void* dsts[] = {device_, At(4)};
  void* srcs[] = {one.data(), two.data()};
  size_t rooms[] = {4, 4};
  size_t sizes[] = {4, 2};
  aclrtMemcpyBatchAttr attribute = {};
  size_t first = 0, failed = 0;
  EXPECT_EQ(aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 2, &attribute, &first, 1, &failed), kOk);
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_EQ(Read<char>(8), (std::vector<char>{1, 2, 3, 4, 5, 6, 0, 0}));
  sizes[1] = 5;
  one[0] = 9;
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemcpyBatch(dsts, rooms, srcs, sizes, 2, &attribute, &first, 1, &failed));
  EXPECT_EQ(failed, 1u);
  EXPECT_EQ(Read<char>(1)[0], 1) << "nothing is copied";
  sizes[1] = 4;
  first = 1;
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemcpyBatchV2(dsts, rooms, srcs, sizes, 2, &attribute, &first, 1));
  first = 0;
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpyBatchV2(dsts, rooms, srcs, nullptr, 2, &attribute, &first, 1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemcpyBatchV2(dsts, rooms, srcs, sizes, 0, &attribute, &first, 1));
  EXPECT_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 2, &attribute, &first, 1, &failed, nullptr), kOk);
  EXPECT_EQ(aclrtMemcpyBatchAsyncV2(dsts, rooms, srcs, sizes, 2, &attribute, &first, 1, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_EQ(Read<char>(8), (std::vector<char>{9, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(MemoryTools, IndirectCopiesReadTheirAddressesLate) {
  Gate gate;
  gate.Block(nullptr);
  void* dst = nullptr;
  const void* src = nullptr;
  ASSERT_EQ(aclrtMemset(At(100), 4, 0x5A, 4), kOk);
  EXPECT_EQ(aclrtMemcpyAsyncWithOffset(&dst, 4, 8, &src, 4, 100, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr), kOk);
  dst = device_;
  src = device_;
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_EQ(Read<uint32_t>(3)[2], 0x5A5A5A5Au);
  EXPECT_REFUSED(kInvalidParam,
                 aclrtMemcpyAsyncWithOffset(nullptr, 4, 8, &src, 4, 0, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr));
}

TEST_F(MemoryTools, RegisteredHostMemoryIsPageLocked) {
  std::vector<char> host(4096, 3);
  void* address = nullptr;
  const auto copy = [&] {
    return aclrtMemcpyAsyncWithCondition(device_, 16, host.data(), 16, ACL_MEMCPY_HOST_TO_DEVICE, nullptr);
  };
  EXPECT_EQ(copy(), kRtNotSupported);
  EXPECT_EQ(aclrtHostRegister(host.data(), host.size(), ACL_HOST_REGISTER_MAPPED, &address), kOk);
  EXPECT_EQ(address, host.data());
  EXPECT_REFUSED(507910, aclrtHostRegisterV2(host.data() + 100, 1, ACL_HOST_REG_PINNED));
  EXPECT_EQ(aclrtHostGetDevicePointer(host.data() + 5, &address, 0), kOk);
  EXPECT_EQ(address, host.data() + 5);
  aclrtPtrAttributes attributes = {};
  EXPECT_EQ(aclrtPointerGetAttributes(host.data(), &attributes), kOk);
  EXPECT_EQ(attributes.location.type, ACL_MEM_LOCATION_TYPE_HOST);
  Gate gate;
  gate.Block(nullptr);
  EXPECT_EQ(copy(), kOk) << "queued";
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_EQ(Read<char>(16), std::vector<char>(16, 3));
  EXPECT_EQ(aclrtHostUnregister(host.data()), kOk);
  EXPECT_REFUSED(507911, aclrtHostUnregister(host.data()));
  EXPECT_REFUSED(507911, aclrtHostGetDevicePointer(host.data(), &address, 0));
  EXPECT_REFUSED(kRtNotSupported, aclrtHostRegister(host.data(), 1, static_cast<aclrtHostRegisterType>(1), &address));
  EXPECT_REFUSED(kInvalidParam, aclrtHostRegisterV2(host.data(), 0, 0));
  EXPECT_REFUSED(kRtParamInvalid, aclrtHostRegisterV2(host.data(), 1, 0x1));
  aclrtHostMemMapCapability capability{};
  EXPECT_EQ(aclrtHostMemMapCapabilities(0, ACL_RT_HAC_TYPE_SDMA, &capability), kOk);
  EXPECT_EQ(capability, ACL_RT_HOST_MEM_MAP_SUPPORTED);
}

TEST_F(MemoryTools, PointersAreKnown) {
  void* pinned = nullptr;
  int variable = 0;
  ASSERT_EQ(aclrtMallocHostWithCfg(&pinned, 100, nullptr), kOk);
  const auto where = [](const void* pointer) {
    aclrtPtrAttributes attributes = {};
    EXPECT_EQ(aclrtPointerGetAttributes(pointer, &attributes), kOk);
    return static_cast<int>(attributes.location.type);
  };
  EXPECT_EQ(where(At(100)), ACL_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(where(pinned), ACL_MEM_LOCATION_TYPE_HOST);
  EXPECT_EQ(where(&variable), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  void* base = nullptr;
  size_t size = 0;
  EXPECT_EQ(aclrtMemGetAddressRange(At(77), &base, &size), kOk);
  EXPECT_EQ(base, device_);
  EXPECT_EQ(size, 4096u);
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemGetAddressRange(&variable, &base, &size));
  void* list[] = {device_, At(1)};
  uint32_t result = 9;
  EXPECT_EQ(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 0), kOk);
  EXPECT_EQ(result, 1u);
  list[1] = &variable;
  EXPECT_EQ(aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP, &result, 0), kOk);
  EXPECT_EQ(result, 0u);
  EXPECT_REFUSED(kRtParamInvalid, aclrtCheckMemType(list, 2, 0x1, &result, 0));
  EXPECT_REFUSED(kRtParamInvalid, aclrtCheckMemType(list, 2, ACL_RT_MEM_TYPE_DEV, &result, 1));
  EXPECT_EQ(aclrtMemFlush(device_, 1), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemInvalidate(device_, 0));
  EXPECT_EQ(aclrtFreeHostWithDevSync(pinned), kOk);
}

TEST_F(MemoryTools, AmountsFollowAllocations) {
  size_t free = 0, total = 0, less = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), kOk);
  EXPECT_GT(free, 0u);
  EXPECT_LE(free, total);
  void* block = nullptr;
  ASSERT_EQ(aclrtMallocWithCfg(&block, 8 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST, nullptr), kOk);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &less, &total), kOk);
  EXPECT_GE(free - less, 8 * kMiB);
  aclrtMemUsageInfo usage = {};
  size_t records = 0;
  EXPECT_EQ(aclrtGetMemUsageInfo(0, &usage, 1, &records), kOk);
  EXPECT_EQ(records, 1u);
  EXPECT_EQ(usage.curMemSize, total - less);
  EXPECT_GE(usage.memPeakSize, usage.curMemSize);
  EXPECT_EQ(aclrtFreeWithDevSync(block), kOk);
  EXPECT_EQ(aclrtGetMemInfo(ACL_DDR_MEM, &free, &total), kOk);
  EXPECT_EQ(total, 0u) << "the SoC has HBM";
  EXPECT_REFUSED(107016, aclrtGetMemInfo(static_cast<aclrtMemAttr>(18), &free, &total));
  EXPECT_REFUSED(kInvalidParam, aclrtGetMemInfo(ACL_HBM_MEM, nullptr, &total));
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetMemUsageInfo(0, &usage, 0, &records));
  OnFreshThread([] {
    size_t none = 0;
    EXPECT_REFUSED(kRtNoContext, aclrtGetMemInfo(ACL_HBM_MEM, &none, &none));
  });
}

TEST_F(MemoryTools, TooMuchIsRefusedAndLaterWorkIsFine) {
  void* block = nullptr;
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMallocAlign32(&block, size_t{1} << 45, ACL_MEM_MALLOC_HUGE_FIRST));
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), kOk);
  EXPECT_EQ(aclrtMallocAlign32(&block, 2 * kMiB, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  EXPECT_EQ(aclrtFree(block), kOk);
  aclrtMallocAttribute attribute = {static_cast<aclrtMallocAttrType>(4), {}};
  aclrtMallocConfig config = {&attribute, 1};
  EXPECT_REFUSED(kRtParamInvalid, aclrtMallocWithCfg(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST, &config));
}

aclrtPhysicalMemProp HugePages() {
  aclrtPhysicalMemProp properties = {};
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  return properties;
}

TEST(AddressSpace, IsReservedWithoutADevice) {
  OnFreshThread([] {
    void* range = nullptr;
    EXPECT_EQ(aclrtReserveMemAddress(&range, size_t{1} << 36, 0, nullptr, 1), kOk);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(range) % (2 * kMiB), 0u);
    EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
    EXPECT_REFUSED(kRtParamInvalid, aclrtReleaseMemAddress(range));
    EXPECT_REFUSED(kInvalidParam, aclrtReserveMemAddress(nullptr, 1, 0, nullptr, 0));
    EXPECT_REFUSED(kInvalidParam, aclrtReserveMemAddress(&range, 0, 0, nullptr, 0));
    EXPECT_REFUSED(kInvalidParam, aclrtReserveMemAddress(&range, kMiB, 0, nullptr, 2));
    EXPECT_REFUSED(kInvalidParam, aclrtReserveMemAddress(&range, kMiB, 8, nullptr, 0));
  });
}

TEST_F(MemoryTools, NeighbouringMappingsAreOneBlock) {
  constexpr size_t kPart = 2 * kMiB;
  const aclrtPhysicalMemProp properties = HugePages();
  void* range = nullptr;
  ASSERT_EQ(aclrtReserveMemAddress(&range, 4 * kPart, 0, nullptr, 0), kOk);
  const auto part = [&](size_t index) { return static_cast<char*>(range) + index * kPart; };
  aclrtDrvMemHandle memory[3] = {};
  size_t before = 0, after = 0, total = 0;
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), kOk);
  for (aclrtDrvMemHandle& one : memory) ASSERT_EQ(aclrtMallocPhysical(&one, kPart, &properties, 0), kOk);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), kOk);
  EXPECT_EQ(before - after, 3 * kPart);
  const auto block_of = [](void* address) {
    void* base = nullptr;
    size_t size = 0;
    EXPECT_EQ(aclrtMemGetAddressRange(address, &base, &size), kOk);
    return std::pair(static_cast<char*>(base), size);
  };
  ASSERT_EQ(aclrtMapMem(part(0), kPart, 0, memory[0], 0), kOk);
  ASSERT_EQ(aclrtMapMem(part(2), kPart, 0, memory[2], 0), kOk);
  EXPECT_EQ(block_of(part(0) + 5), std::pair(part(0), kPart));
  ASSERT_EQ(aclrtMapMem(part(1), kPart, 0, memory[1], 0), kOk);
  for (size_t index : {0, 1, 2}) EXPECT_EQ(block_of(part(index) + 5), std::pair(part(0), 3 * kPart));
  // Across the borders of mappings, with a copy that is queued because both sides are device memory.
  ASSERT_EQ(aclrtMemset(part(0), 3 * kPart, 0x11, 3 * kPart), kOk);
  ASSERT_EQ(aclrtMemcpyAsync(device_, 64, part(1) - 32, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, nullptr), kOk);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_EQ(Read<char>(64), std::vector<char>(64, 0x11));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMapMem(part(1), kPart, 0, memory[1], 0));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMapMem(part(3), kMiB, 0, memory[1], 0));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMapMem(part(4), kPart, 0, memory[1], 0));
  EXPECT_REFUSED(kInvalidParam, aclrtMapMem(part(3), kPart, 1, memory[1], 0));
  EXPECT_REFUSED(kRtParamInvalid, aclrtFree(part(0)));
  EXPECT_REFUSED(kRtParamInvalid, aclrtReleaseMemAddress(range));

  ASSERT_EQ(aclrtUnmapMem(part(1)), kOk);
  EXPECT_EQ(block_of(part(0)), std::pair(part(0), kPart));
  EXPECT_EQ(block_of(part(2)), std::pair(part(2), kPart));
  void* base = nullptr;
  size_t size = 0;
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemGetAddressRange(part(1), &base, &size));
  EXPECT_REFUSED(kRtParamInvalid, aclrtUnmapMem(part(1)));
  // Unmapped memory keeps its content until it is freed, and can be mapped elsewhere.
  ASSERT_EQ(aclrtMapMem(part(3), kPart, 0, memory[1], 0), kOk);
  char value = 0;
  ASSERT_EQ(aclrtMemcpy(&value, 1, part(3) + 9, 1, ACL_MEMCPY_DEVICE_TO_HOST), kOk);
  EXPECT_EQ(value, 0x11);
  EXPECT_EQ(block_of(part(3)), std::pair(part(2), 2 * kPart));

  for (aclrtDrvMemHandle one : memory) EXPECT_EQ(aclrtFreePhysical(one), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtFreePhysical(memory[0]));
  EXPECT_EQ(aclrtMemset(part(0), 1, 1, 1), kOk) << "mapped memory stays usable";
  for (size_t index : {0, 2, 3}) EXPECT_EQ(aclrtUnmapMem(part(index)), kOk);
  EXPECT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), kOk);
  EXPECT_EQ(before, after);
  EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
}

TEST_F(MemoryTools, PhysicalMemoryIsChecked) {
  aclrtDrvMemHandle handle = nullptr;
  const auto refuses = [&](auto change, size_t size = 2 * kMiB) {
    aclrtPhysicalMemProp properties = HugePages();
    change(properties);
    EXPECT_REFUSED(kInvalidParam, aclrtMallocPhysical(&handle, size, &properties, 0));
  };
  refuses([](aclrtPhysicalMemProp& p) { p.handleType = ACL_MEM_HANDLE_TYPE_POSIX; });
  refuses([](aclrtPhysicalMemProp& p) { p.allocationType = static_cast<aclrtMemAllocationType>(1); });
  refuses([](aclrtPhysicalMemProp& p) { p.memAttr = ACL_HBM_MEM_NORMAL; });
  refuses([](aclrtPhysicalMemProp& p) { p.location.type = ACL_MEM_LOCATION_TYPE_HOST; });
  refuses([](aclrtPhysicalMemProp& p) { p.memAttr = ACL_HBM_MEM_HUGE1G; });
  refuses([](aclrtPhysicalMemProp&) {}, kMiB);
  refuses([](aclrtPhysicalMemProp&) {}, 0);
  aclrtPhysicalMemProp properties = HugePages();
  EXPECT_REFUSED(kInvalidParam, aclrtMallocPhysical(&handle, 2 * kMiB, &properties, 1));
  EXPECT_REFUSED(kInvalidParam, aclrtMallocPhysical(nullptr, 2 * kMiB, &properties, 0));
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMallocPhysical(&handle, size_t{1} << 44, &properties, 0));
  properties.location.id = 99;
  EXPECT_REFUSED(kRtInvalidDevice, aclrtMallocPhysical(&handle, 2 * kMiB, &properties, 0));
  size_t granularity = 0;
  properties = HugePages();
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM, &granularity), kOk);
  EXPECT_EQ(granularity, 2 * kMiB);
  properties.memAttr = ACL_HBM_MEM_HUGE1G;
  EXPECT_EQ(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &granularity), kOk);
  EXPECT_EQ(granularity, 1024 * kMiB);
  EXPECT_REFUSED(kInvalidParam,
                 aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &granularity));
}

TEST_F(MemoryTools, MappedMemoryTellsItsOriginAndAccess) {
  constexpr size_t kPart = 2 * kMiB;
  const aclrtPhysicalMemProp properties = HugePages();
  void* range = nullptr;
  aclrtDrvMemHandle memory = nullptr, again = nullptr;
  ASSERT_EQ(aclrtReserveMemAddress(&range, kPart, 0, nullptr, 0), kOk);
  ASSERT_EQ(aclrtMallocPhysical(&memory, kPart, &properties, 0), kOk);
  ASSERT_EQ(aclrtMapMem(range, kPart, 0, memory, 0), kOk);
  EXPECT_EQ(aclrtMemRetainAllocationHandle(static_cast<char*>(range) + 99, &again), kOk);
  EXPECT_EQ(again, memory);
  aclrtPhysicalMemProp seen = {};
  EXPECT_EQ(aclrtMemGetAllocationPropertiesFromHandle(memory, &seen), kOk);
  EXPECT_EQ(std::memcmp(&seen, &properties, sizeof seen), 0);
  aclrtMemAccessDesc access = {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {}};
  EXPECT_EQ(aclrtMemSetAccess(range, kPart, &access, 1), kOk);
  uint64_t flags = 0;
  EXPECT_EQ(aclrtMemGetAccess(range, &access.location, &flags), kOk);
  EXPECT_EQ(flags, uint64_t{ACL_RT_MEM_ACCESS_FLAGS_READWRITE});
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemSetAccess(range, kPart + 1, &access, 1));
  access.flags = ACL_RT_MEM_ACCESS_FLAGS_READ;
  EXPECT_REFUSED(kRtNotSupported, aclrtMemSetAccess(range, kPart, &access, 1));
  EXPECT_EQ(aclrtFreePhysical(memory), kOk);
  EXPECT_EQ(aclrtFreePhysical(memory), kOk) << "the retained reference";
  EXPECT_REFUSED(kRtInvalidHandle, aclrtFreePhysical(memory));
  EXPECT_EQ(aclrtUnmapMem(range), kOk);
  EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
}

}  // namespace
}  // namespace contract
