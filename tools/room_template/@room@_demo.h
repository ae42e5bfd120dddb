// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of this room.
#pragma once

#include "demo/scene.h"

namespace portacl::ops::@room@ {

inline std::vector<demo::Scene> DemoScenes(demo::Materials& materials) {
  return {{.api = "@api@",
           .words = {"self=" + materials.ink_file()},
           .pictures = {{"out", "@api@", true}}}};
}

}  // namespace portacl::ops::@room@
