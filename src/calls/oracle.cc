// SPDX-License-Identifier: Apache-2.0
#include "calls/oracle.h"

#include <array>
#include <cstdio>
#include <limits>

#include "base/target.h"
#include "calls/element.h"
#include "calls/ulp_error.h"
#include "calls/views.h"

namespace portacl::calls {

void OracleCall::ReadMemory() {
  for (const int argument : call_.schema().tensors) {
    const bool is_list = call_.schema().args[static_cast<size_t>(argument)].kind != exec::ValueKind::kTensor;
    if (is_list || call_.argument(argument).null || call_.tensor(argument).data == nullptr) continue;
    const TensorSpec& tensor = call_.tensor(argument);
    const std::vector<std::byte> block = ReadBlock(tensor);
    for (const size_t offset : ElementOffsets(tensor)) {
      const std::byte* const element = block.data() + offset;
      Values(argument).push_back(static_cast<double>(LoadElement(tensor.dtype, element)));
      Bytes(argument).insert(Bytes(argument).end(), element, element + ElementBytes(tensor.dtype));
    }
  }
}

const exec::ErrorBound& OracleCall::BoundOf(int argument, size_t element) const {
  const std::vector<uint8_t>& parts = parts_[static_cast<size_t>(argument)];
  int part = parts.empty() ? 0 : parts[element];
  const std::string_view name = call_.schema().args[static_cast<size_t>(argument)].name;
  for (const exec::ErrorBound& bound : call_.schema().accuracy) {
    if (name != bound.output || !bound.Covers(call_.tensor(argument).dtype)) continue;
    if (bound.attribute != nullptr && !bound.CoversValue(call_.argument(bound.attribute).integer)) continue;
    if (bound.part == nullptr || part-- == 0) return bound;
  }
  static constexpr exec::ErrorBound kNone = exec::Exact("");
  return kNone;
}

Deviation OracleCall::Judge(int argument, size_t element, const void* got) const {
  const exec::ErrorBound& bound = BoundOf(argument, element);
  const aclDataType dtype = call_.tensor(argument).dtype;
  Deviation deviation{.bound = &bound, .limit = bound.LimitOn(ActiveTarget())};
  const std::vector<std::byte>& bytes = exact_bytes_[static_cast<size_t>(argument)];
  if (bound.unit == exec::ErrorUnit::kBits || !bytes.empty()) {
    std::byte exact[2 * sizeof(double)] = {};
    if (bytes.empty()) StoreElement(dtype, values_[static_cast<size_t>(argument)][element], exact);
    const std::byte* const want = bytes.empty() ? exact : bytes.data() + element * ElementBytes(dtype);
    if (!SameElement(dtype, want, got)) deviation.error = std::numeric_limits<double>::infinity();
    return deviation;
  }
  const double exact = values_[static_cast<size_t>(argument)][element];
  if (bound.zero_for_subnormals.Holds(dtype) && IsZeroForSubnormal(dtype, got, exact, deviation.limit))
    return deviation;
  const std::vector<double>& terms = terms_[static_cast<size_t>(argument)];
  const double term = terms.empty() || bound.term == nullptr ? 0 : terms[element];
  deviation.error = bound.unit == exec::ErrorUnit::kEpsilon ? EpsilonError(dtype, got, exact, term, bound.counted_in)
                                                            : UlpError(dtype, got, exact, term, bound.counted_in);
  return deviation;
}

std::string OracleCall::DescribeExact(int argument, size_t element) const {
  const aclDataType dtype = call_.tensor(argument).dtype;
  const std::vector<std::byte>& bytes = exact_bytes_[static_cast<size_t>(argument)];
  if (!bytes.empty()) return "the bits of " + DescribeElement(dtype, bytes.data() + element * ElementBytes(dtype));
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "exact %.17g", values_[static_cast<size_t>(argument)][element]);
  return text.data();
}

}  // namespace portacl::calls
