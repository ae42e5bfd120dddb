// SPDX-License-Identifier: Apache-2.0
#include "testing/index_faults.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <string>

#include "calls/element.h"
#include "calls/indices.h"
#include "testing/call_memory.h"
#include "testing/call_phases.h"
#include "testing/random.h"
#include "testing/target_loop.h"
#include "testing/thread_count.h"

namespace portacl::testing {

using calls::Call;
using calls::Dims;
using calls::TensorSpec;

namespace {

// What is out of range for indices of this dtype: next to both ends, and the numbers whose low bits are none or all.
std::vector<int64_t> NamesOfNothing(aclDataType dtype, int64_t limit, bool wraps) {
  std::vector<int64_t> values = {limit, wraps ? -limit - 1 : -1, std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::min()};
  if (dtype != ACL_INT64) return values;
  values.insert(values.end(), {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(),
                               int64_t{1} << 32, -(int64_t{1} << 32)});
  return values;
}

struct Pair {
  Call small;
  Call large;
  int64_t position = 0;  // of the first index that is out of range
  int64_t value = 0;
};

void WriteIntegers(const TensorSpec& tensor, const std::vector<int64_t>& values) {
  const size_t bytes = calls::ElementBytes(tensor.dtype);
  Bytes content(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(&content[i * bytes], &values[i], bytes);
  WriteMemory(tensor.data, content);
}

// Every `every`th index from `first` on is out of range.
void WriteIndices(const IndexFaults& faults, Random& random, int64_t first, int64_t every, Pair* pair) {
  const TensorSpec& index = pair->small.tensor(faults.index);
  const auto count = static_cast<size_t>(calls::ElementCount(index.shape));
  const size_t components = faults.limits.size();
  const std::vector<int64_t>& beyond = faults.beyond.empty() ? faults.limits : faults.beyond;
  std::vector<int64_t> small(count), large(count);
  pair->position = -1;
  for (size_t i = 0; i < count; ++i) {
    const size_t component = i % components;
    const int64_t limit = faults.limits[component];
    large[i] = random.Below(limit);
    small[i] = faults.wraps && random.Chance(0.5) ? large[i] - limit : large[i];
    const int64_t number = static_cast<int64_t>(i) - first;
    if (number < 0 || number % every != 0) continue;
    small[i] = random.Pick(NamesOfNothing(index.dtype, limit, faults.wraps));
    large[i] = beyond[component];
    if (pair->position >= 0) continue;
    pair->position = static_cast<int64_t>(i);
    pair->value = small[i];
  }
  WriteIntegers(index, small);
  WriteIntegers(pair->large.tensor(faults.index), large);
}

// Calls f(offset of an element in the small tensor, of the same in the large one), in bytes.
template <class F>
void ForEachCommon(const TensorSpec& small, const TensorSpec& large, const F& f) {
  const size_t bytes = calls::ElementBytes(small.dtype);
  size_t at = 0;
  calls::ForEachIndex(small.shape, [&](const Dims& index) {
    f(at, calls::NumberOf(large.shape, index) * bytes);
    at += bytes;
  });
}

// The elements that only the large tensors have are 0: what is read in place of an invalid one is 0, too.
void WriteOperands(const char* index, Random& random, Pair* pair) {
  for (const int argument : pair->small.schema().tensors) {
    const exec::Arg& arg = pair->small.schema().args[static_cast<size_t>(argument)];
    if (arg.role == exec::Role::kOutput || std::strcmp(arg.name, index) == 0) continue;
    const TensorSpec &small = pair->small.tensor(argument), &large = pair->large.tensor(argument);
    const aclDataType part = calls::PartDtype(small.dtype);
    std::vector<double> values(BytesOf(small) / calls::ElementBytes(part));
    for (double& value : values) value = static_cast<double>(random.Between(1, 3));
    const Bytes content = calls::Encode(part, values);
    Bytes embedded(BytesOf(large));
    ForEachCommon(small, large, [&](size_t from, size_t to) {
      std::memcpy(&embedded[to], &content[from], calls::ElementBytes(small.dtype));
    });
    WriteMemory(small.data, content);
    WriteMemory(large.data, embedded);
  }
}

void ExpectSameResults(const Pair& pair) {
  for (const int argument : pair.small.schema().tensors) {
    const exec::Arg& arg = pair.small.schema().args[static_cast<size_t>(argument)];
    if (!arg.written()) continue;
    const TensorSpec& small = pair.small.arguments()[static_cast<size_t>(argument)].tensors.front();
    const TensorSpec& large = pair.large.arguments()[static_cast<size_t>(argument)].tensors.front();
    const Bytes got = ReadMemory(small.data, BytesOf(small)), whole = ReadMemory(large.data, BytesOf(large));
    Bytes want(got.size());
    ForEachCommon(small, large, [&](size_t to, size_t from) {
      std::memcpy(&want[to], &whole[from], calls::ElementBytes(small.dtype));
    });
    EXPECT_TRUE(got == want) << arg.name;
  }
}

void ExpectReport(const IndexFaults& faults, const Pair& pair) {
  const int64_t limit = faults.limits[static_cast<size_t>(pair.position) % faults.limits.size()];
  const exec::Schema& schema = pair.small.schema();
  const bool is_list = schema.args[static_cast<size_t>(schema.Find(faults.index))].kind == exec::ValueKind::kTensorList;
  const std::string want =
      fmt::format("{}: argument '{}{}': expected elements from {} to {}, got {} at {}", schema.api, faults.index,
                  is_list ? "[0]" : "", faults.wraps ? -limit : 0, limit - 1, pair.value, pair.position);
  const char* const message = aclGetRecentErrMsg();
  EXPECT_NE(std::string(message == nullptr ? "" : message).find(want), std::string::npos)
      << (message == nullptr ? "no message" : message) << ", without: " << want;
}

aclError RunToEnd(const Call& call) {
  uint64_t bytes = 1;
  aclOpExecutor* executor = nullptr;
  EXPECT_EQ(call.Plan(&bytes, &executor), 0) << aclGetRecentErrMsg();
  EXPECT_EQ(bytes, 0u);
  aclGetRecentErrMsg();
  EXPECT_EQ(call.entry().run(nullptr, 0, executor, nullptr), 0) << "phase 2 succeeds";
  return aclrtSynchronizeDevice();
}

}  // namespace

void ExpectFaultsPassedOver(const std::function<Call(bool is_larger)>& make, const IndexFaults& faults) {
  Random random(11);
  for (const aclDataType dtype : {ACL_INT32, ACL_INT64}) {
    Pair pair{make(false), make(true)};
    for (Call* const call : {&pair.small, &pair.large}) {
      call->tensor(faults.index).dtype = dtype;
      call->AllocateData();
    }
    SCOPED_TRACE(DescribeCall(pair.small));
    const int64_t count = calls::ElementCount(pair.small.tensor(faults.index).shape);
    struct Pattern {
      int64_t first, every;
    };
    for (const auto [first, every] : {Pattern{0, count}, Pattern{count - 1, count}, Pattern{1, 7}, Pattern{0, 1}}) {
      ForEachTarget([&] {
        for (const int threads : {1, 3}) {
          const ThreadCount width(threads);
          WriteOperands(faults.index, random, &pair);
          WriteIndices(faults, random, first, every, &pair);
          ASSERT_EQ(RunToEnd(pair.large), 0);
          EXPECT_EQ(RunToEnd(pair.small), faults.is_reported ? 507015 : 0);
          if (faults.is_reported) ExpectReport(faults, pair);
          ExpectSameResults(pair);
        }
      });
    }
  }
}

}  // namespace portacl::testing
