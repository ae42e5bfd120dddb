// SPDX-License-Identifier: Apache-2.0
//
// The C functions of this room, and what their formulas are in C++ where lanes do not compute them.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "aclnnop/aclnn_abs.h"
#include "aclnnop/aclnn_acos.h"
#include "aclnnop/aclnn_acosh.h"
#include "aclnnop/aclnn_asin.h"
#include "aclnnop/aclnn_asinh.h"
#include "aclnnop/aclnn_atan.h"
#include "aclnnop/aclnn_atanh.h"
#include "aclnnop/aclnn_ceil.h"
#include "aclnnop/aclnn_cos.h"
#include "aclnnop/aclnn_cosh.h"
#include "aclnnop/aclnn_exp.h"
#include "aclnnop/aclnn_exp2.h"
#include "aclnnop/aclnn_expm1.h"
#include "aclnnop/aclnn_floor.h"
#include "aclnnop/aclnn_is_inf.h"
#include "aclnnop/aclnn_is_neg_inf.h"
#include "aclnnop/aclnn_is_pos_inf.h"
#include "aclnnop/aclnn_isfinite.h"
#include "aclnnop/aclnn_log.h"
#include "aclnnop/aclnn_log10.h"
#include "aclnnop/aclnn_log1p.h"
#include "aclnnop/aclnn_log2.h"
#include "aclnnop/aclnn_neg.h"
#include "aclnnop/aclnn_reciprocal.h"
#include "aclnnop/aclnn_round.h"
#include "aclnnop/aclnn_sign.h"
#include "aclnnop/aclnn_signbit.h"
#include "aclnnop/aclnn_sin.h"
#include "aclnnop/aclnn_sinc.h"
#include "aclnnop/aclnn_sinh.h"
#include "aclnnop/aclnn_sqrt.h"
#include "aclnnop/aclnn_tan.h"
#include "aclnnop/aclnn_trunc.h"
#include "base/target.h"
#include "families/define.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/unary/unary_lanes.h"
#include "ops/pointwise/unary/unary_spec.h"

namespace portacl::ops::unary {
namespace {

// The lanes of a function, or what `otherwise` finds for dtypes that have none.
template <Function function>
PointwiseKernel LanesOr(aclDataType dtype, double ns_per_element, PointwiseKernel (*otherwise)(aclDataType, double)) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = ns_per_element};
  return otherwise(dtype, ns_per_element);
}

struct AbsOf {
  template <class T>
  auto operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x);
    if constexpr (kIsComplex<T>) return static_cast<typename T::value_type>(std::abs(Complex128(x)));
    if constexpr (std::is_same_v<T, Bool>) return ToBool(IsTrue(x));
    if constexpr (std::is_integral_v<T>) return x < 0 ? static_cast<T>(-static_cast<Modular<T>>(x)) : x;
  }
};

struct NegOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T> || kIsComplex<T>) return -x;
    if constexpr (std::is_integral_v<T>) return static_cast<T>(-static_cast<Modular<T>>(x));
  }
};

struct SignOf {
  template <class R>
  std::complex<R> operator()(std::complex<R> x) const {
    Complex128 z(x);
    if (z == 0.0) return 0;
    if (std::isinf(std::abs(z))) z /= 2;  // which is finite where both parts are
    return static_cast<std::complex<R>>(z / std::abs(z));
  }
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, Bool>)
      return ToBool(IsTrue(x));
    else
      return static_cast<T>((x > 0) - (x < 0));
  }
};

struct RoundOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::nearbyint(x);
    else
      return x;
  }
};

// 10^|decimals| as PyTorch rounds it, and every step with it.
template <class T>
struct DecimalsOf {
  explicit DecimalsOf(const Scalars<T>& scalars)
      : power(static_cast<T>(std::pow(10.0, std::abs(static_cast<double>(scalars.values[0]))))) {}
  T power;
};
template <class T>
struct RoundUpToDecimals : DecimalsOf<T> {
  using DecimalsOf<T>::DecimalsOf;
  T operator()(T x) const { return std::nearbyint(x * this->power) / this->power; }
};
template <class T>
struct RoundToTens : DecimalsOf<T> {
  using DecimalsOf<T>::DecimalsOf;
  T operator()(T x) const { return std::nearbyint(x / this->power) * this->power; }
};

