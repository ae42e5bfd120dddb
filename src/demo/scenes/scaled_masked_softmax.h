// SPDX-License-Identifier: Apache-2.0
//
// What ./demo shows of the operators in ops/*/scaled_masked_softmax/.
#pragma once

#include <string>
#include <vector>

#include "demo/scene.h"

namespace portacl::demo::scaled_masked_softmax {

// The first forty digits attend to themselves and those before them: one head compares the upper halves, the other the
// lower. The gradient is that of attending to the same digit. Then the shape of a language model.
inline std::vector<Scene> Scenes(Materials& materials) {
  constexpr int64_t kHeads = 2;
  constexpr int64_t kDigits = 40;
  std::vector<float> scores;
  std::vector<float> gradient;
  std::vector<uint8_t> mask;
  const auto pixel = [&](int64_t digit, int64_t head, int64_t i) {
    return materials.ink()[static_cast<size_t>(64 * digit + 32 * head + i)];
  };
  for (int64_t head = 0; head < kHeads; ++head) {
    for (int64_t query = 0; query < kDigits; ++query) {
      for (int64_t key = 0; key < kDigits; ++key) {
        float distance = 0;
        for (int64_t i = 0; i < 32; ++i) {
          const float difference = pixel(query, head, i) - pixel(key, head, i);
          distance += difference * difference;
        }
        scores.push_back(-distance);
        gradient.push_back(query % 10 == key % 10 ? -1.0f : 0.0f);
        if (head == 0) mask.push_back(key > query);
      }
    }
  }
  constexpr int64_t kQueries = 768;
  constexpr int64_t kKeys = 2048;
  std::vector<uint8_t> large_mask;
  for (int64_t i = 0; i < kQueries * kKeys; ++i) large_mask.push_back(i % kKeys > i / kKeys + kKeys - kQueries);
  const std::string large = "mask=" + materials.Save("causal_large", {1, 1, kQueries, kKeys}, large_mask);
  const std::vector<int64_t> shape = {1, kHeads, kDigits, kDigits};
  const std::string masked = "mask=" + materials.Save("causal", {1, 1, kDigits, kDigits}, mask);
  const std::string y = materials.File("attention_DTYPE");
  return {
      {.api = "aclnnScaledMaskedSoftmax",
       .words = {"x=" + materials.Save("scores", shape, scores), masked, "scale=0.8", "fixedTriuMask=false", "y=" + y},
       .pictures = {{"y", "aclnnScaledMaskedSoftmax", false}}},
      {.api = "aclnnScaledMaskedSoftmaxBackward",
       .words = {"gradOutput=" + materials.Save("attention_gradient", shape, gradient), "y=" + y, masked, "scale=0.8",
                 "fixTriuMask=false"},
       .pictures = {{"out", "aclnnScaledMaskedSoftmaxBackward", true}}},
      {.api = "aclnnScaledMaskedSoftmax",
       .words = {"x=random:2,16,768,2048", large, "scale=0.1", "fixedTriuMask=false"},
       .shapes = {},
       .pictures = {},
       .is_large = true},
      {.api = "aclnnScaledMaskedSoftmaxBackward",
       .words = {"gradOutput=random:2,16,768,2048", "y=random:2,16,768,2048", large, "scale=0.1", "fixTriuMask=false"},
       .shapes = {},
       .pictures = {},
       .is_large = true}};
}

}  // namespace portacl::demo::scaled_masked_softmax
