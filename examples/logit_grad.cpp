// SPDX-License-Identifier: Apache-2.0
// The gradient of logit at four points, written like an ordinary aclnn client program. Nothing in it is specific to
// Portacl: it builds and runs unchanged with CANN on an Ascend card, too.
//
//   source <toolkit>/set_env.sh
//   g++ -std=c++11 logit_grad.cpp -I $ASCEND_HOME_PATH/include -L $ASCEND_HOME_PATH/lib64
//       -lopapi_nn -lopapi_math -lascendcl -lnnopbase -o logit_grad && ./logit_grad
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_logit_grad.h"

#define CHECK_RET(condition, return_expression) \
  do {                                          \
    if (!(condition)) {                         \
      return_expression;                        \
    }                                           \
  } while (0)

#define LOG_PRINT(...)        \
  do {                        \
    std::printf(__VA_ARGS__); \
  } while (0)

static int64_t ElementCount(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return count;
}

// Initialises the runtime, sets the device and creates a stream.
static int Init(int32_t device_id, aclrtStream* stream) {
  aclError ret = aclInit(nullptr);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclInit failed: %d\n", ret); return ret);
  ret = aclrtSetDevice(device_id);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtSetDevice failed: %d\n", ret); return ret);
  ret = aclrtCreateStream(stream);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtCreateStream failed: %d\n", ret); return ret);
  return 0;
}

// Copies `host` to new device memory and describes it as a contiguous tensor.
template <typename T>
static int CreateAclTensor(const std::vector<T>& host, const std::vector<int64_t>& shape, aclDataType data_type,
                           void** device_address, aclTensor** tensor) {
  const size_t bytes = static_cast<size_t>(ElementCount(shape)) * sizeof(T);
  aclError ret = aclrtMalloc(device_address, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed: %d\n", ret); return ret);
  ret = aclrtMemcpy(*device_address, bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMemcpy failed: %d\n", ret); return ret);

  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i) strides[i - 2] = shape[i - 1] * strides[i - 1];
  *tensor = aclCreateTensor(shape.data(), shape.size(), data_type, strides.data(), 0, ACL_FORMAT_ND, shape.data(),
                            shape.size(), *device_address);
  CHECK_RET(*tensor != nullptr, LOG_PRINT("aclCreateTensor failed\n"); return 1);
  return 0;
}

int main() {
  // 1. The device and a stream.
  const int32_t device_id = 0;
  aclrtStream stream = nullptr;
  int ret = Init(device_id, &stream);
  CHECK_RET(ret == 0, return ret);

  // 2. Inputs and output.
  const std::vector<int64_t> shape = {4};
  const std::vector<float> x_host = {0.1f, 0.2f, 0.3f, 0.4f};
  const std::vector<float> dy_host = {1.0f, 2.0f, 3.0f, 4.0f};
  std::vector<float> out_host(4, 0.0f);
  const double eps = -1.0;  // negative: no clamping
  void* x_address = nullptr;
  void* dy_address = nullptr;
  void* out_address = nullptr;
  aclTensor* x = nullptr;
  aclTensor* dy = nullptr;
  aclTensor* out = nullptr;
  ret = CreateAclTensor(x_host, shape, ACL_FLOAT, &x_address, &x);
  CHECK_RET(ret == 0, return ret);
  ret = CreateAclTensor(dy_host, shape, ACL_FLOAT, &dy_address, &dy);
  CHECK_RET(ret == 0, return ret);
  ret = CreateAclTensor(out_host, shape, ACL_FLOAT, &out_address, &out);
  CHECK_RET(ret == 0, return ret);

  // 3. Phase 1: check the operands, plan the work, get the size of the workspace.
  uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  ret = aclnnLogitGradGetWorkspaceSize(x, dy, eps, out, &workspace_size, &executor);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclnnLogitGradGetWorkspaceSize failed: %d, %s\n", ret, aclGetRecentErrMsg());
            return ret);
  void* workspace = nullptr;
  if (workspace_size > 0) {
    ret = aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST);
    CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMalloc failed: %d\n", ret); return ret);
  }

  // 4. Phase 2: queue the work, then wait for it.
  ret = aclnnLogitGrad(workspace, workspace_size, executor, stream);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclnnLogitGrad failed: %d, %s\n", ret, aclGetRecentErrMsg()); return ret);
  ret = aclrtSynchronizeStream(stream);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtSynchronizeStream failed: %d\n", ret); return ret);

  // 5. Copy the results to the host.
  const size_t bytes = out_host.size() * sizeof(float);
  ret = aclrtMemcpy(out_host.data(), bytes, out_address, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  CHECK_RET(ret == ACL_SUCCESS, LOG_PRINT("aclrtMemcpy failed: %d\n", ret); return ret);
  for (size_t i = 0; i < out_host.size(); ++i) LOG_PRINT("result[%zu] is: %f\n", i, out_host[i]);

  // 6. Release everything.
  aclDestroyTensor(x);
  aclDestroyTensor(dy);
  aclDestroyTensor(out);
  aclrtFree(x_address);
  aclrtFree(dy_address);
  aclrtFree(out_address);
  if (workspace != nullptr) aclrtFree(workspace);
  aclrtDestroyStream(stream);
  aclrtResetDevice(device_id);
  aclFinalize();
  return 0;
}
