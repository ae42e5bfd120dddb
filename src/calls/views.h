// SPDX-License-Identifier: Apache-2.0
// Changes to the tensors of a valid call: other views, shared memory, contents, and reading them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calls/call.h"

namespace portacl::calls {

// Randomizes strides and offsets: permuted axes, gaps, axes repeated with stride 0 (inputs only).
void DrawViews(Call& call, Random& random);

// Gives some tensors of a call with memory separate blocks, in which they start at any address, possibly not a multiple
// of their element's size.
void DrawAddresses(Call& call, Random& random);

// Lets outputs share a block with an input: exactly the same view, or one shifted by some elements.
void DrawAliases(Call& call, Random& random);

// Fills the inputs of the call, except the arguments `others`, with random elements: ordinary values and, with
// probability `special`, special ones.
void DrawContents(Call& call, Random& random, double special, std::span<const int> others = {});

// The same with values that round in the same direction when they are added one after the other.
enum class Series : uint8_t {
  kEqual,
  kNearlyEqual,
  kGeometric,
  kOneLarge,  // and many whose sum matters, but none on its own
};
inline constexpr Series kAllSeries[] = {Series::kEqual, Series::kNearlyEqual, Series::kGeometric, Series::kOneLarge};
// Half of the tensors have `series`, the others equal values; integer tensors have ordinary values.
void DrawSeries(Call& call, Random& random, Series series);

// Randomizes attributes that may have any value, or any above a limit: ordinary values, or special ones.
void DrawAttributes(Call& call, Random& random, double special);
// Sets them to special value number `turn`; false if there is none, or no such attribute.
bool SetSpecialAttributes(Call& call, size_t turn);

// One byte offset per element of the view, row-major, relative to the tensor's data.
std::vector<size_t> ElementOffsets(const TensorSpec& tensor);

// The elements of the view, contiguous and row-major.
std::vector<std::byte> ReadElements(const TensorSpec& tensor);

// Host copy of the block that contains `tensor`, from its data to the end of its view.
std::vector<std::byte> ReadBlock(const TensorSpec& tensor);

}  // namespace portacl::calls
