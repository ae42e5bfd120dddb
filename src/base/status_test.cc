// SPDX-License-Identifier: Apache-2.0
#include "base/status.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl_rt.h"
#include "base/report_list.h"
#include "base/thread_end.h"

namespace {
thread_local bool refuse_memory = false;
}

// Not inlined: otherwise the compiler sees that free() releases memory that operator new returned.
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* memory = refuse_memory ? nullptr : std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace portacl {
namespace {

std::string Recent() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "<none>" : text;
}

// A pattern without the cost of <regex>: digits become 0.
std::string WithoutDigits(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; }, '0');
  return text;
}

size_t Lines(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1; }

class Status : public ::testing::Test {
 protected:
  void SetUp() override {
    aclGetRecentErrMsg();
    ClearLastRuntimeError();
  }
};

TEST_F(Status, ReturnsTheCodeItWasGiven) {
  EXPECT_EQ(Failf(161002, "f: argument 'x': expected {}, got {}", 1, 2), 161002);
}

TEST_F(Status, AReportHasProcessTimeTitleLettersAndText) {
  Failf(161002, "aclnnGelu: argument 'out': expected {}, got {}", "FLOAT16", "FLOAT");
  const std::string text = Recent();
  const std::string process = "[PID: " + std::to_string(getpid()) + "] ";
  ASSERT_EQ(text.substr(0, process.size()), process);
  EXPECT_EQ(WithoutDigits(text.substr(process.size())),
            "0000-00-00-00:00:00.000.000 AclNN_Parameter_Error(EZ0000): "
            "aclnnGelu: argument 'out': expected FLOAT00, got FLOAT");
  EXPECT_NE(text.find("(EZ1001): aclnnGelu: argument 'out': expected FLOAT16, got FLOAT"), std::string::npos) << text;
}

TEST_F(Status, EveryFamilyOfCodesHasItsLetters) {
  const auto letters = [](int32_t code, const char* text = "f: failed") {
    return std::string(ClassifyReport(code, text).letters);
  };
  EXPECT_EQ(letters(161001), "EZ1001");
  EXPECT_EQ(letters(361001), "EZ9903");
  EXPECT_EQ(letters(561003), "EZ9999");
  EXPECT_EQ(letters(107000), "EE1003");
  EXPECT_EQ(letters(107017), "EE1003");
  EXPECT_EQ(letters(107002), "EE1010");
  EXPECT_EQ(letters(107003), "EE1010");
  EXPECT_EQ(letters(107007), "EE1017");
  EXPECT_EQ(letters(100037), "EE1018");
  EXPECT_EQ(letters(507007), "EE1018");
  EXPECT_EQ(letters(100000, "f: argument 'p': expected a pointer, got NULL"), "EE1004");
  EXPECT_EQ(letters(100000).substr(0, 2), "EH");
  EXPECT_EQ(letters(500000).substr(0, 2), "EH");
}

TEST_F(Status, ReadingClears) {
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  Failf(161001, "first");
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Status, SeveralReportsComeNewestFirstOnePerLine) {
  for (const char* text : {"one", "two", "three"}) Failf(161001, "{}", text);
  const std::string text = Recent();
  EXPECT_EQ(Lines(text), 3U);
  EXPECT_LT(text.find("three"), text.find("two"));
  EXPECT_LT(text.find("two"), text.find("one"));
}

TEST_F(Status, TheSameReportAgainOnlyBecomesTheNewest) {
  for (const char* text : {"again", "other", "again"}) Failf(161001, "{}", text);
  Failf(161002, "other");
  const std::string text = Recent();
  EXPECT_EQ(Lines(text), 3U) << "two codes with one text are two reports";
  EXPECT_LT(text.find("again"), text.rfind("other"));
}

TEST_F(Status, AFullListDropsItsOldestReport) {
  for (size_t i = 0; i < kMaxReports + 1; ++i) Failf(161001, "report <{}>", i);
  const std::string text = Recent();
  EXPECT_EQ(Lines(text), kMaxReports);
  EXPECT_EQ(text.find("<0>"), std::string::npos);
  EXPECT_NE(text.find("<1>"), std::string::npos);
  EXPECT_NE(text.find("<1000>"), std::string::npos);
}

