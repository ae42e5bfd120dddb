// SPDX-License-Identifier: Apache-2.0
// A library that runs a large operator while it is being loaded, as static objects of plug-ins do.
#include <cstdint>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_logit_grad.h"

namespace {

aclError Run() {
  const int64_t count = 3'000'000;
  void* data = nullptr;
  aclrtStream stream = nullptr;
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  aclError status = aclrtSetDevice(0);
  if (status == 0) status = aclrtCreateStream(&stream);
  if (status == 0) status = aclrtMalloc(&data, count * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  if (status == 0) status = aclrtMemset(data, count * sizeof(float), 0, count * sizeof(float));
  if (status != 0) return status;
  aclTensor* tensor = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, data);
  status = aclnnLogitGradGetWorkspaceSize(tensor, tensor, 0.1, tensor, &bytes, &executor);
  if (status == 0) status = aclnnLogitGrad(nullptr, 0, executor, stream);
  if (status == 0) status = aclrtLaunchHostFunc(stream, [](void*) {}, nullptr);
  // With a limit the calling thread only waits, so threads of the library run all tasks.
  if (status == 0) status = aclrtSynchronizeStreamWithTimeout(stream, 20'000);
  aclDestroyTensor(tensor);
  if (status == 0) status = aclrtFree(data);
  if (status == 0) status = aclrtDestroyStream(stream);
  return status;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const aclError load_time_status;
const aclError load_time_status = Run();
