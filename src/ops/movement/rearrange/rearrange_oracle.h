// SPDX-License-Identifier: Apache-2.0
//
// The oracle of this room, see calls/oracle.h, and the properties of valid calls that no word of the schema expresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "calls/indices.h"
#include "calls/word_calls.h"

namespace portacl::ops::rearrange {

using calls::Dims;

inline void SlicePlace(const calls::Dims& shape, size_t axis, int64_t start, int64_t* first) {
  const int64_t n = shape[axis];
  *first = start < -n ? 0 : start >= n ? n : start < 0 ? start + n : start;
}

inline void RollIndex(calls::OracleCall& call, Dims* index) {
  const Dims& shape = call.Tensor("x").shape;
  const std::vector<int64_t>& dims = call.Integers("dims");
  const std::vector<int64_t>& shifts = call.Integers("shifts");
  const auto back = [](int64_t at, int64_t shift, int64_t n) { return ((at - shift % n) % n + n) % n; };
  if (dims.empty()) {
    const auto number = static_cast<int64_t>(calls::NumberOf(shape, *index));
    *index = calls::IndexOf(shape, back(number, shifts[0], calls::ElementCount(shape)));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t axis = calls::AxisOf(dims[i], shape.size());
    (*index)[axis] = back((*index)[axis], shifts[i], shape[axis]);
  }
}

inline bool Oracle(calls::OracleCall& call) {
  if (call.api() == "aclnnPermute") {
    calls::MoveElements(call, "self", "out", [&](const Dims& index) {
      Dims source(index.size());
      for (size_t i = 0; i < index.size(); ++i)
        source[calls::AxisOf(call.Integers("dims")[i], index.size())] = index[i];
      return source;
    });
  } else if (call.api() == "aclnnFlatten") {
    call.ExactBytes("out") = call.Bytes("self");
  } else if (call.api() == "aclnnFlip") {
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      for (const int64_t dim : call.Integers("dims")) {
        const size_t axis = calls::AxisOf(dim, index.size());
        index[axis] = call.Tensor("self").shape[axis] - 1 - index[axis];
      }
      return index;
    });
  } else if (call.api() == "aclnnRoll") {
    calls::MoveElements(call, "x", "out", [&](Dims index) { return RollIndex(call, &index), index; });
  } else if (call.api() == "aclnnSlice") {
    const Dims& shape = call.Tensor("self").shape;
    const size_t axis = calls::AxisOf(call.Integer("dim"), shape.size());
    int64_t first = 0;
    SlicePlace(shape, axis, call.Integer("start"), &first);
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      index[axis] = first + index[axis] * call.Integer("step");
      return index;
    });
  } else if (call.api() == "aclnnSliceV2") {
    const Dims& shape = call.Tensor("self").shape;
    const std::vector<int64_t>& axes = call.Integers("axes");
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      for (size_t i = 0; i < axes.size(); ++i) {
        const size_t axis = calls::AxisOf(axes[i], shape.size());
        int64_t first = 0;
        SlicePlace(shape, axis, call.Integers("starts")[i], &first);
        index[axis] = first + index[axis] * call.Integers("steps")[i];
      }
      return index;
    });
  } else if (call.api() == "aclnnExpand") {
    const Dims& shape = call.Tensor("self").shape;
    calls::MoveElements(call, "self", "out", [&](Dims index) {
      index.erase(index.begin(), index.end() - std::ssize(shape));
      for (size_t axis = 0; axis < index.size(); ++axis) index[axis] = shape[axis] == 1 ? 0 : index[axis];
      return index;
    });
  } else {
    return false;
  }
  return true;
}

inline int64_t Drawn(calls::Random* random, int64_t low, int64_t high, int64_t otherwise) {
  return random == nullptr ? otherwise : random->Between(low, high);
}

