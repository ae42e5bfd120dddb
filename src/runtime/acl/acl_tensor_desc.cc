// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors for operators by name. They keep what a client sets, for an operator that executes them;
// today none does.
#include <array>
#include <cstring>

#include "base/dtype.h"
#include "base/format.h"
#include "base/observer.h"
#include "runtime/acl/copied.h"
#include "runtime/arguments.h"
#include "runtime/object_store.h"

namespace portacl::tensor_descs {

struct TensorForm {
  aclFormat format = ACL_FORMAT_UNDEFINED;
  Copied<int64_t> dims;
};

struct TensorContent {
  aclDataType dtype = ACL_DT_UNDEFINED;
  TensorForm origin;
  TensorForm storage;
  aclMemType memory = ACL_MEMTYPE_DEVICE;
  Copied<char> name;
  Copied<char> dynamic_input;
  Copied<char> constant;
  Copied<std::array<int64_t, 2>> ranges;
};

}  // namespace portacl::tensor_descs

struct aclTensorDesc {
  portacl::tensor_descs::TensorContent* content;
};

namespace portacl {
namespace {

using tensor_descs::TensorContent;
using tensor_descs::TensorForm;

constinit ObjectStore<aclTensorDesc> g_tensor_descs;

TensorContent* FindTensor(const aclTensorDesc* desc) noexcept {
  const aclTensorDesc* live = g_tensor_descs.Live(desc);
  return live == nullptr ? nullptr : live->content;
}

// Returns the content, or null with *status and a report.
TensorContent* ResolveTensor(const char* function, const char* argument, const aclTensorDesc* desc,
                             aclError* status) noexcept {
  TensorContent* content = FindTensor(desc);
  if (content != nullptr) {
    *status = ACL_SUCCESS;
  } else if (desc == nullptr) {
    *status = NullArgument(function, argument);
  } else {
    *status = BadHandle(function, argument, "tensor description", desc);
  }
  return content;
}

aclError NoMemoryForTensor(const char* function) noexcept {
  return Failf(ACL_ERROR_BAD_ALLOC, "{}: out of host memory", function);
}

aclError CheckTensorDims(const char* function, int count, const int64_t* dims) noexcept {
  if (count < 0) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'numDims': expected 0 or more, got {}", function, count);
  }
  return dims == nullptr && count > 0 ? NullArgument(function, "dims") : ACL_SUCCESS;
}

aclError SetTensorDims(const char* function, aclTensorDesc* desc, TensorForm TensorContent::* form, int count,
                       const int64_t* dims) noexcept {
  aclError status = ACL_SUCCESS;
  TensorContent* content = ResolveTensor(function, "desc", desc, &status);
  if (content == nullptr) return status;
  if (status = CheckTensorDims(function, count, dims); status != ACL_SUCCESS) return status;
  return (content->*form).dims.Assign(dims, static_cast<size_t>(count)) ? ACL_SUCCESS : NoMemoryForTensor(function);
}

aclError SetFormatOf(const char* function, aclTensorDesc* desc, TensorForm TensorContent::* form,
                     aclFormat format) noexcept {
  aclError status = ACL_SUCCESS;
  TensorContent* content = ResolveTensor(function, "desc", desc, &status);
  if (content != nullptr) (content->*form).format = format;
  return status;
}

aclError SetTensorBytes(const char* function, aclTensorDesc* desc, Copied<char> TensorContent::* member,
                        const char* argument, const void* bytes, size_t count) noexcept {
  aclError status = ACL_SUCCESS;
  TensorContent* content = ResolveTensor(function, "desc", desc, &status);
  if (content == nullptr) return status;
  if (bytes == nullptr) return NullArgument(function, argument);
  return (content->*member).Assign(static_cast<const char*>(bytes), count) ? ACL_SUCCESS : NoMemoryForTensor(function);
}

size_t TextBytes(const char* text) noexcept { return text == nullptr ? 0 : std::strlen(text) + 1; }

aclError NoSuchTensorDim(const char* function, size_t index, size_t count) noexcept {
  return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'index': expected less than {} dims, got {}", function, count,
               index);
}

// Makes a description without name and constant; null with a report when memory is exhausted.
aclTensorDesc* MakeTensor(const char* function, aclDataType dtype, std::span<const int64_t> dims,
                          aclFormat format) noexcept {
  auto* content = new (std::nothrow) TensorContent;
  const bool is_filled = content != nullptr && content->origin.dims.Assign(dims.data(), dims.size()) &&
                         content->storage.dims.Assign(dims.data(), dims.size());
  if (is_filled) {
    content->dtype = dtype;
    content->origin.format = content->storage.format = format;
  }
  aclTensorDesc* desc = is_filled ? g_tensor_descs.Make({content}) : nullptr;
  if (desc != nullptr) return desc;
  delete content;
  NoMemoryForTensor(function);
  return nullptr;
}

