// SPDX-License-Identifier: Apache-2.0
// Copies of rows, at once or queued; a plain copy has one row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/devices/device.h"
#include "runtime/streams/stream.h"

namespace portacl::streams {

struct Rows {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width;
  size_t height;
};

void CopyRows(devices::Device& device, const Rows& rows) noexcept;

// Notifies observers of a copy that the calling thread executes at once.
void NotifyOfCopy(const Rows& rows) noexcept;

// How a queued copy treats ordinary host memory, which the client may change as soon as the call returns.
enum class Pageable : bool { kWait, kRefuse };

// Queues the copy, or waits for the stream and copies at once. Returns 0 or a status code with a report: 207000 when
// neither side is device memory, or when the host side is ordinary memory and refused.
int32_t QueueCopy(const char* function, Stream& stream, const Rows& rows, Pageable pageable) noexcept;

// One core moves 25 bytes per nanosecond from and to the shared caches.
constexpr int64_t TransferNs(size_t traffic_bytes) noexcept { return static_cast<int64_t>(traffic_bytes / 25); }

}  // namespace portacl::streams
