// SPDX-License-Identifier: Apache-2.0
// The input of aclnnCtcLoss in ./demo.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace portacl::demo {

/// Lines of six digits with gaps between them, classified by a window of one digit's width at every column.
class DigitLines {
 public:
  static constexpr int64_t kLines = 3;
  static constexpr int64_t kDigits = 6;
  static constexpr int64_t kPitch = 10;  // columns from one digit to the next
  static constexpr int64_t kSteps = (kDigits - 1) * kPitch + 1;
  static constexpr int64_t kClasses = 11;
  static constexpr int64_t kBlank = 10;

  /// `ink`: images of 8 x 8, of which the first thirty show the digits 0 to 9 three times.
  explicit DigitLines(const std::vector<float>& ink) : ink_(ink) {}

  static int64_t Label(int64_t line, int64_t position) { return (line * 7 + position * 3 + 2) % 10; }

  /// A classifier of single windows: the closer to the mean image of a digit, the more likely the digit. [steps, lines,
  /// classes].
  std::vector<float> LogProbs() const {
    constexpr double kSharpness = 0.8;
    constexpr double kBlankDistance = 7;
    std::vector<float> result;
    for (int64_t step = 0; step < kSteps; ++step) {
      for (int64_t line = 0; line < kLines; ++line) {
        double score[kClasses];
        for (int64_t digit = 0; digit < kBlank; ++digit) score[digit] = -kSharpness * Distance(line, step, digit);
        score[kBlank] = -kSharpness * kBlankDistance;
        const double most = *std::max_element(score, score + kClasses);
        double sum = 0;
        for (const double value : score) sum += std::exp(value - most);
        for (const double value : score) result.push_back(static_cast<float>(value - most - std::log(sum)));
      }
    }
    return result;
  }

  static std::vector<int64_t> Labels() {
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < kLines * kDigits; ++i) labels.push_back(Label(i / kDigits, i % kDigits));
    return labels;
  }

  /// [lines, 8, columns].
  std::vector<float> Images() const {
    std::vector<float> result;
    for (int64_t line = 0; line < kLines; ++line) {
      for (int64_t row = 0; row < 8; ++row) {
        for (int64_t column = 0; column < kSteps + 7; ++column) result.push_back(Pixel(line, row, column));
      }
    }
    return result;
  }

 private:
  float Image(int64_t image, int64_t row, int64_t column) const {
    return ink_[static_cast<size_t>((image * 8 + row) * 8 + column)];
  }

  float Pixel(int64_t line, int64_t row, int64_t column) const {
    const int64_t position = column / kPitch;
    if (column % kPitch >= 8) return 0;
    return Image(10 * (position % 3) + Label(line, position), row, column % kPitch);
  }

  double Distance(int64_t line, int64_t step, int64_t digit) const {
    double sum = 0;
    for (int64_t row = 0; row < 8; ++row) {
      for (int64_t column = 0; column < 8; ++column) {
        const float mean =
            (Image(digit, row, column) + Image(10 + digit, row, column) + Image(20 + digit, row, column)) / 3;
        const double difference = static_cast<double>(Pixel(line, row, step + column) - mean);
        sum += difference * difference;
      }
    }
    return sum;
  }

  const std::vector<float>& ink_;
};

}  // namespace portacl::demo
