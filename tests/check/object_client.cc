// SPDX-License-Identifier: Apache-2.0
// object_client CASE faulty|right: use of objects, contexts and blocks after their end, and overlapping views of one
// block.
#include <thread>

#include "aclnnop/aclnn_fill_scalar.h"
#include "aclnnop/aclnn_permute.h"
#include "aclnnop/aclnn_tanh.h"
#include "check_client.h"

namespace check_client {
namespace {

void DestroyedScalar(bool right) {
  const Memory device;
  const Stream stream;
  const Tensor self(device.data);
  float three = 3;
  aclScalar* const value = aclCreateScalar(&three, ACL_FLOAT);
  // there destroyed-scalar
  if (!right) Expect(aclDestroyScalar(value));
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here destroyed-scalar
  const int status = aclnnInplaceFillScalarGetWorkspaceSize(self, value, &bytes, &executor);
  Expect(status == (right ? 0 : 161001) ? 0 : 1);
  if (!right) return;
  Expect(aclnnInplaceFillScalar(nullptr, 0, executor, stream.handle));
  Expect(aclDestroyScalar(value));
}

void DestroyedArray(bool right) {
  const Memory from, to;
  const Stream stream;
  Expect(aclrtMemset(from.data, kBytes, 0, kBytes));
  const Tensor self(from.data, {2, 8}), out(to.data, {8, 2});
  constexpr int64_t kDims[] = {1, 0};
  aclIntArray* const dims = aclCreateIntArray(kDims, 2);
  // there destroyed-array
  if (!right) Expect(aclDestroyIntArray(dims));
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here destroyed-array
  const int status = aclnnPermuteGetWorkspaceSize(self, dims, out, &bytes, &executor);
  Expect(status == (right ? 0 : 161001) ? 0 : 1);
  if (!right) return;
  Expect(aclnnPermute(nullptr, 0, executor, stream.handle));
  Expect(aclDestroyIntArray(dims));
}

// The second destruction is a call that needs no device.
void DestroyedTwice(bool right) {
  const Memory device;
  aclTensor* const tensor = MakeTensor(device.data);
  // there destroyed-twice
  Expect(aclDestroyTensor(tensor));
  // here destroyed-twice
  if (!right) Expect(aclDestroyTensor(tensor));
}

void DestroyedContext(bool right) {
  std::thread([right] {
    aclrtContext context = nullptr;
    Expect(aclrtCreateContext(&context, 0));
    if (right) Expect(aclrtSetCurrentContext(context));
    // there destroyed-context
    Expect(aclrtDestroyContext(context));
    // here destroyed-context
    if (!right) static_cast<void>(aclrtSetCurrentContext(context));
  }).join();
}

void FreedTwice(bool right) {
  void* block = nullptr;
  Expect(aclrtMalloc(&block, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  // there freed-twice
  Expect(aclrtFree(block));
  // here freed-twice
  if (!right) static_cast<void>(aclrtFree(block));
}

void LeakOfRepeatable(bool right) {
  const Memory from, to;
  const Stream stream;
  Expect(aclrtMemset(from.data, kBytes, 0, kBytes));
  const Tensor self(from.data), out(to.data);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  // here leak-of-repeatable
  Expect(aclnnTanhGetWorkspaceSize(self, out, &bytes, &executor));
  Expect(aclSetAclOpExecutorRepeatable(executor));
  for (int i = 0; i < 2; ++i) Expect(aclnnTanh(nullptr, 0, executor, stream.handle));
  if (right) Expect(aclDestroyAclOpExecutor(executor));
}

// Rows without gaps.
void SourceOfRows(bool right) {
  const Memory device;
  const PinnedMemory host;
  const Stream stream;
  std::memset(host.data, 1, kBytes);
  constexpr size_t kRow = 64;
  // here source-of-rows
  Expect(aclrtMemcpy2dAsync(device.data, kRow, host.data, kRow, kRow, kBytes / kRow, ACL_MEMCPY_HOST_TO_DEVICE,
                            stream.handle));
  if (right) Expect(aclrtSynchronizeStream(stream.handle));
  static_cast<char*>(host.data)[kBytes - 1] = 2;
}

// A matrix and an overlapping output: transposed, or in the same order through a view of another shape.
void OverlapTransposed(bool right) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  constexpr int64_t kShape[] = {32, 32}, kAcross[] = {1, 32}, kAlong[] = {32, 1};
  const Tensor self(device.data, {32, 32});
  aclTensor* const out =
      aclCreateTensor(kShape, 2, ACL_FLOAT, right ? kAlong : kAcross, 0, ACL_FORMAT_ND, kShape, 2, device.data);
  // here overlap-transposed
  RUN(aclnnTanh, stream, self, out);
  Expect(aclDestroyTensor(out));
}

constexpr Case kCases[] = {
    {"destroyed-scalar", DestroyedScalar}, {"destroyed-array", DestroyedArray},
    {"destroyed-twice", DestroyedTwice},   {"destroyed-context", DestroyedContext},
    {"freed-twice", FreedTwice},           {"leak-of-repeatable", LeakOfRepeatable},
    {"source-of-rows", SourceOfRows},      {"overlap-transposed", OverlapTransposed},
};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) { return check_client::RunCase(check_client::kCases, argc, argv); }
