// SPDX-License-Identifier: Apache-2.0
// The rows of rooms, without their functions.
#pragma once

#include <span>
#include <vector>

#include "exec/schema.h"

namespace portacl {

struct Room {
  const char* folder;  // within the folder of the families: "pointwise/unary"
  std::vector<const exec::Schema*> rows;
};
std::span<const Room> Rooms();

}  // namespace portacl
