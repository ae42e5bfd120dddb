// SPDX-License-Identifier: Apache-2.0
// C++ overloads of runtime functions, for programs that include this header themselves; acl.h does not.
// Each forwards to the exported function it names, with the same errors.
#ifndef PORTACL_INCLUDE_ACL_ACL_RT_API_H_
#define PORTACL_INCLUDE_ACL_ACL_RT_API_H_

#include "acl/acl_rt.h"

#ifdef __cplusplus

/// aclrtSynchronizeDeviceWithTimeout. timeout: ms, -1 waits without a limit.
inline aclError aclrtSynchronizeDevice(int32_t timeout) { return aclrtSynchronizeDeviceWithTimeout(timeout); }

/// aclrtSynchronizeStreamWithTimeout. timeout: ms, -1 waits without a limit.
inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout) {
  return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

/// aclrtSynchronizeEventWithTimeout. timeout: ms, -1 waits without a limit.
inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout) {
  return aclrtSynchronizeEventWithTimeout(event, timeout);
}

/// aclrtCreateEventExWithFlag. flag: mask of ACL_EVENT_*.
inline aclError aclrtCreateEvent(aclrtEvent* event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

/// aclrtStreamWaitEventWithTimeout. timeout: s, 0 for no limit.
inline aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  return aclrtStreamWaitEventWithTimeout(stream, event, timeout);
}

/// aclrtCreateStreamWithConfig. priority: 0, the most urgent, to 7; flag: mask of ACL_STREAM_*.
inline aclError aclrtCreateStream(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  return aclrtCreateStreamWithConfig(stream, priority, flag);
}

/// aclrtSetOpExecuteTimeOutV2. timeout: us.
inline aclError aclrtSetOpExecuteTimeOut(uint64_t timeout, uint64_t* actualTimeout) {
  return aclrtSetOpExecuteTimeOutV2(timeout, actualTimeout);
}

/// aclrtMallocWithCfg: without the additional 32 bytes of aclrtMalloc.
template <class T>
aclError aclrtMalloc(T** devPtr, size_t size, aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST,
                     aclrtMallocConfig* cfg = nullptr) {
  void* address = nullptr;
  const aclError status = aclrtMallocWithCfg(devPtr == nullptr ? nullptr : &address, size, policy, cfg);
  if (status == ACL_SUCCESS) *devPtr = static_cast<T*>(address);
  return status;
}

#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_API_H_
