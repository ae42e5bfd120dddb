// SPDX-License-Identifier: Apache-2.0
// How messages write shapes, strides and other numbers of axes.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <span>
#include <string>

namespace portacl::exec {

// "[2,3]"
inline std::string ShapeText(std::span<const int64_t> dims) { return fmt::format("[{}]", fmt::join(dims, ",")); }

}  // namespace portacl::exec
