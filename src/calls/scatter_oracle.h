// SPDX-License-Identifier: Apache-2.0
// Shared by the oracles of operators that write or combine elements where indices say: what comes to each element of
// the output, in order.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

#include "calls/element.h"
#include "calls/fill.h"
#include "calls/indices.h"
#include "calls/oracle.h"
#include "calls/reduction_oracle.h"

namespace portacl::calls {

/// In the order of the attribute of ScatterReduce.
enum class Combination : uint8_t { kReplace, kAdd, kMultiply, kMax, kMin, kMean };

class Destinations {
 public:
  /// The output `out` begins as `first`, or as zeros if that names nothing.
  Destinations(OracleCall& call, std::string_view first, std::string_view out, Combination combination,
               bool includes_first = true)
      : call_(call),
        out_(out),
        dtype_(call.Tensor(out).dtype),
        bytes_(ElementBytes(dtype_)),
        combination_(combination),
        includes_first_(includes_first),
        terms_(static_cast<size_t>(ElementCount(call.Tensor(out).shape))),
        first_(first.empty() ? std::vector<std::byte>(terms_.size() * bytes_) : call.Bytes(first)) {}

  void Put(size_t destination, const std::byte* element) { PutNumber(destination, element, Load(element)); }
  /// The element times a FLOAT scalar; products of integers wrap.
  void Put(size_t destination, const std::byte* element, double scalar) {
    const auto factor = static_cast<float>(scalar);
    if (IsFloat(dtype_)) {
      const long double x = Load(element), y = static_cast<long double>(factor), product = x * y;
      return PutNumber(destination, element, product, std::isfinite(product) ? std::fma(x, y, -product) : 0);
    }
    std::byte whole[16] = {};
    StoreScalarElement(ACL_INT64, scalar, whole);
    std::byte product[16] = {};
    const uint64_t bits = ElementBits(dtype_, element) * ElementBits(ACL_INT64, whole);
    std::memcpy(product, &bits, bytes_);
    if (dtype_ == ACL_BOOL) product[0] = std::byte{Load(element) != 0 && factor != 0};
    Put(destination, product);
  }
  /// A number that is not an element of the output's dtype.
  void PutNumber(size_t destination, long double number) { PutNumber(destination, nullptr, number); }

  /// Sets the expected elements.
  void Finish() {
    const bool is_float = IsFloat(dtype_) && combination_ != Combination::kReplace;
    call_.Values(out_).clear();  // of a tensor that is read, too
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (is_float) {
        Add(Sum(i));
      } else {
        const std::array<std::byte, 16> element = Whole(i);
        call_.ExactBytes(out_).insert(call_.ExactBytes(out_).end(), element.begin(), element.begin() + Size());
      }
    }
  }

 private:
  struct Term {
    std::array<std::byte, 16> element;
    long double number;
    long double rest = 0;  // number + rest is exact
  };
  struct Result {
    long double value;
    long double tail = 0;
    long double magnitudes = 0;
    bool is_any = false;  // a partial result leaves the range in which it is computed
  };

  // Rows of 16 bits are added in groups of four in FLOAT first.
  long double Unit() const { return bytes_ == 2 ? 0x1p-5L : 0x1p-16L; }
  std::ptrdiff_t Size() const { return static_cast<std::ptrdiff_t>(bytes_); }
  long double Load(const std::byte* element) const { return LoadElement(dtype_, element); }
  const std::byte* First(size_t i) const { return &first_[i * bytes_]; }

  void PutNumber(size_t destination, const std::byte* element, long double number, long double rest = 0) {
    Term term{.element = {}, .number = number, .rest = rest};
    if (element != nullptr) std::memcpy(term.element.data(), element, bytes_);
    terms_[destination].push_back(term);
  }

  std::vector<Term> TermsOf(size_t i) const {
    std::vector<Term> terms = terms_[i];
    if (!includes_first_ && !terms.empty()) return terms;
    Term first{.element = {}, .number = Load(First(i))};
    std::memcpy(first.element.data(), First(i), bytes_);
    terms.insert(terms.begin(), first);
    return terms;
  }

