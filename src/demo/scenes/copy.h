// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/copy/.
#pragma once

#include "demo/scene.h"

namespace portacl::demo::copy {

// The first digit copied over all others, the scanner's levels that the ink was made of, and a weight of a large model.
inline std::vector<Scene> Scenes(Materials& materials) {
  const std::vector<float> first(materials.ink().begin(), materials.ink().begin() + 64);
  std::vector<float> levels = materials.ink();
  for (float& value : levels) value *= 17;
  const std::vector<std::string> dtypes = {"FLOAT", "FLOAT16", "BFLOAT16"};
  return {{.api = "aclnnInplaceCopy",
           .words = {"selfRef=" + materials.ink_file() + "," + materials.File("copied"),
                     "src=" + materials.Save("first", {1, 8, 8}, first)},
           .pictures = {{"selfRef", "aclnnInplaceCopy", false}},
           .dtypes = dtypes},
          {.api = "aclnnCast",
           .words = {"self=" + materials.Save("levels", {materials.count(), 8, 8}, levels), "dtype=UINT8"},
           .pictures = {{"out", "aclnnCast", false}},
           .dtypes = dtypes},
          {.api = "aclnnCast",
           .words = {"self=random:4096,11008", "dtype=BFLOAT16"},
           .is_large = true,
           .dtypes = {"FLOAT"}}};
}

}  // namespace portacl::demo::copy
