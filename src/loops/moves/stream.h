// SPDX-License-Identifier: Apache-2.0
//
// The stream of random words of a call.
#pragma once

#include <cstdint>

#include "exec/plan.h"
#include "loops/moves/indices.h"

namespace portacl::loops::moves {

/// Operands that a call does not have.
inline constexpr int kNoInput = -1;

/// Key and upper half of the counter (simd/philox.h).
struct Stream {
  uint64_t seed;
  uint64_t offset;
};

/// Where a run finds its stream: attributes, or tensors of one INT64 element, to the second of which the attribute
/// `offset` is added.
struct StreamSource {
  StreamSource() = default;
  explicit StreamSource(const exec::PlanBuilder& plan) {
    const auto attribute = [&](const char* name) {
      return plan.schema().Find(name) < 0 ? 0 : static_cast<uint64_t>(plan.Attribute<int64_t>(name));
    };
    attributes = {attribute("seed"), attribute("offset")};
    if (plan.schema().Find("seedTensor") < 0) return;
    seed = plan.Input("seedTensor");
    offset = plan.Input("offsetTensor");
  }

  Stream In(const exec::RunContext& context) const {
    Stream stream = attributes;
    if (seed == kNoInput) return stream;
    stream.seed = static_cast<uint64_t>(ReadIndex(context.Address(seed), true));
    stream.offset += static_cast<uint64_t>(ReadIndex(context.Address(offset), true));
    return stream;
  }

  Stream attributes = {};
  int seed = kNoInput;
  int offset = kNoInput;
};

}  // namespace portacl::loops::moves
