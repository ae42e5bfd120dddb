// SPDX-License-Identifier: Apache-2.0
//
// How the operators of this room are planned, and their formulas in C++ for dtypes without lanes.
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/long_double_mode.h"
#include "base/target.h"
#include "families/pointwise.h"
#include "families/scalar_lanes.h"
#include "ops/pointwise/unary/unary_lanes.h"
#include "ops/pointwise/unary/unary_spec.h"

namespace portacl::ops::unary {
namespace {

// Plans with the lanes of a function, or with a formula in C++ for dtypes without lanes.
template <Function function, double ns_per_element, class Formula, class... T>
PointwiseKernel Find(aclDataType dtype) {
  const loops::LaneFunction lanes = Lanes(function, dtype, ActiveTarget());
  if (lanes != nullptr) return {.run = lanes, .ns_per_element = ns_per_element};
  return FindScalarKernel<Formula, 1, T...>(dtype, ns_per_element);
}
template <class Formula, class... T>
PointwiseKernel FindWithoutLanes(aclDataType dtype) {
  return FindScalarKernel<Formula, 1, T...>(dtype, 0.3);
}

#define PORTACL_PLAN(name, ns_per_element, ...) \
  constexpr exec::PlanFunction Plan##name = Pointwise<Find<Function::k##name, ns_per_element, name##Of, __VA_ARGS__>>

// Squares of float32 stay in the range of float64. std::abs takes six times as long.
float AbsOfComplex(Complex64 x) {
  const double real{x.real()}, imaginary{x.imag()};
  const double size = std::sqrt(real * real + imaginary * imaginary);
  if (std::isnan(size) && (std::isinf(real) || std::isinf(imaginary))) return std::numeric_limits<float>::infinity();
  return static_cast<float>(size);
}

struct AbsOf {
  template <class T>
  auto operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) return std::abs(x);
    if constexpr (kIsComplex<T>) return AbsOfComplex(x);
    if constexpr (std::is_same_v<T, Bool>) return ToBool(IsTrue(x));
    if constexpr (std::is_integral_v<T>) return x < 0 ? static_cast<T>(-static_cast<Modular<T>>(x)) : x;
  }
};
PORTACL_PLAN(Abs, 0.1, double, int8_t, int16_t, int32_t, int64_t, uint8_t, Bool, Complex64);

struct NegOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T> || kIsComplex<T>) return -x;
    if constexpr (std::is_integral_v<T>) return static_cast<T>(-static_cast<Modular<T>>(x));
  }
};
PORTACL_PLAN(Neg, 0.1, double, int8_t, int16_t, int32_t, int64_t, Complex64, Complex128);

struct BitwiseNotOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_same_v<T, Bool>)
      return ToBool(!IsTrue(x));
    else
      return static_cast<T>(~x);
  }
};
PORTACL_PLAN(BitwiseNot, 0.1, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Bool);

struct SignOf {
  template <class R>
  std::complex<R> operator()(std::complex<R> x) const {
    Complex128 z(x);
    if (z == 0.0) return 0;
    if (std::isinf(std::abs(z))) z /= 2;  // finite if both parts are
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
PORTACL_PLAN(Sign, 0.1, double, int32_t, int64_t, Bool, Complex64, Complex128);

struct RoundOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::nearbyint(x);
    else
      return x;
  }
};
PORTACL_PLAN(Round, 0.1, double, int32_t, int64_t);

// 10^|decimals|, with this and every further step rounded as in PyTorch.
struct Decimals {
  explicit Decimals(const Scalars<double>& scalars) : power(std::pow(10.0, std::abs(scalars.values[0]))) {}
  double power;
};
struct RoundUpToDecimals : Decimals {
  using Decimals::Decimals;
  double operator()(double x) const { return std::nearbyint(x * power) / power; }
};
struct RoundToTens : Decimals {
  using Decimals::Decimals;
  double operator()(double x) const { return std::nearbyint(x / power) * power; }
};
PointwiseKernel FindRoundUpToDecimals(aclDataType dtype) {
  const PointwiseKernel copy = FindScalarKernel<RoundOf, 1, int32_t, int64_t>(dtype, 0.1);
  if (copy.run != nullptr) return copy;
  return Find<Function::kRoundUpToDecimals, 0.3, RoundUpToDecimals, double>(dtype);
}
void PlanRoundDecimals(exec::PlanBuilder& plan) {
  const auto decimals = plan.Attribute<int64_t>("decimals");
  if (decimals == 0) return PlanRound(plan);
  PlanPointwise(plan, decimals > 0 ? FindRoundUpToDecimals : Find<Function::kRoundToTens, 0.3, RoundToTens, double>);
}

struct FloorOf {
  template <class T>
  T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return std::floor(x);
    else
      return x;
  }
};
PORTACL_PLAN(Floor, 0.1, double, int8_t, int16_t, int32_t, int64_t, uint8_t);

struct SignbitOf {
  template <class T>
  Bool operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>)
      return ToBool(std::signbit(x));
    else
      return ToBool(x < T(0));
  }
};
constexpr exec::PlanFunction PlanSignbit =
    Pointwise<FindWithoutLanes<SignbitOf, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                               uint64_t, Bool>>;

