// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of this room.
#pragma once

#include "demo/scene.h"

namespace portacl::ops::logit {

// eps clamps blank and full pixels, whose gradient must be exactly 0.
inline std::vector<demo::Scene> DemoScenes(demo::Materials& materials) {
  return {{.api = "aclnnLogit",
           .words = {"input=" + materials.ink_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogit", true}}},
          {.api = "aclnnLogitGrad",
           .words = {"x=" + materials.ink_file(), "dy=" + materials.pull_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogitGrad", true}}}};
}

}  // namespace portacl::ops::logit
