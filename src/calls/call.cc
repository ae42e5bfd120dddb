// SPDX-License-Identifier: Apache-2.0
// Calls as data, see call.h.
#include "calls/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <complex>
#include <limits>
#include <new>

#include "acl/acl.h"
#include "base/dtype.h"
#include "calls/closed_padding.h"
#include "calls/element.h"

namespace portacl::calls {

TensorHandle TensorSpec::Build() const {
  TensorBuilder builder(dtype, shape);
  if (strides) builder.Strides(*strides);
  return builder.Offset(offset).Format(format).Data(data).Build();
}

namespace {

double Real(const ArgumentSpec& spec, size_t i) { return i < spec.reals.size() ? spec.reals[i] : spec.real; }

aclScalar* MakeScalar(const ArgumentSpec& spec, double real) {
  int64_t integer = WholeNumber(real);
  auto value = static_cast<float>(real);
  bool truth = real != 0;
  std::complex<float> complex(value, static_cast<float>(spec.imaginary));
  if (spec.number == ACL_COMPLEX64) return aclCreateScalar(&complex, ACL_COMPLEX64);
  if (spec.number == ACL_BOOL) return aclCreateScalar(&truth, ACL_BOOL);
  return spec.number == ACL_INT64 ? aclCreateScalar(&integer, ACL_INT64) : aclCreateScalar(&value, ACL_FLOAT);
}

}  // namespace

int64_t WholeNumber(double value) {
  constexpr double kEnd = 9223372036854775808.0;
  if (!(value < kEnd)) return value >= kEnd ? std::numeric_limits<int64_t>::max() : 0;
  return value < -kEnd ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

CallObjects::CallObjects(const exec::Schema& schema, const std::vector<ArgumentSpec>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) values_.push_back(Make(schema.args[i], arguments[i]));
}

exec::Value CallObjects::Make(const exec::Arg& arg, const ArgumentSpec& spec) {
  using exec::ValueKind;
  const uint64_t length = spec.integers.size();
  switch (arg.kind) {
    case ValueKind::kTensor: {
      const bool null = spec.null || spec.tensors.empty() || spec.tensors.front().null;
      return exec::Value(null ? nullptr : Keep<aclTensor>(spec.tensors.front().Build().release(), aclDestroyTensor));
    }
    case ValueKind::kTensorList: {
      std::vector<const aclTensor*> tensors;
      for (const TensorSpec& tensor : spec.tensors) tensors.push_back(tensor.null ? nullptr : tensor.Build().release());
      if (spec.null) return exec::Value(static_cast<aclTensorList*>(nullptr));
      return exec::Value(
          Keep<aclTensorList>(aclCreateTensorList(tensors.data(), tensors.size()), aclDestroyTensorList));
    }
    case ValueKind::kScalar:
      return exec::Value(spec.null ? nullptr : Keep<aclScalar>(MakeScalar(spec, spec.real), aclDestroyScalar));
    case ValueKind::kScalarList: {
      if (spec.null) return exec::Value(static_cast<aclScalarList*>(nullptr));
      std::vector<const aclScalar*> scalars(length);
      for (size_t i = 0; i < length; ++i) scalars[i] = MakeScalar(spec, Real(spec, i));
      return exec::Value(Keep<aclScalarList>(aclCreateScalarList(scalars.data(), length), aclDestroyScalarList));
    }
    case ValueKind::kIntArray:
      return exec::Value(
          spec.null ? nullptr : Keep<aclIntArray>(aclCreateIntArray(spec.integers.data(), length), aclDestroyIntArray));
    case ValueKind::kFloatArray: {
      std::vector<float> values(length);
      for (size_t i = 0; i < length; ++i) values[i] = static_cast<float>(Real(spec, i));
      return exec::Value(
          spec.null ? nullptr : Keep<aclFloatArray>(aclCreateFloatArray(values.data(), length), aclDestroyFloatArray));
    }
    case ValueKind::kBoolArray: {
      const std::unique_ptr<bool[]> values(new bool[length]());
      for (size_t i = 0; i < length; ++i) values[i] = spec.integers[i] != 0;
      return exec::Value(spec.null ? nullptr
                                   : Keep<aclBoolArray>(aclCreateBoolArray(values.get(), length), aclDestroyBoolArray));
    }
    case ValueKind::kDouble:
      return exec::Value(spec.real);
    case ValueKind::kFloat:
      return exec::Value(static_cast<float>(spec.real));
    case ValueKind::kInt64:
      return exec::Value(spec.integer);
    case ValueKind::kUInt64:
      return exec::Value(static_cast<uint64_t>(spec.integer));
    case ValueKind::kInt32:
      return exec::Value(static_cast<int32_t>(spec.integer));
    case ValueKind::kInt8:
      return exec::Value(static_cast<int8_t>(spec.integer));
    case ValueKind::kBool:
      return exec::Value(spec.integer != 0);
    case ValueKind::kDtype:
      return exec::Value(static_cast<aclDataType>(spec.integer));
    case ValueKind::kString:
      break;
  }
  return exec::Value(spec.null ? static_cast<const char*>(nullptr) : spec.text.c_str());
}

void ReadShapes(const CallObjects& objects, Call& call) {
  for (const int index : call.schema().tensors) {
    if (!call.schema().args[static_cast<size_t>(index)].data_dependent || call.argument(index).null) continue;
    int64_t* dims = nullptr;
    uint64_t count = 0;
    const auto* const tensor = objects.values()[static_cast<size_t>(index)].As<const aclTensor*>();
    if (aclGetViewShape(tensor, &dims, &count) != 0) throw std::bad_alloc();
    const std::unique_ptr<int64_t[]> owned(dims);
    call.tensor(index).shape.assign(dims, dims + count);
  }
}

aclnnStatus Call::Plan(uint64_t* workspace_size, aclOpExecutor** executor) const {
  const CallObjects objects(schema(), arguments_);
  return entry_->plan(objects.values(), null_workspace_size ? nullptr : workspace_size,
                      null_executor ? nullptr : executor);
}

std::vector<TensorSpec*> Call::Tensors() {
  std::vector<TensorSpec*> result;
  for (const int index : schema().tensors) {
    if (argument(index).null) continue;
    for (TensorSpec& tensor : argument(index).tensors) {
      if (!tensor.null) result.push_back(&tensor);
    }
  }
  return result;
}

void Call::AllocateData() {
  for (TensorSpec* tensor : Tensors()) {
    const auto elements = static_cast<size_t>(ViewExtent(tensor->shape, tensor->Strides(), tensor->offset));
    const size_t bytes = elements * ElementBytes(tensor->dtype);
    tensor->data = nullptr;
    if (bytes != 0) tensor->data = AllocateBlock(bytes);
  }
}

void* Call::AllocateBlock(size_t bytes) {
  void* block = nullptr;
  if (aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS) throw std::bad_alloc();
  blocks_.emplace_back(block, [](void* owned) { aclrtFree(owned); });
  aclrtMemset(block, bytes, 0xCD, bytes);
  ClosePadding(block, bytes);
  return block;
}

namespace {

std::string DescribeTensor(const TensorSpec& tensor) {
  if (tensor.null) return "null";
  const DtypeInfo* info = FindDtype(tensor.dtype);
  std::string text = info != nullptr ? info->name : fmt::format("dtype {}", static_cast<int>(tensor.dtype));
  text += fmt::format("[{}]", fmt::join(tensor.shape, ","));
  if (tensor.strides) text += fmt::format(" strides [{}]", fmt::join(*tensor.strides, ","));
  if (tensor.offset != 0) text += fmt::format(" offset {}", tensor.offset);
  if (tensor.format != ACL_FORMAT_ND) text += fmt::format(" format {}", static_cast<int>(tensor.format));
  return text;
}

}  // namespace

std::string DescribeCall(const Call& call) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const exec::Arg& arg = call.schema().args[i];
    const ArgumentSpec& spec = call.arguments()[i];
    std::string value;
    if (spec.null) {
      value = "null";
    } else if (exec::IsTensor(arg.kind)) {
      std::vector<std::string> tensors;
      for (const TensorSpec& tensor : spec.tensors) tensors.push_back(DescribeTensor(tensor));
      value = fmt::format("{}", fmt::join(tensors, "; "));
    } else if (arg.kind == exec::ValueKind::kIntArray) {
      value = fmt::format("[{}]", fmt::join(spec.integers, ","));
    } else if (arg.kind == exec::ValueKind::kString) {
      value = spec.text;
    } else {
      const bool real = arg.kind == exec::ValueKind::kDouble || arg.kind == exec::ValueKind::kFloat ||
                        arg.kind == exec::ValueKind::kScalar;
      value = real ? fmt::format("{}", spec.real) : fmt::format("{}", spec.integer);
      if (spec.Imaginary() != 0) value += fmt::format(" + {}i", spec.imaginary);
    }
    parts.push_back(fmt::format("{}={}", arg.name, value));
  }
  return fmt::format("{}({})", call.schema().api, fmt::join(parts, ", "));
}

}  // namespace portacl::calls
