// SPDX-License-Identifier: Apache-2.0
// Makes an acceptable call of a schema, see MakeValidCall in call.h. The steps are read in passes: dtypes, attributes,
// free shapes, then the shapes that rules compute from others.
#include <algorithm>

#include "base/dtype.h"
#include "base/product.h"
#include "calls/call.h"
#include "calls/oracle.h"
#include "exec/shape_rule.h"

namespace portacl::calls {
namespace {

using exec::Step;
using exec::Word;

// More would only repeat the same tiles.
constexpr int64_t kMostElements = 1 << 14;

class Maker {
 public:
  Maker(const exec::OperatorEntry& entry, Random* random)
      : call_(entry), schema_(*entry.schema), family_(CurrentProduct().family), random_(random) {}

  void Enlarge(int64_t elements, aclDataType dtype) {
    elements_ = elements;
    dtype_ = dtype;
  }

  Call Make() {
    StartArguments();
    for (const Step& step : schema_.steps) ChooseDtypes(step);
    for (const Step& step : schema_.steps) ChooseAttributes(step);
    ChooseShapes();
    CompleteCall(call_, random_, elements_);
    return std::move(call_);
  }

 private:
  template <class T>
  T Pick(const std::vector<T>& values) {
    return random_ == nullptr ? values.front() : random_->Pick(values);
  }
  bool Chance(double probability) { return random_ != nullptr && random_->Chance(probability); }

  bool IsTensorArg(int index) const {
    return index >= 0 && exec::IsTensor(schema_.args[static_cast<size_t>(index)].kind);
  }

  void StartArguments() {
    for (size_t i = 0; i < schema_.args.size(); ++i) {
      const exec::Arg& arg = schema_.args[i];
      ArgumentSpec& spec = call_.arguments()[i];
      spec.null = arg.optional && !Chance(0.5);
      if (exec::IsTensor(arg.kind)) spec.tensors.resize(arg.kind == exec::ValueKind::kTensorList ? 2 : 1);
      spec.integers = {1, 1};
    }
    for (const Step& step : schema_.steps) {
      if (step.word == Word::kNotNull || step.word == Word::kNotAllNull) {
        for (const exec::Ref& ref : step.refs) {
          if (ref.index >= 0) call_.argument(ref.index).null = false;
        }
      }
    }
  }

  void ChooseDtypes(const Step& step) {
    if (step.refs.count == 0) return;
    if (step.word == Word::kDtypeOneOf || step.word == Word::kPromotesOneOf) {
      std::vector<aclDataType> allowed;
      for (const DtypeInfo& info : kDtypes) {
        if (step.LimitsOn(family_).dtypes.Holds(info.dtype)) allowed.push_back(info.dtype);
      }
      const bool wished = std::find(allowed.begin(), allowed.end(), dtype_) != allowed.end();
      const aclDataType dtype = wished ? dtype_ : Pick(allowed);
      for (const exec::Ref& ref : step.refs) SetDtype(ref.index, dtype);
    } else if (step.word == Word::kSameDtype) {
      const int measure = step.refs[0].index;
      const aclDataType dtype = IsTensorArg(measure) ? call_.tensor(measure).dtype
                                                     : static_cast<aclDataType>(call_.argument(measure).integer);
      for (const exec::Ref& ref : step.refs) {
        if (IsTensorArg(ref.index)) SetDtype(ref.index, dtype);
      }
    } else if (step.word == Word::kPromotesTo && IsTensorArg(step.refs[0].index)) {
      const aclDataType dtype = call_.tensor(step.refs[0].index).dtype;
      if (!AreFloats(dtype, call_.tensor(step.target.index).dtype)) SetDtype(step.target.index, dtype);
    }
  }