TEST_F(Status, ALongTextIsCutBetweenCharacters) {
  const std::string umlaut = "\xC3\xBC";
  std::string longest(kMaxReportBytes - 1, 'x');
  Failf(161001, "{}", longest + umlaut + "tail");
  const std::string text = Recent();
  EXPECT_EQ(text.substr(text.size() - longest.size()), longest);
  Fail(161001, (longest + "yz").data(), longest.size() + 2);
  EXPECT_EQ(Recent().back(), 'y');
}

TEST_F(Status, EachThreadReadsItsOwnReports) {
  Failf(161001, "of the main thread");
  std::thread([] {
    EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
    Failf(161001, "of the other thread");
    EXPECT_NE(Recent().find("other"), std::string::npos);
  }).join();
  EXPECT_NE(Recent().find("main"), std::string::npos);
}

TEST_F(Status, InProcessScopeAnyThreadReadsAllReports) {
  SetReportScope(ReportScope::kProcess);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 100; ++i) Failf(161001, "thread {} report {}", t, i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = Recent();
  SetReportScope(ReportScope::kThread);
  EXPECT_EQ(Lines(text), 400U);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Status, OnlyRuntimeCodesBecomeTheLastRuntimeError) {
  for (const int32_t code : {161001, 361001, 561000, 100000, 200006, 500000}) Failf(code, "no runtime code");
  EXPECT_EQ(LastRuntimeError(), 0);
  for (const int32_t code : {107000, 207001, 507046}) {
    Failf(code, "a runtime code");
    EXPECT_EQ(LastRuntimeError(), code);
  }
  std::thread([] { EXPECT_EQ(LastRuntimeError(), 0); }).join();
  ClearLastRuntimeError();
  EXPECT_EQ(LastRuntimeError(), 0);
}

TEST_F(Status, GuardTurnsExceptionsIntoCodes) {
  EXPECT_EQ(Guard("f", [] { return 7; }), 7);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(Guard("aclrtF", []() -> int32_t { throw std::bad_alloc(); }), 207001);
  EXPECT_NE(Recent().find("aclrtF: out of host memory"), std::string::npos);
  EXPECT_EQ(Guard("f", []() -> int32_t { throw std::runtime_error("x"); }), 500000);
  EXPECT_EQ(Guard("f", []() -> int32_t { throw 1; }, 561101, 561000), 561000);
}

TEST_F(Status, WithoutMemoryTheCodeComesBackAndSomeTextIsThere) {
  const std::string text(200, 'x');
  int32_t code = 0;
  refuse_memory = true;
  code = Failf(207001, "aclrtMalloc: {}", text);
  refuse_memory = false;
  EXPECT_EQ(code, 207001);
  EXPECT_EQ(LastRuntimeError(), 207001);
  EXPECT_NE(aclGetRecentErrMsg(), nullptr);
  EXPECT_EQ(aclGetRecentErrMsg(), nullptr);
}

TEST_F(Status, AReportThatCannotBeShownForLackOfMemoryIsShownLater) {
  Failf(161001, "kept");
  refuse_memory = true;
  const char* without = aclGetRecentErrMsg();
  refuse_memory = false;
  EXPECT_NE(without, nullptr);
  EXPECT_NE(Recent().find("kept"), std::string::npos);
}

TEST_F(Status, DestructorsOfAnEndingThreadAreTold) {
  static thread_local bool* told = nullptr;
  struct Client {
    ~Client() { *told = Failf(107002, "called while the thread ends") == 107002 && aclGetRecentErrMsg() != nullptr; }
  };
  bool was_told = false;
  std::thread([&] {
    told = &was_told;
    static thread_local Client client;
    static_cast<void>(client);
    Failf(161001, "makes the list");
  }).join();
  EXPECT_TRUE(was_told);
}

// This key is created after the library's, so its destructor runs later when a thread ends; the list is then destroyed.
TEST_F(Status, CallsAfterTheEndOfTheListAreQuiet) {
  static const ThreadEnd late_client([](void* survived) {
    const int32_t code = Failf(107002, "called while the thread ends");
    *static_cast<bool*>(survived) = code == 107002 && aclGetRecentErrMsg() == nullptr && LastRuntimeError() == 107002;
  });
  bool survived = false;
  std::thread([&] {
    ASSERT_TRUE(late_client.Watch(&survived));
    Failf(161001, "makes the list");
  }).join();
  EXPECT_TRUE(survived);
}

}  // namespace
}  // namespace portacl
