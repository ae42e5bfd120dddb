// SPDX-License-Identifier: Apache-2.0
#include "tool/verify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "calls/element.h"
#include "tool/elements.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

std::vector<int64_t> IndexOf(size_t element, const calls::Dims& shape) {
  std::vector<int64_t> index(shape.size());
  auto rest = static_cast<int64_t>(element);
  for (size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

// Parts of complex numbers are compared one by one, unless the exact bits are known.
size_t PartsOf(aclDataType dtype, int argument, const calls::OracleCall& reference) {
  return reference.ExactBytes(argument).empty() ? aclDataTypeSize(dtype) / aclDataTypeSize(calls::PartDtype(dtype)) : 1;
}

// The reference's numbers for an argument; the tensors of a list follow one another.
std::vector<double> ExactNumbers(const std::string& name, int argument, const std::vector<calls::TensorSpec>& tensors,
                                 calls::OracleCall& reference) {
  const aclDataType dtype = tensors.front().dtype;
  const std::vector<std::byte>& bytes = reference.ExactBytes(argument);
  std::vector<double> exact = bytes.empty() ? reference.Values(argument) : calls::Decode(dtype, bytes);
  // Behind its result, a data-dependent output has more elements.
  if (reference.schema().args[static_cast<size_t>(argument)].data_dependent) {
    if (tensors.front().shape == reference.ResultShape(argument)) return exact;
    throw Failure(fmt::format("the reference finds [{}] for '{}' instead of [{}]",
                              fmt::join(reference.ResultShape(argument), ","), name,
                              fmt::join(tensors.front().shape, ",")));
  }
  size_t count = 0;
  for (const calls::TensorSpec& tensor : tensors) count += static_cast<size_t>(calls::ElementCount(tensor.shape));
  count *= PartsOf(dtype, argument, reference);
  if (exact.size() == count) return exact;
  throw Failure(fmt::format("the reference has {} numbers of '{}' instead of {}", exact.size(), name, count));
}

// `exact`: the reference's numbers for the argument, of which those of the tensor begin with element `first`.
WorstElement Worst(const calls::TensorSpec& spec, const HostTensor& tensor, size_t first,
                   const std::vector<double>& exact, const calls::OracleCall& reference) {
  const size_t bytes = aclDataTypeSize(spec.dtype);
  const size_t count = tensor.bytes.size() / bytes;
  const aclDataType part = calls::PartDtype(spec.dtype);
  const size_t parts = PartsOf(spec.dtype, tensor.argument, reference);
  WorstElement worst;
  worst.name = tensor.name;
  if (count == 0) return worst;
  const auto judge = [&](size_t i) {
    return reference.Judge(tensor.argument, first + i, tensor.bytes.data() + i * bytes);
  };
  size_t at = 0;
  worst.deviation = judge(0);
  for (size_t i = 1; i < count; ++i) {
    const calls::Deviation deviation = judge(i);
    if (*worst.deviation < deviation) worst.deviation = deviation, at = i;
  }
  worst.index = IndexOf(at, spec.shape);
  for (size_t i = 0; i < parts; ++i) {  // of the two parts of a complex number, the one with the larger error
    const std::byte* const number = tensor.bytes.data() + at * bytes + i * aclDataTypeSize(part);
    const auto got = static_cast<double>(calls::LoadElement(part, number));
    const double want = exact[(first + at) * parts + i];
    if (i > 0 && !(std::abs(got - want) > std::abs(worst.got - worst.exact))) continue;
    worst.got = got;
    worst.exact = want;
  }
  return worst;
}

}  // namespace

Verifier::Verifier(PreparedCall& prepared)
    : prepared_(prepared),
      described_(prepared.call()),
      inputs_(prepared.call().arguments().size()),
      input_bytes_(prepared.call().arguments().size()) {
  for (const HostTensor& tensor : prepared.tensors()) {
    const auto index = static_cast<size_t>(tensor.argument);
    const calls::TensorSpec& spec = prepared.spec(tensor);
    if (prepared.arg(tensor).kind != exec::ValueKind::kTensor) {
      // References read lists from the memory of the call: here a copy, as the operator may overwrite its own.
      const size_t size = tensor.bytes.size();
      if (size == 0) continue;
      void* const copy = described_.AllocateBlock(size);
      aclrtMemcpy(copy, size, tensor.bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
      described_.argument(tensor.argument).tensors[tensor.element].data = copy;
      continue;
    }
    input_bytes_[index] = tensor.bytes;
    if (prepared.arg(tensor).role == exec::Role::kOutput) continue;  // some oracles append to existing content
    inputs_[index] = ToDouble(spec.dtype, tensor.bytes);
    if (tensor.bytes.empty()) inputs_[index].assign(static_cast<size_t>(calls::ElementCount(spec.shape)), 0);
  }
}

std::vector<WorstElement> Verifier::Compare(const std::function<void(double)>& progress) {
  calls::OracleCall reference(described_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    reference.Values(static_cast<int>(i)) = std::move(inputs_[i]);
    reference.Bytes(static_cast<int>(i)) = std::move(input_bytes_[i]);
  }
  progress(0);
  if (!calls::ComputeOracle(reference)) {
    throw Failure(fmt::format("--verify: {} has no reference; run it without --verify", described_.schema().api));
  }
  std::vector<WorstElement> rows;
  std::vector<double> exact;
  size_t first = 0;
  for (const HostTensor& tensor : prepared_.tensors()) {
    if (!prepared_.arg(tensor).written()) continue;
    progress(0.5);
    if (tensor.element == 0) {
      const std::vector<calls::TensorSpec>& tensors = prepared_.call().argument(tensor.argument).tensors;
      exact = ExactNumbers(prepared_.arg(tensor).name, tensor.argument, tensors, reference);
      first = 0;
    }
    const calls::TensorSpec& spec = prepared_.spec(tensor);
    rows.push_back(Worst(spec, tensor, first, exact, reference));
    first += static_cast<size_t>(calls::ElementCount(spec.shape));
  }
  return rows;
}

}  // namespace portacl::tool
