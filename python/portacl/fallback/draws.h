// SPDX-License-Identifier: Apache-2.0
//
// Random numbers: an operator that runs on the CPU uses a CPU generator in place of an npu generator.
//
// The state of an npu generator is a seed and an offset. Each call is seeded from both and advances the offset, so that
// saving and restoring the state repeats the random numbers. The first call after manual_seed returns the same numbers
// as a CPU generator with this seed. Operators without a generator argument use the CPU's default generator. It gets
// the seed of this call, and afterwards its own state back, so that the CPU's own random sequence does not change. A
// thread that uses the CPU's generator at the same time may get numbers of the npu.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include "versions.h"

namespace portacl {

inline uint64_t NextSeed(at::Generator generator) {
  // Offsets are multiples of 4. 2^64 / golden ratio, odd, distributes consecutive ones over all seeds.
  constexpr uint64_t kStep = 4, kGolden = 0x9E3779B97F4A7C15;
  const uint64_t offset = generator.get_offset();
  generator.set_offset(offset + kStep);
  return generator.current_seed() + offset * kGolden;
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
