// SPDX-License-Identifier: Apache-2.0
// C++ overloads of runtime functions, for programs that include this header themselves; acl.h does not.
// Each forwards to the exported function it names, with the same errors.
#ifndef PORTACL_INCLUDE_ACL_ACL_RT_API_H_
#define PORTACL_INCLUDE_ACL_ACL_RT_API_H_

#include "acl/acl_rt.h"

#ifdef __cplusplus

/// aclrtSynchronizeDeviceWithTimeout. timeout: ms, -1 waits for ever.
inline aclError aclrtSynchronizeDevice(int32_t timeout) { return aclrtSynchronizeDeviceWithTimeout(timeout); }

/// aclrtSynchronizeStreamWithTimeout. timeout: ms, -1 waits for ever.
inline aclError aclrtSynchronizeStream(aclrtStream stream, int32_t timeout) {
  return aclrtSynchronizeStreamWithTimeout(stream, timeout);
}

/// aclrtSynchronizeEventWithTimeout. timeout: ms, -1 waits for ever.
inline aclError aclrtSynchronizeEvent(aclrtEvent event, int32_t timeout) {
  return aclrtSynchronizeEventWithTimeout(event, timeout);
}

/// aclrtCreateEventExWithFlag. flag: mask of ACL_EVENT_*.
inline aclError aclrtCreateEvent(aclrtEvent* event, uint32_t flag) { return aclrtCreateEventExWithFlag(event, flag); }

#endif

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_API_H_
