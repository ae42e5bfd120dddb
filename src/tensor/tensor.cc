// SPDX-License-Identifier: Apache-2.0
// C functions of tensors.
#include "tensor/tensor.h"

#include <algorithm>
#include <new>
#include <span>

#include "base/format.h"
#include "base/log.h"
#include "tensor/argument.h"
#include "tensor/view.h"

namespace portacl {
namespace {

inline aclnnStatus CheckDims(const char* function, const char* name, const int64_t* dims, uint64_t count) noexcept {
  if (dims == nullptr && count > 0) {
    return Failf(ACLNN_ERR_PARAM_NULLPTR, "{}: argument '{}': expected {} dims, got NULL", function, name, count);
  }
  if (count > kMaxDescribedRank) {
    return Failf(ACLNN_ERR_PARAM_INVALID, "{}: argument '{}': expected at most {} dims, got {}", function, name,
                 kMaxDescribedRank, count);
  }
  return 0;
}

// Three calls of memmove would take longer than the rest of creating a tensor.
inline void CopyFew(const int64_t* from, uint64_t count, int64_t* to) noexcept {
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = from[i];
    asm volatile("");  // keeps the loop a loop: g++ 12 turns it into memmove
  }
}

inline void SetShape(aclTensor* tensor, const int64_t* dims, uint64_t rank) noexcept {
  tensor->rank = static_cast<uint32_t>(rank);
  CopyFew(dims, rank, tensor->shape);
}

inline void SetStorage(aclTensor* tensor, const int64_t* dims, uint64_t rank) noexcept {
  tensor->storage_rank = static_cast<uint32_t>(rank);
  CopyFew(dims, rank, tensor->storage);
}

// `strides` has one entry for each dim of the tensor.
inline void SetStrides(aclTensor* tensor, const int64_t* strides) noexcept {
  if (strides != nullptr) {
    CopyFew(strides, tensor->rank, tensor->strides);
  } else {
    ContiguousStrides({tensor->shape, tensor->rank}, tensor->strides);
  }
}

inline void SetElements(aclTensor* tensor, aclDataType dtype, int64_t offset, aclFormat format) noexcept {
  tensor->dtype = dtype;
  tensor->offset = offset;
  tensor->format = format;
  if (!IsPlainFormat(format) && format != ACL_FORMAT_FRACTAL_NZ) {  // the format of weights of matrix products
    Logf(LogLevel::kWarning, "a tensor has the private format {}: no operator accepts it", FormatName(format));
  }
}

// The client frees the array with delete[].
aclnnStatus CopyOut(const char* function, std::span<const int64_t> values, int64_t** array, uint64_t* count) noexcept {
  int64_t* copy = new (std::nothrow) int64_t[values.size()];
  if (copy == nullptr) return Failf(ACLNN_ERR_INNER, "{}: out of host memory", function);
  std::copy(values.begin(), values.end(), copy);
  *array = copy;
  *count = values.size();
  return 0;
}

aclnnStatus CheckQuery(const char* function, const aclTensor* tensor, const char* array_name, int64_t** array,
                       const char* count_name, uint64_t* count) noexcept {
  if (const aclnnStatus status = CheckObject(function, "tensor", tensor); status != 0) return status;
  if (const aclnnStatus status = CheckPointer(function, array_name, array); status != 0) return status;
  return CheckPointer(function, count_name, count);
}

aclnnStatus CheckQuery(const char* function, const aclTensor* tensor, const char* name, const void* result) noexcept {
  if (const aclnnStatus status = CheckObject(function, "tensor", tensor); status != 0) return status;
  return CheckPointer(function, name, result);
}

}  // namespace

void SetRealShape(aclTensor* tensor, std::span<const int64_t> dims) noexcept {
  SetShape(tensor, dims.data(), dims.size());
  SetStrides(tensor, nullptr);
  SetStorage(tensor, dims.data(), dims.size());
}

}  // namespace portacl

using namespace portacl;

aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t* stride,
                           int64_t offset, aclFormat format, const int64_t* storageDims, uint64_t storageDimsNum,
                           void* tensorData) {
  if (CheckDims(__func__, "viewDims", viewDims, viewDimsNum) != 0) return nullptr;
  if (CheckDims(__func__, "storageDims", storageDims, storageDimsNum) != 0) return nullptr;
  aclTensor* tensor = Take<aclTensor>();
  if (tensor == nullptr) {
    Failf(ACLNN_ERR_INNER, "{}: out of host memory", __func__);
    return nullptr;
  }
  SetShape(tensor, viewDims, viewDimsNum);
  SetStrides(tensor, stride);
  SetStorage(tensor, storageDims, storageDimsNum);
  SetElements(tensor, dataType, offset, format);
  tensor->data = tensorData;
  return tensor;
}

aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t* stride, int64_t offset, aclFormat format, const int64_t* storageDims,
                          uint64_t storageDimsNum, void* tensorDataAddr) {
  if (const aclnnStatus status = CheckObject(__func__, "tensor", tensor); status != 0) return status;
  // NULL or no dims keep the former ones.
  const uint64_t rank = viewDims == nullptr ? 0 : viewDimsNum;
  const uint64_t storage_rank = storageDims == nullptr ? 0 : storageDimsNum;
  if (const aclnnStatus status = CheckDims(__func__, "viewDims", viewDims, rank); status != 0) return status;
  if (const aclnnStatus status = CheckDims(__func__, "storageDims", storageDims, storage_rank); status != 0)
    return status;
  if (rank > 0) SetShape(tensor, viewDims, rank);
  SetStrides(tensor, stride);
  if (storage_rank > 0) SetStorage(tensor, storageDims, storage_rank);
  SetElements(tensor, dataType, offset, format);
  if (tensorDataAddr != nullptr) tensor->data = tensorDataAddr;
  return 0;
}

aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  // A tensor destroyed before, alone or with its list, is dead, but its memory can still be read.
  if (tensor == nullptr) return 0;
  if (tensor->alive())
    GiveBack(const_cast<aclTensor*>(tensor));
  else
    NotifyOfDeadObject(__func__, tensor);
  return 0;
}

aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims, uint64_t* viewDimsNum) {
  const aclnnStatus status = CheckQuery(__func__, tensor, "viewDims", viewDims, "viewDimsNum", viewDimsNum);
  return status != 0 ? status : CopyOut(__func__, {tensor->shape, tensor->rank}, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor* tensor, int64_t** storageDims, uint64_t* storageDimsNum) {
  const aclnnStatus status = CheckQuery(__func__, tensor, "storageDims", storageDims, "storageDimsNum", storageDimsNum);
  return status != 0 ? status : CopyOut(__func__, {tensor->storage, tensor->storage_rank}, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor* tensor, int64_t** stridesValue, uint64_t* stridesNum) {
  const aclnnStatus status = CheckQuery(__func__, tensor, "stridesValue", stridesValue, "stridesNum", stridesNum);
  return status != 0 ? status : CopyOut(__func__, {tensor->strides, tensor->rank}, stridesValue, stridesNum);
}

aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  if (const aclnnStatus status = CheckQuery(__func__, tensor, "offset", offset); status != 0) return status;
  *offset = tensor->offset;
  return 0;
}

aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  if (const aclnnStatus status = CheckQuery(__func__, tensor, "format", format); status != 0) return status;
  *format = tensor->format;
  return 0;
}

aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  if (const aclnnStatus status = CheckQuery(__func__, tensor, "dataType", dataType); status != 0) return status;
  *dataType = tensor->dtype;
  return 0;
}

aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  if (const aclnnStatus status = CheckQuery(__func__, tensor, "addr", addr); status != 0) return status;
  *addr = tensor->data;
  return 0;
}

aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  if (const aclnnStatus status = CheckObject(__func__, "tensor", tensor); status != 0) return status;
  tensor->data = addr;
  return 0;
}

aclnnStatus aclDumpOpTensors(const char*, const char*, aclTensor** tensors, size_t, size_t, aclrtStream) {
  // Dumping is configured by files that this library does not read, so there is never anything to write.
  return CheckPointer(__func__, "tensors", tensors);
}
