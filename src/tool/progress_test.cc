// SPDX-License-Identifier: Apache-2.0
#include "tool/progress.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>
#include <regex>

namespace portacl::tool {
namespace {

using std::chrono::milliseconds;

bool IsEmpty(FILE* file) {
  struct stat status = {};
  return fstat(fileno(file), &status) == 0 && status.st_size == 0;
}

// The output at 25 % of a command that ends immediately, or that waits for the first output (ten seconds at most).
// `result` is printed before the end.
std::string Written(bool is_terminal, milliseconds delay, bool waits, const std::string& result = "") {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), &std::fclose);
  {
    Progress progress("test", file.get(), is_terminal, delay);
    if (waits) std::this_thread::sleep_for(3 * delay);  // the progress is unknown, so nothing may be written
    progress.Stage("half", 0.25);
    for (int i = 0; waits && IsEmpty(file.get()) && i < 10'000; ++i) std::this_thread::sleep_for(milliseconds(1));
    if (!result.empty()) progress.Print(result, file.get());
  }
  std::rewind(file.get());
  std::string text;
  for (int c = std::fgetc(file.get()); c != EOF; c = std::fgetc(file.get())) text += static_cast<char>(c);
  return text;
}

TEST(Progress, IsSilentAboutWhatIsShort) {
  EXPECT_EQ(Written(false, milliseconds(60'000), false), "");
  EXPECT_EQ(Written(true, milliseconds(60'000), false), "");
}

TEST(Progress, PrintsPlainLinesIntoAFile) {
  const std::string text = Written(false, milliseconds(20), true);
  EXPECT_TRUE(std::regex_match(text, std::regex("(portacl test: half 25 % [0-9]+ s\n)+"))) << text;
}

TEST(Progress, DrawsABarOnATerminalAndTakesItAway) {
  const std::string text = Written(true, milliseconds(20), true);
  const std::regex bars("(\rportacl test: half \\[######\\.{18}\\] 25 % [0-9]+ s\x1b\\[K)+\r\x1b\\[K");
  EXPECT_TRUE(std::regex_match(text, bars)) << text;
}

TEST(Progress, TakesTheBarAwayBeforeAResult) {
  const std::string text = Written(true, milliseconds(20), true, "row\n");
  EXPECT_TRUE(std::regex_search(text, std::regex("%[^%]*\r\x1b\\[Krow\n(\rportacl|\r\x1b)"))) << text;
  EXPECT_EQ(Written(false, milliseconds(60'000), false, "row\n"), "row\n");
}

}  // namespace
}  // namespace portacl::tool
