// SPDX-License-Identifier: Apache-2.0
//
// Random numbers. An operator that runs on the device takes the seed and the offset of its generator, as on a card. One
// that runs on the CPU uses a CPU generator in place of it: those that the toolkit lacks, or all, where the variable
// PORTACL_DRAWS says so.
//
// The state of an npu generator is a seed and an offset. Each call is seeded from both and advances the offset, so that
// saving and restoring the state repeats the random numbers. The first call after manual_seed returns the same numbers
// as a CPU generator with this seed. Operators without a generator argument use the CPU's default generator. It gets
// the seed of this call, and afterwards its own state back, so that the CPU's own random sequence does not change. A
// thread that uses the CPU's generator at the same time may get numbers of the npu.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "versions.h"

namespace portacl {

// Where the device's next random numbers begin.
struct Draw {
  uint64_t seed;
  uint64_t offset;
};
inline Draw NextDraw(at::Generator generator) {
  constexpr uint64_t kStep = 4;  // offsets are multiples of 4
  const Draw draw{generator.current_seed(), generator.get_offset()};
  generator.set_offset(draw.offset + kStep);
  return draw;
}
inline uint64_t NextSeed(const at::Generator& generator) {
  // 2^64 / golden ratio, odd, distributes consecutive offsets over all seeds.
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;
  const Draw draw = NextDraw(generator);
  return draw.seed + draw.offset * kGolden;
}
inline at::Generator CpuGenerator(at::Generator generator) {
  return generator.device().is_cpu() ? generator : at::detail::createCPUGenerator(NextSeed(generator));
}

// Replaces the device's generator by the CPU's default generator for one call. The members are copied, as a state
// tensor takes microseconds to create and to read.
class DefaultOf {
 public:
  explicit DefaultOf(c10::Device device) {
    const uint64_t seed = NextSeed(GeneratorOf(device));
    const std::lock_guard lock(cpu_->mutex_);
    engine_ = cpu_->engine();
    float_ = cpu_->next_float_normal_sample();
    double_ = cpu_->next_double_normal_sample();
    cpu_->set_current_seed(seed);
  }
  DefaultOf(const DefaultOf&) = delete;
  DefaultOf& operator=(const DefaultOf&) = delete;
  ~DefaultOf() {
    const std::lock_guard lock(cpu_->mutex_);
    cpu_->set_engine(engine_);
    cpu_->set_next_float_normal_sample(float_);
    cpu_->set_next_double_normal_sample(double_);
  }

 private:
  at::CPUGeneratorImpl* const cpu_ = at::detail::getDefaultCPUGenerator().get<at::CPUGeneratorImpl>();
  at::mt19937 engine_;
  std::optional<float> float_;
  std::optional<double> double_;
};

inline bool DrawsOnCpu() {
  const char* const where = std::getenv("PORTACL_DRAWS");
  return where != nullptr && std::string_view(where) == "cpu";
}

// Whether an operator may use random numbers.
inline bool MayDraw(const c10::OperatorHandle& op) {
  const auto& arguments = op.schema().arguments();
  return op.hasTag(at::Tag::nondeterministic_seeded) ||
         std::any_of(arguments.begin(), arguments.end(), [](const c10::Argument& argument) {
           return argument.type()->str().find("Generator") != std::string::npos;
         });
}

// Whether a call of an operator that may use random numbers does so: dropout without dropped elements does not.
inline bool Draws(const c10::FunctionSchema& schema, const torch::jit::Stack& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = schema.arguments()[i].name();
    const c10::IValue& value = arguments[i];
    if (name == "train" && value.isBool() && !value.toBool()) return false;
    if ((name == "dropout_p" || name == "dropout") && value.isDouble() && value.toDouble() == 0) return false;
  }
  return true;
}

}  // namespace portacl