inline void CompleteDims(calls::Call& call, calls::Random* random, int64_t rank) {
  std::vector<int64_t>& dims = call.argument("dims").integers;
  dims.resize(static_cast<size_t>(rank));
  std::iota(dims.begin(), dims.end(), 0);
  std::reverse(dims.begin(), dims.end());
  for (int64_t i = 0; random != nullptr && i < rank; ++i)
    std::swap(dims[static_cast<size_t>(i)], dims[static_cast<size_t>(random->Below(rank))]);
  for (int64_t& dim : dims) {
    if (random != nullptr && random->Chance(0.3)) dim -= rank;
  }
}

inline void CompleteCall(calls::Call& call, calls::Random* random, int64_t) {
  const std::string_view api = call.schema().api;
  if (api == "aclnnPermute") {
    CompleteDims(call, random, std::ssize(call.tensor("self").shape));
  } else if (api == "aclnnFlatten") {
    const int64_t rank = std::max<int64_t>(1, std::ssize(call.tensor("self").shape));
    call.argument("axis").integer = Drawn(random, -rank, rank - 1, rank - 1);
  } else if (api == "aclnnFlip") {
    const int64_t rank = std::ssize(call.tensor("self").shape);
    CompleteDims(call, random, rank);
    if (rank > 1) call.argument("dims").integers.resize(static_cast<size_t>(Drawn(random, 0, rank, 1)));
  } else if (api == "aclnnRoll") {
    const int64_t rank = std::ssize(call.tensor("x").shape);
    CompleteDims(call, random, rank);
    const bool flat = rank == 0 || (random != nullptr && random->Chance(0.3));
    call.argument("dims").integers.resize(flat ? 0 : static_cast<size_t>(Drawn(random, 1, rank, 1)));
    std::vector<int64_t>& shifts = call.argument("shifts").integers;
    shifts.resize(std::max<size_t>(1, call.argument("dims").integers.size()));
    for (int64_t& shift : shifts) shift = Drawn(random, -90, 90, 1);
  } else if (api == "aclnnSlice") {
    if (call.tensor("self").shape.empty()) return;
    const size_t axis = calls::AxisOf(call.argument("dim").integer, call.tensor("self").shape.size());
    const int64_t n = call.tensor("self").shape[axis];
    call.argument("step").integer = Drawn(random, 1, 3, 1);
    call.argument("start").integer = Drawn(random, -n - 2, n / 2, 0);
    call.argument("end").integer = Drawn(random, n / 2, n + 2, n);
  } else if (api == "aclnnSliceV2") {
    const Dims& shape = call.tensor("self").shape;
    const auto rank = static_cast<int64_t>(shape.size());
    for (const char* const name : {"starts", "ends", "axes", "steps"}) call.argument(name).integers.clear();
    for (int64_t axis = rank; axis-- > 0;) {
      if (random != nullptr && random->Chance(0.4)) continue;
      const int64_t n = shape[static_cast<size_t>(axis)];
      call.argument("axes").integers.push_back(Drawn(random, 0, 1, 0) == 0 ? axis : axis - rank);
      call.argument("steps").integers.push_back(Drawn(random, 1, 3, 1));
      call.argument("starts").integers.push_back(Drawn(random, -n - 2, n / 2, 0));
      call.argument("ends").integers.push_back(Drawn(random, n / 2, n + 2, n));
    }
  } else if (api == "aclnnExpand") {
    Dims& shape = call.tensor("self").shape;
    Dims& size = call.argument("size").integers;
    size = shape;
    for (size_t axis = 0; axis < shape.size() && random != nullptr; ++axis) {
      const bool keeps = random->Chance(0.5);
      if (keeps && random->Chance(0.5)) size[axis] = -1;
      if (!keeps) shape[axis] = 1;
    }
    for (int64_t added = Drawn(random, 0, 2, 0); added > 0 && shape.size() + added <= kMaxRank; --added)
      size.insert(size.begin(), Drawn(random, 1, 3, 1));
  } else {
    return;
  }
  calls::ComputeShapeOf(call, call.schema().Find("out"));
}

}  // namespace portacl::ops::rearrange
