// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/smooth_l1_loss/.
#pragma once

#include "demo/scene.h"

namespace portacl::demo::smooth_l1_loss {

// How far each digit is from the mean of all, which is one picture for them together.
inline std::vector<Scene> Scenes(Materials& materials) {
  std::vector<float> mean(64, 0.0f);
  for (size_t i = 0; i < materials.ink().size(); ++i)
    mean[i % 64] += materials.ink()[i] / static_cast<float>(materials.count());
  const std::string self = "self=" + materials.ink_file();
  const std::string target = "target=" + materials.Save("mean", {1, 8, 8}, mean);
  const std::string one = "gradOut=" + materials.Save("one", {1, 1, 1}, std::vector<float>{1});
  const demo::Scene loss{.api = "aclnnSmoothL1Loss",
                         .words = {self, target, "reduction=0", "beta=0.25"},
                         .pictures = {{"result", "aclnnSmoothL1Loss", false}}};
  const demo::Scene mean_of_all{.api = "aclnnSmoothL1Loss", .words = {self, target, "reduction=1", "beta=0.25"}};
  const demo::Scene gradient{.api = "aclnnSmoothL1LossBackward",
                             .words = {one, self, target, "reduction=0", "beta=0.25"},
                             .pictures = {{"gradInput", "aclnnSmoothL1LossBackward", true}}};
  return {loss, mean_of_all, gradient};
}

}  // namespace portacl::demo::smooth_l1_loss
