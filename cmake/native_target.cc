// SPDX-License-Identifier: Apache-2.0
// Prints the best instruction set that this machine has and our lane files are compiled for, as Highway writes it.
#include <hwy/targets.h>

#include <cstdio>

#include "base/detect_targets.h"

int main() {
  const int64_t found = portacl::DetectTargets() & (HWY_TARGETS);
  std::printf("HWY_%s", hwy::TargetName(found & -found));
}
