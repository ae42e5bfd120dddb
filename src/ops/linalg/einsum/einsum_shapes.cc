// SPDX-License-Identifier: Apache-2.0
//
// Checks that relate the equation and the shapes to each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string_view>

#include "ops/linalg/einsum/einsum_spec.h"

namespace portacl::ops::einsum {
namespace {

constexpr int64_t kUnknown = -1;

std::string_view EquationOf(const exec::Arguments& arguments) {
  return arguments.value(kEinsum.Index("equation")).As<const char*>();
}

// The letters of tensor number `place`; after both inputs, those of the output.
std::string_view LettersOf(std::string_view equation, int place) {
  const size_t comma = equation.find(','), arrow = equation.find("->");
  if (place == 0) return equation.substr(0, comma);
  return place == 1 ? equation.substr(comma + 1, arrow - comma - 1) : equation.substr(arrow + 2);
}

// The size of the letter in the tensors before `end`.
int64_t SizeOf(const exec::Arguments& arguments, char letter, int end) {
  for (int place = 0; place < end; ++place) {
    const size_t axis = LettersOf(EquationOf(arguments), place).find(letter);
    if (axis != std::string_view::npos) return arguments.Tensor(kEinsum.Index("tensors"), place).shape[axis];
  }
  return kUnknown;
}

}  // namespace

aclnnStatus CheckEquation(const exec::Arguments& arguments, const exec::Step& step) {
  const std::string_view equation = EquationOf(arguments);
  if (equation == kOuter || equation == kContraction) return exec::kSuccess;
  return arguments.Refuse(step, kEinsum.Index("equation"), fmt::format("{} or {}", kOuter, kContraction), equation);
}

aclnnStatus CheckLetters(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kFactors = kEinsum.Index("tensors");
  for (int place = 0; place < 2; ++place) {
    const View& tensor = arguments.Tensor(kFactors, place);
    const std::string_view letters = LettersOf(EquationOf(arguments), place);
    bool fits = tensor.rank == std::ssize(letters);
    for (int axis = 0; fits && axis < tensor.rank; ++axis) {
      const int64_t size = SizeOf(arguments, letters[static_cast<size_t>(axis)], place);
      fits = size == kUnknown || size == tensor.shape[axis];
    }
    if (fits) continue;
    return arguments.Refuse(step, kFactors,
                            fmt::format("axes {} of {}, one size for a letter", letters, EquationOf(arguments)),
                            fmt::format("[{}]", fmt::join(tensor.dims(), ",")), place);
  }
  return exec::kSuccess;
}

bool OutputShape(const exec::Arguments& arguments, Shape* shape) {
  const std::string_view equation = EquationOf(arguments);
  const bool is_known = equation == kOuter || equation == kContraction;
  if (!is_known || arguments.Count(kEinsum.Index("tensors")) != 2) return false;
  for (int place = 0; place < 2; ++place) {
    if (arguments.Tensor(kEinsum.Index("tensors"), place).rank != std::ssize(LettersOf(equation, place))) return false;
  }
  shape->rank = 0;
  for (const char letter : LettersOf(equation, 2)) shape->dims[shape->rank++] = SizeOf(arguments, letter, 2);
  int64_t count = 0;
  return CountElements(shape->span(), &count);
}

}  // namespace portacl::ops::einsum
