// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/logit/.
#pragma once

#include "demo/scene.h"

namespace portacl::demo::logit {

// eps clamps blank and full pixels, whose gradient must be exactly 0.
inline std::vector<Scene> Scenes(Materials& materials) {
  return {{.api = "aclnnLogit",
           .words = {"input=" + materials.ink_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogit", true}}},
          {.api = "aclnnLogitGrad",
           .words = {"x=" + materials.ink_file(), "dy=" + materials.pull_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogitGrad", true}}}};
}

}  // namespace portacl::demo::logit
