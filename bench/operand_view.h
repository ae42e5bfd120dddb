// SPDX-License-Identifier: Apache-2.0
// How the orchestration describes an operand to the shared libraries that time calls; bench/native.py has the same
// layout.
#ifndef PORTACL_BENCH_OPERAND_VIEW_H_
#define PORTACL_BENCH_OPERAND_VIEW_H_

#include <cstdint>

#define BENCH_EXPORT extern "C" __attribute__((visibility("default")))

/// A strided view; offset and strides in elements, `storage` elements belong to `data`.
struct OperandView {
  void* data;
  int64_t dtype;  // aclDataType
  int64_t rank;
  int64_t offset;
  int64_t storage;
  int64_t shape[8];
  int64_t strides[8];
};

#endif  // PORTACL_BENCH_OPERAND_VIEW_H_
