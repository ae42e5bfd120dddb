// SPDX-License-Identifier: Apache-2.0
// Words about dtypes and formats, in calls.
#include <fmt/format.h>

#include <algorithm>

#include "base/dtype.h"
#include "base/format.h"
#include "calls/word_calls.h"
#include "tensor/promote.h"

namespace portacl::calls {
namespace {

using exec::Ref;
using exec::Step;
using exec::Word;

void DrawAllowedDtype(Drawing& drawing, const Step& step, Pass pass) {
  if (pass != Pass::kDtypes) return;
  std::vector<aclDataType> allowed;
  for (const DtypeInfo& info : kDtypes) {
    if (step.LimitsOn(drawing.family).dtypes.Holds(info.dtype)) allowed.push_back(info.dtype);
  }
  const bool wanted = std::ranges::find(allowed, drawing.wanted_dtype) != allowed.end();
  const aclDataType dtype = wanted ? drawing.wanted_dtype : drawing.Pick(allowed);
  for (const Ref& ref : step.refs) drawing.SetDtype(ref.index, dtype);
}

// The dtype of a tensor, or the value of a dtype attribute.
aclDataType DtypeOf(Call& call, int index) {
  const ArgumentSpec& spec = call.argument(index);
  return spec.tensors.empty() ? static_cast<aclDataType>(spec.integer) : spec.tensors.front().dtype;
}

bool IsFloatingDtype(aclDataType dtype) {
  const DtypeInfo* info = FindDtype(dtype);
  return info != nullptr && info->kind == DtypeKind::kFloating;
}

// The dtypes that the steps before `end` allow; empty when none does.
exec::DtypeSet DtypesOf(const exec::Schema& schema, int index, const Step* end = nullptr) {
  exec::DtypeSet dtypes;
  for (const Step& step : schema.steps) {
    if (&step == end) break;
    if (step.word != Word::kDtypeOneOf) continue;
    for (const Ref& ref : step.refs) {
      if (ref.index != index) continue;
      const exec::DtypeSet& listed = step.LimitsOn(CurrentSoc().family).dtypes;
      dtypes = dtypes.empty() ? listed : dtypes & listed;
    }
  }
  return dtypes;
}

// Floating dtypes can be cast to each other, so that those chosen for each operand may stay. A scalar is an integer
// where the tensors are, and BOOL becomes INT64 with it.
void DrawStored(Drawing& drawing, const Step& step, Pass pass) {
  if (pass != Pass::kDtypes || !drawing.IsTensor(step.refs[0].index)) return;
  aclDataType dtype = drawing.call.tensor(step.refs[0].index).dtype;
  const bool is_whole = FindDtype(dtype)->kind < DtypeKind::kFloating;
  for (const Ref& ref : step.refs) {
    if (drawing.IsTensor(ref.index)) continue;
    drawing.call.argument(ref.index).number = is_whole ? ACL_INT64 : ACL_FLOAT;
    if (dtype == ACL_BOOL) dtype = ACL_INT64;
  }
  if (!IsFloatingDtype(dtype) || !IsFloatingDtype(drawing.call.tensor(step.target.index).dtype))
    drawing.SetDtype(step.target.index, dtype);
}

// The common dtype of the tensors that a step names; if they have none, all get the dtype of the first.
aclDataType CommonDtype(Drawing& drawing, const Step& step) {
  aclDataType common = ACL_DT_UNDEFINED;
  for (const Ref& ref : step.refs) {
    if (!drawing.IsTensor(ref.index)) continue;
    const aclDataType first = drawing.call.tensor(step.refs[0].index).dtype;
    const aclDataType dtype = drawing.call.tensor(ref.index).dtype;
    common = common == ACL_DT_UNDEFINED ? dtype : PromoteDtypes(common, dtype);
    if (common == ACL_DT_UNDEFINED) {
      for (const Ref& other : step.refs) {
        if (drawing.IsTensor(other.index)) drawing.SetDtype(other.index, first);
      }
      return first;
    }
  }
  return common;
}

bool IsComplexDtype(aclDataType dtype) {
  const DtypeInfo* info = FindDtype(dtype);
  return info != nullptr && info->kind == DtypeKind::kComplex;
}

// A dtype for the scalar that does not change the common one.
aclDataType NumberFor(const Drawing& drawing, aclDataType common) {
  if (common == ACL_BOOL) return ACL_BOOL;
  if (IsComplexDtype(common) && drawing.Chance(0.5)) return ACL_COMPLEX64;
  return FindDtype(common)->kind < DtypeKind::kPackedInteger ? ACL_INT64 : ACL_FLOAT;
}

// Whether an earlier step limits the common type of the scalar and other operands.
bool IsDrawnBefore(const exec::Schema& schema, int scalar, const Step& end) {
  for (const Step& step : schema.steps) {
    if (&step == &end) return false;
    const auto names = [&](const Ref& ref) { return ref.index == scalar; };
    if (step.word == Word::kPromotesOneOf && std::ranges::any_of(step.refs, names)) return true;
  }
  return false;
}

// Gives a dtype to each scalar that a step names, and updates the common dtype.
void DrawScalars(Drawing& drawing, const Step& step, aclDataType* common) {
  for (const Ref& ref : step.refs) {
    if (drawing.IsTensor(ref.index)) continue;
    aclDataType& number = drawing.call.argument(ref.index).number;
    if (IsDrawnBefore(drawing.schema, ref.index, step)) {
      *common = PromoteWithScalar(*common, number);
      continue;
    }
    number = NumberFor(drawing, *common);
    if (drawing.Chance(0.25)) number = drawing.Pick<aclDataType>({ACL_FLOAT, ACL_INT64, ACL_BOOL});
    const bool may_be_complex = DtypesOf(drawing.schema, ref.index, &step).Holds(ACL_COMPLEX64);
    if (may_be_complex && drawing.Chance(0.1)) number = ACL_COMPLEX64;
    if (PromoteWithScalar(*common, number) == ACL_DT_UNDEFINED) number = ACL_INT64;
    *common = PromoteWithScalar(*common, number);
  }
}

void SetFormat(Call& call, const Step& step, int64_t format) {
  for (const Ref& ref : step.refs) {
    for (TensorSpec& tensor : call.argument(ref.index).tensors) tensor.format = static_cast<aclFormat>(format);
  }
}

}  // namespace

void SetFormats(Call& call) {
  for (const Step& step : call.schema().steps) {
    if (step.word == Word::kFormatOneOf) SetFormat(call, step, step.values[0]);
  }
}

const WordCalls kDtypeOneOfCalls = {
    .text = "{refs}: dtype {dtypes}",
    .broken = "a dtype not listed",
    .draw = DrawAllowedDtype,
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const int index = step.refs[place].index;
          const exec::ValueKind kind = violations.schema.args[static_cast<size_t>(index)].kind;
          if (kind == exec::ValueKind::kScalar || kind == exec::ValueKind::kScalarList) return;
          std::vector<int> wrong = {ACL_DT_UNDEFINED, 5, 64, 777, -5};
          for (const DtypeInfo& info : kDtypes) wrong.push_back(info.dtype);
          const exec::DtypeSet before = DtypesOf(violations.schema, index, &step);
          for (const int dtype : wrong) {
            if (!before.empty() && !before.Holds(static_cast<aclDataType>(dtype))) continue;
            if (step.LimitsOn(CurrentSoc().family).dtypes.Holds(static_cast<aclDataType>(dtype))) continue;
            violations.Add(step, place, fmt::format("dtype {}", dtype), [index, dtype](Call& call) {
              call.argument(index).integer = dtype;
              for (TensorSpec& tensor : call.argument(index).tensors) tensor.dtype = static_cast<aclDataType>(dtype);
            });
          }
        },
};

