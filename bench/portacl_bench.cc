// SPDX-License-Identifier: Apache-2.0
// What bench/native.py loads: memory, prepared Portacl calls, and the timed loop around them, so that Python costs
// nothing.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"
#include "base/target.h"
#include "bench/call_timer.h"
#include "bench/operand_view.h"

namespace {

using Plan = aclnnStatus (*)(aclTensor* const* operand, const double* attribute, uint64_t* workspaceSize,
                             aclOpExecutor** executor);
using Run = aclnnStatus (*)(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);

// Both phases and the wait, on descriptors and workspace made once: what a warm loop of a client does.
struct PortaclCall {
  bool operator()() const {
    uint64_t bytes;
    aclOpExecutor* executor;
    return plan(operands.data(), attributes.data(), &bytes, &executor) == 0 &&
           run(workspace, bytes, executor, nullptr) == 0 && aclrtSynchronizeStream(nullptr) == 0;
  }

  Plan plan;
  Run run;
  std::vector<aclTensor*> operands;
  std::vector<double> attributes;
  void* workspace = nullptr;
};

double Decode(int64_t dtype, const char* at) {
  if (dtype == ACL_FLOAT) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  }
  uint16_t half;
  std::memcpy(&half, at, sizeof half);
  if (dtype == ACL_FLOAT16) return static_cast<double>(aclFloat16ToFloat(half));
  const uint32_t bits = uint32_t{half} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return static_cast<double>(value);
}

char* Gather(const OperandView& view, int64_t axis, const char* from, char* to) {
  const size_t element = aclDataTypeSize(static_cast<aclDataType>(view.dtype));
  if (axis == view.rank) {
    std::memcpy(to, from, element);
    return to + element;
  }
  for (int64_t i = 0; i < view.shape[axis]; ++i) {
    to = Gather(view, axis + 1, from + i * view.strides[axis] * static_cast<int64_t>(element), to);
  }
  return to;
}

}  // namespace

BENCH_EXPORT void* BenchAllocate(uint64_t bytes) {
  void* data = nullptr;
  return aclrtSetDevice(0) == 0 && aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0 ? data : nullptr;
}

BENCH_EXPORT void BenchFree(void* data) { aclrtFree(data); }

/// Fills `bytes` bytes with a pattern, over and over.
BENCH_EXPORT void BenchFill(char* to, uint64_t bytes, const char* pattern, uint64_t pattern_bytes) {
  for (uint64_t at = 0; at < bytes; at += pattern_bytes) {
    std::memcpy(to + at, pattern, bytes - at < pattern_bytes ? bytes - at : pattern_bytes);
  }
}

/// The elements of a view in row-major order, one after the other.
BENCH_EXPORT void BenchGather(const OperandView* view, char* to) {
  const size_t element = aclDataTypeSize(static_cast<aclDataType>(view->dtype));
  Gather(*view, 0, static_cast<const char*>(view->data) + view->offset * static_cast<int64_t>(element), to);
}

/// Index of the first element that differs by more than relative * |want| + absolute, -1 without one. NaN equals NaN,
/// and an infinity only itself.
BENCH_EXPORT int64_t BenchFirstDifference(int64_t dtype, int64_t count, const char* want, const char* got,
                                          double relative, double absolute) {
  const int64_t element = static_cast<int64_t>(aclDataTypeSize(static_cast<aclDataType>(dtype)));
  for (int64_t i = 0; i < count; ++i) {
    if (std::memcmp(want + i * element, got + i * element, static_cast<size_t>(element)) == 0) continue;
    const double a = Decode(dtype, want + i * element);
    const double b = Decode(dtype, got + i * element);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isfinite(a) || !(std::abs(a - b) <= relative * std::abs(a) + absolute)) return i;
  }
  return -1;
}

/// A call ready to be timed, or null when phase 1 refuses the operands (aclGetRecentErrMsg says why).
BENCH_EXPORT void* BenchPrepare(Plan plan, Run run, const OperandView* operands, int64_t operand_count,
                                const double* attributes, int64_t attribute_count) {
  auto* call = new PortaclCall{plan, run, {}, {attributes, attributes + attribute_count}};
  for (int64_t i = 0; i < operand_count; ++i) {
    const OperandView& view = operands[i];
    call->operands.push_back(aclCreateTensor(view.shape, static_cast<uint64_t>(view.rank),
                                             static_cast<aclDataType>(view.dtype), view.strides, view.offset,
                                             ACL_FORMAT_ND, &view.storage, 1, view.data));
  }
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  if (plan(call->operands.data(), call->attributes.data(), &bytes, &executor) != 0) return nullptr;
  aclDestroyAclOpExecutor(executor);
  if (bytes != 0) call->workspace = BenchAllocate(bytes);
  return call;
}

BENCH_EXPORT double BenchTime(const PortaclCall* call, int64_t calls) { return TimeCalls(*call, calls); }

BENCH_EXPORT double BenchTimeEach(const PortaclCall* call, int64_t calls, double* seconds) {
  return TimeEachCall(*call, calls, seconds);
}

BENCH_EXPORT void BenchRelease(PortaclCall* call) {
  for (aclTensor* tensor : call->operands) aclDestroyTensor(tensor);
  if (call->workspace != nullptr) aclrtFree(call->workspace);
  delete call;
}

/// Name of the instruction set that Portacl's kernels use.
BENCH_EXPORT const char* BenchTarget() { return portacl::TargetName(portacl::ActiveTarget()); }
