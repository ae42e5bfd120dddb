// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/swi_glu/.
#pragma once

#include "demo/scene.h"

namespace portacl::demo::swi_glu {

// The upper half of each digit gates the lower; then the feed-forward layer of a language model of 7 billion weights,
// whose two halves of 11,008 columns lie in one tensor.
inline std::vector<Scene> Scenes(Materials& materials) {
  std::vector<float> centred = materials.ink();
  for (float& value : centred) value = 8 * value - 4;
  const std::string x = "x=" + materials.Save("centred", {materials.count(), 8, 8}, centred);
  std::vector<float> gradient(centred.size() / 2);
  for (size_t i = 0; i < gradient.size(); ++i) gradient[i] = centred[2 * i] / 4;
  const std::string y_grad = "yGrad=" + materials.Save("half", {materials.count(), 4, 8}, gradient);
  return {{.api = "aclnnSwiGlu", .words = {x, "dim=1"}, .pictures = {{"out", "aclnnSwiGlu", true}}},
          {.api = "aclnnSwiGluGrad", .words = {y_grad, x, "dim=1"}, .pictures = {{"out", "aclnnSwiGluGrad", true}}},
          {.api = "aclnnSwiGlu", .words = {"x=random:4096,22016", "dim=-1"}, .is_large = true},
          {.api = "aclnnSwiGluGrad",
           .words = {"yGrad=random:4096,11008", "x=random:4096,22016", "dim=-1"},
           .is_large = true}};
}

}  // namespace portacl::demo::swi_glu
