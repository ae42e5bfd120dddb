// SPDX-License-Identifier: Apache-2.0
#include "tool/progress.h"

#include <gtest/gtest.h>

#include <memory>

namespace portacl::tool {
namespace {

using std::chrono::milliseconds;

// What is written while something takes `work`, of which a quarter is known to be done.
std::string Written(bool is_terminal, milliseconds patience, milliseconds work) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), &std::fclose);
  {
    Progress progress("test", file.get(), is_terminal, patience);
    progress.Stage("half", 0.25);
    std::this_thread::sleep_for(work);
  }
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) text += static_cast<char>(c);
  return text;
}

TEST(Progress, IsSilentAboutWhatIsShort) {
  EXPECT_EQ(Written(false, milliseconds(60'000), milliseconds(0)), "");
  EXPECT_EQ(Written(true, milliseconds(60'000), milliseconds(0)), "");
}

TEST(Progress, PrintsPlainLinesIntoAFile) {
  const std::string text = Written(false, milliseconds(1), milliseconds(300));
  EXPECT_EQ(text.rfind("portacl test: half 25 % 0 s\n", 0), 0u) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, DrawsABarOnATerminalAndTakesItAway) {
  const std::string text = Written(true, milliseconds(1), milliseconds(300));
  EXPECT_EQ(text.rfind("\rportacl test: half [######..................] 25 % 0 s\x1b[K", 0), 0u) << text;
  EXPECT_EQ(text.substr(text.size() - 4), "\r\x1b[K");
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace portacl::tool
