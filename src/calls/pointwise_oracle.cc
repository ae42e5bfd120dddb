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

bool IsWhole(aclDataType dtype) { return FindFloatFormat(PartDtype(dtype)) == nullptr; }
bool IsComplex(aclDataType dtype) { return PartDtype(dtype) != dtype; }

LongDouble RoundTo(aclDataType dtype, LongDouble value) {
  if (dtype == ACL_FLOAT) return static_cast<float>(value);
  return static_cast<double>(value);
}
Complex RoundTo(aclDataType part, Complex value) { return {RoundTo(part, value.real()), RoundTo(part, value.imag())}; }

// The low bits of a scalar as an integer.
Int128 Modulo(LongDouble value) {
  return std::isfinite(value) ? static_cast<Int128>(std::fmod(std::trunc(value), 0x1p64L)) : 0;
}

// Arithmetic on integers of one dtype.
class Integers {
 public:
  explicit Integers(aclDataType dtype)
      : bytes_(ElementBytes(dtype)),
        modulus_(Int128{1} << (8 * bytes_)),
        is_bool_(dtype == ACL_BOOL),
        is_signed_(FindDtype(dtype)->kind == DtypeKind::kSigned) {}

  // The value of a number's low bits.
  Int128 Wrap(Int128 value) const {
    if (is_bool_) return value != 0 ? 1 : 0;
    value &= modulus_ - 1;
    return is_signed_ && value >= modulus_ / 2 ? value - modulus_ : value;
  }
  Int128 Load(const std::byte* element) const {
    uint64_t bits = 0;
    std::memcpy(&bits, element, bytes_);
    return Wrap(bits);
  }
  void Store(Int128 value, std::byte* element) const {
    const Int128 stored = Wrap(value);
    std::memcpy(element, &stored, bytes_);  // the machine is little-endian
  }

 private:
  size_t bytes_;
  Int128 modulus_;
  bool is_bool_;
  bool is_signed_;
};

// One argument, and its strides in the broadcast.
struct Input {
  const TensorSpec* tensor;
  const std::vector<std::byte>* bytes;
  std::vector<int64_t> strides;   // along the axes of the broadcast, in elements
  std::vector<LongDouble> reals;  // the elements as real numbers
  std::vector<Int128> integers;   // or as integers
  std::vector<Complex> complex;   // or as complex numbers
};

class Calculation {
 public:
  Calculation(OracleCall& call, const exec::Schema& schema, const PointwiseFormula& formula)
      : call_(call), formula_(formula) {
    for (size_t i = 0; i < schema.args.size(); ++i) {
      const exec::Arg& arg = schema.args[i];
      if (arg.kind == exec::ValueKind::kTensor) {
        if (arg.written()) out_ = arg.name;
        if (arg.role == exec::Role::kOutput || call.Argument(arg.name).null) continue;
        inputs_.push_back({&call.Tensor(arg.name), &call.Bytes(arg.name), {}, {}, {}, {}});
        if (std::ssize(inputs_) > formula.conditions) Promote(call.Tensor(arg.name).dtype, PromoteDtypes);
      } else if (arg.kind == exec::ValueKind::kScalar) {
        // The scalar is passed in its own dtype.
        const ArgumentSpec& scalar = call.Argument(arg.name);
        if (scalar.null) continue;
        const double real = scalar.real;
        scalars_.push_back(scalar.number == ACL_INT64  ? Complex(LongDouble(WholeNumber(real)))
                           : scalar.number == ACL_BOOL ? Complex(LongDouble(real != 0))
                                                       : RoundTo(ACL_FLOAT, Complex(real, scalar.Imaginary())));
        if (std::ssize(scalar_dtypes_) < formula.promoting_scalars)
          scalar_dtypes_.push_back(call.Argument(arg.name).number);
      } else {
        attributes_.push_back(arg.kind == exec::ValueKind::kFloat    ? static_cast<float>(call.Real(arg.name))
                              : arg.kind == exec::ValueKind::kDouble ? call.Real(arg.name)
                                                                     : static_cast<LongDouble>(call.Integer(arg.name)));
      }
    }
    for (const aclDataType dtype : scalar_dtypes_) Promote(dtype, PromoteWithScalar);
  }

