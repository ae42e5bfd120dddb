// SPDX-License-Identifier: Apache-2.0
#include "calls/oracle.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <limits>

#include "base/target.h"
#include "calls/element.h"
#include "calls/oracles.h"
#include "calls/ulp_error.h"
#include "calls/views.h"

namespace portacl::calls {

void OracleCall::ReadMemory() {
  for (const int argument : call_.schema().tensors) {
    const exec::Arg& arg = call_.schema().args[static_cast<size_t>(argument)];
    if (call_.argument(argument).null) continue;
    for (const TensorSpec& tensor : call_.argument(argument).tensors) {
      const std::vector<std::byte> elements = ReadElements(tensor);
      Bytes(argument).insert(Bytes(argument).end(), elements.begin(), elements.end());
    }
    if (arg.kind == exec::ValueKind::kTensor && arg.role != exec::Role::kOutput)
      Values(argument) = Decode(call_.tensor(argument).dtype, Bytes(argument));
  }
}

const exec::ErrorBound& OracleCall::BoundOf(int argument, size_t element) const {
  const std::vector<uint8_t>& parts = parts_[static_cast<size_t>(argument)];
  if (!parts.empty()) return FindBound(argument, parts[element]);
  const exec::ErrorBound*& bound = bounds_[static_cast<size_t>(argument)];
  if (bound == nullptr) bound = &FindBound(argument, 0);
  return *bound;
}

const exec::ErrorBound& OracleCall::FindBound(int argument, int part) const {
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
  const aclDataType part = PartDtype(dtype);
  const size_t part_bytes = ElementBytes(part);
  const size_t parts = ElementBytes(dtype) / part_bytes;
  Deviation deviation{.bound = &bound, .limit = bound.LimitOn(ActiveTarget())};
  const std::vector<std::byte>& bytes = exact_bytes_[static_cast<size_t>(argument)];
  if (bound.unit == exec::ErrorUnit::kBits || !bytes.empty()) {
    std::byte exact[2 * sizeof(double)] = {};
    for (size_t i = 0; bytes.empty() && i < parts; ++i)
      StoreElement(part, values_[static_cast<size_t>(argument)][parts * element + i], exact + i * part_bytes);
    const std::byte* const want = bytes.empty() ? exact : bytes.data() + element * ElementBytes(dtype);
    if (!SameElement(dtype, want, got)) deviation.error = std::numeric_limits<double>::infinity();
    return deviation;
  }
  for (size_t i = 0; i < parts; ++i) {
    deviation.error = std::max(deviation.error, ErrorOfNumber(argument, bound, part, parts * element + i,
                                                              static_cast<const std::byte*>(got) + i * part_bytes));
  }
  return deviation;
}

double OracleCall::ErrorOfNumber(int argument, const exec::ErrorBound& bound, aclDataType dtype, size_t number,
                                 const void* got) const {
  const std::vector<double>& tails = tails_[static_cast<size_t>(argument)];
  const ExactValue exact(values_[static_cast<size_t>(argument)][number], tails.empty() ? 0 : tails[number]);
  if (bound.zero_for_subnormals.Holds(dtype) &&
      IsZeroForSubnormal(dtype, got, exact.value, bound.LimitOn(ActiveTarget())))
    return 0;
  const std::vector<double>& terms = terms_[static_cast<size_t>(argument)];
  const double term = terms.empty() || bound.term == nullptr ? 0 : terms[number];
  return bound.unit == exec::ErrorUnit::kEpsilon ? EpsilonError(dtype, got, exact, term, bound.counted_in)
                                                 : UlpError(dtype, got, exact, term, bound.counted_in);
}

std::string OracleCall::DescribeExact(int argument, size_t element) const {
  const aclDataType dtype = call_.tensor(argument).dtype;
  const std::vector<std::byte>& bytes = exact_bytes_[static_cast<size_t>(argument)];
  if (!bytes.empty()) return "the bits of " + DescribeElement(dtype, bytes.data() + element * ElementBytes(dtype));
  const size_t parts = ElementBytes(dtype) / ElementBytes(PartDtype(dtype));
  const std::vector<double>& tails = tails_[static_cast<size_t>(argument)];
  std::string described = "exact";
  for (size_t i = parts * element; i < parts * (element + 1); ++i) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), " %.17g", values_[static_cast<size_t>(argument)][i]);
    described += text.data();
    if (tails.empty()) continue;
    std::snprintf(text.data(), text.size(), " %+.3g", tails[i]);
    described += text.data();
  }
  return described;
}

namespace {

// The tensor beside the lists of an operator of lists holds its scalar, or one for each tensor of a list.
void CompleteScalarOfLists(Call& call, Random* random) {
  if (!std::string_view(call.schema().api).starts_with("aclnnForeach")) return;
  const ArgumentSpec& first = call.arguments().front();
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    const exec::Arg& arg = call.schema().args[i];
    if (arg.kind != exec::ValueKind::kTensor || first.tensors.empty()) continue;
    TensorSpec& scalar = call.arguments()[i].tensors.front();
    const aclDataType dtype = first.tensors.front().dtype;
    const bool for_each = std::string_view(arg.name) == "scalars";
    const bool is_rank_0 = !for_each && random != nullptr && random->Chance(0.5);
    scalar.shape.assign(is_rank_0 ? 0 : 1, for_each ? std::ssize(first.tensors) : 1);
    const bool fits = scalar.dtype == ACL_FLOAT || scalar.dtype == ACL_DOUBLE;
    const bool fits_integers = scalar.dtype == ACL_INT32 || scalar.dtype == ACL_INT64;
    const bool has_own_dtypes = for_each || std::string_view(arg.name) == "roundMode";
    if (!has_own_dtypes && !fits && !(fits_integers && FindFloatFormat(dtype) == nullptr)) scalar.dtype = dtype;
  }
}

}  // namespace

void CompleteCall(Call& call, Random* random, int64_t elements) {
  CompleteScalarOfLists(call, random);
  for (const FamilyOracles* family : LinkedOracles()) family->complete_call(call, random, elements);
}

void CompleteContents(Call& call) {
  for (const FamilyOracles* family : LinkedOracles()) family->complete_contents(call);
}

bool ComputeOracle(OracleCall& call) {
  return std::ranges::any_of(LinkedOracles(), [&](const FamilyOracles* family) { return family->compute(call); });
}

}  // namespace portacl::calls
