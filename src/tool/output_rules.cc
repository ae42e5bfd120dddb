// SPDX-License-Identifier: Apache-2.0
#include "tool/output_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/dtype.h"
#include "base/product.h"
#include "exec/shape_rule.h"
#include "tool/elements.h"
#include "tool/error.h"

namespace portacl::tool {
namespace {

using calls::Call;
using calls::Dims;
using exec::Ref;
using exec::Step;
using exec::Word;

bool Names(const Step& step, int index) {
  return std::any_of(step.refs.begin(), step.refs.end(), [&](const Ref& ref) { return ref.index == index; });
}

class Rules {
 public:
  explicit Rules(Call& call) : call_(call), schema_(call.schema()), family_(CurrentProduct().family) {}

  aclDataType DtypeOf(int output) const {
    std::optional<aclDataType> dtype;
    for (const Step& step : schema_.steps) {
      if (!dtype && step.word == Word::kSameDtype && Names(step, output)) dtype = AnyDtype(step);
      if (!dtype && step.word == Word::kPromotesTo && step.target.index == output) dtype = WidestDtype(step);
    }
    if (dtype) return *dtype;
    dtype = FirstInput() < 0 ? ACL_FLOAT : call_.tensor(FirstInput()).dtype;
    for (const Step& step : schema_.steps) {
      if (step.word == Word::kDtypeOneOf && Names(step, output)) return Allowed(step, *dtype);
    }
    return *dtype;
  }

  Dims ShapeOf(int output) const {
    const calls::CallObjects objects(schema_, call_.arguments());
    Shape shape;
    if (exec::ComputeShape(schema_, output, objects.values(), &shape)) return {shape.dims, shape.dims + shape.rank};
    const bool has_rule = std::any_of(schema_.steps.begin(), schema_.steps.end(),
                                      [&](const Step& step) { return step.TellsShapeOf(output); });
    if (has_rule && FirstInput() >= 0) return call_.tensor(FirstInput()).shape;
    const char* name = schema_.args[static_cast<size_t>(output)].name;
    if (std::optional<Dims> sizes = SizesOf(output)) return *sizes;
    throw UsageError(fmt::format("no rule tells the shape of '{}'; add --shape {}=SIZES", name, name));
  }

 private:
  // Inputs whose description is known, so no output.
  bool IsKnownTensor(int index) const {
    if (index < 0) return false;
    const exec::Arg& arg = schema_.args[static_cast<size_t>(index)];
    return exec::IsTensor(arg.kind) && arg.role != exec::Role::kOutput && !call_.argument(index).null &&
           !call_.argument(index).tensors.empty();
  }

  int FirstInput() const {
    const auto found =
        std::find_if(schema_.tensors.begin(), schema_.tensors.end(), [&](int i) { return IsKnownTensor(i); });
    return found == schema_.tensors.end() ? -1 : *found;
  }

  std::optional<aclDataType> AnyDtype(const Step& step) const {
    for (const Ref& ref : step.refs) {
      if (IsKnownTensor(ref.index)) return call_.tensor(ref.index).dtype;
      if (schema_.args[static_cast<size_t>(ref.index)].kind == exec::ValueKind::kDtype) {
        return static_cast<aclDataType>(call_.argument(ref.index).integer);
      }
    }
    return std::nullopt;
  }

  // The dtype that all operands promote to, when they are ordinary numbers: floats win, then the wider one.
  std::optional<aclDataType> WidestDtype(const Step& step) const {
    const DtypeInfo* widest = nullptr;
    for (const Ref& ref : step.refs) {
      if (!IsKnownTensor(ref.index)) continue;
      for (const calls::TensorSpec& tensor : call_.argument(ref.index).tensors) {
        const DtypeInfo* info = FindDtype(tensor.dtype);
        if (info == nullptr || (widest != nullptr && widest->dtype == info->dtype)) continue;
        if (widest == nullptr || info->kind > widest->kind ||
            (info->kind == widest->kind && info->bytes > widest->bytes)) {
          widest = info;
        } else if (info->kind == DtypeKind::kFloating && widest->kind == info->kind && widest->bytes == info->bytes) {
          widest = FindDtype(ACL_FLOAT);  // FLOAT16 with BFLOAT16
        }
      }
    }
    return widest == nullptr ? std::nullopt : std::optional(widest->dtype);
  }

