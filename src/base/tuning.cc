// SPDX-License-Identifier: Apache-2.0
#include "base/tuning.h"

#include <hwy/targets.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/environment.h"
#include "base/target.h"

#if HWY_ARCH_X86_64
#include <cpuid.h>
#endif

namespace portacl {
namespace {

// For processors without a row: estimates that were used on AMD's and Intel's machines before there was a table.
constexpr Tuning kDefault = {
    .microarchitecture = "other",
    .halves_512_bits = false,
    .core_bytes_per_ns = 25,
    .product_ns = 0.01,
    .short_register_product_ns = 0.02,
    .tile_product_ns = 0.0014,
    .bfloat16_product_ns = 0.01,
    .pack_while_multiplying_cost = 0.3,
    .pack_transposed_cost = 3,
    .store_transposed_cost = 8,
    .quantized_product_ns = 0.02,
    .quantized_weight_ns = 0.06,
    .convolution_pixel_ns = 0.014,
    .convolution_panel_ns = 0.03,
    .convolution_tap_ns = 0.15,
    .convolution_stage_ns = 0.2,
    .scan_ns = 0.6,
    .sort_ns = 20,
    .elementwise_prefetch_bytes = 2048,
    .in_place_prefetch_bytes = 2048,
    .several_in_place_prefetch_bytes = 2048,
    .strided_prefetch_bytes = 3 << 10,
    .dot_prefetch_bytes = 4096,
    .weight_prefetch_bytes = 16 << 10,
    .reduction_prefetch_bytes = 1024,
    .second_level_bytes = 1 << 20,
};

#if HWY_ARCH_X86_64
// AMD's family 23 from model 48 on, which has no AVX-512. Measured by bench/fit_tuning.py on 2026-12-01, on a virtual
// machine (family 23, model 49) with nothing else running; each value is followed by its error. The costs of packing
// and staging are those of the default: errors of 40 % and more. The other distances are, too: none was faster by 2 %.
// Those of several operands in place and of reductions were measured by bench/run.
constexpr Tuning Zen2() {
  Tuning tuning = kDefault;
  tuning.microarchitecture = "Zen 2";
  tuning.core_bytes_per_ns = 22;                 // +-5 %
  tuning.product_ns = 0.023;                     // +-3 %
  tuning.short_register_product_ns = 0.022;      // +-1 %
  tuning.quantized_product_ns = 0.012;           // +-4 %
  tuning.quantized_weight_ns = 0.16;             // +-1 %
  tuning.convolution_pixel_ns = 0.022;           // +-6 %
  tuning.convolution_panel_ns = 0.055;           // +-2 %
  tuning.convolution_tap_ns = 0.12;              // +-1 %
  tuning.scan_ns = 0.69;                         // +-0 %
  tuning.sort_ns = 16;                           // +-0 %
  tuning.elementwise_prefetch_bytes = 1024;      // 2048 takes 1.11 times as long, 512 1.01, 4096 and 8192 1.08
  tuning.in_place_prefetch_bytes = 512;          // 2048 takes 1.07 times as long, 0, 4096 and 8192 1.03 to 1.04
  tuning.several_in_place_prefetch_bytes = 512;  // 1024 takes 1.17 times as long, 2048 1.2, 0 and 4096 1.0 to 1.15
  tuning.dot_prefetch_bytes = 1024;              // 4096 takes 1.03 times as long
  tuning.reduction_prefetch_bytes = 512;         // 1024 takes 1.1 times as long for FLOAT, 0.97 for BFLOAT16; 2048 1.13
  tuning.second_level_bytes = 256 << 10;         // half of it
  return tuning;
}

constexpr Tuning kZen2 = Zen2();

// AMD's family 25 with AVX-512. Measured by bench/fit_tuning.py on 2026-11-30, on a virtual machine (family 25, model
// 17) with nothing else running; each value is followed by its error. The costs of packing and the distances are those
// of the default: errors of 25 to 60 %, and no other distance was faster by more than 2 %.
constexpr Tuning Zen4() {
  Tuning tuning = kDefault;
  tuning.microarchitecture = "Zen 4";
  tuning.halves_512_bits = true;        // sums take 1.02 times as long either way
  tuning.core_bytes_per_ns = 43;        // +-2 %
  tuning.product_ns = 0.019;            // +-1 %
  tuning.bfloat16_product_ns = 0.009;   // +-23 %
  tuning.quantized_product_ns = 0.036;  // +-2 %
  tuning.quantized_weight_ns = 0.014;   // +-6 %
  tuning.convolution_pixel_ns = 0.018;  // +-0 %
  tuning.convolution_panel_ns = 0.052;  // +-2 %
  tuning.convolution_tap_ns = 0.095;    // +-1 %
  tuning.convolution_stage_ns = 0.21;   // +-20 %
  tuning.scan_ns = 0.45;                // +-1 %
  tuning.sort_ns = 11;                  // +-1 %
  tuning.in_place_prefetch_bytes = 0;   // others take 1.0 to 1.3 times as long
  return tuning;
}

constexpr Tuning kZen4 = Zen4();

// AMD's family 26. Measured by bench/fit_tuning.py on 2026-11-30, on a virtual machine (family 26, model 2) with
// nothing else running; each value is followed by its error. The costs of packing and staging are those of the default,
// whose measurements changed from run to run, and so are the other distances: none was faster by more than 5 %.
constexpr Tuning Zen5() {
  Tuning tuning = kDefault;
  tuning.microarchitecture = "Zen 5";
  tuning.core_bytes_per_ns = 48;             // +-6 %
  tuning.product_ns = 0.0091;                // +-3 %
  tuning.short_register_product_ns = 0.017;  // +-1 %
  tuning.bfloat16_product_ns = 0.0048;       // +-5 %
  tuning.quantized_product_ns = 0.018;       // +-7 %
  tuning.quantized_weight_ns = 0.025;        // +-10 %
  tuning.convolution_pixel_ns = 0.0083;      // +-2 %
  tuning.convolution_panel_ns = 0.015;       // +-13 %
  tuning.convolution_tap_ns = 0.063;         // +-1 %
  tuning.scan_ns = 0.31;                     // +-2 %
  tuning.sort_ns = 7.5;                      // +-1 %
  tuning.reduction_prefetch_bytes = 4096;    // 1024 takes 1.06 to 1.12 times as long
  tuning.in_place_prefetch_bytes = 0;        // not measured with others
  return tuning;
}

constexpr Tuning kZen5 = Zen5();

// Intel's family 6 with AMX. Measured by bench/fit_tuning.py on 2026-11-29, on a virtual machine (family 6, model 167)
// while other programs ran; each value is followed by its error. The costs of packing and the other distances are those
// of the default: their measurements changed from run to run.
constexpr Tuning XeonWithAmx() {
  Tuning tuning = kDefault;
  tuning.microarchitecture = "Xeon with AMX";
  tuning.core_bytes_per_ns = 24;                  // +-15 %
  tuning.product_ns = 0.013;                      // +-6 %
  tuning.short_register_product_ns = 0.022;       // +-4 %
  tuning.tile_product_ns = 0.0015;                // +-8 %
  tuning.quantized_product_ns = 0.018;            // +-6 %
  tuning.quantized_weight_ns = 0.045;             // +-8 %
  tuning.convolution_pixel_ns = 0.01;             // +-3 %
  tuning.convolution_panel_ns = 0.043;            // +-5 %
  tuning.convolution_tap_ns = 0.072;              // +-3 %
  tuning.convolution_stage_ns = 0.22;             // +-6 %
  tuning.scan_ns = 0.53;                          // +-3 %
  tuning.sort_ns = 8;                             // +-7 %
  tuning.elementwise_prefetch_bytes = 8192;       // 2048 takes 1.04 to 1.09 times as long, 4096 1.01 to 1.08
  tuning.several_in_place_prefetch_bytes = 8192;  // not measured with others
  tuning.in_place_prefetch_bytes = 8192;          // 0 takes 1.6 to 4 times as long, 2048 1.1 to 1.3, 4096 1.0 to 1.05
  tuning.reduction_prefetch_bytes = 4096;         // 1024 takes 1.18 times as long, 2048 1.10, 8192 1.09
  return tuning;
}

constexpr Tuning kXeonWithAmx = XeonWithAmx();

const Tuning& RowOfProcessor() noexcept {
  unsigned version = 0, b = 0, c = 0, d = 0;
  __builtin_cpu_init();
  if (__get_cpuid(1, &version, &b, &c, &d) == 0) return kDefault;
  const unsigned family = (version >> 8 & 15) + (version >> 20 & 255);
  const unsigned model = (version >> 4 & 15) + (version >> 12 & 240);
  if (__builtin_cpu_is("amd") && family == 23 && model >= 48) return kZen2;
  if (UsableTargets().front() > HWY_AVX3) return kDefault;
  if (__builtin_cpu_is("amd") && family == 25) return kZen4;
  if (__builtin_cpu_is("amd") && family == 26) return kZen5;
  const bool has_amx = __get_cpuid_count(7, 0, &version, &b, &c, &d) != 0 && (d >> 24 & 1) != 0;
  if (__builtin_cpu_is("intel") && family == 6 && has_amx) return kXeonWithAmx;
  return kDefault;
}
#else
const Tuning& RowOfProcessor() noexcept { return kDefault; }
#endif

struct Number {
  std::string_view name;
  double Tuning::* real;
  int64_t Tuning::* integer;
};

#define PORTACL_REAL(name) \
  Number { #name, &Tuning::name, nullptr }
#define PORTACL_INTEGER(name) \
  Number { #name, nullptr, &Tuning::name }
constexpr Number kNumbers[] = {
    PORTACL_REAL(core_bytes_per_ns),
    PORTACL_REAL(product_ns),
    PORTACL_REAL(short_register_product_ns),
    PORTACL_REAL(tile_product_ns),
    PORTACL_REAL(bfloat16_product_ns),
    PORTACL_REAL(pack_while_multiplying_cost),
    PORTACL_REAL(pack_transposed_cost),
    PORTACL_REAL(store_transposed_cost),
    PORTACL_REAL(quantized_product_ns),
    PORTACL_REAL(quantized_weight_ns),
    PORTACL_REAL(convolution_pixel_ns),
    PORTACL_REAL(convolution_panel_ns),
    PORTACL_REAL(convolution_tap_ns),
    PORTACL_REAL(convolution_stage_ns),
    PORTACL_REAL(scan_ns),
    PORTACL_REAL(sort_ns),
    PORTACL_INTEGER(elementwise_prefetch_bytes),
    PORTACL_INTEGER(in_place_prefetch_bytes),
    PORTACL_INTEGER(several_in_place_prefetch_bytes),
    PORTACL_INTEGER(strided_prefetch_bytes),
    PORTACL_INTEGER(dot_prefetch_bytes),
    PORTACL_INTEGER(weight_prefetch_bytes),
    PORTACL_INTEGER(reduction_prefetch_bytes),
    PORTACL_INTEGER(second_level_bytes),
};
#undef PORTACL_REAL
#undef PORTACL_INTEGER
static_assert(sizeof(Tuning) == sizeof(double) * (std::size(kNumbers) + 2),
              "a number of Tuning is missing in the list");

// Reads "name=value" at the beginning of the text, and removes it with the comma that follows.
bool ReplaceNumber(std::string_view* text, Tuning* tuning) noexcept {
  const std::string_view name = text->substr(0, text->find('='));
  const auto* const number =
      std::find_if(std::begin(kNumbers), std::end(kNumbers), [&](const Number& each) { return each.name == name; });
  if (number == std::end(kNumbers) || name.size() == text->size()) return false;
  text->remove_prefix(name.size() + 1);
  const std::string_view digits = text->substr(0, text->find(','));
  double value = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  constexpr double kMost = 1e9;
  if (error != std::errc() || stop != digits.data() + digits.size() || !(value >= 0 && value <= kMost) ||
      (value == 0 && number->real != nullptr))
    return false;
  if (number->real != nullptr) {
    tuning->*number->real = value;
  } else {
    tuning->*number->integer = static_cast<int64_t>(value);
  }
  text->remove_prefix(std::min(text->size(), digits.size() + 1));
  return true;
}

Tuning ChooseTuning() noexcept {
  Tuning tuning = RowOfProcessor();
  if (const char* text = VariableText(Variable::kTuning); text != nullptr && !ReplaceNumbers(text, &tuning))
    RejectVariable(Variable::kTuning, "numbers by name, such as product_ns=0.01,sort_ns=20");
  return tuning;
}

}  // namespace

bool ReplaceNumbers(const char* text, Tuning* tuning) noexcept {
  Tuning replaced = *tuning;
  for (std::string_view left = text; !left.empty();) {
    if (!ReplaceNumber(&left, &replaced)) return false;
  }
  *tuning = replaced;
  return true;
}

inline namespace v1 {

const Tuning& CurrentTuning() noexcept {
  static const Tuning tuning = ChooseTuning();
  return tuning;
}

}  // namespace v1
}  // namespace portacl