  void Run() {
    for (Input& input : inputs_) input.strides = StridesIn(*input.tensor, call_.Tensor(out_).shape);
    if (IsComplex(dtype_)) return RunComplex();
    IsWhole(dtype_) && formula_.whole != nullptr ? RunWhole() : RunReal();
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

  // Calls f(element, at) for the elements of the broadcast; `at`: index of the element in each input.
  template <class F>
  void ForEachElement(const F& f) const {
    const Dims& shape = call_.Tensor(out_).shape;
    const auto count = static_cast<size_t>(ElementCount(shape));
    std::vector<size_t> at(inputs_.size(), 0);
    if (std::ranges::all_of(inputs_, [&](const Input& input) { return input.tensor->shape == shape; })) {
      for (size_t element = 0; element < count; ++element) {
        std::ranges::fill(at, element);
        f(element, at);
      }
      return;
    }
    Dims index(shape.size(), 0);
    for (size_t element = 0; element < count; ++element) {
      f(element, at);
      for (size_t axis = shape.size(); axis-- > 0;) {
        const bool again = ++index[axis] == shape[axis];
        for (size_t i = 0; i < inputs_.size(); ++i) {
          const int64_t stride = inputs_[i].strides[axis];
          at[i] += static_cast<size_t>(again ? -stride * (shape[axis] - 1) : stride);
        }
        if (!again) break;
        index[axis] = 0;
      }
    }
  }

  void RunWhole() {
    const aclDataType to = call_.Tensor(out_).dtype;
    const size_t bytes = ElementBytes(to);
    const Integers common(dtype_);
    const Integers stored(IsWhole(to) ? to : dtype_);
    for (Input& input : inputs_) {
      const Integers own(input.tensor->dtype);
      const size_t own_bytes = ElementBytes(input.tensor->dtype);
      input.integers.reserve(input.bytes->size() / own_bytes);
      for (size_t i = 0; i < input.bytes->size(); i += own_bytes)
        input.integers.push_back(common.Wrap(own.Load(input.bytes->data() + i)));
    }
    std::vector<Int128> x(inputs_.size());
    for (const Complex& scalar : scalars_) x.push_back(common.Wrap(Modulo(scalar.real())));
    for (const LongDouble attribute : attributes_)
      x.push_back(std::isfinite(attribute) ? static_cast<Int128>(attribute) : 0);
    std::vector<std::byte>& exact = call_.ExactBytes(out_);
    exact.resize(static_cast<size_t>(ElementCount(call_.Tensor(out_).shape)) * bytes);
    ForEachElement([&](size_t element, const std::vector<size_t>& at) {
      for (size_t i = 0; i < inputs_.size(); ++i) x[i] = inputs_[i].integers[at[i]];
      const Int128 result = formula_.whole(x.data());
      const Int128 value = formula_.gives_bool ? result : common.Wrap(result);
      std::byte* const place = exact.data() + element * bytes;
      IsWhole(to) ? stored.Store(value, place) : StoreElement(to, static_cast<LongDouble>(value), place);
    });
  }

  void RunReal() {
    const bool is_long = dtype_ == ACL_INT32 || dtype_ == ACL_INT64 || dtype_ == ACL_UINT32 || dtype_ == ACL_UINT64;
    const bool in_double = is_long || (IsWhole(dtype_) && formula_.in_double);
    const bool is_exact = IsWhole(dtype_) && formula_.as_they_are;
    const aclDataType computed = dtype_ == ACL_DOUBLE || in_double || HasDoubleResult() ? ACL_DOUBLE : ACL_FLOAT;
    const auto compute = computed == ACL_FLOAT && formula_.single != nullptr ? formula_.single : formula_.real;
    std::vector<LongDouble> scalars;
    for (const Complex& scalar : scalars_) scalars.push_back(scalar.real());
    if (formula_.scalars != nullptr) formula_.scalars(scalars.data());
    for (Input& input : inputs_) {
      const size_t bytes = ElementBytes(input.tensor->dtype);
      input.reals.reserve(input.bytes->size() / bytes);
      for (size_t i = 0; i < input.bytes->size(); i += bytes) {
        const LongDouble element = LoadElement(input.tensor->dtype, input.bytes->data() + i);
        input.reals.push_back(is_exact ? element : RoundTo(computed, element));
      }
    }
    std::vector<LongDouble> x(inputs_.size());
    for (const LongDouble scalar : scalars) x.push_back(RoundTo(computed, scalar));
    x.insert(x.end(), attributes_.begin(), attributes_.end());
    StartResults(formula_.term != nullptr);
    ForEachElement([&](size_t element, const std::vector<size_t>& at) {
      for (size_t i = 0; i < inputs_.size(); ++i) x[i] = inputs_[i].reals[at[i]];
      const LongDouble term = formula_.term != nullptr ? formula_.term(x.data()) : 0;
      SetResult(element, compute(x.data()), term);
    });
  }

  void RunComplex() {
    const aclDataType computed = dtype_ == ACL_COMPLEX128 || HasDoubleResult() ? ACL_DOUBLE : ACL_FLOAT;
    if (formula_.complex_scalars != nullptr) formula_.complex_scalars(scalars_.data());
    for (Input& input : inputs_) {
      const size_t bytes = ElementBytes(input.tensor->dtype);
      input.complex.reserve(input.bytes->size() / bytes);
      for (size_t i = 0; i < input.bytes->size(); i += bytes)
        input.complex.push_back(RoundTo(computed, LoadComplex(input.tensor->dtype, input.bytes->data() + i)));
    }
    std::vector<Complex> x(inputs_.size());
    for (const Complex& scalar : scalars_) x.push_back(RoundTo(computed, scalar));
    StartResults(true);
    call_.Parts(out_).assign(call_.Values(out_).size() / parts_, 1);
    ForEachElement([&](size_t element, const std::vector<size_t>& at) {
      for (size_t i = 0; i < inputs_.size(); ++i) x[i] = inputs_[i].complex[at[i]];
      const Complex result = formula_.complex(x.data());
      LongDouble term = Modulus(result);
      if (formula_.complex_term != nullptr) term = std::max(term, formula_.complex_term(x.data()));
      SetResult(element, result, term);
    });
  }

  // Truth values do not depend on whether the result is DOUBLE.
  bool HasDoubleResult() const { return !formula_.gives_bool && PartDtype(call_.Tensor(out_).dtype) == ACL_DOUBLE; }

  void StartResults(bool has_terms) {
    parts_ = IsComplex(call_.Tensor(out_).dtype) ? 2 : 1;
    const size_t count = parts_ * static_cast<size_t>(ElementCount(call_.Tensor(out_).shape));
    values_ = &call_.Values(out_);
    tails_ = &call_.Tails(out_);
    terms_ = &call_.Terms(out_);
    values_->resize(count);
    if (HasDoubleResult()) tails_->resize(count);
    if (has_terms) terms_->resize(count);
  }

  void SetResult(size_t element, Complex result, LongDouble term) {
    for (size_t part = 0; part < parts_; ++part)
      SetPart(parts_ * element + part, part == 0 ? result.real() : result.imag(), term);
  }
  void SetResult(size_t element, LongDouble result, LongDouble term) {
    for (size_t part = 0; part < parts_; ++part) SetPart(parts_ * element + part, part == 0 ? result : 0, term);
  }

  void SetPart(size_t at, LongDouble exact, LongDouble term) {
    const auto value = static_cast<double>(exact);
    (*values_)[at] = value;
    if (!tails_->empty() && std::isfinite(value))
      (*tails_)[at] = static_cast<double>(exact - static_cast<LongDouble>(value));
    if (!terms_->empty()) (*terms_)[at] = static_cast<double>(term);
  }

  OracleCall& call_;
  const PointwiseFormula& formula_;
  std::vector<Input> inputs_;
  std::vector<Complex> scalars_;
  std::vector<aclDataType> scalar_dtypes_;
  std::vector<LongDouble> attributes_;
  const char* out_ = nullptr;
  size_t parts_ = 1;                       // values per element
  std::vector<double>* values_ = nullptr;  // receive information on each of them
  std::vector<double>* tails_ = nullptr;
  std::vector<double>* terms_ = nullptr;
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