  aclDataType Allowed(const Step& step, aclDataType wanted) const {
    const exec::DtypeSet& allowed = step.LimitsOn(family_).dtypes;
    if (allowed.Holds(wanted)) return wanted;
    const aclDataType complex = wanted == ACL_DOUBLE    ? ACL_COMPLEX128
                                : wanted == ACL_FLOAT16 ? ACL_COMPLEX32
                                                        : ACL_COMPLEX64;
    if (IsFloating(wanted) && allowed.Holds(complex)) return complex;  // made of two of them
    for (const DtypeInfo& info : kDtypes) {
      if (allowed.Holds(info.dtype)) return info.dtype;
    }
    return wanted;
  }

  // A shape whose rank is fixed and each of whose sizes must be the same as a known one.
  std::optional<Dims> SizesOf(int output) const {
    std::optional<Dims> sizes;
    for (const Step& step : schema_.steps) {
      const exec::Limits& limits = step.LimitsOn(family_);
      if (step.word == Word::kRank && Names(step, output) && limits.low == limits.high) {
        sizes.emplace(static_cast<size_t>(limits.low), -1);
      }
    }
    if (!sizes) return std::nullopt;
    for (const Step& step : schema_.steps) {
      if (step.word != Word::kSameSize && step.word != Word::kSameSizeOrOne) continue;
      for (const Ref& ref : step.refs) {
        const int64_t axis = ref.axis < 0 ? ref.axis + static_cast<int64_t>(sizes->size()) : ref.axis;
        if (ref.index != output || axis < 0 || axis >= static_cast<int64_t>(sizes->size())) continue;
        (*sizes)[static_cast<size_t>(axis)] = KnownSize(step);
      }
    }
    const bool all = std::none_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0; });
    return all ? sizes : std::nullopt;
  }

  int64_t KnownSize(const Step& step) const {
    for (const Ref& ref : step.refs) {
      if (ref.axis == exec::kArrayLength && ref.index >= 0 && !call_.argument(ref.index).null) {
        const calls::ArgumentSpec& spec = call_.argument(ref.index);
        return static_cast<int64_t>(std::max(spec.integers.size(), spec.tensors.size()));
      }
      if (!IsKnownTensor(ref.index) || ref.axis >= exec::kArrayLength) continue;
      const Dims& shape = call_.tensor(ref.index).shape;
      const int64_t axis = ref.axis < 0 ? ref.axis + static_cast<int64_t>(shape.size()) : ref.axis;
      if (axis >= 0 && axis < static_cast<int64_t>(shape.size())) return shape[static_cast<size_t>(axis)];
    }
    return -1;
  }

  Call& call_;
  const exec::Schema& schema_;
  Family family_;
};

}  // namespace

void DescribeOutputs(Call& call, const std::map<int, aclDataType>& dtypes, const std::map<int, Dims>& shapes) {
  const Rules rules(call);
  for (const int index : call.schema().tensors) {
    const bool is_output = call.schema().args[static_cast<size_t>(index)].role == exec::Role::kOutput;
    if (!is_output || call.argument(index).null) continue;
    const auto dtype = dtypes.find(index);
    const auto shape = shapes.find(index);
    for (calls::TensorSpec& tensor : call.argument(index).tensors) {
      tensor.dtype = dtype != dtypes.end() ? dtype->second : rules.DtypeOf(index);
      tensor.shape = shape != shapes.end() ? shape->second : rules.ShapeOf(index);
    }
  }
}

}  // namespace portacl::tool
