// SPDX-License-Identifier: Apache-2.0
#include "tool/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/dtype.h"

namespace portacl::tool {
namespace {

struct Unit {
  double size;
  const char* name;
};

template <size_t n>
std::string InUnits(double value, const Unit (&units)[n]) {
  const Unit* unit = units;
  while (unit != units + n - 1 && value < unit->size) ++unit;
  return fmt::format("{:.4g} {}", value / unit->size, unit->name);
}

}  // namespace

// Texts of files may be no UTF-8, which JSON must be.
void Print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

std::string SecondsText(double seconds) {
  return InUnits(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}

std::string BytesText(double bytes) {
  return InUnits(bytes, {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "bytes"}});
}

std::string TensorText(const testing::TensorSpec& tensor) {
  return fmt::format("{} [{}]", DtypeName(tensor.dtype), fmt::join(tensor.shape, ","));
}

}  // namespace portacl::tool
