// SPDX-License-Identifier: Apache-2.0
// What is done to the tensors of a valid call: other views, shared memory, contents, and reading them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

// Draws strides and offsets: permuted axes, gaps, axes repeated with stride 0 (inputs only).
void DrawViews(Call& call, Random& random);

// Gives some tensors of a call that has memory a block of their own, where they begin at any address, also at one that
// is no multiple of their element's size.
void DrawAddresses(Call& call, Random& random);

// Lets outputs share a block with an input: the very same view, or one shifted by some elements.
void DrawAliases(Call& call, Random& random);

// Fills what the call reads with drawn elements: ordinary values, and, for this share of them, special ones; not the
// arguments `others`.
void DrawContents(Call& call, Random& random, double special, std::span<const int> others = {});

// The same with numbers that round alike where they are added one after the other.
enum class Series : uint8_t {
  kEqual,
  kNearlyEqual,
  kGeometric,
  kOneLarge,  // and many whose sum counts, but none beside it
};
inline constexpr Series kAllSeries[] = {Series::kEqual, Series::kNearlyEqual, Series::kGeometric, Series::kOneLarge};
// Half of the tensors have `series`, the others equal numbers; those of integers ordinary ones.
void DrawSeries(Call& call, Random& random, Series series);

// Draws the attributes that may have any value, or any above a limit: ordinary ones, or special ones.
void DrawAttributes(Call& call, Random& random, double special);
// Gives them special value number `turn`; false when there is none, or nothing to give it to.
bool SetSpecialAttributes(Call& call, size_t turn);

// One byte offset per element of the view, row-major, relative to the tensor's data.
std::vector<size_t> ElementOffsets(const TensorSpec& tensor);

// The elements of the view one after the other, row-major.
std::vector<std::byte> ReadElements(const TensorSpec& tensor);

// Host copy of the block that `tensor` lies in, from its data to the end of its view.
std::vector<std::byte> ReadBlock(const TensorSpec& tensor);

}  // namespace portacl::calls
