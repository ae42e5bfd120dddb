// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_logit_grad.h"
#include "calls/call.h"
#include "calls/oracle.h"
#include "codes.h"
#include "ops/operators.h"
#include "out_of_memory/failing_allocations.h"
#include "out_of_memory/programs.h"

namespace contract {
namespace {

using portacl::calls::Call;
using portacl::calls::CallObjects;
using portacl::calls::TensorSpec;

constexpr int64_t kLarge = 1 << 17;  // elements: several chunks, and too many to be executed at once

class Digest {
 public:
  void Add(const void* data, size_t bytes) {
    const auto* byte = static_cast<const unsigned char*>(data);
    uint64_t word = 0;
    for (; bytes >= sizeof word; byte += sizeof word, bytes -= sizeof word) {
      std::memcpy(&word, byte, sizeof word);
      Add(word);
    }
    for (; bytes > 0; ++byte, --bytes) Add(*byte);
  }
  uint64_t value() const { return value_; }

 private:
  void Add(uint64_t word) { value_ = (value_ ^ word) * 0x100000001B3; }

  uint64_t value_ = 0xCBF29CE484222325;
};

// Runs both phases of a planned call, and waits for its result. An executor is consumed even if its run fails, so the
// whole call is repeated.
int32_t Run(const portacl::exec::OperatorEntry& entry, std::span<const portacl::exec::Value> values, void* workspace,
            uint64_t most_bytes, aclrtStream stream) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = entry.plan(values, &bytes, &executor); status != 0) return status;
  if (bytes > most_bytes) Die("%s needs a workspace of %llu bytes", entry.schema->api, (unsigned long long)bytes);
  const aclnnStatus status = entry.run(workspace, bytes, executor, stream);
  const aclError synchronized = aclrtSynchronizeStream(stream);
  return status != 0 ? status : synchronized;
}

// The contents of the tensors are known and positive; indices are in range.
void UseOperator(const portacl::exec::OperatorEntry& entry, bool large, aclrtStream stream, Digest* digest) {
  constexpr uint64_t kWorkspace = 2 << 20;
  Call call = large ? portacl::calls::MakeLargeCall(entry, kLarge, ACL_FLOAT) : portacl::calls::MakeValidCall(entry);
  call.AllocateData();
  void* const workspace = call.AllocateBlock(kWorkspace);
  for (const TensorSpec* tensor : call.Tensors()) {
    void* base = nullptr;
    size_t bytes = 0;
    if (tensor->data == nullptr) continue;
    MUST(aclrtMemGetAddressRange(tensor->data, &base, &bytes));
    MUST(aclrtMemset(base, bytes, 1, bytes));
  }
  portacl::calls::CompleteContents(call);
  const CallObjects objects(call.schema(), call.arguments());
  MUST(Run(entry, objects.values(), workspace, kWorkspace, stream));
  std::vector<char> host;
  for (const TensorSpec* tensor : call.Tensors()) {
    void* base = nullptr;
    size_t bytes = 0;
    if (tensor->data == nullptr) continue;
    MUST(aclrtMemGetAddressRange(tensor->data, &base, &bytes));
    host.resize(bytes);
    MUST(aclrtMemcpy(host.data(), bytes, base, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
    digest->Add(host.data(), bytes);
  }
}

// One operator of each room: all operators of a room are planned and run in the same way.
std::vector<const portacl::exec::OperatorEntry*> OneOfEachRoom() {
  std::vector<const portacl::exec::OperatorEntry*> chosen;
  for (const portacl::exec::OperatorEntry* entry : portacl::Operators()) {
    if (chosen.empty() || portacl::RoomOf(*chosen.back()) != portacl::RoomOf(*entry)) chosen.push_back(entry);
  }
  return chosen;
}

void MakeObjects() {
  static const int64_t dims[2] = {3, 4};
  static const int64_t many[100] = {};
  static float number = 2;
  aclTensor* tensors[40] = {};
  for (aclTensor*& tensor : tensors)
    MUST_MAKE(tensor, aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr));
  int64_t* shape = nullptr;
  uint64_t rank = 0;
  MUST(aclGetViewShape(tensors[0], &shape, &rank));
  delete[] shape;
  aclTensorList* list = nullptr;
  MUST_MAKE(list, aclCreateTensorList(tensors, 40));
  MUST(aclDestroyTensorList(list));
  aclIntArray* short_ints = nullptr;
  aclIntArray* ints = nullptr;
  aclFloatArray* floats = nullptr;
  aclBoolArray* booleans = nullptr;
  MUST_MAKE(short_ints, aclCreateIntArray(many, 3));
  MUST_MAKE(ints, aclCreateIntArray(many, 100));
  MUST_MAKE(floats, aclCreateFloatArray(reinterpret_cast<const float*>(many), 100));
  MUST_MAKE(booleans, aclCreateBoolArray(reinterpret_cast<const bool*>(many), 100));
  MUST(aclDestroyIntArray(short_ints));
  MUST(aclDestroyIntArray(ints));
  MUST(aclDestroyFloatArray(floats));
  MUST(aclDestroyBoolArray(booleans));
  const aclScalar* scalars[20] = {};
  for (const aclScalar*& scalar : scalars) MUST_MAKE(scalar, aclCreateScalar(&number, ACL_FLOAT));
  aclScalarList* scalar_list = nullptr;
  MUST_MAKE(scalar_list, aclCreateScalarList(scalars, 20));
  MUST(aclDestroyScalarList(scalar_list));
}

aclTensor* MakeRow(float* data, int64_t count) {
  aclTensor* tensor = nullptr;
  MUST_MAKE(tensor, aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, data));
  return tensor;
}

