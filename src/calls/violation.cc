// SPDX-License-Identifier: Apache-2.0
// Mistakes made from the words of a schema, see violation.h.
#include "calls/violation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/dtype.h"
#include "base/product.h"
#include "exec/shape_rule.h"

namespace portacl::calls {
namespace {

using exec::Limits;
using exec::Ref;
using exec::Step;
using exec::Word;

constexpr int64_t kHuge = int64_t{1} << 40;

constexpr int kPrivateFormats[] = {ACL_FORMAT_UNDEFINED,
                                   ACL_FORMAT_NC1HWC0,
                                   ACL_FORMAT_FRACTAL_Z,
                                   ACL_FORMAT_NC1HWC0_C04,
                                   ACL_FORMAT_FRACTAL_NZ,
                                   ACL_FORMAT_NDC1HWC0,
                                   ACL_FRACTAL_Z_3D,
                                   ACL_FORMAT_FRACTAL_NZ_C0_16,
                                   ACL_FORMAT_FRACTAL_NZ_C0_32,
                                   ACL_FORMAT_FRACTAL_NZ_C0_2,
                                   ACL_FORMAT_FRACTAL_NZ_C0_4,
                                   ACL_FORMAT_FRACTAL_NZ_C0_8,
                                   5,
                                   48,
                                   1000};

class Finder {
 public:
  explicit Finder(const exec::OperatorEntry& entry) : schema_(*entry.schema), valid_(MakeValidCall(entry)) {}

  std::vector<Violation> Find() {
    for (size_t i = 0; i < schema_.steps.size(); ++i) {
      step_ = i;
      for (int place = 0; place < schema_.steps[i].refs.count; ++place) AddFor(schema_.steps[i], place);
    }
    return std::move(found_);
  }

 private:
  bool IsTensorArg(const Ref& ref) const {
    return ref.index >= 0 && exec::IsTensor(schema_.args[static_cast<size_t>(ref.index)].kind);
  }
  // An argument that the valid call leaves out cannot be wrong.
  bool IsGiven(const Ref& ref) { return ref.index < 0 || !valid_.argument(ref.index).null; }

  void Add(const Step& step, int place, std::string what, std::function<void(Call&)> apply) {
    const Ref& ref = step.refs[place];
    found_.push_back({step_, place, step.status, ref.index, ref.name, std::move(what), std::move(apply), false});
  }
  void AddShape(const Step& step, int place, std::string what, std::function<void(TensorSpec&)> change) {
    const int index = step.refs[place].index;
    Add(step, place, std::move(what), [index, change](Call& call) { change(call.tensor(index)); });
  }
  void AddInteger(const Step& step, int64_t value) {
    const int index = step.refs[0].index;
    Add(step, 0, fmt::format("value {}", value), [index, value](Call& call) { call.argument(index).integer = value; });
  }

  void AddFor(const Step& step, int place) {
    const Ref& ref = step.refs[place];
    if (!IsGiven(ref)) return;
    const Limits& limits = step.LimitsOn(CurrentProduct().family);
    switch (step.word) {
      case Word::kNotNull:
        AddNull(step, place);
        break;
      case Word::kDtypeOneOf:
        AddDtypes(step, place, limits);
        break;
      case Word::kSameDtype:
        if (place > 0 && IsTensorArg(ref)) AddOtherDtypes(step, place);
        break;
      case Word::kPlainFormat:
        for (const int format : kPrivateFormats) {
          AddShape(step, place, fmt::format("format {}", format),
                   [format](TensorSpec& tensor) { tensor.format = static_cast<aclFormat>(format); });
        }
        break;
      case Word::kRank:
        AddRanks(step, place, limits);
        break;
      case Word::kNotEmpty:
        AddEmpty(step, place);
        break;
      case Word::kSizeInRange:
        if (IsTensorArg(ref) && ref.axis != exec::kArrayLength) AddSizes(step, place, limits);
        break;
      case Word::kDimInRange:
        if (place == 0) {
          const auto rank = static_cast<int64_t>(valid_.tensor(step.target.index).shape.size());
          AddInteger(step, rank);
          AddInteger(step, -rank - 1);
        }
        break;
      case Word::kValueOneOf:
      case Word::kAttributeIs: {
        int64_t largest = step.values[0];
        for (int i = 0; i < step.value_count; ++i) largest = std::max(largest, step.values[i]);
        AddInteger(step, largest + 1);
        break;
      }
      case Word::kValueAtLeast:
        AddSmallValues(step);
        break;
      case Word::kShapeIs:
        if (place == 0) AddShapes(step);
        break;
      default:
        break;  // words whose violation another argument's freedom could repair, and rules of rooms
    }
  }

