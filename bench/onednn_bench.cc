// SPDX-License-Identifier: Apache-2.0
// oneDNN's side: prepared calls on the same memory, and the timed loop. A library of its own, built where oneDNN is
// installed; only bench/run loads it.
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "bench/call_timer.h"
#include "bench/onednn_call.h"
#include "bench/operand_view.h"

using Make = void (*)(OnednnCall* call, const OperandView* operand);

namespace {

thread_local std::string recent_error;

// The numbers are those of aclDataType.
dnnl::memory::data_type TypeOf(int64_t dtype) {
  switch (dtype) {
    case 0:
      return dnnl::memory::data_type::f32;
    case 1:
      return dnnl::memory::data_type::f16;
    case 27:
      return dnnl::memory::data_type::bf16;
    default:
      throw dnnl::error(dnnl_invalid_arguments, "a dtype that oneDNN does not have");
  }
}

// For example "2.6.3".
std::string Version() {
  const dnnl_version_t* const version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch);
}

}  // namespace

dnnl::memory::desc OnednnCall::Describe(const OperandView& view) {
  return {dnnl::memory::dims(view.shape, view.shape + view.rank), TypeOf(view.dtype),
          dnnl::memory::dims(view.strides, view.strides + view.rank)};
}

bool OnednnCall::operator()() const {
  try {
    primitive_.execute(stream_, arguments_);
    stream_.wait();
    return true;
  } catch (const dnnl::error& error) {
    recent_error = error.message;
    return false;
  }
}

/// A call ready to be timed; the last operand is the output. Null when oneDNN refuses it.
BENCH_EXPORT void* OnednnPrepare(Make make, const OperandView* operands) {
  try {
    auto call = std::make_unique<OnednnCall>();
    make(call.get(), operands);
    return call.release();
  } catch (const dnnl::error& error) {
    recent_error = error.message;
    return nullptr;
  }
}

BENCH_EXPORT const char* OnednnRecentError() { return recent_error.c_str(); }

/// The version of the library that is loaded.
BENCH_EXPORT const char* OnednnVersion() {
  static const std::string version = Version();
  return version.c_str();
}

/// Name of the implementation that oneDNN chose.
BENCH_EXPORT const char* OnednnKernel(const OnednnCall* call) { return call->kernel().c_str(); }

BENCH_EXPORT double OnednnTime(const OnednnCall* call, int64_t calls) { return TimeCalls(*call, calls); }

BENCH_EXPORT double OnednnTimeEach(const OnednnCall* call, int64_t calls, double* seconds) {
  return TimeEachCall(*call, calls, seconds);
}

BENCH_EXPORT void OnednnRelease(OnednnCall* call) { delete call; }
