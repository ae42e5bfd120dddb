// SPDX-License-Identifier: Apache-2.0
// A C++11 program as a client writes it: deleters in std::unique_ptr, overloads of the C++ header.
#include "spellings.h"

#include <memory>

#include "acl/acl_rt_api.h"

using DeviceMemory = std::unique_ptr<void, aclError (*)(void*)>;
using Tensor = std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor*)>;

DeviceMemory OwnMemory(void* address);
Tensor OwnTensor(aclTensor* tensor);
aclError WaitASecond(aclrtStream stream);

DeviceMemory OwnMemory(void* address) { return DeviceMemory(address, aclrtFree); }
Tensor OwnTensor(aclTensor* tensor) { return Tensor(tensor, aclDestroyTensor); }
aclError WaitASecond(aclrtStream stream) { return aclrtSynchronizeStream(stream, 1000); }

static_assert(OK == ACL_SUCCESS, "both statuses call success 0");