bool IsOf4Bits(aclDataType dtype) noexcept {
  return dtype == ACL_INT4 || dtype == ACL_FLOAT4_E2M1 || dtype == ACL_FLOAT4_E1M2;
}

// Whether the dims of one format become those of the other by a move of the channel.
bool MovesChannel(aclFormat from, aclFormat to) noexcept {
  return (from == ACL_FORMAT_NCHW && to == ACL_FORMAT_NHWC) || (from == ACL_FORMAT_NHWC && to == ACL_FORMAT_NCHW);
}

}  // namespace
}  // namespace portacl

using namespace portacl;

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
  const ApiCall api_call(__func__);
  if (CheckTensorDims(__func__, numDims, dims) != ACL_SUCCESS) return nullptr;
  return MakeTensor(__func__, dataType, {dims, static_cast<size_t>(numDims)}, format);
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  TensorContent* content = FindTensor(desc);
  if (content != nullptr && g_tensor_descs.Destroy(desc)) delete content;
}

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  const TensorContent* content = FindTensor(desc);
  return content == nullptr ? ACL_DT_UNDEFINED : content->dtype;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  const TensorContent* content = FindTensor(desc);
  return content == nullptr ? ACL_FORMAT_UNDEFINED : content->origin.format;
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  const TensorContent* content = FindTensor(desc);
  return content == nullptr ? 0 : content->origin.dims.values().size();
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const TensorContent* content = ResolveTensor(__func__, "desc", desc, &status);
  if (content == nullptr) return status;
  if (dimSize == nullptr) return NullArgument(__func__, "dimSize");
  const auto dims = content->origin.dims.values();
  if (index >= dims.size()) return NoSuchTensorDim(__func__, index, dims.size());
  *dimSize = dims[index];
  return ACL_SUCCESS;
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
  const TensorContent* content = FindTensor(desc);
  return content == nullptr || index >= content->origin.dims.values().size() ? -1
                                                                             : content->origin.dims.values()[index];
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  const TensorContent* content = FindTensor(desc);
  if (content == nullptr) return 0;
  size_t count = 1;
  bool fits = true;
  for (const int64_t dim : content->origin.dims.values()) {
    if (dim <= 0) return 0;
    fits = !__builtin_mul_overflow(count, static_cast<size_t>(dim), &count) && fits;
  }
  return fits ? count : 0;
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  const size_t count = aclGetTensorDescElementCount(desc);
  const aclDataType dtype = aclGetTensorDescType(desc);
  if (IsOf4Bits(dtype)) return count / 2 + count % 2;
  size_t bytes = 0;
  return __builtin_mul_overflow(count, aclDataTypeSize(dtype), &bytes) ? 0 : bytes;
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  const TensorContent* content = FindTensor(desc);
  return content == nullptr || content->name.values().empty() ? "" : content->name.values().data();
}

aclTensorDesc* aclGetTensorDescByIndex(aclTensorDesc* desc, size_t index) { return index == 0 ? desc : nullptr; }

void* aclGetTensorDescAddress(const aclTensorDesc*) { return nullptr; }

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  const ApiCall api_call(__func__);
  TensorContent* content = FindTensor(desc);
  if (content != nullptr && name == nullptr) return content->name.Clear();
  SetTensorBytes(__func__, desc, &TensorContent::name, "name", name, TextBytes(name));
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  const ApiCall api_call(__func__);
  return SetFormatOf(__func__, desc, &TensorContent::storage, format);
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  const ApiCall api_call(__func__);
  return SetTensorDims(__func__, desc, &TensorContent::storage, numDims, dims);
}

aclError aclSetTensorStorageFormat(aclTensorDesc* desc, aclFormat format) {
  const ApiCall api_call(__func__);
  return SetFormatOf(__func__, desc, &TensorContent::storage, format);
}

aclError aclSetTensorStorageShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  const ApiCall api_call(__func__);
  return SetTensorDims(__func__, desc, &TensorContent::storage, numDims, dims);
}

aclError aclSetTensorOriginFormat(aclTensorDesc* desc, aclFormat format) {
  const ApiCall api_call(__func__);
  return SetFormatOf(__func__, desc, &TensorContent::origin, format);
}

