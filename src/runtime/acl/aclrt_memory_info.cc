// SPDX-License-Identifier: Apache-2.0
// Queries about memory of the C API.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/observer.h"
#include "base/soc.h"
#include "runtime/acl/checks.h"
#include "runtime/arguments.h"
#include "runtime/contexts/context.h"
#include "runtime/contexts/deferred_free.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pool.h"

namespace portacl {
namespace {

constexpr uint32_t kUses = ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD;

bool IsDdr(int attribute) noexcept {
  return attribute == ACL_DDR_MEM || attribute == ACL_DDR_MEM_HUGE || attribute == ACL_DDR_MEM_NORMAL ||
         attribute == ACL_DDR_MEM_P2P_HUGE || attribute == ACL_DDR_MEM_P2P_NORMAL;
}

bool SocHasHbm() noexcept {
  const SocFamily family = CurrentSoc().family;
  return family != SocFamily::kAscend310P && family != SocFamily::kAscend310B;
}

aclError CheckCache(const char* function, const void* address, size_t size) noexcept {
  if (address == nullptr) return NullArgument(function, "devPtr");
  if (size != 0) return ACL_SUCCESS;
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'size': expected a positive number of bytes, got 0", function);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  const ApiCall api_call(__func__);
  if (free == nullptr) return NullArgument(__func__, "free");
  if (total == nullptr) return NullArgument(__func__, "total");
  const int kind = EnumNumber(attr);
  if (kind < ACL_DDR_MEM || kind > ACL_MEM_P2P_HUGE1G) {
    return Failf(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "{}: argument 'attr': expected 0..17, got {}", __func__, kind);
  }
  const contexts::Context* context = contexts::ResolveContext(__func__);
  if (context == nullptr) return ACL_ERROR_RT_CONTEXT_NULL;
  contexts::ReclaimDeferred();
  const bool absent = IsDdr(kind) && SocHasHbm();
  const size_t all = absent ? 0 : devices::GetDevice(context->device()).MemoryTotal();
  *total = all;
  *free = absent ? 0 : all - std::min(all, memory::DevicePool(context->device()).UsedBytes());
  return ACL_SUCCESS;
}

aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo* memUsageInfo, size_t inputNum, size_t* outputNum) {
  const ApiCall api_call(__func__);
  if (memUsageInfo == nullptr) return NullArgument(__func__, "memUsageInfo");
  if (outputNum == nullptr) return NullArgument(__func__, "outputNum");
  if (inputNum == 0)
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument 'inputNum': expected a positive number, got 0", __func__);
  const aclError status = CheckDevice(__func__, deviceId);
  if (status != ACL_SUCCESS) return status;
  contexts::ReclaimDeferred();
  memory::Pool& pool = memory::DevicePool(deviceId);
  *memUsageInfo = {};
  std::strcpy(memUsageInfo->name, "portacl");
  memUsageInfo->curMemSize = pool.UsedBytes();
  memUsageInfo->memPeakSize = pool.PeakBytes();
  *outputNum = 1;
  return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  const ApiCall api_call(__func__);
  if (ptr == nullptr) return NullArgument(__func__, "ptr");
  if (attributes == nullptr) return NullArgument(__func__, "attributes");
  memory::Block block;
  *attributes = {};
  attributes->pageSize = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
  if (memory::FindBlock(ptr, &block)) {
    attributes->location = {static_cast<uint32_t>(memory::DeviceOfBlock(ptr)), ACL_MEM_LOCATION_TYPE_DEVICE};
  } else if (memory::FindHostBlock(ptr, &block) || memory::IsRegistered(ptr)) {
    attributes->location = {0, ACL_MEM_LOCATION_TYPE_HOST};
  } else {
    attributes->location = {0, ACL_MEM_LOCATION_TYPE_UNREGISTERED};
  }
  return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  const ApiCall api_call(__func__);
  const char* const function = __func__;
  const auto refuse = [function](const char* argument, const char* expected, const void* got) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID, "{}: argument '{}': expected {}, got {}", function, argument, expected,
                 got);
  };
  if (pbase == nullptr) return refuse("pbase", "a pointer", nullptr);
  if (psize == nullptr) return refuse("psize", "a pointer", nullptr);
  memory::Block block;
  if (!memory::FindBlock(ptr, &block) && !memory::FindHostBlock(ptr, &block))
    return refuse("ptr", "an address in a live block", ptr);
  *pbase = reinterpret_cast<void*>(block.begin);
  *psize = block.asked;
  return ACL_SUCCESS;
}

aclError aclrtCheckMemType(void** addrList, uint32_t size, uint32_t memType, uint32_t* checkResult, uint32_t reserve) {
  const ApiCall api_call(__func__);
  if (addrList == nullptr || checkResult == nullptr || size == 0 || reserve != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: expected addresses, a result, a positive size and reserve 0, got {}, {}, {} and {}", __func__,
                 static_cast<const void*>(addrList), static_cast<const void*>(checkResult), size, reserve);
  }
  if (memType == 0 || (memType & ~kUses) != 0) {
    return Failf(ACL_ERROR_RT_PARAM_INVALID,
                 "{}: argument 'memType': expected a combination of the flags ACL_RT_MEM_TYPE_DEV, "
                 "ACL_RT_MEM_TYPE_DVPP and ACL_RT_MEM_TYPE_RSVD (bits {:#x}), got {:#x}",
                 __func__, kUses, memType);
  }
  memory::Block block;
  const bool all = (memType & ACL_RT_MEM_TYPE_DEV) != 0 && std::all_of(addrList, addrList + size, [&](void* address) {
                     return memory::FindBlock(address, &block);
                   });
  *checkResult = all ? 1 : 0;
  return ACL_SUCCESS;
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  const ApiCall api_call(__func__);
  return CheckCache(__func__, devPtr, size);
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  const ApiCall api_call(__func__);
  return CheckCache(__func__, devPtr, size);
}
