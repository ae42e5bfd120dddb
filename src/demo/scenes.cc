// SPDX-License-Identifier: Apache-2.0
// The scenes of ./demo. CMakeLists.txt names the rooms of these operators.
#include <cstdint>
#include <string>
#include <vector>

#include "demo/digit_lines.h"
#include "demo/scene.h"

namespace portacl::demo {
namespace {

// Each digit with its gradient as the imaginary part; the picture shows the real one.
std::vector<Scene> ComplexScenes(Materials& materials) {
  return {{.api = "aclnnComplex",
           .words = {"real=" + materials.ink_file(), "imag=" + materials.pull_file()},
           .pictures = {{"out", "aclnnComplex", false}}}};
}

// The first digit copied over all others, the scanner's grey levels from which the ink was computed, and a weight of a
// large model.
std::vector<Scene> CopyScenes(Materials& materials) {
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

std::string Repeated(int64_t value) {
  std::string text = std::to_string(value);
  for (int64_t line = 1; line < DigitLines::kLines; ++line) text += "," + std::to_string(value);
  return text;
}

// The log-probabilities, and the gradient, whose negative elements (blue) are the alignment.
std::vector<Scene> CtcLossScenes(Materials& materials) {
  using Lines = DigitLines;
  const Lines lines(materials.ink());
  const std::string losses = materials.File("losses_DTYPE");
  const std::string alphas = materials.File("alphas_DTYPE");
  const std::vector<std::string> common = {
      "logProbs=" + materials.Save("log_probs", {Lines::kSteps, Lines::kLines, Lines::kClasses}, lines.LogProbs()),
      "targets=" + materials.Save("targets", {Lines::kLines, Lines::kDigits}, Lines::Labels()),
      "inputLengths=" + Repeated(Lines::kSteps),
      "targetLengths=" + Repeated(Lines::kDigits),
      "blank=" + std::to_string(Lines::kBlank),
      "zeroInfinity=false"};
  Scene forward{.api = "aclnnCtcLoss", .words = common};
  forward.pictures = {{"", "lines of digits", false, -2, -1, {Lines::kLines, 8, Lines::kSteps + 7}, lines.Images()}};
  forward.words.insert(forward.words.end(), {"negLogLikelihoodOut=" + losses, "logAlphaOut=" + alphas});
  forward.shapes = {"negLogLikelihoodOut=" + std::to_string(Lines::kLines),
                    "logAlphaOut=" + std::to_string(Lines::kLines) + "," + std::to_string(Lines::kSteps) + "," +
                        std::to_string(2 * Lines::kDigits + 1)};
  Scene backward{.api = "aclnnCtcLossBackward", .words = common};
  const std::vector<float> ones(static_cast<size_t>(Lines::kLines), 1.0f);
  backward.words.insert(backward.words.end(), {"gradOut=" + materials.Save("ones", {Lines::kLines}, ones),
                                               "negLogLikelihood=" + losses, "logAlpha=" + alphas});
  backward.pictures = {{"logProbs", "log-probabilities", true, -1, -3}, {"out", "aclnnCtcLossBackward", true, -1, -3}};
  return {forward, backward};
}

// eps clamps white and black pixels; their gradient must be exactly 0.
std::vector<Scene> LogitScenes(Materials& materials) {
  return {{.api = "aclnnLogit",
           .words = {"input=" + materials.ink_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogit", true}}},
          {.api = "aclnnLogitGrad",
           .words = {"x=" + materials.ink_file(), "dy=" + materials.pull_file(), "eps=0.05"},
           .pictures = {{"out", "aclnnLogitGrad", true}}}};
}

// The first forty digits attend to themselves and to earlier digits: one head compares the upper halves, the other the
// lower halves. The gradient is that of attending to the same digit. Then the shape of a language model.
std::vector<Scene> SoftmaxScenes(Materials& materials) {
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

// The distance of each digit from the mean of all digits, which is a single picture.
std::vector<Scene> SmoothL1LossScenes(Materials& materials) {
  std::vector<float> mean(64, 0.0f);
  for (size_t i = 0; i < materials.ink().size(); ++i)
    mean[i % 64] += materials.ink()[i] / static_cast<float>(materials.count());
  const std::string self = "self=" + materials.ink_file();
  const std::string target = "target=" + materials.Save("mean", {1, 8, 8}, mean);
  const std::string one = "gradOut=" + materials.Save("one", {1, 1, 1}, std::vector<float>{1});
  const Scene loss{.api = "aclnnSmoothL1Loss",
                   .words = {self, target, "reduction=0", "beta=0.25"},
                   .pictures = {{"result", "aclnnSmoothL1Loss", false}}};
  const Scene mean_of_all{.api = "aclnnSmoothL1Loss", .words = {self, target, "reduction=1", "beta=0.25"}};
  const Scene gradient{.api = "aclnnSmoothL1LossBackward",
                       .words = {one, self, target, "reduction=0", "beta=0.25"},
                       .pictures = {{"gradInput", "aclnnSmoothL1LossBackward", true}}};
  return {loss, mean_of_all, gradient};
}

// The upper half of each digit gates the lower half; then the feed-forward layer of a language model of 7 billion
// weights, whose two halves of 11,008 columns are in one tensor.
std::vector<Scene> SwiGluScenes(Materials& materials) {
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

// In the order of the picture.
using MakeScenes = std::vector<Scene> (*)(Materials&);
constexpr MakeScenes kScenes[] = {ComplexScenes, CopyScenes,         CtcLossScenes, LogitScenes,
                                  SoftmaxScenes, SmoothL1LossScenes, SwiGluScenes};

}  // namespace

std::vector<Scene> AllScenes(Materials& materials) {
  std::vector<Scene> all;
  for (const auto scenes : kScenes) {
    const std::vector<Scene> more = scenes(materials);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace portacl::demo
