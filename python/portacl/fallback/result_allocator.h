// SPDX-License-Identifier: Apache-2.0
//
// Allocates the memory of large CPU results with the device's allocator, so that the device's tensor can take it over.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/StorageImpl.h>

namespace portacl {

constexpr c10::DeviceType kNpu = c10::DeviceType::PrivateUse1;

// The CPU's allocator, which takes the device's memory while an operator of the device computes in this thread. PyTorch
// also allocates and frees with pointers alone, in any thread and at any time, so that the owner must be found from the
// pointer.
class ResultAllocator final : public c10::Allocator {
 public:
  static inline thread_local bool is_on = false;
  // Copying a smaller result takes less time than passing on its memory.
  static constexpr size_t kFewest = 32 << 10;

  static ResultAllocator& Get() {
    static auto* const allocator = new ResultAllocator;
    return *allocator;
  }

  c10::DataPtr allocate(size_t bytes) override {
    if (!is_on || bytes < kFewest) return cpu_->allocate(bytes);
    c10::DataPtr memory = c10::GetAllocator(kNpu)->allocate(bytes);
    void* const data = memory.get();
    const std::lock_guard lock(mutex_);
    blocks_.emplace(data, std::move(memory));
    return {data, data, &Free, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &Free; }
  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  // The device memory of a CPU storage, which gives it up; null if its memory is not from the device.
  c10::DataPtr TakeFrom(c10::StorageImpl* storage) {
    if (storage->data_ptr().get_deleter() != &Free) return {};
    c10::DataPtr memory = Take(storage->data_ptr().get());
    if (memory) storage->set_data_ptr(c10::DataPtr(memory.get(), c10::Device(c10::kCPU))).release_context();
    return memory;
  }

 private:
  c10::DataPtr Take(void* data) {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(data);
    if (block == blocks_.end()) return {};
    c10::DataPtr memory = std::move(block->second);
    blocks_.erase(block);
    return memory;
  }
  static void Free(void* data) {
    if (!Get().Take(data)) Get().cpu_->raw_deleter()(data);
  }

  c10::Allocator* const cpu_ = c10::GetAllocator(c10::kCPU);
  std::mutex mutex_;
  std::unordered_map<void*, c10::DataPtr> blocks_;
};
class ResultsOnDevice {
 public:
  ResultsOnDevice() : before_(std::exchange(ResultAllocator::is_on, true)) {}
  ResultsOnDevice(const ResultsOnDevice&) = delete;
  ResultsOnDevice& operator=(const ResultsOnDevice&) = delete;
  ~ResultsOnDevice() { ResultAllocator::is_on = before_; }

 private:
  const bool before_;
};

}  // namespace portacl
