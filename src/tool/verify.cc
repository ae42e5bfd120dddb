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

WorstElement Worst(const calls::TensorSpec& spec, const HostTensor& tensor, calls::OracleCall& reference) {
  const std::vector<std::byte>& exact_bytes = reference.ExactBytes(tensor.argument);
  const std::vector<double> exact =
      exact_bytes.empty() ? reference.Values(tensor.argument) : calls::Decode(spec.dtype, exact_bytes);
  const size_t bytes = aclDataTypeSize(spec.dtype);
  const size_t count = tensor.bytes.size() / bytes;
  // Parts of complex numbers are compared one by one, unless the exact bits are known.
  const aclDataType part = calls::PartDtype(spec.dtype);
  const size_t parts = exact_bytes.empty() ? bytes / aclDataTypeSize(part) : 1;
  const bool is_data_dependent = reference.schema().args[static_cast<size_t>(tensor.argument)].data_dependent;
  if (is_data_dependent && spec.shape != reference.ResultShape(tensor.argument)) {
    throw Failure(fmt::format("the reference finds [{}] for '{}' instead of [{}]",
                              fmt::join(reference.ResultShape(tensor.argument), ","), tensor.name,
                              fmt::join(spec.shape, ",")));
  }
  // Behind its result, such an output has more elements.
  if (exact.size() != count * parts && !is_data_dependent) {
    throw Failure(
        fmt::format("the reference has {} numbers of '{}' instead of {}", exact.size(), tensor.name, count * parts));
  }
  WorstElement worst;
  worst.name = tensor.name;
  if (count == 0) return worst;
  const auto judge = [&](size_t i) { return reference.Judge(tensor.argument, i, tensor.bytes.data() + i * bytes); };
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
    if (i > 0 && !(std::abs(got - exact[at * parts + i]) > std::abs(worst.got - worst.exact))) continue;
    worst.got = got;
    worst.exact = exact[at * parts + i];
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
      throw Failure(
          fmt::format("--verify: {} takes lists of tensors, which references cannot read; run it without --verify",
                      described_.schema().api));
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
  for (const HostTensor& tensor : prepared_.tensors()) {
    if (!prepared_.arg(tensor).written()) continue;
    progress(0.5);
    rows.push_back(Worst(prepared_.spec(tensor), tensor, reference));
  }
  return rows;
}

}  // namespace portacl::tool