aclError aclSetTensorOriginShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  const ApiCall api_call(__func__);
  return SetTensorDims(__func__, desc, &TensorContent::origin, numDims, dims);
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  TensorContent* content = ResolveTensor(__func__, "desc", desc, &status);
  if (content == nullptr) return status;
  const int number = EnumNumber(memType);
  if (number < ACL_MEMTYPE_DEVICE || number > ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'memType': expected 0..2, got {}", __func__, number);
  }
  content->memory = memType;
  return ACL_SUCCESS;
}

aclError aclSetTensorDynamicInput(aclTensorDesc* desc, const char* dynamicInputName) {
  const ApiCall api_call(__func__);
  return SetTensorBytes(__func__, desc, &TensorContent::dynamic_input, "dynamicInputName", dynamicInputName,
                        TextBytes(dynamicInputName));
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  const ApiCall api_call(__func__);
  if (length == 0) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'length': expected a positive number of bytes, got 0",
                 __func__);
  }
  return SetTensorBytes(__func__, desc, &TensorContent::constant, "dataBuffer", dataBuffer, length);
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount, int64_t dimsRange[][2]) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  TensorContent* content = ResolveTensor(__func__, "desc", desc, &status);
  if (content == nullptr) return status;
  if (dimsRange == nullptr && dimsCount > 0) return NullArgument(__func__, "dimsRange");
  const auto* pairs = reinterpret_cast<const std::array<int64_t, 2>*>(dimsRange);
  return content->ranges.Assign(pairs, dimsCount) ? ACL_SUCCESS : NoMemoryForTensor(__func__);
}

aclError aclGetTensorDescDimRange(const aclTensorDesc* desc, size_t index, size_t dimRangeNum, int64_t* dimRange) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const TensorContent* content = ResolveTensor(__func__, "desc", desc, &status);
  if (content == nullptr) return status;
  if (dimRange == nullptr) return NullArgument(__func__, "dimRange");
  if (dimRangeNum < 2) {
    return Failf(ACL_ERROR_INVALID_PARAM, "{}: argument 'dimRangeNum': expected 2 or more, got {}", __func__,
                 dimRangeNum);
  }
  const auto dims = content->origin.dims.values();
  const auto ranges = content->ranges.values();
  if (index >= dims.size()) return NoSuchTensorDim(__func__, index, dims.size());
  if (index < ranges.size()) {
    std::copy(ranges[index].begin(), ranges[index].end(), dimRange);
  } else {
    dimRange[0] = dims[index] < 0 ? 0 : dims[index];
    dimRange[1] = dims[index] < 0 ? -1 : dims[index];
  }
  return ACL_SUCCESS;
}

aclError aclSetTensorValueRange(aclTensorDesc* desc, size_t valueCount, int64_t valueRange[][2]) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  if (ResolveTensor(__func__, "desc", desc, &status) == nullptr) return status;
  return valueRange == nullptr && valueCount > 0 ? NullArgument(__func__, "valueRange") : ACL_SUCCESS;
}

aclError aclTransTensorDescFormat(const aclTensorDesc* srcDesc, aclFormat dstFormat, aclTensorDesc** dstDesc) {
  const ApiCall api_call(__func__);
  aclError status = ACL_SUCCESS;
  const TensorContent* content = ResolveTensor(__func__, "srcDesc", srcDesc, &status);
  if (content == nullptr) return status;
  if (dstDesc == nullptr) return NullArgument(__func__, "dstDesc");
  const aclFormat format = content->origin.format;
  const auto dims = content->origin.dims.values();
  const int64_t* d = dims.data();
  aclTensorDesc* made = nullptr;
  if (EnumNumber(format) == EnumNumber(dstFormat)) {
    made = MakeTensor(__func__, content->dtype, dims, dstFormat);
  } else if (MovesChannel(format, dstFormat) && dims.size() == 4) {
    const std::array<int64_t, 4> moved =
        dstFormat == ACL_FORMAT_NHWC ? std::array{d[0], d[2], d[3], d[1]} : std::array{d[0], d[3], d[1], d[2]};
    made = MakeTensor(__func__, content->dtype, moved, dstFormat);
  } else {
    return Failf(ACL_ERROR_FORMAT_NOT_MATCH,
                 "{}: argument 'dstFormat': expected {}, or NCHW and NHWC with 4 dims, got {} with {} dims", __func__,
                 FormatName(format), FormatName(dstFormat), dims.size());
  }
  if (made == nullptr) return ACL_ERROR_BAD_ALLOC;
  *dstDesc = made;
  return ACL_SUCCESS;
}
