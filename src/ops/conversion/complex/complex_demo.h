// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of this room.
#pragma once

#include "demo/scene.h"

namespace portacl::ops::complex {

// Each digit with its gradient as the imaginary part; the picture shows the real one.
inline std::vector<demo::Scene> DemoScenes(demo::Materials& materials) {
  return {{.api = "aclnnComplex",
           .words = {"real=" + materials.ink_file(), "imag=" + materials.pull_file()},
           .pictures = {{"out", "aclnnComplex", false}}}};
}

}  // namespace portacl::ops::complex
