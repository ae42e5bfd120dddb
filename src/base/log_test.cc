// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>

#include "base/environment.h"
#include "base/status.h"

namespace portacl {
namespace {

class LogLines : public ::testing::Test {
 protected:
  void TearDown() override { Configure(nullptr, nullptr); }

  static void Configure(const char* to_stdout, const char* level) {
    Set("ASCEND_SLOG_PRINT_TO_STDOUT", to_stdout);
    Set("ASCEND_GLOBAL_LOG_LEVEL", level);
    ForgetVariablesForTest();
    ForgetLogLevelForTest();
  }

  static void Set(const char* name, const char* value) {
    if (value == nullptr)
      unsetenv(name);
    else
      setenv(name, value, 1);
  }

  // The text that one line of each level prints.
  static std::string Print() {
    ::testing::internal::CaptureStdout();
    Logf(LogLevel::kDebug, "d{}", 1);
    Logf(LogLevel::kInfo, "i{}", 2);
    Logf(LogLevel::kWarning, "w{}", 3);
    Logf(LogLevel::kError, "e{}", 4);
    return ::testing::internal::GetCapturedStdout();
  }

  // The first letters of the levels of the lines from Print(); checks the shape of each line.
  static std::string Levels(const std::string& lines) {
    std::string levels;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
      for (const char* shape : {"[DEBUG] #(#) # d#", "[INFO] #(#) # i#", "[WARNING] #(#) # w#", "[ERROR] #(#) # e#"}) {
        if (Shape(line) == shape) levels += shape[1];
      }
    }
    return levels;
  }

  // Replaces every number, the time, and the name of the library by #.
  static std::string Shape(std::string line) {
    const std::string name = "PORTACL";
    if (const size_t at = line.find(name); at != std::string::npos) line.replace(at, name.size(), "0");
    std::string shape;
    for (const char c : line) {
      const bool number = (c >= '0' && c <= '9') || c == '-' || c == ':' || c == '.';
      if (!number)
        shape += c;
      else if (shape.empty() || shape.back() != '#')
        shape += '#';
    }
    return shape;
  }
};

TEST_F(LogLines, GoNowhereUnlessAsked) {
  Configure(nullptr, "0");
  EXPECT_EQ(Print(), "");
  Configure("0", "0");
  EXPECT_EQ(Print(), "");
}

TEST_F(LogLines, ShowErrorsWhenOnlyTheOutputIsAskedFor) {
  Configure("1", nullptr);
  EXPECT_EQ(Levels(Print()), "E");
}

TEST_F(LogLines, FollowTheLevel) {
  for (const auto& [level, shown] :
       {std::pair("0", "DIWE"), std::pair("1", "IWE"), std::pair("2", "WE"), std::pair("3", "E")}) {
    Configure("1", level);
    EXPECT_EQ(Levels(Print()), shown) << level;
  }
  Configure("1", "4");
  EXPECT_EQ(Print(), "");
}

TEST_F(LogLines, TellOfALevelThatIsNone) {
  Configure("1", "loud");
  const std::string lines = Print();
  EXPECT_NE(lines.find("ASCEND_GLOBAL_LOG_LEVEL: expected an integer from 0 to 4, got 'loud'"), std::string::npos)
      << lines;
  EXPECT_EQ(Levels(lines), "E");
}

TEST_F(LogLines, HoldEveryFailure) {
  Configure("1", "3");
  ::testing::internal::CaptureStdout();
  Failf(161001, "aclnnX: argument 'self': expected a tensor, got NULL");
  const std::string lines = ::testing::internal::GetCapturedStdout();
  EXPECT_NE(lines.find("aclnnX: argument 'self'"), std::string::npos) << lines;
}

TEST_F(LogLines, CutLongTexts) {
  Configure("1", "3");
  ::testing::internal::CaptureStdout();
  Logf(LogLevel::kError, "{}", std::string(5000, 'x'));
  const std::string lines = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), 'x'), static_cast<ptrdiff_t>(kMaxLogBytes));
}

}  // namespace
}  // namespace portacl
