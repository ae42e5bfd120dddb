// SPDX-License-Identifier: Apache-2.0
// The contents of the file when a process is killed. The processor stops after each instruction, and the file is
// checked there.
#include "trace/trace_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

namespace portacl::trace {
namespace {

using nlohmann::json;

constexpr size_t kPageBytes = 4096;

std::string Call(size_t number) {
  return R"({"name":"aclrtMalloc","cat":"call","ph":"X","pid":1,"tid":7,"ts":)" + std::to_string(number) +
         R"(.000,"dur":2.000})";
}

// An element longer than a page, like that of an operator with many tensors: two long texts, and short members around
// them.
std::string Operator(size_t name, size_t operands, size_t outputs) {
  return R"({"name":")" + std::string(name, 'n') + R"(","cat":"operator","dur":2.000,"args":{"operands":")" +
         std::string(operands, 'i') + R"(","outputs":")" + std::string(outputs, 'o') +
         R"(","bytes":1024,"GB/s":0.500,"status":0}})";
}

// The length of a first text that ends at the end of the second page: the beginning of the list and of the element
// precede it, and the tail follows.
const size_t kToSecondPage = 2 * kPageBytes - strlen("[\n") - Operator(4, 0, 0).find(R"(","outputs)") - 4;

class TraceFileTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "trace_file_test_" + std::to_string(getpid()) + ".json";
    unlink(path_.c_str());
  }
  void TearDown() override {
    file_.Close();
    unlink(path_.c_str());
  }

  std::string Content() const {
    std::string text;
    std::FILE* const file = std::fopen(path_.c_str(), "re");
    if (file == nullptr) return text;
    char part[1 << 16];
    for (size_t bytes; (bytes = std::fread(part, 1, sizeof(part), file)) > 0;) text.append(part, bytes);
    std::fclose(file);
    return text;
  }
  // The end of the list, which blanks follow.
  size_t End() const { return Content().find_last_not_of(" \n") + 1; }
  // Adds one element that leaves `left` bytes free in the page, besides the end of the list.
  void FillPage(size_t left) {
    constexpr size_t kEndAndSeparator = 4 + 2;
    const size_t bytes = kPageBytes - (End() - strlen(" \n]")) % kPageBytes - kEndAndSeparator - left;
    ASSERT_TRUE(file_.Append(Text(bytes)));
  }
  static std::string Text(size_t bytes) {
    return R"({"f":")" + std::string(bytes - strlen(R"({"f":""})"), 'f') + R"("})";
  }

  std::string path_;
  TraceFile file_;
};

// Not with a sanitizer, where it takes minutes.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

// The file after the last instruction, and the first content that was not a list.
struct Watch {
  int descriptor = -1;
  size_t steps = 0;
  size_t changes = 0;
  size_t bytes = 0;    // the file's length
  off_t from = 0;      // where the window begins; the rest is checked when the length changes, and at the end
  std::string window;  // its content
  std::string bad;
} g_watch;

void LookAtAll() {
  std::string text(g_watch.bytes, '\0');
  const ssize_t got = pread(g_watch.descriptor, text.data(), text.size(), 0);
  const bool is_list = got == static_cast<ssize_t>(text.size()) && json::accept(text) && text[0] == '[';
  ++g_watch.changes;
  if (!is_list && g_watch.bad.empty()) g_watch.bad = text.empty() ? "an empty file" : text;
}

void LookAfterInstruction(int) {
  static char window[4 * kPageBytes];
  ++g_watch.steps;
  struct stat status = {};
  fstat(g_watch.descriptor, &status);
  const ssize_t got = pread(g_watch.descriptor, window, sizeof(window), g_watch.from);
  if (got < 0) return;
  const std::string_view now(window, static_cast<size_t>(got));
  if (static_cast<size_t>(status.st_size) == g_watch.bytes && now == g_watch.window) return;
  g_watch.bytes = static_cast<size_t>(status.st_size);
  g_watch.window = now;
  LookAtAll();
}

