// SPDX-License-Identifier: Apache-2.0
//
// See functions_lanes_fixture.h.
#include "simd/functions_lanes_fixture.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/functions_lanes_fixture.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "simd/atan2.h"
#include "simd/convert.h"
#include "simd/dispatch.h"
#include "simd/erf.h"
#include "simd/evaluate.h"
#include "simd/exp_of_any.h"
#include "simd/gelu.h"
#include "simd/hyperbolic.h"
#include "simd/in_float64.h"
#include "simd/log_of_any.h"
#include "simd/logistic.h"
#include "simd/pow.h"
#include "simd/sin_cos.h"
#include "simd/softplus.h"
#include "simd/square_root.h"
#include "simd/tan.h"
#include "simd/tanh.h"

HWY_BEFORE_NAMESPACE();
namespace portacl::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef PORTACL_KERNEL
#define PORTACL_KERNEL(function)              \
  struct function##Kernel {                   \
    template <class D, class V>               \
    HWY_INLINE V operator()(D d, V x) const { \
      return function(d, x);                  \
    }                                         \
  }

PORTACL_KERNEL(ExpOfAny);
PORTACL_KERNEL(Expm1);
PORTACL_KERNEL(LogOfAny);
PORTACL_KERNEL(Log1p);
PORTACL_KERNEL(SigmoidOfAny);
PORTACL_KERNEL(Silu);
PORTACL_KERNEL(SiluSlope);
PORTACL_KERNEL(Softplus);
PORTACL_KERNEL(SquareRoot);
PORTACL_KERNEL(Tanh);
PORTACL_KERNEL(Erf);
PORTACL_KERNEL(Erfc);
PORTACL_KERNEL(Gelu);
PORTACL_KERNEL(GeluSlope);
PORTACL_KERNEL(GeluOfTanh);
PORTACL_KERNEL(GeluOfTanhSlope);
PORTACL_KERNEL(Sin);
PORTACL_KERNEL(Cos);
PORTACL_KERNEL(Atan);

template <class Kernel>
HWY_ATTR void OfRegister(const float* from, float* to) {
  const FloatLanes d;
  hn::StoreU(Evaluate(d, Kernel(), hn::LoadU(d, from)), d, to);
}

#undef PORTACL_NAMED_KERNEL
#define PORTACL_NAMED_KERNEL(name, expression) \
  struct name##Kernel {                        \
    template <class D, class V>                \
    HWY_INLINE V operator()(D d, V x) const {  \
      return expression;                       \
    }                                          \
  }

PORTACL_NAMED_KERNEL(Tan, Tan<false>(d, x));
PORTACL_NAMED_KERNEL(TanOfNarrow, Tan<true>(d, x));
PORTACL_NAMED_KERNEL(Sinc, Sinc<false>(d, x));
PORTACL_NAMED_KERNEL(SincOfNarrow, Sinc<true>(d, x));
PORTACL_NAMED_KERNEL(Sinh, InFloat64(d, SinhInFloat64(), x));
PORTACL_NAMED_KERNEL(Cosh, InFloat64(d, CoshInFloat64(), x));
PORTACL_NAMED_KERNEL(Atanh, InFloat64(d, AtanhInFloat64(), x));
PORTACL_NAMED_KERNEL(Asin, InverseSine<false>(d, x));
PORTACL_NAMED_KERNEL(Acos, InverseSine<true>(d, x));
PORTACL_NAMED_KERNEL(Log2, LogToBase(d, x, kBaseTwo));
PORTACL_NAMED_KERNEL(Log10, LogToBase(d, x, kBaseTen));

#undef PORTACL_KERNEL_OF_TWO
#define PORTACL_KERNEL_OF_TWO(name, expression)    \
  struct name##Kernel {                            \
    template <class D, class V>                    \
    HWY_INLINE V operator()(D d, V x, V y) const { \
      return expression;                           \
    }                                              \
  }

PORTACL_KERNEL_OF_TWO(Pow, Pow(d, x, y));
PORTACL_KERNEL_OF_TWO(Atan2, Atan2<false>(d, x, y));
PORTACL_KERNEL_OF_TWO(Atan2OfNarrow, Atan2<true>(d, x, y));
PORTACL_KERNEL_OF_TWO(LogAddExp, InFloat64(d, LogAddExp<false>(), x, y));
PORTACL_KERNEL_OF_TWO(LogAddExp2, InFloat64(d, LogAddExp<true>(), x, y));

template <class Kernel>
HWY_ATTR void OfRegisters(const float* x, const float* y, float* to) {
  const FloatLanes d;
  hn::StoreU(Evaluate(d, Kernel(), hn::LoadU(d, x), hn::LoadU(d, y)), d, to);
}

RealFunctions RealFunctionsHere() {
  return {.float_lanes = hn::Lanes(FloatLanes()),
          .exp = OfRegister<ExpOfAnyKernel>,
          .expm1 = OfRegister<Expm1Kernel>,
          .log = OfRegister<LogOfAnyKernel>,
          .log1p = OfRegister<Log1pKernel>,
          .sigmoid = OfRegister<SigmoidOfAnyKernel>,
          .silu = OfRegister<SiluKernel>,
          .silu_slope = OfRegister<SiluSlopeKernel>,
          .softplus = OfRegister<SoftplusKernel>,
          .square_root = OfRegister<SquareRootKernel>,
          .tanh = OfRegister<TanhKernel>,
          .erf = OfRegister<ErfKernel>,
          .erfc = OfRegister<ErfcKernel>,
          .gelu = OfRegister<GeluKernel>,
          .gelu_slope = OfRegister<GeluSlopeKernel>,
          .gelu_of_tanh = OfRegister<GeluOfTanhKernel>,
          .gelu_of_tanh_slope = OfRegister<GeluOfTanhSlopeKernel>,
          .sin = OfRegister<SinKernel>,
          .cos = OfRegister<CosKernel>,
          .tan = OfRegister<TanKernel>,
          .tan_of_narrow = OfRegister<TanOfNarrowKernel>,
          .sinc = OfRegister<SincKernel>,
          .sinc_of_narrow = OfRegister<SincOfNarrowKernel>,
          .sinh = OfRegister<SinhKernel>,
          .cosh = OfRegister<CoshKernel>,
          .atanh = OfRegister<AtanhKernel>,
          .asin = OfRegister<AsinKernel>,
          .acos = OfRegister<AcosKernel>,
          .atan = OfRegister<AtanKernel>,
          .log2 = OfRegister<Log2Kernel>,
          .log10 = OfRegister<Log10Kernel>,
          .pow = OfRegisters<PowKernel>,
          .atan2 = OfRegisters<Atan2Kernel>,
          .atan2_of_narrow = OfRegisters<Atan2OfNarrowKernel>,
          .log_add_exp = OfRegisters<LogAddExpKernel>,
          .log_add_exp2 = OfRegisters<LogAddExp2Kernel>};
}

}  // namespace portacl::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

PORTACL_DISPATCH_LANES(portacl::simd, RealFunctionsFor, (int64_t target), RealFunctionsHere)