const WordCalls kSameDtypeCalls = {
    .text = "{refs}: the same dtype",
    .broken = "dtypes that differ",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kDtypes) return;
          const aclDataType measure = DtypeOf(drawing.call, step.refs[0].index);
          for (const Ref& ref : step.refs) {
            if (drawing.IsTensor(ref.index)) drawing.SetDtype(ref.index, measure);
          }
        },
    // Every dtype that the argument, or otherwise the reference operand, may have, and that the reference operand does
    // not have.
    .violate =
        [](Violations& violations, const Step& step, int place) {
          const int index = step.refs[place].index;
          if (place == 0 || !violations.IsTensor(index)) return;
          exec::DtypeSet allowed = DtypesOf(violations.schema, index);
          if (allowed.empty()) allowed = DtypesOf(violations.schema, step.refs[0].index);
          const aclDataType measure = DtypeOf(violations.valid, step.refs[0].index);
          for (const DtypeInfo& info : kDtypes) {
            if (info.dtype == measure || !allowed.Holds(info.dtype)) continue;
            violations.AddTensor(step, place, fmt::format("dtype {}", info.name),
                                 [dtype = info.dtype](TensorSpec& tensor) { tensor.dtype = dtype; });
          }
        },
};

const WordCalls kPromotesOneOfCalls = {
    .text = "{refs}: common dtype {dtypes}",
    .broken = "no common dtype of {refs} that is listed",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kDtypes) return;
          aclDataType common = CommonDtype(drawing, step);
          DrawScalars(drawing, step, &common);
          if (step.LimitsOn(drawing.family).dtypes.Holds(common)) return;
          DrawAllowedDtype(drawing, step, pass);
          common = CommonDtype(drawing, step);
          for (const Ref& ref : step.refs) {
            if (!drawing.IsTensor(ref.index)) drawing.call.argument(ref.index).number = NumberFor(drawing, common);
          }
        },
    .violate = ViolateNothing,
};

