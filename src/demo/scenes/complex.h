// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/complex/.
#pragma once

#include "demo/scene.h"

namespace portacl::demo::complex {

// Each digit with its gradient as the imaginary part; the picture shows the real one.
inline std::vector<Scene> Scenes(Materials& materials) {
  return {{.api = "aclnnComplex",
           .words = {"real=" + materials.ink_file(), "imag=" + materials.pull_file()},
           .pictures = {{"out", "aclnnComplex", false}}}};
}

}  // namespace portacl::demo::complex
