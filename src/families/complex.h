// SPDX-License-Identifier: Apache-2.0
//
// Products and quotients of complex numbers, for functors. They are computed in float64; for COMPLEX64, both parts are
// then rounded once. Zeros, infinities and NaN follow annex G of C99.
#pragma once

#include <cmath>
#include <complex>
#include <type_traits>

namespace portacl::families {

using Complex64 = std::complex<float>;
using Complex128 = std::complex<double>;
template <class T>
inline constexpr bool kIsComplex = std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

inline bool IsInfinite(Complex128 z) { return std::isinf(z.real()) || std::isinf(z.imag()); }

/// For products with infinities: a finite value other than 0 contributes its sign alone, so that no product overflows.
inline double SignOrInfinity(double x) { return std::isfinite(x) && x != 0 ? std::copysign(1, x) : x; }
inline Complex128 SignsOrInfinities(Complex128 z) { return {SignOrInfinity(z.real()), SignOrInfinity(z.imag())}; }

/// Divides both parts by the power of two of the larger part, so that products stay in range. Returns its exponent, or
/// 0 for zeros.
inline int TakeExponent(Complex128* z) {
  const double real = std::abs(z->real()), imag = std::abs(z->imag());
  const double size = real > imag || std::isnan(imag) ? real : imag;  // fmax would return a signalling NaN
  if (!(size > 0)) return 0;
  const int exponent = std::ilogb(size);
  *z = {std::scalbn(z->real(), -exponent), std::scalbn(z->imag(), -exponent)};
  return exponent;
}
inline Complex128 WithExponent(Complex128 z, int exponent) {
  return {std::scalbn(z.real(), exponent), std::scalbn(z.imag(), exponent)};
}

inline Complex128 MultiplyScaled(Complex128 z, Complex128 w) {
  if (IsInfinite(z) || IsInfinite(w)) return SignsOrInfinities(z) * SignsOrInfinities(w);
  const int exponent = TakeExponent(&z) + TakeExponent(&w);
  return WithExponent(z * w, exponent);
}
inline Complex128 Multiply(Complex128 z, Complex128 w) {
  const double real = z.real() * w.real() - z.imag() * w.imag();
  const double imag = z.real() * w.imag() + z.imag() * w.real();
  // NaN may come from a product out of range; the exact result may be finite or infinite. The language's product
  // decides.
  if (std::isnan(real) || std::isnan(imag)) return MultiplyScaled(z, w);
  return {real, imag};
}
inline Complex64 Multiply(Complex64 z, Complex64 w) {
  return static_cast<Complex64>(Multiply(Complex128(z), Complex128(w)));
}

/// a + b c. A real b is multiplied with both parts of c, so that b = 1 leaves infinities as they are.
inline Complex128 AddScaled(Complex128 a, Complex128 b, Complex128 c) {
  return a + (b.imag() == 0 ? b.real() * c : Multiply(b, c));
}
inline Complex64 AddScaled(Complex64 a, Complex64 b, Complex64 c) {
  return static_cast<Complex64>(AddScaled(Complex128(a), Complex128(b), Complex128(c)));
}

/// Requires that the squares of w's parts are in the range of float64.
[[gnu::always_inline]] inline Complex128 DivideInRange(Complex128 z, Complex128 w) {
  const double square = w.real() * w.real() + w.imag() * w.imag();
  const double real = (z.real() * w.real() + z.imag() * w.imag()) / square;
  const double imag = (z.imag() * w.real() - z.real() * w.imag()) / square;
  // Where this is NaN, the result may be 0 or infinite: the language's quotient, which is slow, decides.
  return std::isnan(real) && std::isnan(imag) ? z / w : Complex128(real, imag);
}
[[gnu::always_inline]] inline Complex128 Divide(Complex128 z, Complex128 w) {
  if (w == Complex128()) return z / w;
  if (IsInfinite(z) || IsInfinite(w)) return DivideInRange(SignsOrInfinities(z), SignsOrInfinities(w));
  const int of_z = TakeExponent(&z), of_w = TakeExponent(&w);
  return WithExponent(DivideInRange(z, w), of_z - of_w);
}
inline Complex64 Divide(Complex64 z, Complex64 w) {
  return static_cast<Complex64>(DivideInRange(Complex128(z), Complex128(w)));
}

}  // namespace portacl::families
