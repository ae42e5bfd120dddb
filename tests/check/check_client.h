// SPDX-License-Identifier: Apache-2.0
// Small programs with one mistake each, and the same programs without it. The report must name the lines after the
// marks "here" and "there".
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <span>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

namespace check_client {

inline void Expect(int status) {
  if (status == 0) return;
  const char* text = aclGetRecentErrMsg();
  std::printf("status %d: %s\n", status, text == nullptr ? "" : text);
  std::exit(1);
}

inline constexpr int64_t kCount = 1024;
inline constexpr size_t kBytes = kCount * sizeof(float);

// Frees its memory, so that each program has only its one mistake.
struct Memory {
  explicit Memory(size_t bytes = kBytes) { Expect(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST)); }
  ~Memory() {
    if (data != nullptr) Expect(aclrtFree(data));
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  char* at(size_t offset) const { return static_cast<char*>(data) + offset; }
  void* data = nullptr;
};

struct PinnedMemory {
  PinnedMemory() { Expect(aclrtMallocHost(&data, kBytes)); }
  ~PinnedMemory() {
    if (data != nullptr) Expect(aclrtFreeHost(data));
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* data = nullptr;
};

struct Stream {
  Stream() { Expect(aclrtCreateStream(&handle)); }
  ~Stream() {
    Expect(aclrtSynchronizeStream(handle));
    Expect(aclrtDestroyStream(handle));
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  aclrtStream handle = nullptr;
};

inline aclTensor* MakeTensor(void* data, int64_t count = kCount) {
  return aclCreateTensor(&count, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &count, 1, data);
}

// Both phases of an operator that needs no workspace.
#define RUN(name, stream, ...)                                      \
  do {                                                              \
    uint64_t bytes = 0;                                             \
    aclOpExecutor* executor = nullptr;                              \
    Expect(name##GetWorkspaceSize(__VA_ARGS__, &bytes, &executor)); \
    Expect(name(nullptr, 0, executor, (stream).handle));            \
  } while (false)

struct Tensor {
  explicit Tensor(void* data, std::initializer_list<int64_t> shape = {kCount}, aclDataType dtype = ACL_FLOAT)
      : handle(aclCreateTensor(shape.begin(), shape.size(), dtype, nullptr, 0, ACL_FORMAT_ND, shape.begin(),
                               shape.size(), data)) {}
  ~Tensor() { aclDestroyTensor(handle); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
  operator aclTensor*() const { return handle; }  // NOLINT(google-explicit-constructor): used in its place
  aclTensor* const handle;
};

struct Scalar {
  explicit Scalar(float value) : handle(aclCreateScalar(&value, ACL_FLOAT)) {}
  ~Scalar() { aclDestroyScalar(handle); }
  Scalar(const Scalar&) = delete;
  Scalar& operator=(const Scalar&) = delete;
  operator aclScalar*() const { return handle; }  // NOLINT(google-explicit-constructor): used in its place
  aclScalar* const handle;
};

// Frees memory that the case allocates itself.
struct Block {
  Block() = default;
  ~Block() { Expect(aclrtFree(data)); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  void* data = nullptr;
};

// Both phases of x + x. Inlined, so that its lines belong to the program.
inline aclOpExecutor* PlanAdd(const aclTensor* x, aclTensor* out, int* status = nullptr) {
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const int code = aclnnAddGetWorkspaceSize(x, x, alpha, out, &bytes, &executor);
  if (status != nullptr)
    *status = code;
  else
    Expect(code);
  aclDestroyScalar(alpha);
  return executor;
}

struct Case {
  const char* name;
  void (*run)(bool right);
};

// The programs are called with: CASE faulty|right
inline int RunCase(std::span<const Case> cases, int argc, char** argv) {
  if (argc != 3) return 2;
  Expect(aclrtSetDevice(0));
  for (const Case& each : cases) {
    if (std::strcmp(each.name, argv[1]) == 0) each.run(std::strcmp(argv[2], "right") == 0);
  }
  Expect(aclrtResetDevice(0));
  return 0;
}

}  // namespace check_client
