// SPDX-License-Identifier: Apache-2.0
// Clients whose threads round up, down or to zero, flush subnormals, or trap floating-point exceptions: every operator
// gives them the same bits as in the default mode, and leaves their mode unchanged.
#include <fenv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "base/float_mode.h"
#include "calls/call.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/signature.h"
#include "contract_support.h"
#include "ops/operators.h"

namespace contract {
namespace {

using portacl::calls::Call;
using portacl::calls::CallObjects;
using portacl::calls::TensorSpec;
using portacl::exec::OperatorEntry;

enum class Mode { kDefault, kUpward, kDownward, kToZero, kFlushed, kTrapped };

#if defined(__SSE__)
constexpr portacl::FloatControl kFlush = 0x8040;        // results and operands
constexpr portacl::FloatControl kDenormalTrap = 0x100;  // set: masked; not in <fenv.h>
#else
constexpr portacl::FloatControl kFlush = 1u << 24;
constexpr portacl::FloatControl kDenormalTrap = 0;
#endif

// Returns false when the processor does not have the mode.
bool Enter(Mode mode) {
  switch (mode) {
    case Mode::kDefault:
      return true;
    case Mode::kUpward:
      return fesetround(FE_UPWARD) == 0;
    case Mode::kDownward:
      return fesetround(FE_DOWNWARD) == 0;
    case Mode::kToZero:
      return fesetround(FE_TOWARDZERO) == 0;
    case Mode::kFlushed:
      portacl::WriteFloatControl(portacl::ReadFloatControl() | kFlush);
      return true;
    case Mode::kTrapped:
      feclearexcept(FE_ALL_EXCEPT);
      if (feenableexcept(FE_ALL_EXCEPT) == -1 || fegetexcept() != FE_ALL_EXCEPT) return false;
      portacl::WriteFloatControl(portacl::ReadFloatControl() & ~kDenormalTrap);
      return true;
  }
  return false;
}

// Runs `body` in that mode on a new thread, for which the library has no cached state. `body` must not compute with
// floats itself.
template <class Body>
void InMode(Mode mode, Body&& body) {
  bool kept = false;
  OnFreshThread([&] {
    fenv_t before;
    fegetenv(&before);
    ASSERT_TRUE(Enter(mode));
    const portacl::FloatControl control = portacl::ReadFloatControl();
    const int rounding = fegetround();
    const int traps = fegetexcept();
    body();
    kept = ((portacl::ReadFloatControl() ^ control) & portacl::kFloatControlBits) == 0 && fegetround() == rounding &&
           fegetexcept() == traps;
    fesetenv(&before);
  });
  EXPECT_TRUE(kept) << "the library changed the floating-point mode of its client";
}

using Bytes = std::vector<std::byte>;

void WriteDevice(const Bytes& bytes, void* data) {
  if (bytes.empty()) return;
  EXPECT_EQ(aclrtMemcpy(data, bytes.size(), bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE), kOk);
}

void ReadDevice(const void* data, Bytes* bytes) {
  if (bytes->empty()) return;
  EXPECT_EQ(aclrtMemcpy(bytes->data(), bytes->size(), data, bytes->size(), ACL_MEMCPY_DEVICE_TO_HOST), kOk);
}

// The contents of the tensors of a call: the same for each run.
std::vector<Bytes> DrawContents(Call& call, portacl::calls::Random& random) {
  std::vector<Bytes> contents;
  for (const TensorSpec* tensor : call.Tensors()) {
    const aclDataType part = portacl::calls::PartDtype(tensor->dtype);
    const size_t size = portacl::calls::ElementBytes(part);
    const auto elements = static_cast<size_t>(portacl::calls::ViewExtent(tensor->shape, tensor->Strides(), 0));
    contents.emplace_back(elements * portacl::calls::ElementBytes(tensor->dtype));
    for (size_t at = 0; at + size <= contents.back().size(); at += size) {
      // Most values are in the range of logit; some are subnormals of a dtype.
      const double value = random.Chance(0.1)   ? random.Pick(std::array{1e-40, -3e-41, 2e-7, 1e-310})
                           : random.Chance(0.3) ? random.Real(-90, 90)
                                                : random.Real(0, 1);
      portacl::calls::StoreElement(part, value, contents.back().data() + at);
    }
  }
  // Sets integers that are indices to values in range.
  const std::vector<TensorSpec*> tensors = call.Tensors();
  for (size_t i = 0; i < tensors.size(); ++i) WriteDevice(contents[i], tensors[i]->data);
  portacl::calls::CompleteContents(call);
  for (size_t i = 0; i < tensors.size(); ++i) ReadDevice(tensors[i]->data, &contents[i]);
  return contents;
}

void DrawAttributes(Call& call, portacl::calls::Random& random) {
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    portacl::calls::ArgumentSpec& spec = call.arguments()[i];
    // None of these values is exact in float32, and one is subnormal there.
    spec.real = random.Pick(std::array{0.1, 1.0 / 3, 0.7, 1e-6, 1e-40});
    spec.reals.assign(spec.reals.size(), spec.real);
  }
}

struct Outcome {
  aclnnStatus status = 0;
  std::vector<Bytes> contents;
  bool operator==(const Outcome&) const = default;
};

enum class Way { kAtOnce, kQueued };

// Runs both phases in that mode, with the other library calls that a small client needs.
Outcome RunIn(Mode mode, Way way, Call& call, const std::vector<Bytes>& contents) {
  Outcome outcome{0, contents};
  const std::vector<TensorSpec*> tensors = call.Tensors();
  const CallObjects objects(call.schema(), call.arguments());
  InMode(mode, [&] {
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    const aclrtStream stream = CreateStream();
    for (size_t i = 0; i < tensors.size(); ++i) WriteDevice(contents[i], tensors[i]->data);
    uint64_t bytes = 0;
    aclOpExecutor* executor = nullptr;
    void* workspace = nullptr;
    outcome.status = call.entry().plan(objects.values(), &bytes, &executor);
    if (outcome.status == 0) {
      if (bytes != 0) {
        EXPECT_EQ(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
      }
      Gate gate;
      // Phase 2 waits for the stream itself where the shape of an output depends on the data.
      if (way == Way::kQueued && call.schema().data_dependent == 0) gate.Block(stream);
      outcome.status = call.entry().run(workspace, bytes, executor, stream);
      gate.Open();
      EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
    }
    for (size_t i = 0; i < tensors.size(); ++i) ReadDevice(tensors[i]->data, &outcome.contents[i]);
    if (workspace != nullptr) {
      EXPECT_EQ(aclrtFree(workspace), kOk);
    }
    EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  });
  return outcome;
}

void ExpectTheSameBits(Mode mode, Call call, portacl::calls::Random& random) {
  call.AllocateData();
  const std::vector<Bytes> contents = DrawContents(call, random);
  for (const Way way : {Way::kAtOnce, Way::kQueued}) {
    const Outcome got = RunIn(mode, way, call, contents);
    const Outcome want = RunIn(Mode::kDefault, way, call, contents);
    EXPECT_EQ(got.status, want.status) << portacl::calls::DescribeCall(call);
    EXPECT_TRUE(got == want) << portacl::calls::DescribeCall(call);
  }
}

void ExpectTheSameBitsOfEveryOperator(Mode mode) {
  portacl::calls::Random random(20250131);
  // The process begins in this mode, so the library initialises its global state in it.
  InMode(mode, [] { EXPECT_EQ(aclInit(nullptr), kOk); });
  InMode(mode, [] { EXPECT_EQ(aclrtSetDevice(0), kOk); });
  EXPECT_EQ(aclrtSetDevice(0), kOk);
  const std::vector<const OperatorEntry*> first = portacl::calls::OneOfEachSignature(portacl::Operators());
  for (const OperatorEntry* entry : portacl::Operators()) {
    const bool stands_for_others = std::ranges::find(first, entry) != first.end();
    for (int i = 0; i < (stands_for_others ? 12 : 2); ++i) {
      Call call = portacl::calls::MakeValidCall(*entry, i == 0 ? nullptr : &random);
      DrawAttributes(call, random);
      ExpectTheSameBits(mode, call, random);
    }
    if (!stands_for_others) continue;
    // Large enough for many threads to take part.
    Call call = portacl::calls::MakeLargeCall(*entry, 100'000, ACL_FLOAT);
    DrawAttributes(call, random);
    ExpectTheSameBits(mode, call, random);
  }
}

TEST(FloatModeDeathTest, RoundingUpwardChangesNothing) {
  EXPECT_IN_FRESH_PROCESS(ExpectTheSameBitsOfEveryOperator(Mode::kUpward));
}

TEST(FloatModeDeathTest, RoundingDownwardChangesNothing) {
  EXPECT_IN_FRESH_PROCESS(ExpectTheSameBitsOfEveryOperator(Mode::kDownward));
}

TEST(FloatModeDeathTest, RoundingToZeroChangesNothing) {
  EXPECT_IN_FRESH_PROCESS(ExpectTheSameBitsOfEveryOperator(Mode::kToZero));
}

TEST(FloatModeDeathTest, FlushedSubnormalsChangeNothing) {
  EXPECT_IN_FRESH_PROCESS(ExpectTheSameBitsOfEveryOperator(Mode::kFlushed));
}

bool HasTraps() {
  bool has = false;
  OnFreshThread([&] { has = Enter(Mode::kTrapped); });
  return has;
}

TEST(FloatModeDeathTest, EnabledExceptionsChangeNothing) {
  if (!HasTraps()) GTEST_SKIP() << "this processor has none";
  EXPECT_IN_FRESH_PROCESS(ExpectTheSameBitsOfEveryOperator(Mode::kTrapped));
}

// Functions besides the operators that compute with floats.
void UseFloatsOfTheRuntime(const char* config) {
  EXPECT_EQ(aclInit(config), kOk);
  EXPECT_EQ(aclrtSetDevice(0), kOk);
  constexpr float kThird = 1.0f / 3;
  EXPECT_EQ(aclFloatToFloat16(kThird), 0x3555);
  aclrtEvent events[2] = {};
  for (aclrtEvent& event : events) {
    EXPECT_EQ(aclrtCreateEvent(&event), kOk);
    EXPECT_EQ(aclrtRecordEvent(event, nullptr), kOk);
  }
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  float milliseconds[2] = {-1, -1};
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds[0], events[0], events[1]), kOk);
  for (const aclrtEvent event : events) EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  aclrtUtilizationInfo load = {};
  EXPECT_EQ(aclrtGetDeviceUtilizationRate(0, &load), kOk);
}

TEST(FloatModeDeathTest, FunctionsOfTheRuntimeWorkInAnyMode) {
  for (const Mode mode : {Mode::kUpward, Mode::kDownward, Mode::kToZero, Mode::kFlushed, Mode::kTrapped}) {
    if (mode == Mode::kTrapped && !HasTraps()) continue;
    EXPECT_IN_FRESH_PROCESS({
      const std::string config = ::testing::TempDir() + "float_mode_" + std::to_string(getpid()) + ".json";
      std::ofstream(config) << R"({"other": 0.1})";
      InMode(mode, [&] { UseFloatsOfTheRuntime(config.c_str()); });
      std::remove(config.c_str());
    });
  }
}

}  // namespace
}  // namespace contract
