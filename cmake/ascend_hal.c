// SPDX-License-Identifier: Apache-2.0
// Answers two queries of the driver. PyTorch's plug-in asks for its profiler whether the device's own counter measures
// time: it does not, so the plug-in uses the system's clock. Operator libraries ask for the SoC's name. No other
// function of the driver is defined here: clients that find one expect all of them.
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { TOO_SMALL = 4, NOT_SUPPORTED = 0xFFFE };

const char* aclrtGetSocName(void);

EXPORT int32_t halGetAPIVersion(int32_t* version);
EXPORT int32_t halGetDeviceInfo(uint32_t device, int32_t module, int32_t what, int64_t* value);
EXPORT int32_t halGetSocVersion(uint32_t device, char* version, uint32_t length);

int32_t halGetAPIVersion(int32_t* version) {
  if (version != 0) *version = 0;
  return 0;
}

int32_t halGetDeviceInfo(uint32_t device, int32_t module, int32_t what, int64_t* value) {
  (void)device, (void)module, (void)what, (void)value;
  return NOT_SUPPORTED;
}

int32_t halGetSocVersion(uint32_t device, char* version, uint32_t length) {
  (void)device;
  const char* name = aclrtGetSocName();
  const size_t bytes = strlen(name) + 1;
  if (version == 0 || length < bytes) return TOO_SMALL;
  memcpy(version, name, bytes);
  return 0;
}
