// SPDX-License-Identifier: Apache-2.0
#include "tool/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>

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

// Length in bytes of the first character of the text; 0 for control characters (C0, C1), U+FFFE, U+FFFF and invalid
// UTF-8.
size_t ShownBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return 0;
  uint32_t code = first & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return 0;
    code = code << 6 | (next & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0xa0, 0x800, 0x10000};  // smaller codes are control characters or overlong
  return code < kLeast[bytes - 2] || (code & ~1U) == 0xfffe ? 0 : bytes;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const size_t bytes = ShownBytes(text);
    if (bytes == 0) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      text.remove_prefix(1);
    } else {
      result += text.substr(0, bytes);
      text.remove_prefix(bytes);
    }
  }
  return result;
}

// Text from files may be invalid UTF-8, but JSON must be valid.
void Print(const Json& json) { fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace)); }

std::string SecondsText(double seconds) {
  return InUnits(seconds, {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}});
}

std::string BytesText(double bytes) {
  return InUnits(bytes, {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}, {1, "bytes"}});
}

std::string TensorText(const calls::TensorSpec& tensor) {
  return fmt::format("{} [{}]", DtypeName(tensor.dtype), fmt::join(tensor.shape, ","));
}

}  // namespace portacl::tool