struct SincOf {
  double operator()(double x) const {
    // The fraction of x is exact, but that of pi x is not.
    const double turn = std::remainder(x, 2);
    const double sine = std::abs(turn) > 0.5 ? std::sin(3.14159265358979323846 * (std::copysign(1, turn) - turn))
                                             : std::sin(3.14159265358979323846 * turn);
    return x == 0 ? 1 : sine / (3.14159265358979323846 * x);
  }
};
PORTACL_PLAN(Sinc, 1.0, double);

// The C library's erfc of double has an error of 4 ULP.
[[gnu::noinline]] double RoundedErfc(double x) { return static_cast<double>(std::erfc(static_cast<long double>(x))); }
double ErfcByLongDouble(double x) {
  [[maybe_unused]] const DefaultLongDoubleMode mode;
  return RoundedErfc(x);
}

#define PORTACL_REAL(name, ns_per_element, expression)       \
  struct name##Of {                                          \
    double operator()(double x) const { return expression; } \
  };                                                         \
  PORTACL_PLAN(name, ns_per_element, double)
PORTACL_REAL(Acos, 2.0, std::acos(x));
PORTACL_REAL(Asin, 2.0, std::asin(x));
PORTACL_REAL(Atan, 2.0, std::atan(x));
PORTACL_REAL(Acosh, 2.0, std::acosh(x));
PORTACL_REAL(Atanh, 2.0, std::atanh(x));
PORTACL_REAL(Exp2, 0.3, std::exp2(x));
PORTACL_REAL(Erf, 0.5, std::erf(x));
PORTACL_REAL(Erfc, 0.9, ErfcByLongDouble(x));
PORTACL_REAL(Expm1, 0.3, std::expm1(x));
PORTACL_REAL(Log1p, 0.5, std::log1p(x));
PORTACL_REAL(Ceil, 0.1, std::ceil(x));
PORTACL_REAL(Trunc, 0.1, std::trunc(x));
#undef PORTACL_REAL

// As the lanes compute it.
double ReciprocalSquareRoot(double x) {
  const double r = 1 / std::sqrt(x);
  const double root = x * r;
  const double lost = std::fma(-root, r, 1) - std::fma(x, r, -root) * r;
  return std::abs(lost) < 1 ? std::fma(r / 2, lost, r) : r;
}

// The C library's functions, which treat zeros, infinities and NaN as annex G of C99 requires.
#define PORTACL_REAL_AND_COMPLEX(name, ns_per_element, of_real, of_complex) \
  struct name##Of {                                                         \
    double operator()(double x) const { return of_real; }                   \
    template <class R>                                                      \
    std::complex<R> operator()(std::complex<R> z) const {                   \
      const Complex128 x(z);                                                \
      return static_cast<std::complex<R>>(of_complex);                      \
    }                                                                       \
  };                                                                        \
  PORTACL_PLAN(name, ns_per_element, double, Complex64, Complex128)
#define PORTACL_COMPLEX(name, ns_per_element, expression) \
  PORTACL_REAL_AND_COMPLEX(name, ns_per_element, expression, expression)
constexpr double kLn2 = 0.69314718055994530942;
PORTACL_COMPLEX(Sqrt, 0.3, std::sqrt(x));
PORTACL_COMPLEX(Exp, 0.3, std::exp(x));
PORTACL_COMPLEX(Log, 0.4, std::log(x));
PORTACL_COMPLEX(Sin, 0.4, std::sin(x));
PORTACL_COMPLEX(Cos, 0.4, std::cos(x));
PORTACL_COMPLEX(Tan, 1.0, std::tan(x));
PORTACL_COMPLEX(Sinh, 2.0, std::sinh(x));
PORTACL_COMPLEX(Cosh, 2.0, std::cosh(x));
PORTACL_COMPLEX(Asinh, 2.0, std::asinh(x));
PORTACL_COMPLEX(Log10, 2.0, std::log10(x));
PORTACL_REAL_AND_COMPLEX(Log2, 2.0, std::log2(x), std::log(x) / kLn2);
PORTACL_REAL_AND_COMPLEX(Rsqrt, 0.3, ReciprocalSquareRoot(x), Divide(1.0, std::sqrt(x)));
PORTACL_REAL_AND_COMPLEX(Reciprocal, 0.3, 1 / x, Divide(1.0, x));
#undef PORTACL_COMPLEX
#undef PORTACL_REAL_AND_COMPLEX

#define PORTACL_PREDICATE(name, expression) \
  struct name##Of {                         \
    template <class T>                      \
    Bool operator()(T x) const {            \
      return ToBool(expression);            \
    }                                       \
  };                                        \
  constexpr exec::PlanFunction Plan##name = Pointwise<FindWithoutLanes<name##Of, float, double>>
PORTACL_PREDICATE(IsFinite, std::isfinite(x));
PORTACL_PREDICATE(IsPosInf, x == std::numeric_limits<T>::infinity());
PORTACL_PREDICATE(IsNegInf, x == -std::numeric_limits<T>::infinity());
PORTACL_PREDICATE(IsInf, std::abs(x) == std::numeric_limits<T>::infinity());
#undef PORTACL_PREDICATE

#undef PORTACL_PLAN

}  // namespace

}  // namespace portacl::ops::unary

#include "ops/pointwise/unary/unary_functions.inc"
