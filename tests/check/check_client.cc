// SPDX-License-Identifier: Apache-2.0
// check_client CASE faulty|right
#include "check_client.h"
#include "aclnnop/aclnn_ctc_loss.h"
#include "aclnnop/aclnn_embedding.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_sigmoid.h"

namespace check_client {
namespace {

void Uninitialized(bool right) {
  void* device = nullptr;
  // there uninitialized
  Expect(aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  float host[kCount];
  if (right) Expect(aclrtMemset(device, kBytes, 0, kBytes));
  // here uninitialized
  Expect(aclrtMemcpy(host, kBytes, device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
  Expect(aclrtFree(device));
}

void Freed(bool right) {
  Memory device;
  const Stream stream;
  // there freed
  Expect(aclrtMemsetAsync(device.data, kBytes, 0, kBytes, stream.handle));
  if (right) Expect(aclrtSynchronizeStream(stream.handle));
  // here freed
  Expect(aclrtFree(device.data));
  device.data = nullptr;
}

void FreedBefore(bool right) {
  Memory device, out;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  aclTensor* x = MakeTensor(device.data);
  aclTensor* y = MakeTensor(out.data);
  aclOpExecutor* executor = PlanAdd(x, y);
  if (!right) {
    // there freed-before
    Expect(aclrtFree(device.data));
    device.data = nullptr;
  }
  // here freed-before
  aclnnAdd(nullptr, 0, executor, stream.handle);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
  Expect(aclrtSynchronizeStream(stream.handle));
}

void HostChanged(bool right) {
  const Memory device;
  const PinnedMemory host;
  const Stream stream;
  std::memset(host.data, 1, kBytes);
  // here host-changed
  Expect(aclrtMemcpyAsync(device.data, kBytes, host.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle));
  if (right) Expect(aclrtSynchronizeStream(stream.handle));
  std::memset(host.data, 2, kBytes);
}

void HostFreed(bool right) {
  const Memory device;
  PinnedMemory host;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  // there host-freed
  Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  if (right) Expect(aclrtSynchronizeStream(stream.handle));
  // here host-freed
  Expect(aclrtFreeHost(host.data));
  host.data = nullptr;
}

void Race(bool right) {
  const Memory device, out;
  const Stream first, second;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateEvent(&event));
  // there race
  Expect(aclrtMemsetAsync(device.data, kBytes, 0, kBytes, first.handle));
  if (right) {
    Expect(aclrtRecordEvent(event, first.handle));
    Expect(aclrtStreamWaitEvent(second.handle, event));
  }
  // here race
  Expect(aclrtMemcpyAsync(out.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_DEVICE, second.handle));
  Expect(aclrtSynchronizeStream(second.handle));
  Expect(aclrtDestroyEvent(event));
}

// Columns of one matrix on two streams: the ranges of the views overlap, but the views share no byte.
void RaceOfColumns(bool right) {
  const Memory matrix;
  const Memory in;
  const Stream first, second;
  Expect(aclrtMemset(in.data, kBytes, 0, kBytes));
  constexpr int64_t kShape[] = {16, 32}, kStrides[] = {64, 1};
  const auto columns = [&](int64_t offset) {
    return aclCreateTensor(kShape, 2, ACL_FLOAT, kStrides, offset, ACL_FORMAT_ND, &kCount, 1, matrix.data);
  };
  aclTensor* const x = aclCreateTensor(kShape, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, kShape, 2, in.data);
  aclTensor* const left = columns(0);
  aclTensor* const beside = columns(right ? 32 : 16);
  // there race-of-columns
  Expect(aclnnAdd(nullptr, 0, PlanAdd(x, left), first.handle));
  // here race-of-columns
  Expect(aclnnAdd(nullptr, 0, PlanAdd(x, beside), second.handle));
  for (const aclTensor* tensor : {x, left, beside}) aclDestroyTensor(tensor);
  Expect(aclrtSynchronizeDevice());
}

void Unwaited(bool right) {
  const Memory device;
  const Stream stream;
  float host[kCount];
  // there unwaited
  Expect(aclrtMemsetAsync(device.data, kBytes, 0, kBytes, stream.handle));
  if (right) Expect(aclrtSynchronizeStream(stream.handle));
  // here unwaited
  Expect(aclrtMemcpy(host, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
}

void Leak(bool right) {
  void* device = nullptr;
  // here leak
  Expect(aclrtMalloc(&device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  if (right) Expect(aclrtFree(device));
}

void LeakOfTensor(bool right) {
  const Memory device;
  const int64_t count = kCount;
  // here leak-of-tensor
  const aclTensor* tensor = aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, device.data);
  if (right) aclDestroyTensor(tensor);
}

void LeakOfExecutor(bool right) {
  const Memory device, out;
  const Stream stream;
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  aclTensor* x = MakeTensor(device.data);
  aclTensor* y = MakeTensor(out.data);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here leak-of-executor
  Expect(aclnnAddGetWorkspaceSize(x, x, alpha, y, &bytes, &executor));
  if (right) aclDestroyAclOpExecutor(executor);
  aclDestroyScalar(alpha);
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

void Destroyed(bool right) {
  aclrtEvent event = nullptr;
  const Stream stream;
  Expect(aclrtCreateEvent(&event));
  if (right) Expect(aclrtRecordEvent(event, stream.handle));
  // there destroyed
  Expect(aclrtDestroyEvent(event));
  // here destroyed
  if (!right) static_cast<void>(aclrtRecordEvent(event, stream.handle));
}

void DestroyedTensor(bool right) {
  const Memory device, out;
  aclTensor* x = MakeTensor(device.data);
  aclTensor* y = MakeTensor(out.data);
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  // there destroyed-tensor
  if (!right) aclDestroyTensor(x);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here destroyed-tensor
  const int status = aclnnAddGetWorkspaceSize(x, x, alpha, y, &bytes, &executor);
  if (status == 0) aclDestroyAclOpExecutor(executor);
  aclDestroyScalar(alpha);
  if (right) aclDestroyTensor(x);
  aclDestroyTensor(y);
}

void Status(bool right) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  aclTensor* x = MakeTensor(device.data);
  aclTensor* short_one = MakeTensor(device.data, kCount / 2);
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // there status
  const int status = aclnnAddGetWorkspaceSize(x, x, alpha, short_one, &bytes, &executor);
  // here status
  if (!right || status == 0) aclnnAdd(nullptr, 0, executor, stream.handle);
  aclDestroyScalar(alpha);
  aclDestroyTensor(x);
  aclDestroyTensor(short_one);
}

void Overlap(bool right) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  aclTensor* x = MakeTensor(device.data, kCount / 2);
  aclTensor* y = MakeTensor(device.at(right ? kBytes / 2 : 64), kCount / 2);
  aclOpExecutor* executor = PlanAdd(x, y);
  // here overlap
  Expect(aclnnAdd(nullptr, 0, executor, stream.handle));
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

// A sample of 8 steps, 4 classes, 2 labels.
struct CtcLoss {
  CtcLoss() {
    Expect(aclrtMemset(probabilities.data, kBytes, 0, kBytes));
    Expect(aclrtMemset(targets.data, kBytes, 0, kBytes));
    const int64_t labels[] = {1, 2};
    Expect(aclrtMemcpy(targets.data, kBytes, labels, sizeof(labels), ACL_MEMCPY_HOST_TO_DEVICE));
    constexpr int64_t kProbabilities[] = {8, 1, 4}, kTargets[] = {1, 2}, kLoss[] = {1}, kAlpha[] = {1, 8, 5};
    const auto make = [](const int64_t* shape, uint64_t rank, aclDataType dtype, void* data) {
      return aclCreateTensor(shape, rank, dtype, nullptr, 0, ACL_FORMAT_ND, shape, rank, data);
    };
    aclTensor* const tensors[] = {make(kProbabilities, 3, ACL_FLOAT, probabilities.data),
                                  make(kTargets, 2, ACL_INT64, targets.data), make(kLoss, 1, ACL_FLOAT, loss.data),
                                  make(kAlpha, 3, ACL_FLOAT, alpha.data)};
    const int64_t steps = 8, count = 2;
    const aclIntArray* const input_lengths = aclCreateIntArray(&steps, 1);
    const aclIntArray* const target_lengths = aclCreateIntArray(&count, 1);
    Expect(aclnnCtcLossGetWorkspaceSize(tensors[0], tensors[1], input_lengths, target_lengths, 0, false, tensors[2],
                                        tensors[3], &bytes, &executor));
    for (const aclTensor* tensor : tensors) aclDestroyTensor(tensor);
    aclDestroyIntArray(input_lengths);
    aclDestroyIntArray(target_lengths);
  }

  Memory probabilities, targets, loss, alpha;
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
};

void Workspace(bool right) {
  const CtcLoss one, other;
  const Memory workspace(2 * one.bytes);
  const Stream first, second;
  void* const place = workspace.at(right ? one.bytes : 0);
  // there workspace
  Expect(aclnnCtcLoss(workspace.data, one.bytes, one.executor, first.handle));
  // here workspace
  Expect(aclnnCtcLoss(place, other.bytes, other.executor, second.handle));
  Expect(aclrtSynchronizeDevice());
}

void WorkspaceTooSmall(bool right) {
  const CtcLoss loss;
  const Memory workspace(loss.bytes);
  const Stream stream;
  const uint64_t bytes = right ? loss.bytes : loss.bytes - 1;
  // here workspace-too-small
  static_cast<void>(aclnnCtcLoss(workspace.data, bytes, loss.executor, stream.handle));
}

// The index is too large by one, which is reported when the host waits for the stream.
void StatusOfResults(bool right) {
  const Memory table, indices, rows;
  const Stream stream;
  constexpr int64_t kTable[] = {4, 8}, kIndices[] = {1}, kRows[] = {1, 8};
  const int64_t index = right ? 3 : 4;
  Expect(aclrtMemset(table.data, kBytes, 0, kBytes));
  Expect(aclrtMemcpy(indices.data, kBytes, &index, sizeof(index), ACL_MEMCPY_HOST_TO_DEVICE));
  aclTensor* const weight = aclCreateTensor(kTable, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, kTable, 2, table.data);
  aclTensor* const which =
      aclCreateTensor(kIndices, 1, ACL_INT64, nullptr, 0, ACL_FORMAT_ND, kIndices, 1, indices.data);
  aclTensor* const out = aclCreateTensor(kRows, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, kRows, 2, rows.data);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  Expect(aclnnEmbeddingGetWorkspaceSize(weight, which, out, &bytes, &executor));
  // there status-of-results
  Expect(aclnnEmbedding(nullptr, 0, executor, stream.handle));
  for (const aclTensor* tensor : {weight, which, out}) aclDestroyTensor(tensor);
  static_cast<void>(aclrtSynchronizeStream(stream.handle));
  float host[8];
  // here status-of-results
  Expect(aclrtMemcpy(host, sizeof(host), rows.data, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST));
}

// Ascend310P, whose refusals the test requests, has no BFLOAT16.
void Product(bool right) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  aclTensor* const x =
      aclCreateTensor(&kCount, 1, right ? ACL_FLOAT16 : ACL_BF16, nullptr, 0, ACL_FORMAT_ND, &kCount, 1, device.data);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here product
  Expect(aclnnSigmoidGetWorkspaceSize(x, x, &bytes, &executor));
  Expect(aclnnSigmoid(nullptr, 0, executor, stream.handle));
  aclDestroyTensor(x);
}

// Ascend310P does not have aclnnExp either.
void ProductWithoutOperator(bool right) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  aclTensor* const x = MakeTensor(device.data, kCount / 2);
  aclTensor* const y = MakeTensor(device.at(kBytes / 2), kCount / 2);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  if (right) {
    Expect(aclnnSigmoidGetWorkspaceSize(x, y, &bytes, &executor));
    Expect(aclnnSigmoid(nullptr, 0, executor, stream.handle));
  } else {
    // here product-without-operator
    Expect(aclnnExpGetWorkspaceSize(x, y, &bytes, &executor));
    Expect(aclnnExp(nullptr, 0, executor, stream.handle));
  }
  aclDestroyTensor(x);
  aclDestroyTensor(y);
}

constexpr Case kCases[] = {
    {"uninitialized", Uninitialized},
    {"freed", Freed},
    {"freed-before", FreedBefore},
    {"host-changed", HostChanged},
    {"host-freed", HostFreed},
    {"race", Race},
    {"race-of-columns", RaceOfColumns},
    {"unwaited", Unwaited},
    {"workspace", Workspace},
    {"workspace-too-small", WorkspaceTooSmall},
    {"leak", Leak},
    {"leak-of-tensor", LeakOfTensor},
    {"leak-of-executor", LeakOfExecutor},
    {"destroyed", Destroyed},
    {"destroyed-tensor", DestroyedTensor},
    {"status", Status},
    {"status-of-results", StatusOfResults},
    {"overlap", Overlap},
    {"product", Product},
    {"product-without-operator", ProductWithoutOperator},
};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) { return check_client::RunCase(check_client::kCases, argc, argv); }
