// SPDX-License-Identifier: Apache-2.0
//
// Finds the first elements of a row in its sorted order. Few elements of a long row are found in one pass: a buffer
// holds the best ones so far, and elements that precede the k-th of them are added to it. Whenever it is full, the best
// k are kept. Its size is at least twice k, so all selections together take time in proportion to the row. Short rows
// fit into the buffer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "loops/reductions/order_lanes.h"

namespace portacl::loops::reductions {

/// The records of the buffer for the first k of n elements.
inline int64_t FirstCapacity(int64_t n, int64_t k) { return std::min(n, 2 * k + kRecordsOfRegister); }

/// Finds the first k records, in any order but for the last of them.
template <class Record>
void FindFirst(const OrderFunctions& order, const Ordered& row, int64_t k, int64_t capacity, Record* records) {
  int64_t count = std::min(row.n, capacity);
  order.make(row, count, records);
  for (int64_t next = count;;) {
    if (k < count || next == row.n) std::nth_element(records, records + k - 1, records + count);
    if (next == row.n) return;
    count = k;
    next = order.append_below(row, next, records[k - 1].rank(), records, &count, capacity);
  }
}

}  // namespace portacl::loops::reductions