  void AddNull(const Step& step, int place) {
    const int index = step.refs[place].index;
    Add(step, place, "null", [index](Call& call) {
      if (index == exec::kWorkspaceSizeArg) {
        call.null_workspace_size = true;
      } else if (index == exec::kExecutorArg) {
        call.null_executor = true;
      } else {
        call.argument(index).null = true;
      }
    });
    if (index >= 0 && schema_.args[static_cast<size_t>(index)].kind == exec::ValueKind::kTensorList) {
      Add(step, place, "null element", [index](Call& call) { call.tensor(index).null = true; });
    }
  }

  // Other tensors follow, or a step about shapes would speak first.
  void AddEmpty(const Step& step, int place) {
    const int index = step.refs[place].index;
    Add(step, place, "no elements", [index](Call& call) {
      Dims& shape = call.tensor(index).shape;
      shape.assign(std::max<size_t>(shape.size(), 1), 0);
      for (const Step& rule : call.schema().steps) {
        if (rule.word != Word::kShapeIs || rule.refs[0].index == index) continue;
        const CallObjects objects(call.schema(), call.arguments());
        Shape computed;
        if (!exec::ComputeShape(call.schema(), rule.refs[0].index, objects.values(), &computed)) continue;
        call.tensor(rule.refs[0].index).shape.assign(computed.dims, computed.dims + computed.rank);
      }
    });
    found_.back().changes_others = true;
  }

  void AddDtypes(const Step& step, int place, const Limits& limits) {
    const int index = step.refs[place].index;
    std::vector<int> wrong = {ACL_DT_UNDEFINED, 5, 64, 777, -5};
    for (const DtypeInfo& info : kDtypes) wrong.push_back(info.dtype);
    for (const int dtype : wrong) {
      if (limits.dtypes.Holds(static_cast<aclDataType>(dtype))) continue;
      Add(step, place, fmt::format("dtype {}", dtype), [index, dtype](Call& call) {
        call.argument(index).integer = dtype;
        for (TensorSpec& tensor : call.argument(index).tensors) tensor.dtype = static_cast<aclDataType>(dtype);
      });
    }
  }

  // Every dtype that the argument, or else the measure, may have, and the measure has not.
  void AddOtherDtypes(const Step& step, int place) {
    exec::DtypeSet allowed = DtypesOf(step.refs[place].index);
    if (allowed.empty()) allowed = DtypesOf(step.refs[0].index);
    const aclDataType measure = IsTensorArg(step.refs[0])
                                    ? valid_.tensor(step.refs[0].index).dtype
                                    : static_cast<aclDataType>(valid_.argument(step.refs[0].index).integer);
    for (const DtypeInfo& info : kDtypes) {
      if (info.dtype == measure || !allowed.Holds(info.dtype)) continue;
      AddShape(step, place, std::string("dtype ") + info.name,
               [dtype = info.dtype](TensorSpec& tensor) { tensor.dtype = dtype; });
    }
  }

  exec::DtypeSet DtypesOf(int index) const {
    exec::DtypeSet dtypes;
    for (const Step& step : schema_.steps) {
      if (step.word != Word::kDtypeOneOf) continue;
      for (const Ref& ref : step.refs) {
        if (ref.index == index) dtypes = step.LimitsOn(CurrentProduct().family).dtypes;
      }
    }
    return dtypes;
  }

  void AddRanks(const Step& step, int place, const Limits& limits) {
    for (const int64_t rank : {limits.high + 1, int64_t{25}}) {
      AddShape(step, place, fmt::format("rank {}", rank),
               [rank](TensorSpec& tensor) { tensor.shape.assign(static_cast<size_t>(rank), 1); });
    }
    if (limits.low > 0) {
      AddShape(step, place, "a rank too low",
               [low = limits.low](TensorSpec& tensor) { tensor.shape.assign(static_cast<size_t>(low - 1), 1); });
    }
    AddShape(step, place, "a negative offset", [](TensorSpec& tensor) { tensor.offset = -1; });
    AddShape(step, place, "an offset beyond int64",
             [](TensorSpec& tensor) { tensor.offset = std::numeric_limits<int64_t>::max(); });
    if (valid_.tensor(step.refs[place].index).shape.empty()) return;
    AddShape(step, place, "a negative dim", [](TensorSpec& tensor) { tensor.shape.back() = -1; });
    AddShape(step, place, "a negative stride",
             [](TensorSpec& tensor) { tensor.strides = tensor.Strides(), tensor.strides->back() = -1; });
    AddShape(step, place, "an extent beyond int64", [](TensorSpec& tensor) {
      tensor.strides = Dims(tensor.shape.size(), std::numeric_limits<int64_t>::max() / 2);
    });
    if (valid_.tensor(step.refs[place].index).shape.size() < 2) return;
    AddShape(step, place, "a count beyond int64", [](TensorSpec& tensor) {
      tensor.strides = Dims(tensor.shape.size(), 0);
      for (int64_t& size : tensor.shape) size = kHuge;
    });
  }