const WordCalls kPromotesToCalls = {
    .text = "{refs}: a common dtype that can be cast to that of {target}",
    .broken = "a dtype of {target} that cannot hold results of {refs}",
    .draw = DrawStored,
    .violate = ViolateNothing,
};

const WordCalls kStoresToCalls = {
    .text = "{refs}: a common dtype that can be cast to that of {target}",
    .broken = "a dtype of {target} that cannot hold results of {refs}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kDtypes) return;
          aclDataType common = CommonDtype(drawing, step);
          DrawScalars(drawing, step, &common);
          if (!CanStore(common, drawing.call.tensor(step.target.index).dtype))
            drawing.SetDtype(step.target.index, common);
        },
    .violate = ViolateNothing,
};

const WordCalls kScalarFitsCalls = {
    .text = "{target}: a dtype that can be cast to the common one of {refs}, BOOL from integers, too",
    .broken = "a dtype of {target} that cannot be cast to the common one of {refs}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass == Pass::kDtypes)
            drawing.call.argument(step.target.index).number = NumberFor(drawing, CommonDtype(drawing, step));
        },
    .violate = ViolateNothing,
};

const WordCalls kPlainFormatCalls = {
    .text = "{refs}: format ND or one that only labels the axes",
    .broken = "a private format",
    .draw = DrawNothing,
    .violate =
        [](Violations& violations, const Step& step, int place) {
          std::vector<int> wrong;
          for (const FormatInfo& info : kFormats) {
            if (!info.plain) wrong.push_back(info.format);
          }
          wrong.insert(wrong.end(), {5, 48, 1000});  // values that are no formats
          for (const int format : wrong) {
            violations.AddTensor(step, place, fmt::format("format {}", format),
                                 [format](TensorSpec& tensor) { tensor.format = static_cast<aclFormat>(format); });
          }
        },
};

const WordCalls kFormatOneOfCalls = {
    .text = "{refs}: format {formats}, the same for all",
    .broken = "a format that is not {formats}, or another than that of {operand}",
    .draw =
        [](Drawing& drawing, const Step& step, Pass pass) {
          if (pass != Pass::kDtypes) return;
          SetFormat(drawing.call, step,
                    drawing.Pick(std::vector<int64_t>(step.values, step.values + step.value_count)));
        },
    .violate =
        [](Violations& violations, const Step& step, int place) {
          std::vector<int> wrong = {5, 48, 1000};  // values that are no formats
          for (const FormatInfo& info : kFormats) wrong.push_back(info.format);
          for (const int format : wrong) {
            const bool is_listed = std::count(step.values, step.values + step.value_count, format) != 0;
            if (is_listed && (place == 0 || format == violations.valid.tensor(step.refs[0].index).format)) continue;
            violations.AddTensor(step, place, fmt::format("format {}", format),
                                 [format](TensorSpec& tensor) { tensor.format = static_cast<aclFormat>(format); });
          }
        },
};

}  // namespace portacl::calls
