// SPDX-License-Identifier: Apache-2.0
#include "tool/text.h"

#include <gtest/gtest.h>

#include <string>

namespace portacl::tool {
namespace {

struct ShownText {
  std::string text;
  std::string shown;
};

TEST(Text, PrintableShowsWhatATerminalWouldObey) {
  const ShownText rows[] = {
      {"plain text\\", "plain text\\"},
      {"\u00e9 \u7b97\u5b50 \U0001f600", "\u00e9 \u7b97\u5b50 \U0001f600"},
      {"\x1b[2J", "\\x1b[2J"},
      {std::string("a\0b", 3), "a\\x00b"},
      {"\r\n\t\x7f", "\\x0d\\x0a\\x09\\x7f"},
      {"\xc2\x9b[", "\\xc2\\x9b["},         // a control character of two bytes
      {"\x9b[", "\\x9b["},                  // a control character of one byte in other encodings
      {"\xc0\x9b", "\\xc0\\x9b"},           // overlong
      {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},  // overlong
      {"\xe7\xae", "\\xe7\\xae"},           // truncated
      {"\xe7\x1b[", "\\xe7\\x1b["},
      {"\xff\xf5", "\\xff\\xf5"},
      {"\xef\xbf\xbf", "\\xef\\xbf\\xbf"},  // not a character
      {"", ""},
  };
  for (const auto& [text, shown] : rows) EXPECT_EQ(Printable(text), shown);
}

}  // namespace
}  // namespace portacl::tool
