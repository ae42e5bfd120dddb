// SPDX-License-Identifier: Apache-2.0
// What a fuzzer does to the tensors of a valid call: other views, shared memory, contents, and reading them back.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "testing/call.h"

namespace portacl::fuzz {

// Draws strides and offsets: permuted axes, gaps, axes repeated with stride 0 (inputs only).
void DrawViews(testing::Call& call, testing::Random& random);

// Lets outputs share a block with an input: the very same view, or one shifted by some elements.
void DrawAliases(testing::Call& call, testing::Random& random);

// Fills all memory of the call with drawn elements: ordinary values, and special ones of the dtype.
void DrawContents(testing::Call& call, testing::Random& random);

// One byte offset per element of the view, row-major, relative to the tensor's data.
std::vector<size_t> ElementOffsets(const testing::TensorSpec& tensor);

// Host copy of the block that `tensor` lies in, from its data to the end of its view.
std::vector<std::byte> ReadBlock(const testing::TensorSpec& tensor);

// Says what went wrong, for which call and target, and stops the fuzzer, which then keeps the input.
[[noreturn]] void Finding(const testing::Call& call, const std::string& what);

}  // namespace portacl::fuzz
