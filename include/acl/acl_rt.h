// SPDX-License-Identifier: Apache-2.0
// The runtime: process, devices, contexts, streams, events, memory. One header per subject under acl/rt/.
//
// Rules for every function that returns aclError, not repeated below. Success is ACL_SUCCESS. A null pointer where an
// object or a result is mandatory gives ACL_ERROR_INVALID_PARAM. A function of class "context" gives
// ACL_ERROR_RT_CONTEXT_NULL in a thread without one. A handle that was destroyed or is of another kind gives
// ACL_ERROR_RT_INVALID_HANDLE. On failure no result is written and aclGetRecentErrMsg says what and why.
#ifndef PORTACL_INCLUDE_ACL_ACL_RT_H_
#define PORTACL_INCLUDE_ACL_ACL_RT_H_

#include "acl/acl_base.h"
#include "acl/acl_rt_allocator.h"
#include "acl/acl_rt_memory_soma.h"
#include "acl/rt/callback.h"
#include "acl/rt/compute_options.h"
#include "acl/rt/core_group.h"
#include "acl/rt/core_limit.h"
#include "acl/rt/device.h"
#include "acl/rt/device_query.h"
#include "acl/rt/event.h"
#include "acl/rt/fault.h"
#include "acl/rt/host_memory.h"
#include "acl/rt/kernel.h"
#include "acl/rt/memory.h"
#include "acl/rt/memory_copy.h"
#include "acl/rt/memory_info.h"
#include "acl/rt/memory_sharing.h"
#include "acl/rt/message_buffer.h"
#include "acl/rt/model_instance.h"
#include "acl/rt/notify.h"
#include "acl/rt/process.h"
#include "acl/rt/stream.h"
#include "acl/rt/stream_control.h"
#include "acl/rt/stream_settings.h"
#include "acl/rt/version.h"
#include "acl/rt/virtual_memory.h"

#endif  // PORTACL_INCLUDE_ACL_ACL_RT_H_
