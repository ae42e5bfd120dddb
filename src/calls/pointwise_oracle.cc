// SPDX-License-Identifier: Apache-2.0
#include "calls/pointwise_oracle.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "base/dtype.h"
#include "calls/element.h"
#include "calls/views.h"
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

bool IsList(const exec::Arg& arg) { return arg.kind == exec::ValueKind::kTensorList; }
bool IsScalar(const exec::Arg& arg) { return arg.kind == exec::ValueKind::kScalar; }

// The name that an operator shares with those in place, and of lists, which have the same formula.
std::string_view BaseName(std::string_view api) {
  constexpr std::string_view kPrefix = "aclnn", kInplace = "Inplace", kForeach = "Foreach";
  std::string_view name = api.substr(kPrefix.size());
  if (name.starts_with(kInplace)) name.remove_prefix(kInplace.size());
  if (!name.starts_with(kForeach)) return name;
  name.remove_prefix(kForeach.size());
  for (const std::string_view form : {"V2", "List"}) {
    if (name.ends_with(form)) name.remove_suffix(form.size());
  }
  return name;
}

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
  // `element`: the number of the tensors of lists.
  Calculation(OracleCall& call, const exec::Schema& schema, const PointwiseFormula& formula, size_t element)
      : call_(call), formula_(formula) {
    const bool has_lists = std::ranges::any_of(schema.args, IsList);
    for (size_t i = 0; i < schema.args.size(); ++i) {
      const exec::Arg& arg = schema.args[i];
      if (exec::IsTensor(arg.kind) && arg.written()) {
        out_ = arg.name;
        result_ = &call.Tensors(arg.name)[element];
      }
      if (IsList(arg)) {
        if (arg.role == exec::Role::kOutput) continue;
        const TensorSpec& tensor = call.Tensors(arg.name)[element];
        list_bytes_.push_back(ReadElements(tensor));
        inputs_.push_back({&tensor, &list_bytes_.back(), {}, {}, {}, {}});
        Promote(tensor.dtype, PromoteDtypes);
      } else if (has_lists && arg.kind == exec::ValueKind::kTensor) {
        AddScalarInMemory(call.Tensor(arg.name), call.Bytes(arg.name), element);
      } else if (arg.kind == exec::ValueKind::kTensor) {
        if (arg.role == exec::Role::kOutput || call.Argument(arg.name).null) continue;
        inputs_.push_back({&call.Tensor(arg.name), &call.Bytes(arg.name), {}, {}, {}, {}});
        if (std::ssize(inputs_) > formula.conditions) Promote(call.Tensor(arg.name).dtype, PromoteDtypes);
      } else if (arg.kind == exec::ValueKind::kScalar || arg.kind == exec::ValueKind::kScalarList) {
        // The scalar is passed in its own dtype.
        const ArgumentSpec& scalar = call.Argument(arg.name);
        if (scalar.null) continue;
        const double real = element < scalar.reals.size() && !IsScalar(arg) ? scalar.reals[element] : scalar.real;
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
    for (Input& input : inputs_) input.strides = StridesIn(*input.tensor, result_->shape);
    if (IsComplex(dtype_)) return RunComplex();
    IsWhole(dtype_) && formula_.whole != nullptr ? RunWhole() : RunReal();
  }

 private:
  void Promote(aclDataType dtype, aclDataType (*with)(aclDataType, aclDataType) noexcept) {
    dtype_ = dtype_ == ACL_DT_UNDEFINED ? dtype : with(dtype_, dtype);
  }

  // The scalar of a formula of lists: one element, or one for each tensor.
  void AddScalarInMemory(const TensorSpec& tensor, const std::vector<std::byte>& bytes, size_t element) {
    const size_t size = ElementBytes(tensor.dtype);
    const LongDouble value = LoadElement(tensor.dtype, &bytes[bytes.size() == size ? 0 : element * size]);
    const bool truncates = IsWhole(inputs_.front().tensor->dtype) && !IsWhole(tensor.dtype);
    scalars_.push_back(Complex(truncates ? LongDouble(WholeNumber(static_cast<double>(value))) : value));
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
    const Dims& shape = result_->shape;
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
    const aclDataType to = result_->dtype;
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
    const size_t start = exact.size();
    exact.resize(start + static_cast<size_t>(ElementCount(result_->shape)) * bytes);
    ForEachElement([&](size_t element, const std::vector<size_t>& at) {
      for (size_t i = 0; i < inputs_.size(); ++i) x[i] = inputs_[i].integers[at[i]];
      const Int128 result = formula_.whole(x.data());
      const Int128 value = formula_.gives_bool ? result : common.Wrap(result);
      std::byte* const place = exact.data() + start + element * bytes;
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
  bool HasDoubleResult() const { return !formula_.gives_bool && PartDtype(result_->dtype) == ACL_DOUBLE; }

  void StartResults(bool has_terms) {
    parts_ = IsComplex(result_->dtype) ? 2 : 1;
    values_ = &call_.Values(out_);
    tails_ = &call_.Tails(out_);
    terms_ = &call_.Terms(out_);
    if (result_ == &call_.Tensor(out_))
      values_->clear();  // of an operand in place, these are the values before the call
    start_ = values_->size();
    const size_t count = start_ + parts_ * static_cast<size_t>(ElementCount(result_->shape));
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

  void SetPart(size_t number, LongDouble exact, LongDouble term) {
    const size_t at = start_ + number;
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
  const TensorSpec* result_ = nullptr;  // the tensor of `out_`
  std::deque<std::vector<std::byte>> list_bytes_;
  size_t start_ = 0;                       // where the values of this tensor begin
  size_t parts_ = 1;                       // values per element
  std::vector<double>* values_ = nullptr;  // receive information on each of them
  std::vector<double>* tails_ = nullptr;
  std::vector<double>* terms_ = nullptr;
  aclDataType dtype_ = ACL_DT_UNDEFINED;
};

}  // namespace

bool ComputePointwise(OracleCall& call, std::span<const PointwiseFormula> formulas) {
  const auto formula = std::ranges::find_if(formulas, [&](const PointwiseFormula& each) {
    return call.api() == each.api || BaseName(call.api()) == BaseName(each.api);
  });
  if (formula == formulas.end()) return false;
  const exec::Schema& schema = call.schema();
  const auto list = std::ranges::find_if(schema.args, IsList);
  const size_t count = list == schema.args.end() ? 1 : call.Tensors(list->name).size();
  for (size_t element = 0; element < count; ++element) Calculation(call, schema, *formula, element).Run();
  return true;
}

}  // namespace portacl::calls
