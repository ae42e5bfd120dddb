// SPDX-License-Identifier: Apache-2.0
// For oracles of operators that draw random numbers: an independent implementation of the stream, word by word.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "calls/reduction_oracle.h"

namespace portacl::calls {

struct OracleStream {
  uint64_t seed;
  uint64_t offset;

  uint32_t Word(uint64_t number) const {
    const uint64_t counter = number / 4;
    std::array<uint64_t, 4> c = {counter % (uint64_t{1} << 32), counter / (uint64_t{1} << 32),
                                 offset % (uint64_t{1} << 32), offset / (uint64_t{1} << 32)};
    std::array<uint64_t, 2> key = {seed % (uint64_t{1} << 32), seed / (uint64_t{1} << 32)};
    for (int round = 0; round < 10; ++round) {
      const uint64_t first = 3528531795 * c[0], second = 3449720151 * c[2];
      c = {second / (uint64_t{1} << 32) ^ c[1] ^ key[0], second % (uint64_t{1} << 32),
           first / (uint64_t{1} << 32) ^ c[3] ^ key[1], first % (uint64_t{1} << 32)};
      key[0] = (key[0] + 2654435769) % (uint64_t{1} << 32);
      key[1] = (key[1] + 3144134277) % (uint64_t{1} << 32);
    }
    return static_cast<uint32_t>(c[number % 4]);
  }
  /// Two words as an integer.
  uint64_t Pair(uint64_t number) const { return Word(2 * number) + (uint64_t{Word(2 * number + 1)} << 32); }

  /// Uniform numbers in [0, 1) of one word and of two.
  double OfOneWord(uint64_t i) const { return std::ldexp(std::floor(std::ldexp(Word(i), -8)), -24); }
  double OfTwoWords(uint64_t i) const {
    const double high = std::floor(std::ldexp(Word(2 * i), -5)), low = std::floor(std::ldexp(Word(2 * i + 1), -6));
    return std::ldexp(high, -27) + std::ldexp(low, -53);
  }
  double Uniform(aclDataType dtype, uint64_t i) const {
    const bool is_wide = ElementBytes(dtype) > (IsFloat(dtype) ? 4U : 2U);
    return is_wide ? OfTwoWords(i) : OfOneWord(i);
  }
};

/// The stream of a call: seed and offset are attributes, or the first is in a tensor and the second is a sum.
inline OracleStream StreamOf(OracleCall& call) {
  const auto offset = static_cast<uint64_t>(call.Integer("offset"));
  if (call.schema().Find("seedTensor") < 0) return {static_cast<uint64_t>(call.Integer("seed")), offset};
  uint64_t seed = 0, begin = 0;
  std::memcpy(&seed, call.Bytes("seedTensor").data(), sizeof(seed));
  std::memcpy(&begin, call.Bytes("offsetTensor").data(), sizeof(begin));
  return {seed, begin + offset};
}

/// Any seed and any offset.
inline void DrawSeeds(Call& call, Random* random) {
  for (const char* const name : {"seed", "offset"}) {
    if (random == nullptr || call.schema().Find(name) < 0) continue;
    const uint64_t bits = random->Bits() >> random->Below(64);
    call.argument(name).integer = static_cast<int64_t>(random->Chance(0.5) ? bits : ~bits);
  }
  for (const char* const name : {"seedTensor", "offsetTensor"}) {
    if (call.schema().Find(name) >= 0)
      call.tensor(name).shape = Dims(random == nullptr ? 1 : static_cast<size_t>(random->Below(4)), 1);
  }
}

/// Appends an element to the expected ones of an output.
inline void AppendElement(OracleCall& call, std::string_view out, long double value) {
  const aclDataType dtype = call.Tensor(out).dtype;
  std::byte element[16] = {};
  StoreElement(PartDtype(dtype), value, element);
  std::vector<std::byte>& bytes = call.ExactBytes(out);
  bytes.insert(bytes.end(), element, element + ElementBytes(dtype));
}

}  // namespace portacl::calls
