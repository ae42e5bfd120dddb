// SPDX-License-Identifier: Apache-2.0
// Stream kernels: they read and write several streams and compute almost nothing. Their speed is the upper limit for
// memory-bound operators.
#ifndef PORTACL_BENCH_STREAM_LANES_H_
#define PORTACL_BENCH_STREAM_LANES_H_

#include <cstddef>
#include <cstdint>

namespace bench {

/// One pass over `bytes` (a multiple of 256) of each stream: every write is the xor of all reads; without writes, one
/// lane of the xor is returned, so that it is computed. Addresses are multiples of 64.
using StreamPass = uint8_t (*)(const uint8_t* const* read, uint8_t* const* write, size_t bytes);

/// The kernel of the instruction set that Portacl uses, or null: there are kernels for 1 to 5 reads and 0 to 2 writes.
StreamPass FindStreamPass(int64_t reads, int64_t writes, bool non_temporal);

}  // namespace bench

#endif  // PORTACL_BENCH_STREAM_LANES_H_
