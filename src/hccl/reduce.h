// SPDX-License-Identifier: Apache-2.0
// Reductions over ranks, in their order.
#pragma once

#include <cstddef>
#include <span>

#include "hccl/hccl_types.h"

namespace portacl::hccl {

/// Bytes of an element; 0: there is no such type.
size_t ElementBytes(HcclDataType type) noexcept;

/// Whether elements of the type can be reduced so.
bool CanReduce(HcclDataType type, HcclReduceOp op) noexcept;

/// out[i] = ((inputs[0][i] op inputs[1][i]) op inputs[2][i]) ...: FP16 and BFP16 in float32, rounded once to nearest even,
/// integers modulo 2^n. Of MAX and MIN the first NaN is the result, and of equal numbers the first. `out` may be one of
/// the inputs. Large ones are split over the cores.
void Reduce(HcclDataType type, HcclReduceOp op, std::span<const void* const> inputs, void* out, size_t count) noexcept;

}  // namespace portacl::hccl
