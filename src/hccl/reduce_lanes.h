// SPDX-License-Identifier: Apache-2.0
// Lane code of reductions over ranks, as plain functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hccl/hccl_types.h"

namespace portacl::hccl {

/// Elements [first, end) of reduce.h's Reduce() over `ranks` inputs.
using ReduceFunction = void (*)(const void* const* inputs, size_t ranks, void* out, size_t first, size_t end);

/// For FP32, FP16 and BFP16; null for other types. `target` is a HWY_* bit.
ReduceFunction LanesOf(HcclDataType type, HcclReduceOp op, int64_t target);

}  // namespace portacl::hccl
