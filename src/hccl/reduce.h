// SPDX-License-Identifier: Apache-2.0
// Reductions over ranks, in the order of the ranks.
#pragma once

#include <cstddef>
#include <span>

#include "hccl/hccl_types.h"

namespace portacl::hccl {

/// The size of an element in bytes; 0: there is no such type.
size_t ElementBytes(HcclDataType type) noexcept;

/// Whether the operation can reduce elements of the type.
bool CanReduce(HcclDataType type, HcclReduceOp op) noexcept;

/// out[i] = ((inputs[0][i] op inputs[1][i]) op inputs[2][i]) ...: FP16 and BFP16 in float32, rounded once to nearest
/// even, integers modulo 2^n. For MAX and MIN the first NaN is the result, and among equal values the first. `out` may
/// be one of the inputs. Large reductions are split over the cores.
void Reduce(HcclDataType type, HcclReduceOp op, std::span<const void* const> inputs, void* out, size_t count) noexcept;

}  // namespace portacl::hccl