[[gnu::noinline]] void StopAfterEachInstruction(bool stop) {
  // Skips the bytes below the stack pointer that the compiler may use.
  if (stop)
    asm volatile("sub $128, %%rsp; pushfq; orq $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
  else
    asm volatile("sub $128, %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "memory", "cc");
}

// Checks that the file is a list after each step of adding the element.
void ExpectListAtEachStep(const std::string& path, TraceFile& file, const std::string& element) {
  g_watch = {};
  g_watch.descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(g_watch.descriptor, 0);
  struct stat before = {};
  fstat(g_watch.descriptor, &before);
  g_watch.bytes = static_cast<size_t>(before.st_size);
  std::string text(g_watch.bytes, '\0');
  ASSERT_EQ(pread(g_watch.descriptor, text.data(), text.size(), 0), before.st_size);
  g_watch.from = static_cast<off_t>((text.find_last_not_of(" \n") + 1) / kPageBytes * kPageBytes);
  g_watch.window = text.substr(static_cast<size_t>(g_watch.from), 4 * kPageBytes);

  struct sigaction action = {}, old = {};
  action.sa_handler = &LookAfterInstruction;
  sigaction(SIGTRAP, &action, &old);
  StopAfterEachInstruction(true);
  const bool appended = file.Append(element);
  StopAfterEachInstruction(false);
  sigaction(SIGTRAP, &old, nullptr);
  LookAtAll();
  close(g_watch.descriptor);

  EXPECT_TRUE(appended) << file.error();
  EXPECT_GT(g_watch.steps, 20u);
  EXPECT_GT(g_watch.changes, 1u);
  const size_t end = g_watch.bad.find_last_not_of(" \n") + 1;
  EXPECT_EQ(g_watch.bad.substr(end - std::min<size_t>(end, 200), 200), "") << "this is the end of " << end << " bytes";
}

TEST_F(TraceFileTest, EachStepOfAddingAnElementLeavesACompleteList) {
  ASSERT_TRUE(file_.Open(path_));
  for (size_t i = 0; i < 5; ++i) ExpectListAtEachStep(path_, file_, Call(i));
}

TEST_F(TraceFileTest, EachStepOntoTheNextPageLeavesACompleteList) {
  // The bytes left in the page: from 0 to more than the tail and the separator take, and nearly the size of the
  // element.
  for (const size_t left : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 60, 80}) {
    ASSERT_TRUE(file_.Open(path_) && file_.Append(Call(0)));
    FillPage(left);
    EXPECT_LE(End(), kPageBytes);
    ExpectListAtEachStep(path_, file_, Call(left));
    EXPECT_GT(End(), kPageBytes);
    file_.Close();
  }
}

TEST_F(TraceFileTest, EachStepOfAFileThatGrowsLeavesACompleteList) {
  ASSERT_TRUE(file_.Open(path_));
  const size_t part = Content().size();
  while (End() + kPageBytes < part) ASSERT_TRUE(file_.Append(Text(4000)));
  FillPage(20);
  ASSERT_EQ(Content().size(), part);
  ExpectListAtEachStep(path_, file_, Call(1));
  EXPECT_GT(Content().size(), part);
}

TEST_F(TraceFileTest, EachStepOfAnElementOverPagesLeavesACompleteList) {
  // The second page ends just before the end of the first text, and within the second text.
  for (const size_t operands : {kToSecondPage + 2, kToSecondPage - 500}) {
    ASSERT_TRUE(file_.Open(path_));
    ExpectListAtEachStep(path_, file_, Operator(4, operands, 900));
    file_.Close();
  }
}

#endif

TEST_F(TraceFileTest, LongElementsStayWhatTheyAre) {
  // The end of the second page is placed at each of the bytes around the end of each text.
  for (size_t i = 0; i < 160; ++i) {
    for (const std::string& element :
         {Operator(4, kToSecondPage - 80 + i, 9), Operator(4, 9, kToSecondPage - 80 + i)}) {
      ASSERT_TRUE(file_.Open(path_));
      EXPECT_TRUE(file_.Append(element)) << file_.error();
      EXPECT_TRUE(file_.Append(Call(i))) << file_.error();
      file_.Close();
      EXPECT_EQ(json::parse(Content()), json::array({json::parse(element), json::parse(Call(i))})) << i;
    }
  }
}

// A write is a cancellation point: it would cancel a thread of the client, and the frames above it are noexcept.
TEST_F(TraceFileTest, ACancelledThreadAddsWhatItHas) {
  ASSERT_TRUE(file_.Open(path_));
  pthread_t thread;
  const auto run = [](void* file) -> void* {
    pthread_cancel(pthread_self());
    static_cast<TraceFile*>(file)->Append(Call(1));
    pthread_testcancel();
    return file;
  };
  ASSERT_EQ(pthread_create(&thread, nullptr, run, &file_), 0);
  void* result = nullptr;
  pthread_join(thread, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(json::parse(Content()).size(), 1u);
}

TEST_F(TraceFileTest, AnElementForWhichThereIsNoRoomLeavesAllBefore) {
  ASSERT_TRUE(file_.Open(path_));
  rlimit limit = {}, old = {};
  getrlimit(RLIMIT_FSIZE, &old);
  limit = old;
  limit.rlim_cur = Content().size();
  setrlimit(RLIMIT_FSIZE, &limit);
  size_t added = 0;
  while (file_.Append(Operator(3, 2000, 5000))) ++added;
  setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_EQ(file_.error(), std::strerror(EFBIG));
  EXPECT_GT(added, 100u);
  EXPECT_GE(json::parse(Content()).size(), added);
}

}  // namespace
}  // namespace portacl::trace