  // Floats can be cast to each other, so that what was drawn for each may stay.
  static bool AreFloats(aclDataType a, aclDataType b) {
    const DtypeInfo *first = FindDtype(a), *second = FindDtype(b);
    return first != nullptr && second != nullptr && first->kind == DtypeKind::kFloating &&
           second->kind == DtypeKind::kFloating;
  }

  void SetDtype(int index, aclDataType dtype) {
    call_.argument(index).integer = dtype;  // when it is a dtype attribute
    for (TensorSpec& tensor : call_.argument(index).tensors) tensor.dtype = dtype;
  }

  void ChooseAttributes(const Step& step) {
    if (step.refs.count == 0 || step.refs[0].index < 0) return;
    ArgumentSpec& spec = call_.argument(step.refs[0].index);
    if (step.word == Word::kValueOneOf || step.word == Word::kAttributeIs) {
      spec.integer = Pick(std::vector<int64_t>(step.values, step.values + step.value_count));
    } else if (step.word == Word::kValueAtLeast) {
      spec.real = std::max(1.0, step.real_low);
      spec.integer = static_cast<int64_t>(spec.real);
      for (int64_t& value : spec.integers) value = spec.integer;
    } else if (step.word == Word::kDimInRange) {
      spec.integer = -1;
    }
  }

  // All free tensors get one shape: rules that compare them hold then. Even sizes satisfy those that halve one.
  void ChooseShapes() {
    int64_t low = 0, high = kMaxRank, divisor = 2;
    for (const Step& step : schema_.steps) {
      if (step.word == Word::kRank) {
        low = std::max(low, step.LimitsOn(family_).low);
        high = std::min(high, step.LimitsOn(family_).high);
      }
      if (step.word == Word::kDivisibleAlong) divisor = std::max(divisor, step.LimitsOn(family_).low);
    }
    high = std::max(low, high);  // ranks that exclude each other: the room completes the call
    const int64_t rank = random_ != nullptr ? random_->Between(low, high) : std::clamp<int64_t>(2, low, high);
    Dims shape;
    for (int64_t axis = 0; axis < rank; ++axis)
      shape.push_back(random_ != nullptr ? divisor * random_->Between(1, 3) : divisor * (axis + 1));
    // Sometimes one long axis, so that whole vectors, their tails and several tiles occur.
    if (rank > 0 && Chance(0.3)) shape[static_cast<size_t>(random_->Below(rank))] = divisor * random_->Between(1, 600);
    if (rank > 0 && Chance(0.05) && !MustHaveElements()) shape[static_cast<size_t>(random_->Below(rank))] = 0;
    if (rank > 0 && elements_ > 0) EnlargeShape(shape, divisor);
    while (elements_ == 0 && ElementCount(shape) > kMostElements)
      *std::max_element(shape.begin(), shape.end()) = divisor;
    for (const int index : schema_.tensors) {
      for (TensorSpec& tensor : call_.argument(index).tensors) tensor.shape = shape;
    }
    for (int pass = 0; pass < 2; ++pass) {  // limits may follow the comparison of what they change
      for (const Step& step : schema_.steps) ChooseSizes(step);
    }
    for (const Step& step : schema_.steps) ChooseAxis(step);
    for (const Step& step : schema_.steps) ChooseBroadcast(step);
    for (const Step& step : schema_.steps) {
      if (step.word == Word::kShapeIs && step.shape != exec::ShapeWord::kBroadcastsTo)
        ComputeShapeOf(step.refs[0].index);
    }
  }

  // Rows of 1024, as many as it takes; one axis has them all when there is no other.
  void EnlargeShape(Dims& shape, int64_t divisor) const {
    constexpr int64_t kRow = 1024;
    if (shape.size() > 1) shape.back() = std::max(divisor, kRow / divisor * divisor);
    shape.front() = divisor;
    const int64_t others = std::max<int64_t>(1, ElementCount(shape) / divisor);
    shape.front() = std::max<int64_t>(1, elements_ / others / divisor) * divisor;
  }