  void AddSizes(const Step& step, int place, const Limits& limits) {
    const Ref ref = step.refs[place];
    for (const int64_t size : {limits.low, limits.high}) {
      const bool is_low = size == limits.low;
      if (is_low ? size <= 0 : size == std::numeric_limits<int64_t>::max()) continue;
      AddShape(step, place, fmt::format("size beyond {}", size), [=](TensorSpec& tensor) {
        const auto axis =
            static_cast<size_t>(ref.axis < 0 ? ref.axis + static_cast<int>(tensor.shape.size()) : ref.axis);
        tensor.strides = Dims(tensor.shape.size(), 0);
        tensor.shape[axis] = is_low ? size - 1 : size + 1;
      });
      found_.back().changes_others = IsTiedBefore(ref.index);
    }
  }

  // An earlier step compares sizes of the operand with another's, and would answer first.
  bool IsTiedBefore(int index) const {
    return std::any_of(
        schema_.steps.begin(), schema_.steps.begin() + static_cast<ptrdiff_t>(step_), [=](const Step& step) {
          return (step.word == Word::kSameSize || step.word == Word::kSameSizeOrOne) &&
                 std::any_of(step.refs.begin(), step.refs.end(), [=](const Ref& ref) { return ref.index == index; });
        });
  }

  bool MayHaveRank(int index, size_t rank) const {
    return std::all_of(schema_.steps.begin(), schema_.steps.end(), [=](const Step& step) {
      const Limits& limits = step.LimitsOn(CurrentProduct().family);
      const bool fits = limits.low <= static_cast<int64_t>(rank) && static_cast<int64_t>(rank) <= limits.high;
      return step.word != Word::kRank || fits ||
             std::none_of(step.refs.begin(), step.refs.end(), [=](const Ref& ref) { return ref.index == index; });
    });
  }

  void AddSmallValues(const Step& step) {
    const int index = step.refs[0].index;
    for (const double value : {step.real_low - 1, std::nan("")}) {
      const exec::ValueKind kind = schema_.args[static_cast<size_t>(index)].kind;
      const bool is_real =
          kind == exec::ValueKind::kDouble || kind == exec::ValueKind::kFloat || kind == exec::ValueKind::kScalar;
      if (std::isnan(value) && !is_real) continue;
      Add(step, 0, fmt::format("value {}", value), [=](Call& call) {
        ArgumentSpec& spec = call.argument(index);
        spec.real = value;
        if (is_real) return;
        spec.integer = static_cast<int64_t>(value);
        for (int64_t& element : spec.integers) element = spec.integer;
      });
    }
  }

  void AddShapes(const Step& step) {
    const Dims& shape = valid_.tensor(step.refs[0].index).shape;
    const bool any_single_element = step.shape == exec::ShapeWord::kReducedBroadcastOf;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      AddShape(step, 0, fmt::format("axis {} one longer", axis), [axis](TensorSpec& tensor) { ++tensor.shape[axis]; });
    }
    const int index = step.refs[0].index;
    if (!any_single_element && MayHaveRank(index, shape.size() + 1)) {
      AddShape(step, 0, "one axis more", [](TensorSpec& tensor) { tensor.shape.insert(tensor.shape.begin(), 1); });
    }
    if (!shape.empty() && MayHaveRank(index, shape.size() - 1))
      AddShape(step, 0, "one axis less", [](TensorSpec& tensor) { tensor.shape.pop_back(); });
  }

  const exec::Schema& schema_;
  Call valid_;
  size_t step_ = 0;
  std::vector<Violation> found_;
};

}  // namespace

std::vector<Violation> ViolationsOf(const exec::OperatorEntry& entry) { return Finder(entry).Find(); }

}  // namespace portacl::calls