  Result Sum(size_t i) const {
    const std::vector<Term> terms = TermsOf(i);
    if (terms_[i].empty()) return {.value = terms.front().number};
    Result result{.value = terms.front().number, .magnitudes = std::abs(terms.front().number)};
    ExactSum sum;
    for (const Term& term : terms) {
      sum.Add(term.number);
      sum.Add(term.rest);
      if (&term == &terms.front()) continue;
      result.magnitudes += std::abs(term.number);
      switch (combination_) {
        case Combination::kMultiply:
          result.value *= term.number;
          break;
        case Combination::kMax:
          if (term.number > result.value || std::isnan(term.number)) result.value = term.number;
          break;
        case Combination::kMin:
          if (term.number < result.value || std::isnan(term.number)) result.value = term.number;
          break;
        default:
          result.value = sum.Total();
      }
      const long double size = std::abs(result.value);
      if (std::isfinite(size) && size != 0 && (size > 0x1p1023L || size < 0x1p-960L))
        result.is_any |= combination_ == Combination::kMultiply || size > 1;
    }
    if (combination_ == Combination::kMean) {
      const auto count = static_cast<long double>(terms.size());
      result.value /= count;
      result.magnitudes /= count;
    }
    const bool adds = combination_ == Combination::kAdd || combination_ == Combination::kMean;
    if (!adds) result.magnitudes = 0;
    result.tail =
        std::isfinite(result.value) ? result.value - static_cast<long double>(static_cast<double>(result.value)) : 0;
    return result;
  }

  void Add(const Result& result) {
    call_.Values(out_).push_back(static_cast<double>(result.value));
    call_.Tails(out_).push_back(static_cast<double>(result.tail));
    call_.Terms(out_).push_back(result.is_any ? std::numeric_limits<double>::infinity()
                                              : static_cast<double>(result.magnitudes * Unit()));
  }

  std::array<std::byte, 16> Whole(size_t i) const {
    const std::vector<Term> terms = TermsOf(i);
    if (combination_ == Combination::kReplace || terms_[i].empty()) return terms.back().element;
    std::array<std::byte, 16> element = terms.front().element;
    if (dtype_ == ACL_BOOL) element[0] = std::byte{element[0] != std::byte{0}};
    for (size_t k = 1; k < terms.size(); ++k) Into(&element, terms[k]);
    if (combination_ == Combination::kMean)
      StoreElement(dtype_, std::floor(Load(element.data()) / static_cast<long double>(terms.size())), element.data());
    return element;
  }

  void Into(std::array<std::byte, 16>* element, const Term& term) const {
    const long double value = Load(element->data());
    if (dtype_ == ACL_BOOL) {
      const bool both = combination_ == Combination::kMultiply || combination_ == Combination::kMin;
      (*element)[0] = std::byte{both ? value != 0 && term.number != 0 : value != 0 || term.number != 0};
      return;
    }
    uint64_t bits = ElementBits(dtype_, element->data());
    switch (combination_) {
      case Combination::kMax:
        if (term.number > value) *element = term.element;
        return;
      case Combination::kMin:
        if (term.number < value) *element = term.element;
        return;
      case Combination::kMultiply:
        bits *= ElementBits(dtype_, term.element.data());
        break;
      default:
        bits += ElementBits(dtype_, term.element.data());
    }
    std::memcpy(element->data(), &bits, bytes_);
  }

  OracleCall& call_;
  std::string_view out_;
  aclDataType dtype_;
  size_t bytes_;
  Combination combination_;
  bool includes_first_;
  std::vector<std::vector<Term>> terms_;
  std::vector<std::byte> first_;
};

/// An index that may count from the end, as a number from 0 on.
inline int64_t Wrapped(double index, int64_t size) { return static_cast<int64_t>(index) + (index < 0 ? size : 0); }

}  // namespace portacl::calls
