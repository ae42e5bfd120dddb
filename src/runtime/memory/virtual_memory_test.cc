// SPDX-License-Identifier: Apache-2.0
// Physical memory in many pieces: the resources that it takes, and its behaviour at the limits of the process.
#include "runtime/memory/virtual_memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

aclrtPhysicalMemProp HugeKind() {
  aclrtPhysicalMemProp properties = {};
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  return properties;
}

aclError MallocPiece(aclrtDrvMemHandle* piece) {
  const aclrtPhysicalMemProp properties = HugeKind();
  return aclrtMallocPhysical(piece, memory::kMapUnit, &properties, 0);
}

// Pieces of physical memory with adjacent mappings.
class PiecesTest : public DeviceTest {
 protected:
  void Make(size_t count) {
    pieces_.resize(count);
    void* range = nullptr;
    ASSERT_EQ(aclrtReserveMemAddress(&range, count * memory::kMapUnit, 0, nullptr, 0), ACL_SUCCESS);
    begin_ = static_cast<char*>(range);
    for (size_t index = 0; index < count; ++index) Renew(index);
  }
  void Renew(size_t index) {
    ASSERT_EQ(MallocPiece(&pieces_[index]), ACL_SUCCESS);
    ASSERT_EQ(aclrtMapMem(At(index), memory::kMapUnit, 0, pieces_[index], 0), ACL_SUCCESS);
  }
  void Drop(size_t index) {
    EXPECT_EQ(aclrtUnmapMem(At(index)), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreePhysical(pieces_[index]), ACL_SUCCESS);
    pieces_[index] = nullptr;
  }
  void TearDown() override {
    for (size_t index = 0; index < pieces_.size(); ++index) {
      if (pieces_[index] != nullptr) Drop(index);
    }
    EXPECT_EQ(aclrtReleaseMemAddress(begin_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }
  char* At(size_t index) const { return begin_ + index * memory::kMapUnit; }
  aclrtDrvMemHandle Piece(size_t index) const { return pieces_[index]; }

 private:
  std::vector<aclrtDrvMemHandle> pieces_;
  char* begin_ = nullptr;
};

size_t Descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

// The resident bytes of the files that hold physical memory.
size_t ResidentBytes() {
  size_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry, error).string();
    struct stat file = {};
    if (target.rfind("/memfd:portacl", 0) == 0 && stat(entry.path().c_str(), &file) == 0)
      bytes += static_cast<size_t>(file.st_blocks) * 512;
  }
  return bytes;
}

TEST_F(PiecesTest, DescriptorsDoNotGrowWithPieces) {
  const size_t before = Descriptors();
  Make(40);
  EXPECT_LE(Descriptors(), before + 1);
  for (size_t index = 0; index < 40; ++index) Drop(index);
  EXPECT_EQ(Descriptors(), before);
}

TEST_F(PiecesTest, ArePiecesOfTheirOwnAndBeginWithZeros) {
  Make(3);
  for (size_t index = 0; index < 3; ++index)
    ASSERT_EQ(aclrtMemset(At(index), memory::kMapUnit, static_cast<int>(index) + 1, memory::kMapUnit), ACL_SUCCESS);
  Drop(1);
  Renew(1);
  for (const size_t at : {size_t{0}, memory::kMapUnit - 1}) {
    EXPECT_EQ(At(0)[at], 1);
    EXPECT_EQ(At(1)[at], 0);
    EXPECT_EQ(At(2)[at], 3);
  }
}

TEST_F(PiecesTest, FreedOnesGoBackToTheSystem) {
  Make(4);
  ASSERT_EQ(aclrtMemset(At(0), 4 * memory::kMapUnit, 1, 4 * memory::kMapUnit), ACL_SUCCESS);
  ASSERT_EQ(ResidentBytes(), 4 * memory::kMapUnit);
  Drop(1);
  Drop(2);
  EXPECT_EQ(ResidentBytes(), 2 * memory::kMapUnit);
}

TEST_F(PiecesTest, StayThoseOfTheParentWhateverAChildDoes) {
  Make(3);
  ASSERT_EQ(aclrtMemset(At(0), memory::kMapUnit, 5, memory::kMapUnit), ACL_SUCCESS);
  Drop(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // The child's calls may be refused, but must not harm its parent.
    aclrtUnmapMem(At(0));
    aclrtFreePhysical(Piece(0));
    aclrtDrvMemHandle piece = nullptr;
    if (MallocPiece(&piece) == ACL_SUCCESS && aclrtMapMem(At(2), memory::kMapUnit, 0, piece, 0) == ACL_SUCCESS)
      std::memset(At(2), 9, memory::kMapUnit);
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(At(0)[0], 5);
  Renew(2);
  EXPECT_EQ(At(2)[0], 0);
}

void UseUnderALimitOfFileSizes() {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto set = [&limit](rlim_t bytes) {
    limit.rlim_cur = bytes;
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  };
  aclrtDrvMemHandle pieces[3] = {};
  set(3 * memory::kMapUnit / 2);
  for (aclrtDrvMemHandle& piece : pieces) EXPECT_EQ(MallocPiece(&piece), ACL_SUCCESS);
  for (const aclrtDrvMemHandle piece : pieces) EXPECT_EQ(aclrtFreePhysical(piece), ACL_SUCCESS);
  set(memory::kMapUnit - 1);
  EXPECT_EQ(MallocPiece(&pieces[0]), ACL_ERROR_RT_MEMORY_ALLOCATION);
  ExpectReport("aclrtMallocPhysical", "'size'");
  set(limit.rlim_max);
  EXPECT_EQ(MallocPiece(&pieces[0]), ACL_SUCCESS);
  EXPECT_EQ(aclrtFreePhysical(pieces[0]), ACL_SUCCESS);
}

TEST(PiecesDeathTest, ALimitOfFileSizesDoesNotEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        UseUnderALimitOfFileSizes();
        std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace portacl::testing
