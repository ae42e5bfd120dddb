// SPDX-License-Identifier: Apache-2.0
//
// Checks that no word of the schema expresses.
#include <fmt/format.h>

#include "ops/attention/rotary_position_embedding/rotary_position_embedding_spec.h"

namespace portacl::ops::rotary_position_embedding {

aclnnStatus CheckColumns(const exec::Arguments& arguments, const exec::Step& step) {
  constexpr int kX = kRotaryPositionEmbedding.Index("x");
  const int64_t mode = arguments.value(kRotaryPositionEmbedding.Index("mode")).integer();
  const int64_t divisor = mode == kQuarter ? 4 : 2;
  const int64_t columns = arguments.Tensor(kX).shape[3];
  if (columns % divisor == 0) return exec::kSuccess;
  return arguments.Refuse(step, kX, fmt::format("a last axis that is a multiple of {}", divisor),
                          fmt::format("{}", columns));
}

}  // namespace portacl::ops::rotary_position_embedding
