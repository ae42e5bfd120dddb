// SPDX-License-Identifier: Apache-2.0
// Answers the query of PyTorch's plug-in for its profiler: whether the device's own counter measures time. It does not,
// so the plug-in uses the system's clock. No other function of the driver is defined here: clients that find one expect
// all of them.
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 0xFFFE };

EXPORT int32_t halGetAPIVersion(int32_t* version);
EXPORT int32_t halGetDeviceInfo(uint32_t device, int32_t module, int32_t what, int64_t* value);

int32_t halGetAPIVersion(int32_t* version) {
  if (version != 0) *version = 0;
  return 0;
}

int32_t halGetDeviceInfo(uint32_t device, int32_t module, int32_t what, int64_t* value) {
  (void)device, (void)module, (void)what, (void)value;
  return NOT_SUPPORTED;
}
