// SPDX-License-Identifier: Apache-2.0
//
// One memory, two devices: "npu" memory of PyTorch is host memory here, so that a CPU tensor may use it, too. The
// memory of large CPU results is allocated with the device's allocator, so that the device's tensor can take it over.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/empty_ops.h>
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

inline void ReleaseStorage(void* storage) { c10::raw::intrusive_ptr::decref(static_cast<c10::StorageImpl*>(storage)); }

// A CPU tensor over the memory of an npu tensor, with its shape, strides, conjugation and sign bit.
inline at::Tensor OnCpu(const at::Tensor& npu) {
  c10::StorageImpl* const storage = npu.storage().unsafeGetStorageImpl();
  c10::raw::intrusive_ptr::incref(storage);
  c10::DataPtr data(storage->mutable_data(), storage, &ReleaseStorage, c10::Device(c10::kCPU));
  c10::Storage over(c10::make_intrusive<c10::StorageImpl>(c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
                                                          std::move(data), nullptr, false));
  at::Tensor cpu = at::detail::make_tensor<c10::TensorImpl>(std::move(over), c10::DispatchKeySet(c10::DispatchKey::CPU),
                                                            npu.dtype());
  cpu.unsafeGetTensorImpl()->set_sizes_and_strides(npu.sizes(), npu.strides(), npu.storage_offset());
  if (npu.is_conj()) cpu._set_conj(true);
  if (npu.is_neg()) cpu._set_neg(true);
  return cpu;
}

// The result of at::empty on the device; at::empty_strided takes longer there.
inline at::Tensor EmptyOnNpu(c10::IntArrayRef sizes, at::ScalarType dtype, c10::Device device) {
  const c10::DispatchKeySet npu(c10::DispatchKey::PrivateUse1);
  return at::_ops::empty_memory_format::redispatch(npu, c10::fromIntArrayRefUnchecked(sizes), dtype, c10::kStrided,
                                                   device, false, std::nullopt);
}

// An npu tensor with the content of a CPU tensor; it takes over the memory if no other tensor uses it.
inline at::Tensor OnNpu(at::Tensor cpu, c10::Device device) {
  TORCH_CHECK_NOT_IMPLEMENTED(cpu.layout() == c10::kStrided && !cpu.is_quantized() && !cpu.is_nested(),
                              "Portacl has no sparse, nested and quantised tensors on npu (", cpu.layout(), ", ",
                              cpu.scalar_type(), "); those of the CPU work");
  if (cpu.is_conj() || cpu.is_neg()) cpu = cpu.resolve_conj().resolve_neg();
  if (at::has_internal_overlap(cpu) != at::MemOverlap::No) cpu = cpu.contiguous();
  const auto options = cpu.options().device(device).requires_grad(false);
  c10::StorageImpl* const storage = cpu.storage().unsafeGetStorageImpl();
  if (cpu.use_count() == 1 && cpu.storage().use_count() == 1) {
    if (c10::DataPtr memory = ResultAllocator::Get().TakeFrom(storage)) {
      c10::Storage taken(c10::make_storage_impl(c10::StorageImpl::use_byte_size_t(), storage->nbytes(),
                                                std::move(memory), c10::GetAllocator(kNpu), true, device));
      at::Tensor npu = at::empty({0}, options);
      npu.set_(std::move(taken), cpu.storage_offset(), cpu.sizes(), cpu.strides());
      return npu;
    }
  }
  at::Tensor npu = cpu.is_contiguous() ? EmptyOnNpu(cpu.sizes(), cpu.scalar_type(), device)
                                       : at::empty_strided(cpu.sizes(), cpu.strides(), options);
  if (cpu.is_non_overlapping_and_dense() && !cpu._is_zerotensor()) {
    std::memcpy(npu.mutable_data_ptr(), cpu.const_data_ptr(), cpu.nbytes());
  } else if (cpu.numel() != 0) {
    OnCpu(npu).copy_(cpu);
  }
  return npu;
}

}  // namespace portacl
