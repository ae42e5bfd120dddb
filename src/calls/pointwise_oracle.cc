// SPDX-License-Identifier: Apache-2.0
#include "calls/pointwise_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/dtype.h"
#include "calls/element.h"
#include "tensor/promote.h"

namespace portacl::calls {
namespace {

bool IsWhole(aclDataType dtype) { return FindFloatFormat(dtype) == nullptr; }

// One argument as numbers, and where the elements of the broadcast are in it.
struct Input {
  const TensorSpec* tensor;
  const std::vector<std::byte>* bytes;
  std::vector<int64_t> strides;  // of the axes of the broadcast, in elements
};

LongDouble RoundTo(aclDataType dtype, LongDouble value) {
  if (dtype == ACL_FLOAT) return static_cast<float>(value);
  return static_cast<double>(value);
}

// What the low bits of a number mean in an integer dtype.
Int128 Wrap(aclDataType dtype, Int128 value) {
  if (dtype == ACL_BOOL) return value != 0 ? 1 : 0;
  const int bits = static_cast<int>(8 * ElementBytes(dtype));
  const Int128 modulus = Int128{1} << bits;
  value &= modulus - 1;
  const bool is_signed = FindDtype(dtype)->kind == DtypeKind::kSigned;
  return is_signed && value >= modulus / 2 ? value - modulus : value;
}

class Calculation {
 public:
  Calculation(OracleCall& call, const exec::Schema& schema, const PointwiseFormula& formula)
      : call_(call), formula_(formula) {
    for (size_t i = 0; i < schema.args.size(); ++i) {
      const exec::Arg& arg = schema.args[i];
      if (arg.kind == exec::ValueKind::kTensor) {
        if (arg.written()) out_ = arg.name;
        if (arg.role == exec::Role::kOutput) continue;
        inputs_.push_back({&call.Tensor(arg.name), &call.Bytes(arg.name), {}});
        Promote(call.Tensor(arg.name).dtype, PromoteDtypes);
      } else if (arg.kind == exec::ValueKind::kScalar) {
        // It is handed over in its dtype.
        const ArgumentSpec& scalar = call.Argument(arg.name);
        scalars_.push_back(scalar.number == ACL_FLOAT   ? static_cast<float>(scalar.real)
                           : scalar.number == ACL_INT64 ? LongDouble(WholeNumber(scalar.real))

                                                        : LongDouble(scalar.real != 0));
        if (std::ssize(scalar_dtypes_) < formula.promoting_scalars)
          scalar_dtypes_.push_back(call.Argument(arg.name).number);
      } else {
        attributes_.push_back(static_cast<LongDouble>(call.Integer(arg.name)));
      }
    }
    for (const aclDataType dtype : scalar_dtypes_) Promote(dtype, PromoteWithScalar);
    if (formula.scalars != nullptr) formula.scalars(scalars_.data());
  }

  void Run() {
    const Dims& shape = call_.Tensor(out_).shape;
    const auto count = static_cast<size_t>(ElementCount(shape));
    for (Input& input : inputs_) input.strides = StridesIn(*input.tensor, shape);
    const aclDataType to = call_.Tensor(out_).dtype;
    const bool as_whole = IsWhole(dtype_) && formula_.whole != nullptr;
    if (as_whole) {
      call_.ExactBytes(out_).resize(count * ElementBytes(to));
    } else {
      call_.Values(out_).resize(count);
      if (to == ACL_DOUBLE) call_.Tails(out_).resize(count);
      if (formula_.term != nullptr) call_.Terms(out_).resize(count);
    }
    std::vector<int64_t> at(inputs_.size(), 0);
    Dims index(shape.size(), 0);
    for (size_t i = 0; i < count; ++i) {
      if (as_whole) {
        StoreWhole(WholeAt(at), to, call_.ExactBytes(out_).data() + i * ElementBytes(to));
      } else {
        StoreReal(at, i);
      }
      Step(shape, &index, &at);
    }
  }

 private:
  void Promote(aclDataType dtype, aclDataType (*with)(aclDataType, aclDataType) noexcept) {
    dtype_ = dtype_ == ACL_DT_UNDEFINED ? dtype : with(dtype_, dtype);
  }

