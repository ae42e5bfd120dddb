// SPDX-License-Identifier: Apache-2.0
//
// A conversion is at most three steps between neighbouring dtypes, so that N dtypes need some 50 loops and not N * N.
// All steps but one are exact. Where a wide dtype is rounded to 16 bits by way of FLOAT, the step to FLOAT rounds to
// odd, so that the last step rounds as if it saw the exact value.
#include "loops/elements/conversion.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/dtype.h"
#include "base/target.h"

namespace portacl::loops {
namespace {

constexpr aclDataType kNumbers[] = {ACL_FLOAT,  ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE,    ACL_INT8,
                                    ACL_INT16,  ACL_INT32,   ACL_INT64, ACL_UINT8,     ACL_UINT16,
                                    ACL_UINT32, ACL_UINT64,  ACL_BOOL,  ACL_COMPLEX64, ACL_COMPLEX128};
constexpr size_t kMostTargets = 8;

size_t PlaceOf(aclDataType dtype) {
  return static_cast<size_t>(std::find(std::begin(kNumbers), std::end(kNumbers), dtype) - kNumbers);
}

bool IsInteger(aclDataType dtype) {
  const DtypeKind kind = FindDtype(dtype)->kind;
  return kind == DtypeKind::kSigned || kind == DtypeKind::kUnsigned || kind == DtypeKind::kBool;
}

bool FitsFloat(aclDataType dtype) { return ElementBytes(dtype) <= 2; }

// Conversions between integers keep the low bits, so signed and unsigned ones of the same width are alike.
aclDataType AsSigned(aclDataType dtype) {
  switch (dtype) {
    case ACL_UINT8:
      return ACL_INT8;
    case ACL_UINT16:
      return ACL_INT16;
    case ACL_UINT32:
      return ACL_INT32;
    case ACL_UINT64:
      return ACL_INT64;
    default:
      return dtype;
  }
}

void AddStep(Conversion* conversion, ConvertFunction step, aclDataType to) {
  conversion->step[conversion->steps++] = step;
  conversion->bytes[conversion->steps] = static_cast<uint8_t>(ElementBytes(to));
}

void AddSteps(Conversion* conversion, aclDataType from, aclDataType to, int64_t target) {
  if (from == to) return;
  if (IsInteger(from) && IsInteger(to) && to != ACL_BOOL) {
    to = AsSigned(to);
    if (from == ACL_UINT64 || (from != ACL_BOOL && ElementBytes(from) == ElementBytes(to))) from = AsSigned(from);
    if (from == to) return;
  }
  if (const ConvertFunction step = ConvertLanes(from, to, target)) return AddStep(conversion, step, to);
  if (IsInteger(from) && IsInteger(to)) {
    AddSteps(conversion, from, ACL_INT64, target);
    AddSteps(conversion, ACL_INT64, to, target);
  } else if (IsComplex(from)) {
    AddSteps(conversion, from, PartOf(from), target);
    AddSteps(conversion, PartOf(from), to, target);
  } else if (IsComplex(to)) {
    AddSteps(conversion, from, PartOf(to), target);
    AddSteps(conversion, PartOf(to), to, target);
  } else if (FitsFloat(from)) {
    AddSteps(conversion, from, ACL_FLOAT, target);
    AddSteps(conversion, ACL_FLOAT, to, target);
  } else if (ElementBytes(to) == 2 && !IsInteger(to)) {
    AddStep(conversion, OddFloatLanes(from, target), ACL_FLOAT);
    AddSteps(conversion, ACL_FLOAT, to, target);
  } else {
    AddSteps(conversion, from, ACL_DOUBLE, target);
    AddSteps(conversion, ACL_DOUBLE, to, target);
  }
}

Conversion MakeConversion(aclDataType from, aclDataType to, int64_t target) {
  Conversion conversion;
  conversion.bytes[0] = static_cast<uint8_t>(ElementBytes(from));
  if (from != to && IsComplex(from) && IsComplex(to)) {
    conversion.parts = 2;
    AddSteps(&conversion, PartOf(from), PartOf(to), target);
    conversion.bytes[1] = static_cast<uint8_t>(ElementBytes(to));
  } else {
    AddSteps(&conversion, from, to, target);
  }
  return conversion;
}

// Conversions for every target of this machine: a plan that was made for one target may outlive a switch to another.
struct Conversions {
  Conversions() {
    const std::span<const int64_t> targets = UsableTargets();
    for (size_t i = 0; i < std::min(targets.size(), kMostTargets); ++i) {
      for (const aclDataType from : kNumbers) {
        for (const aclDataType to : kNumbers) {
          between[i][PlaceOf(from)][PlaceOf(to)] = MakeConversion(from, to, targets[i]);
        }
      }
    }
  }
  Conversion between[kMostTargets][std::size(kNumbers)][std::size(kNumbers)];
};

}  // namespace

inline namespace v1 {

const Conversion& ConversionOf(aclDataType from, aclDataType to) {
  static const Conversions conversions;
  const std::span<const int64_t> targets = UsableTargets();
  const auto target = static_cast<size_t>(std::ranges::find(targets, ActiveTarget()) - targets.begin());
  return conversions.between[target][PlaceOf(from)][PlaceOf(to)];
}

void Convert(const Conversion& conversion, const std::byte* from, std::byte* to, int64_t n) {
  constexpr int64_t kElements = 128;
  alignas(64) std::byte buffer[2][kElements * 16];
  const int64_t from_bytes = conversion.bytes[0], to_bytes = conversion.bytes[conversion.steps];
  if (conversion.steps == 0) return static_cast<void>(std::memcpy(to, from, static_cast<size_t>(n * from_bytes)));
  if (conversion.steps == 1) return conversion.step[0](from, to, n * conversion.parts);
  for (int64_t i = 0; i < n; i += kElements) {
    const int64_t count = std::min(n - i, kElements);
    conversion.step[0](from + i * from_bytes, buffer[0], count);
    if (conversion.steps == 3) conversion.step[1](buffer[0], buffer[1], count);
    conversion.step[conversion.steps - 1](buffer[conversion.steps - 2], to + i * to_bytes, count);
  }
}

}  // namespace v1
}  // namespace portacl::loops
