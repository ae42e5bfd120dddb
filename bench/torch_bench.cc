// SPDX-License-Identifier: Apache-2.0
// PyTorch's side: prepared C++ calls on the same memory, and the timed loop. Built by bench/torch_peer.py against the
// headers of the installed wheel; Portacl's own build does not know it.
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include "bench/call_timer.h"
#include "bench/operand_view.h"

namespace {

using Function = void (*)(at::Tensor* operand, const double* attribute);

thread_local std::string recent_error;

// The numbers are those of aclDataType.
at::ScalarType TypeOf(int64_t dtype) {
  switch (dtype) {
    case 1:
      return at::kHalf;
    case 12:
      return at::kBool;
    case 27:
      return at::kBFloat16;
    default:
      return at::kFloat;
  }
}

struct TorchCall {
  bool operator()() const {
    try {
      if (wide.empty()) {
        function(operands.data(), attributes.data());
      } else {
        for (size_t i = 0; i + 1 < wide.size(); ++i) wide[i].copy_(operands[i]);
        function(wide.data(), attributes.data());
        operands.back().copy_(wide.back());
      }
      return true;
    } catch (const std::exception& error) {
      recent_error = error.what();
      return false;
    }
  }

  Function function;
  mutable std::vector<at::Tensor> operands;
  std::vector<double> attributes;
  // float32 twins of the operands, made once, where PyTorch has no kernel for the dtype: a user's way out is a cast.
  mutable std::vector<at::Tensor> wide;
};

}  // namespace

/// A call ready to be timed; the last operand is the output. Null when PyTorch refuses it even in float32.
BENCH_EXPORT void* TorchPrepare(Function function, const OperandView* operands, int64_t operand_count,
                                const double* attributes, int64_t attribute_count) {
  const c10::InferenceMode guard;
  auto* call = new TorchCall{function, {}, {attributes, attributes + attribute_count}, {}};
  for (int64_t i = 0; i < operand_count; ++i) {
    const OperandView& view = operands[i];
    const at::TensorOptions options(TypeOf(view.dtype));
    char* begin = static_cast<char*>(view.data) + view.offset * static_cast<int64_t>(options.dtype().itemsize());
    call->operands.push_back(at::from_blob(begin, at::IntArrayRef(view.shape, static_cast<size_t>(view.rank)),
                                           at::IntArrayRef(view.strides, static_cast<size_t>(view.rank)), options));
  }
  if ((*call)()) return call;
  for (const at::Tensor& operand : call->operands)
    call->wide.push_back(at::empty_like(operand, operand.is_floating_point() ? at::kFloat : operand.scalar_type()));
  if ((*call)()) return call;
  delete call;
  return nullptr;
}

/// 1 when the operands pass through float32 twins.
BENCH_EXPORT int64_t TorchCasts(const TorchCall* call) { return call->wide.empty() ? 0 : 1; }

BENCH_EXPORT const char* TorchRecentError() { return recent_error.c_str(); }

BENCH_EXPORT double TorchTime(const TorchCall* call, int64_t calls) {
  const c10::InferenceMode guard;
  return TimeCalls(*call, calls);
}

BENCH_EXPORT double TorchTimeEach(const TorchCall* call, int64_t calls, double* seconds) {
  const c10::InferenceMode guard;
  return TimeEachCall(*call, calls, seconds);
}

BENCH_EXPORT void TorchRelease(TorchCall* call) { delete call; }