  static std::vector<int64_t> StridesIn(const TensorSpec& tensor, const Dims& shape) {
    const Dims own = ContiguousStrides(tensor.shape);
    std::vector<int64_t> strides(shape.size(), 0);
    const size_t missing = shape.size() - tensor.shape.size();
    for (size_t axis = 0; axis < own.size(); ++axis) {
      if (tensor.shape[axis] != 1) strides[axis + missing] = own[axis];
    }
    return strides;
  }

  void Step(const Dims& shape, Dims* index, std::vector<int64_t>* at) const {
    for (size_t axis = shape.size(); axis-- > 0;) {
      const bool again = ++(*index)[axis] == shape[axis];
      for (size_t i = 0; i < inputs_.size(); ++i)
        (*at)[i] += again ? -inputs_[i].strides[axis] * (shape[axis] - 1) : inputs_[i].strides[axis];
      if (!again) return;
      (*index)[axis] = 0;
    }
  }

  const std::byte* ElementAt(size_t input, int64_t at) const {
    return inputs_[input].bytes->data() + static_cast<size_t>(at) * ElementBytes(inputs_[input].tensor->dtype);
  }

  Int128 WholeAt(const std::vector<int64_t>& at) const {
    std::vector<Int128> x;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const auto value = static_cast<Int128>(LoadElement(inputs_[i].tensor->dtype, ElementAt(i, at[i])));
      x.push_back(Wrap(dtype_, value));
    }
    for (const LongDouble scalar : scalars_) x.push_back(Wrap(dtype_, static_cast<Int128>(scalar)));
    for (const LongDouble attribute : attributes_) x.push_back(static_cast<Int128>(attribute));
    return formula_.whole(x.data());
  }

  void StoreWhole(Int128 value, aclDataType to, std::byte* element) const {
    if (!formula_.gives_bool) value = Wrap(dtype_, value);
    if (IsWhole(to)) {
      const Int128 stored = Wrap(to, value);
      std::memcpy(element, &stored, ElementBytes(to));  // the machine is little-endian
    } else {
      StoreElement(to, static_cast<LongDouble>(value), element);
    }
  }

  void StoreReal(const std::vector<int64_t>& at, size_t place) {
    const bool is_long = dtype_ == ACL_INT32 || dtype_ == ACL_INT64 || dtype_ == ACL_UINT32 || dtype_ == ACL_UINT64;
    const aclDataType computed =
        dtype_ == ACL_DOUBLE || is_long || (IsWhole(dtype_) && formula_.in_double) ? ACL_DOUBLE : ACL_FLOAT;
    std::vector<LongDouble> x;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const LongDouble value = LoadElement(inputs_[i].tensor->dtype, ElementAt(i, at[i]));
      x.push_back(RoundTo(computed, inputs_[i].tensor->dtype == ACL_BOOL ? (value != 0 ? 1 : 0) : value));
    }
    for (const LongDouble scalar : scalars_) x.push_back(RoundTo(computed, scalar));
    for (const LongDouble attribute : attributes_) x.push_back(attribute);
    const LongDouble result = formula_.real(x.data());
    const auto value = static_cast<double>(result);
    call_.Values(out_)[place] = value;
    if (!call_.Tails(out_).empty() && std::isfinite(value))
      call_.Tails(out_)[place] = static_cast<double>(result - static_cast<LongDouble>(value));
    if (formula_.term != nullptr) call_.Terms(out_)[place] = static_cast<double>(formula_.term(x.data()));
  }

  OracleCall& call_;
  const PointwiseFormula& formula_;
  std::vector<Input> inputs_;
  std::vector<LongDouble> scalars_;
  std::vector<aclDataType> scalar_dtypes_;
  std::vector<LongDouble> attributes_;
  const char* out_ = nullptr;
  aclDataType dtype_ = ACL_DT_UNDEFINED;
};

}  // namespace

bool ComputePointwise(OracleCall& call, std::span<const PointwiseFormula> formulas) {
  const auto is_of = [&](const PointwiseFormula& formula) {
    constexpr std::string_view kInplace = "aclnnInplace";
    const std::string_view name = formula.api.substr(std::string_view("aclnn").size());
    return call.api() == formula.api ||
           (call.api().starts_with(kInplace) && call.api().substr(kInplace.size()) == name);
  };
  const auto formula = std::ranges::find_if(formulas, is_of);
  if (formula == formulas.end()) return false;
  Calculation(call, call.schema(), *formula).Run();
  return true;
}

}  // namespace portacl::calls
