// SPDX-License-Identifier: Apache-2.0
#include "families/pointwise_scalars.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "base/dtype.h"
#include "tensor/array.h"
#include "tensor/scalar.h"

namespace portacl::families {
namespace {

template <class T>
T ReadScalar(const aclScalar& scalar) {
  const DtypeInfo& info = *FindDtype(scalar.dtype);
  double real = 0;
  int64_t whole = 0;
  if constexpr (std::is_same_v<T, int64_t>) {
    ScalarModulo(scalar, &whole);
    return whole;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    T value = 0;
    ScalarToComplex(scalar, &value);
    return value;
  } else {
    if (info.kind == DtypeKind::kSigned && ScalarToInt64(scalar, &whole)) return static_cast<T>(whole);
    ScalarToDouble(scalar, &real);
    return static_cast<T>(real);
  }
}

template <class T>
T ReadNumber(const exec::Value& attribute) {
  if (attribute.kind() != exec::ValueKind::kInt64)
    return std::is_same_v<T, int64_t> ? T(0) : static_cast<T>(attribute.real());
  if constexpr (std::is_same_v<T, std::complex<double>>)
    return static_cast<double>(attribute.integer());
  else
    return static_cast<T>(attribute.integer());
}

template <class T>
Scalars<T> ReadScalars(const exec::PlanBuilder& plan, size_t element) {
  Scalars<T> scalars = {};
  size_t count = 0;
  const exec::Schema& schema = plan.schema();
  for (size_t i = 0; i < schema.args.size(); ++i) {
    const exec::Value& value = plan.Argument(static_cast<int>(i));
    if (IsNumber(value.kind())) scalars.values[count++] = ReadNumber<T>(value);
    if (value.kind() == exec::ValueKind::kScalar && !value.IsNull())
      scalars.values[count++] = ReadScalar<T>(*value.As<const aclScalar*>());
    if (value.kind() == exec::ValueKind::kScalarList)
      scalars.values[count++] = ReadScalar<T>(*value.As<const aclScalarList*>()->values()[element]);
  }
  return scalars;
}

template <class T>
ScalarBlock ToBlock(const Scalars<T>& scalars) {
  ScalarBlock block;
  std::memcpy(block.bytes, &scalars, sizeof(scalars));
  return block;
}

}  // namespace

Scalars<float> ReadSingles(const exec::PlanBuilder& plan, const ScalarChange& change, size_t element) {
  if (change.real == nullptr) return ReadScalars<float>(plan, element);
  Scalars<double> scalars = ReadScalars<double>(plan, element);
  change.real(scalars.values);
  Scalars<float> rounded = {};
  std::copy(std::begin(scalars.values), std::end(scalars.values), rounded.values);
  return rounded;
}

ScalarBlock ScalarsFor(const exec::PlanBuilder& plan, aclDataType dtype, bool single, const ScalarChange& change,
                       size_t element) {
  if (FindDtype(dtype)->kind == DtypeKind::kComplex) {
    Scalars<std::complex<double>> scalars = ReadScalars<std::complex<double>>(plan, element);
    if (change.complex != nullptr) change.complex(scalars.values);
    return ToBlock(scalars);
  }
  if (FindDtype(dtype)->kind != DtypeKind::kFloating) {
    Scalars<int64_t> scalars = ReadScalars<int64_t>(plan, element);
    if (change.whole != nullptr) change.whole(scalars.values);
    return ToBlock(scalars);
  }
  if (dtype != ACL_DOUBLE) return ToBlock(ReadSingles(plan, change, element));
  Scalars<double> scalars = {};
  if (single) {
    const Scalars<float> singles = ReadSingles(plan, change, element);
    std::copy(std::begin(singles.values), std::end(singles.values), scalars.values);
  } else {
    scalars = ReadScalars<double>(plan, element);
    if (change.real != nullptr) change.real(scalars.values);
  }
  return ToBlock(scalars);
}

}  // namespace portacl::families