// dy / (x (1 - x)) for x = 1/2, in three ways: with an executor that is reused, with one of many cached executors, and
// with an output that overlaps an input and therefore needs a copy.
void UseExecutors(aclrtStream stream) {
  constexpr int64_t kCount = 1000;
  float* x = nullptr;
  MUST(aclrtMalloc(reinterpret_cast<void**>(&x), 3 * kCount * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
  static float host[3 * kCount];
  float* const dy = x + kCount;
  float* const out = dy + kCount;
  const auto fill = [&] {
    for (int i = 0; i < kCount; ++i) host[i] = 0.5f, host[kCount + i] = static_cast<float>(i), host[2 * kCount + i] = 0;
    MUST(aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE));
  };
  const auto check = [&](const float* result) {
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(host, kCount * sizeof(float), result, kCount * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < kCount; ++i) {
      if (host[i] != 4 * static_cast<float>(i)) Die("element %d is %g", i, static_cast<double>(host[i]));
    }
  };
  aclTensor* const x_tensor = MakeRow(x, kCount);
  aclTensor* const dy_tensor = MakeRow(dy, kCount);
  aclTensor* const out_tensor = MakeRow(out, kCount);
  aclTensor* const shifted = MakeRow(dy + 1, kCount);
  uint64_t bytes = 0;
  aclOpExecutor* executors[40] = {};
  for (aclOpExecutor*& executor : executors)
    MUST(aclnnLogitGradGetWorkspaceSize(x_tensor, dy_tensor, -1, out_tensor, &bytes, &executor));
  MUST(aclSetAclOpExecutorRepeatable(executors[0]));
  for (int time = 0; time < 3; ++time) {
    fill();
    MUST(aclnnLogitGrad(nullptr, 0, executors[0], stream));
    check(out);
  }
  for (aclOpExecutor* executor : executors) MUST(aclDestroyAclOpExecutor(executor));
  fill();
  MUST([&] {
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status = aclnnLogitGradGetWorkspaceSize(x_tensor, dy_tensor, -1, shifted, &bytes, &executor);
    return status != 0 ? status : aclnnLogitGrad(nullptr, 0, executor, stream);
  }());
  check(dy + 1);
  // Refused with a text that is composed of many parts.
  const int64_t dims[2] = {2, kCount / 2};
  aclTensor* other = nullptr;
  MUST_MAKE(other, aclCreateTensor(dims, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, out));
  MUST_REFUSE(kInvalidParameter, aclnnLogitGradGetWorkspaceSize(x_tensor, dy_tensor, -1, other, &bytes, executors));
  for (const aclTensor* tensor : {x_tensor, dy_tensor, out_tensor, shifted, other}) MUST(aclDestroyTensor(tensor));
  MUST(aclrtFree(x));
}

}  // namespace

uint64_t UseOperators() {
  Digest digest;
  aclrtStream stream = nullptr;
  MUST(aclrtSetDevice(0));
  MUST(aclrtCreateStream(&stream));
  MakeObjects();
  UseExecutors(stream);
  for (const portacl::exec::OperatorEntry* entry : OneOfEachRoom()) {
    for (const bool large : {false, true}) UseOperator(*entry, large, stream, &digest);
  }
  std::thread([] {
    IsThreadOfTest();
    MUST(aclrtSetDevice(0));
    MakeObjects();
    UseExecutors(nullptr);
    MUST(aclrtResetDevice(0));
  }).join();
  MUST(aclrtDestroyStream(stream));
  MUST(aclrtResetDevice(0));
  return digest.value();
}

}  // namespace contract