struct SignbitOf {
  template <class T>
  Bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return ToBool(std::signbit(x));
    else
      return ToBool(x < T(0));
  }
};

struct SincOf {
  double operator()(double x) const {
    // The fraction of x is exact, that of pi x is not.
    const double turn = std::remainder(x, 2);
    const double sine = std::abs(turn) > 0.5 ? std::sin(3.14159265358979323846 * (std::copysign(1, turn) - turn))
                                             : std::sin(3.14159265358979323846 * turn);
    return x == 0 ? 1 : sine / (3.14159265358979323846 * x);
  }
};

#define PORTACL_DOUBLE_FUNCTION(name, expression)            \
  struct name##Of {                                          \
    double operator()(double x) const { return expression; } \
  }
PORTACL_DOUBLE_FUNCTION(Acos, std::acos(x));
PORTACL_DOUBLE_FUNCTION(Asin, std::asin(x));
PORTACL_DOUBLE_FUNCTION(Atan, std::atan(x));
PORTACL_DOUBLE_FUNCTION(Acosh, std::acosh(x));
PORTACL_DOUBLE_FUNCTION(Atanh, std::atanh(x));
PORTACL_DOUBLE_FUNCTION(Exp2, std::exp2(x));
PORTACL_DOUBLE_FUNCTION(Expm1, std::expm1(x));
PORTACL_DOUBLE_FUNCTION(Log1p, std::log1p(x));
PORTACL_DOUBLE_FUNCTION(Ceil, std::ceil(x));
PORTACL_DOUBLE_FUNCTION(Floor, std::floor(x));
PORTACL_DOUBLE_FUNCTION(Trunc, std::trunc(x));
#undef PORTACL_DOUBLE_FUNCTION

// The C library's, which give what annex G of C99 asks for of zeros, infinities and NaN.
#define PORTACL_FUNCTION_OF_BOTH(name, of_real, of_complex) \
  struct name##Of {                                         \
    double operator()(double x) const { return of_real; }   \
    template <class R>                                      \
    std::complex<R> operator()(std::complex<R> z) const {   \
      const Complex128 x(z);                                \
      return static_cast<std::complex<R>>(of_complex);      \
    }                                                       \
  }
#define PORTACL_COMPLEX_FUNCTION(name, expression) PORTACL_FUNCTION_OF_BOTH(name, expression, expression)
constexpr double kLn2 = 0.69314718055994530942;
PORTACL_COMPLEX_FUNCTION(Sqrt, std::sqrt(x));
PORTACL_COMPLEX_FUNCTION(Exp, std::exp(x));
PORTACL_COMPLEX_FUNCTION(Log, std::log(x));
PORTACL_COMPLEX_FUNCTION(Sin, std::sin(x));
PORTACL_COMPLEX_FUNCTION(Cos, std::cos(x));
PORTACL_COMPLEX_FUNCTION(Tan, std::tan(x));
PORTACL_COMPLEX_FUNCTION(Sinh, std::sinh(x));
PORTACL_COMPLEX_FUNCTION(Cosh, std::cosh(x));
PORTACL_COMPLEX_FUNCTION(Asinh, std::asinh(x));
PORTACL_COMPLEX_FUNCTION(Log10, std::log10(x));
PORTACL_FUNCTION_OF_BOTH(Log2, std::log2(x), std::log(x) / kLn2);
PORTACL_FUNCTION_OF_BOTH(Reciprocal, 1 / x, Divide(1.0, x));
#undef PORTACL_COMPLEX_FUNCTION
#undef PORTACL_FUNCTION_OF_BOTH

#define PORTACL_PREDICATE(name, expression) \
  struct name##Of {                         \
    template <class T>                      \
    Bool operator()(T x) const {            \
      return ToBool(expression);            \
    }                                       \
  }