  bool MustHaveElements() const {
    return std::any_of(schema_.steps.begin(), schema_.steps.end(),
                       [](const Step& step) { return step.word == Word::kNotEmpty; });
  }

  int64_t* Size(const exec::Ref& ref) {
    if (ref.axis == exec::kWholeArgument || ref.axis == exec::kArrayLength || !IsTensorArg(ref.index)) return nullptr;
    Dims& shape = call_.tensor(ref.index).shape;
    const int64_t axis = ref.axis < 0 ? ref.axis + static_cast<int64_t>(shape.size()) : ref.axis;
    return axis >= 0 && axis < static_cast<int64_t>(shape.size()) ? &shape[static_cast<size_t>(axis)] : nullptr;
  }

  void ChooseSizes(const Step& step) {
    const bool same = step.word == Word::kSameSize || step.word == Word::kSameSizeOrOne;
    if (!same && step.word != Word::kSizeInRange) return;
    const exec::Limits& limits = step.LimitsOn(family_);
    const int64_t* first = Size(step.refs[0]);
    for (const exec::Ref& ref : step.refs) {
      if (int64_t* size = Size(ref))
        *size = same ? (first != nullptr ? *first : *size) : std::clamp(*size, limits.low, limits.high);
      if (same && ref.axis == exec::kArrayLength && !IsTensorArg(ref.index) && first != nullptr) {
        call_.argument(ref.index).integers.assign(static_cast<size_t>(*first), 1);
      }
    }
  }

  void ChooseAxis(const Step& step) {
    if (step.word != Word::kDimInRange || random_ == nullptr) return;
    const auto rank = static_cast<int64_t>(call_.tensor(step.target.index).shape.size());
    if (rank > 0) call_.argument(step.refs[0].index).integer = random_->Between(-rank, rank - 1);
  }

  // Sometimes an input that is broadcast has axes of size 1, or lacks the first ones.
  void ChooseBroadcast(const Step& step) {
    const bool broadcasts =
        step.shape == exec::ShapeWord::kBroadcastOf || step.shape == exec::ShapeWord::kReducedBroadcastOf;
    if (step.word != Word::kShapeIs || random_ == nullptr) return;
    if (step.shape == exec::ShapeWord::kBroadcastsTo) ShrinkShape(step.refs[0].index);
    if (!broadcasts) return;
    for (int i = 1; i < step.refs.count; ++i) {
      const exec::Ref& ref = step.refs[i];
      if (ref.index != step.refs[0].index) ShrinkShape(ref.index);
    }
  }

  void ShrinkShape(int index) {
    if (!IsTensorArg(index) || !Chance(0.4)) return;
    Dims& shape = call_.tensor(index).shape;
    for (int64_t& size : shape) {
      if (Chance(0.5)) size = 1;
    }
    if (Chance(0.3)) shape.erase(shape.begin(), shape.begin() + random_->Between(0, std::ssize(shape)));
  }

  void ComputeShapeOf(int index) {
    if (!IsTensorArg(index)) return;
    const CallObjects objects(schema_, call_.arguments());
    Shape shape;
    if (!exec::ComputeShape(schema_, index, objects.values(), &shape)) return;
    for (TensorSpec& tensor : call_.argument(index).tensors) tensor.shape.assign(shape.dims, shape.dims + shape.rank);
  }

  Call call_;
  const exec::Schema& schema_;
  Family family_;
  Random* random_;
  int64_t elements_ = 0;  // 0: small
  aclDataType dtype_ = ACL_DT_UNDEFINED;
};

}  // namespace

Call MakeValidCall(const exec::OperatorEntry& entry, Random* random) { return Maker(entry, random).Make(); }

Call MakeLargeCall(const exec::OperatorEntry& entry, int64_t elements, aclDataType dtype) {
  Maker maker(entry, nullptr);
  maker.Enlarge(elements, dtype);
  return maker.Make();
}

}  // namespace portacl::calls