PORTACL_PREDICATE(IsFinite, std::isfinite(x));
PORTACL_PREDICATE(IsPosInf, x == std::numeric_limits<T>::infinity());
PORTACL_PREDICATE(IsNegInf, x == -std::numeric_limits<T>::infinity());
PORTACL_PREDICATE(IsInf, std::abs(x) == std::numeric_limits<T>::infinity());
#undef PORTACL_PREDICATE

PointwiseKernel AbsKernel(aclDataType dtype) {
  return LanesOr<Function::kAbs>(
      dtype, 0.1, FindScalarKernel<AbsOf, 1, double, int8_t, int16_t, int32_t, int64_t, uint8_t, Bool, Complex64>);
}
PointwiseKernel NegKernel(aclDataType dtype) {
  return LanesOr<Function::kNeg>(dtype, 0.1,
                                 FindScalarKernel<NegOf, 1, double, int8_t, int32_t, int64_t, Complex64, Complex128>);
}
PointwiseKernel SignKernel(aclDataType dtype) {
  return LanesOr<Function::kSign>(dtype, 0.1,
                                  FindScalarKernel<SignOf, 1, double, int32_t, int64_t, Bool, Complex64, Complex128>);
}
PointwiseKernel SqrtKernel(aclDataType dtype) {
  return LanesOr<Function::kSqrt>(dtype, 0.3, FindScalarKernel<SqrtOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel ExpKernel(aclDataType dtype) {
  return LanesOr<Function::kExp>(dtype, 0.3, FindScalarKernel<ExpOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel LogKernel(aclDataType dtype) {
  return LanesOr<Function::kLog>(dtype, 0.4, FindScalarKernel<LogOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel SinKernel(aclDataType dtype) {
  return LanesOr<Function::kSin>(dtype, 0.4, FindScalarKernel<SinOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel CosKernel(aclDataType dtype) {
  return LanesOr<Function::kCos>(dtype, 0.4, FindScalarKernel<CosOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel AcosKernel(aclDataType dtype) {
  return LanesOr<Function::kAcos>(dtype, 2, FindScalarKernel<AcosOf, 1, double>);
}
PointwiseKernel AsinKernel(aclDataType dtype) {
  return LanesOr<Function::kAsin>(dtype, 2, FindScalarKernel<AsinOf, 1, double>);
}
PointwiseKernel AtanKernel(aclDataType dtype) {
  return LanesOr<Function::kAtan>(dtype, 2, FindScalarKernel<AtanOf, 1, double>);
}
PointwiseKernel AcoshKernel(aclDataType dtype) {
  return LanesOr<Function::kAcosh>(dtype, 2, FindScalarKernel<AcoshOf, 1, double>);
}
PointwiseKernel AsinhKernel(aclDataType dtype) {
  return LanesOr<Function::kAsinh>(dtype, 2, FindScalarKernel<AsinhOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel AtanhKernel(aclDataType dtype) {
  return LanesOr<Function::kAtanh>(dtype, 2, FindScalarKernel<AtanhOf, 1, double>);
}
PointwiseKernel SinhKernel(aclDataType dtype) {
  return LanesOr<Function::kSinh>(dtype, 2, FindScalarKernel<SinhOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel CoshKernel(aclDataType dtype) {
  return LanesOr<Function::kCosh>(dtype, 2, FindScalarKernel<CoshOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel TanKernel(aclDataType dtype) {
  return LanesOr<Function::kTan>(dtype, 1, FindScalarKernel<TanOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel Exp2Kernel(aclDataType dtype) {
  return LanesOr<Function::kExp2>(dtype, 0.3, FindScalarKernel<Exp2Of, 1, double>);
}
PointwiseKernel Expm1Kernel(aclDataType dtype) {
  return LanesOr<Function::kExpm1>(dtype, 0.3, FindScalarKernel<Expm1Of, 1, double>);
}
PointwiseKernel Log1pKernel(aclDataType dtype) {
  return LanesOr<Function::kLog1p>(dtype, 0.5, FindScalarKernel<Log1pOf, 1, double>);
}
PointwiseKernel Log10Kernel(aclDataType dtype) {
  return LanesOr<Function::kLog10>(dtype, 2, FindScalarKernel<Log10Of, 1, double, Complex64, Complex128>);
}
PointwiseKernel Log2Kernel(aclDataType dtype) {
  return LanesOr<Function::kLog2>(dtype, 2, FindScalarKernel<Log2Of, 1, double, Complex64, Complex128>);
}
PointwiseKernel CeilKernel(aclDataType dtype) {
  return LanesOr<Function::kCeil>(dtype, 0.1, FindScalarKernel<CeilOf, 1, double>);
}
PointwiseKernel FloorKernel(aclDataType dtype) {
  const PointwiseKernel copy = FindScalarKernel<RoundOf, 1, int8_t, int16_t, int32_t, int64_t, uint8_t>(dtype, 0.1);
  return copy.run != nullptr ? copy : LanesOr<Function::kFloor>(dtype, 0.1, FindScalarKernel<FloorOf, 1, double>);
}
PointwiseKernel RoundKernel(aclDataType dtype) {
  return LanesOr<Function::kRound>(dtype, 0.1, FindScalarKernel<RoundOf, 1, double, int32_t, int64_t>);
}
PointwiseKernel RoundDecimalsKernel(aclDataType dtype) {
  const PointwiseKernel copy = FindScalarKernel<RoundOf, 1, int32_t, int64_t>(dtype, 0.1);
  if (copy.run != nullptr) return copy;
  return LanesOr<Function::kRoundUpToDecimals>(dtype, 0.3, FindTypedKernel<RoundUpToDecimals, 1, double>);
}
PointwiseKernel RoundTensKernel(aclDataType dtype) {
  return LanesOr<Function::kRoundToTens>(dtype, 0.3, FindTypedKernel<RoundToTens, 1, double>);
}
void PlanRoundDecimals(exec::PlanBuilder& plan) {
  const auto decimals = plan.Attribute<int64_t>("decimals");
  PlanPointwise(plan, decimals == 0 ? RoundKernel : decimals > 0 ? RoundDecimalsKernel : RoundTensKernel);
}
PointwiseKernel TruncKernel(aclDataType dtype) {
  return LanesOr<Function::kTrunc>(dtype, 0.1, FindScalarKernel<TruncOf, 1, double>);
}
PointwiseKernel ReciprocalKernel(aclDataType dtype) {
  return LanesOr<Function::kReciprocal>(dtype, 0.3, FindScalarKernel<ReciprocalOf, 1, double, Complex64, Complex128>);
}
PointwiseKernel SincKernel(aclDataType dtype) {
  return LanesOr<Function::kSinc>(dtype, 1, FindScalarKernel<SincOf, 1, double>);
}
PointwiseKernel SignbitKernel(aclDataType dtype) {
  return FindScalarKernel<SignbitOf, 1, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                          uint64_t, Bool>(dtype, 0.3);
}
PointwiseKernel IsFiniteKernel(aclDataType dtype) { return FindScalarKernel<IsFiniteOf, 1, float, double>(dtype, 0.3); }
PointwiseKernel IsPosInfKernel(aclDataType dtype) { return FindScalarKernel<IsPosInfOf, 1, float, double>(dtype, 0.3); }
PointwiseKernel IsNegInfKernel(aclDataType dtype) { return FindScalarKernel<IsNegInfOf, 1, float, double>(dtype, 0.3); }
PointwiseKernel IsInfKernel(aclDataType dtype) { return FindScalarKernel<IsInfOf, 1, float, double>(dtype, 0.3); }

}  // namespace

PORTACL_UNARY(Abs, AbsKernel)
PORTACL_UNARY(Neg, NegKernel)
PORTACL_INPLACE_UNARY(InplaceNeg, NegKernel)
PORTACL_UNARY(Sign, SignKernel)
PORTACL_UNARY(Sqrt, SqrtKernel)
PORTACL_INPLACE_UNARY(InplaceSqrt, SqrtKernel)
PORTACL_UNARY(Exp, ExpKernel)
PORTACL_INPLACE_UNARY(InplaceExp, ExpKernel)
PORTACL_UNARY(Log, LogKernel)
PORTACL_INPLACE_UNARY(InplaceLog, LogKernel)
PORTACL_UNARY(Sin, SinKernel)
PORTACL_INPLACE_UNARY(InplaceSin, SinKernel)
PORTACL_UNARY(Cos, CosKernel)
PORTACL_INPLACE_UNARY(InplaceCos, CosKernel)
PORTACL_UNARY(Acos, AcosKernel)
PORTACL_UNARY(Asin, AsinKernel)
PORTACL_UNARY(Atan, AtanKernel)
PORTACL_UNARY_CONST_OUT(Acosh, AcoshKernel)
PORTACL_UNARY(Asinh, AsinhKernel)
PORTACL_UNARY(Atanh, AtanhKernel)
PORTACL_UNARY(Sinh, SinhKernel)
PORTACL_UNARY(Cosh, CoshKernel)
PORTACL_UNARY(Tan, TanKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceTan, TanKernel)
PORTACL_UNARY(Exp2, Exp2Kernel)
PORTACL_UNARY(Expm1, Expm1Kernel)
PORTACL_UNARY(Log1p, Log1pKernel)
PORTACL_UNARY(Log10, Log10Kernel)
PORTACL_UNARY_CONST_OUT(Log2, Log2Kernel)
PORTACL_UNARY(Ceil, CeilKernel)
PORTACL_UNARY(Floor, FloorKernel)
PORTACL_UNARY(Round, RoundKernel)
PORTACL_DEFINE_OPERATOR(aclnnRoundDecimals, kRoundDecimals, PlanRoundDecimals,
                        (const aclTensor* self, int64_t decimals, aclTensor* out), self, decimals, out)
PORTACL_UNARY(Trunc, TruncKernel)
PORTACL_UNARY(Reciprocal, ReciprocalKernel)
PORTACL_INPLACE_UNARY_CONST(InplaceReciprocal, ReciprocalKernel)
PORTACL_UNARY(Sinc, SincKernel)
PORTACL_UNARY(Signbit, SignbitKernel)
PORTACL_UNARY(IsFinite, IsFiniteKernel)
PORTACL_UNARY(IsPosInf, IsPosInfKernel)
PORTACL_UNARY(IsNegInf, IsNegInfKernel)
PORTACL_UNARY_CONST_OUT(IsInf, IsInfKernel)

namespace {
constexpr exec::OperatorEntry kOperators[] = {
    PORTACL_BIND(Abs),           PORTACL_BIND(Neg),         PORTACL_BIND(InplaceNeg), PORTACL_BIND(Sign),
    PORTACL_BIND(Sqrt),          PORTACL_BIND(InplaceSqrt), PORTACL_BIND(Exp),        PORTACL_BIND(InplaceExp),
    PORTACL_BIND(Log),           PORTACL_BIND(InplaceLog),  PORTACL_BIND(Sin),        PORTACL_BIND(InplaceSin),
    PORTACL_BIND(Cos),           PORTACL_BIND(InplaceCos),  PORTACL_BIND(Acos),       PORTACL_BIND(Asin),
    PORTACL_BIND(Atan),          PORTACL_BIND(Acosh),       PORTACL_BIND(Asinh),      PORTACL_BIND(Atanh),
    PORTACL_BIND(Sinh),          PORTACL_BIND(Cosh),        PORTACL_BIND(Tan),        PORTACL_BIND(InplaceTan),
    PORTACL_BIND(Exp2),          PORTACL_BIND(Expm1),       PORTACL_BIND(Log1p),      PORTACL_BIND(Log10),
    PORTACL_BIND(Log2),          PORTACL_BIND(Ceil),        PORTACL_BIND(Floor),      PORTACL_BIND(Round),
    PORTACL_BIND(RoundDecimals), PORTACL_BIND(Trunc),       PORTACL_BIND(Reciprocal), PORTACL_BIND(InplaceReciprocal),
    PORTACL_BIND(Sinc),          PORTACL_BIND(Signbit),     PORTACL_BIND(IsFinite),   PORTACL_BIND(IsPosInf),
    PORTACL_BIND(IsNegInf),      PORTACL_BIND(IsInf),
};
}  // namespace

std::span<const exec::OperatorEntry> Operators() { return kOperators; }

}  // namespace portacl::ops::unary
