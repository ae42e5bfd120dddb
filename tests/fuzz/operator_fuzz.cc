// SPDX-License-Identifier: Apache-2.0
// Generates calls of every operator from its schema. Valid calls - any view, alias, dtype, attribute, stream - are
// compared with the room's float64 reference; forbidden calls must return the status of their step; arbitrary calls may
// return any documented status, and valid calls with arbitrary contents may fail as they run, but must not crash.
//
// One process uses one instruction set, PORTACL_TARGET's, and generates only calls of PORTACL_FUZZ_OPERATOR if that is
// set; tools/run_fuzzers.sh runs the operators in turn.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "acl/acl.h"
#include "base/dtype.h"
#include "base/target.h"
#include "calls/element.h"
#include "calls/oracle.h"
#include "calls/views.h"
#include "calls/violation.h"
#include "ops/operators.h"

namespace portacl::fuzz {
namespace {

using calls::ArgumentSpec;
using calls::Call;
using calls::Random;
using calls::TensorSpec;
using calls::Violation;

constexpr aclnnStatus kDocumented[] = {0, 161001, 161002, 361001, 561000, 561002, 561003, 561101, 561103};
// Prints the failure, the call and the target, and stops the fuzzer, which then stores the input.
[[noreturn]] void Finding(const Call& call, const std::string& what) {
  const char* message = aclGetRecentErrMsg();
  std::fprintf(stderr, "FINDING: %s\n  call: %s\n  PORTACL_TARGET=%s\n  last message: %s\n", what.c_str(),
               DescribeCall(call).c_str(), TargetName(ActiveTarget()), message == nullptr ? "none" : message);
  std::abort();
}

struct Planned {
  aclnnStatus status;
  uint64_t bytes = 0x5555;
  aclOpExecutor* executor = nullptr;
};

// Runs phase 1, and checks what must hold for any arguments.
Planned PlanAnything(const Call& call) {
  Planned planned{};
  planned.bytes = 0x5555;
  aclGetRecentErrMsg();
  planned.status = call.Plan(&planned.bytes, &planned.executor);
  if (std::find(std::begin(kDocumented), std::end(kDocumented), planned.status) == std::end(kDocumented)) {
    Finding(call, "phase 1 gave the undocumented status " + std::to_string(planned.status));
  }
  if (planned.status == 0) {
    if (planned.executor == nullptr && !call.null_executor) Finding(call, "phase 1 succeeded without an executor");
    return planned;
  }
  if (planned.bytes != 0x5555 || planned.executor != nullptr) Finding(call, "a failed phase 1 touched its results");
  const char* message = aclGetRecentErrMsg();
  if (message == nullptr || *message == '\0') Finding(call, "phase 1 failed without a message");
  return planned;
}

struct Workspace {
  explicit Workspace(uint64_t size) : bytes(size) {
    if (bytes != 0) aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  }
  ~Workspace() {
    if (data != nullptr) aclrtFree(data);
  }
  void* data = nullptr;
  uint64_t bytes;
};

void Run(const Call& call, const Planned& planned, aclrtStream stream) {
  const Workspace workspace(planned.bytes);
  const aclnnStatus status = call.entry().run(workspace.data, workspace.bytes, planned.executor, stream);
  if (status != 0) Finding(call, "phase 2 of a valid call gave " + std::to_string(status));
  const aclError code = aclrtSynchronizeStream(stream);
  if (code != 0) Finding(call, "synchronizing gave " + std::to_string(code));
}

// The contents of one tensor's block before the run.
struct Before {
  const TensorSpec* tensor;
  int argument;
  size_t first;  // index of its first element among those of a list
  std::vector<std::byte> block;
};

std::vector<Before> ContentsOf(Call& call) {
  std::vector<Before> before;
  for (const int argument : call.schema().tensors) {
    const exec::Arg& arg = call.schema().args[static_cast<size_t>(argument)];
    if ((arg.kind != exec::ValueKind::kTensor && !arg.written()) || call.argument(argument).null) continue;
    size_t first = 0;
    for (const TensorSpec& tensor : call.argument(argument).tensors) {
      before.push_back(
          {&tensor, argument, first, tensor.data == nullptr ? std::vector<std::byte>() : ReadBlock(tensor)});
      first += static_cast<size_t>(calls::ElementCount(tensor.shape));
    }
  }
  return before;
}

void CheckBetween(const Call& call, const Before& before) {
  const std::vector<std::byte> after = ReadBlock(*before.tensor);
  std::vector<std::byte> outside = before.block;
  for (const size_t at : ElementOffsets(*before.tensor))
    std::memcpy(&outside[at], &after[at], calls::ElementBytes(before.tensor->dtype));
  if (outside != after) Finding(call, "something was written between the elements of an output");
}

void CompareOutput(const Call& call, calls::OracleCall& reference, const Before& before) {
  const TensorSpec& out = *before.tensor;
  const std::vector<std::byte> after = ReadBlock(out);
  const std::vector<size_t> offsets = ElementOffsets(out);
  const std::string name = call.schema().args[static_cast<size_t>(before.argument)].name;
  for (size_t i = 0; i < offsets.size(); ++i) {
    const std::byte* got = after.data() + offsets[i];
    const calls::Deviation deviation = reference.Judge(before.argument, before.first + i, got);
    if (deviation.good()) continue;
    Finding(call, "element " + std::to_string(i) + " of '" + name + "': got " + calls::DescribeElement(out.dtype, got) +
                      ", " + reference.DescribeExact(before.argument, before.first + i) + "; error " +
                      std::to_string(deviation.error) + ", limit " + std::to_string(deviation.limit));
  }
  CheckBetween(call, before);
}

void RunValid(Random& random, const exec::OperatorEntry& entry) {
  Call call = calls::MakeValidCall(entry, &random);
  DrawAttributes(call, random, 0.6);
  DrawViews(call, random);
  call.AllocateData();
  if (random.Chance(0.2)) DrawAddresses(call, random);
  DrawAliases(call, random);
  DrawContents(call, random, random.Real(0, 0.5));

  calls::OracleCall reference(call);
  const std::vector<Before> before = ContentsOf(call);
  reference.ReadMemory();
  const Planned planned = PlanAnything(call);
  if (planned.status == 561003 || planned.status == 561002) return;  // the SoC lacks it, or no step has this limit
  if (planned.status != 0) Finding(call, "a call made from the schema was refused");
  // Called before the run, which may overwrite the tensors of lists.
  if (!calls::ComputeOracle(reference)) Finding(call, "no room has a reference of this operator");
  aclrtStream stream = nullptr;
  if (random.Chance(0.3)) aclrtCreateStream(&stream);
  Run(call, planned, stream);
  if (stream != nullptr) aclrtDestroyStream(stream);
  for (const Before& block : before) {
    if (call.schema().args[static_cast<size_t>(block.argument)].written()) CompareOutput(call, reference, block);
  }
}

// Small numbers, among them indices and counts that are just out of range; or powers of 2, counts of which overflow; or
// any bits.
void DrawAnyContents(const TensorSpec& tensor, Random& random) {
  Random fast(random.Bits());  // contents are many and would use up the fuzzer's bytes
  std::vector<std::byte> block = ReadBlock(tensor);
  if (random.Chance(0.85)) {
    const bool are_powers = random.Chance(0.1);
    const aclDataType part = calls::PartDtype(tensor.dtype);
    std::vector<double> values(block.size() / calls::ElementBytes(part));
    for (double& value : values) {
      value = are_powers ? std::ldexp(1, static_cast<int>(fast.Below(64)))
                         : static_cast<double>(fast.Chance(0.05) ? fast.Between(-1000, 1000) : fast.Between(-2, 6));
    }
    block = calls::Encode(part, values);
  } else {
    for (std::byte& byte : block) byte = static_cast<std::byte>(fast.Below(256));
  }
  aclrtMemcpy(tensor.data, block.size(), block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

// The run may fail, with a message, but it touches nothing else.
void RunAnyContents(Random& random, const exec::OperatorEntry& entry) {
  Call call = calls::MakeValidCall(entry, &random);
  DrawAttributes(call, random, 0.6);
  DrawViews(call, random);
  call.AllocateData();
  CompleteContents(call);  // also limits attributes whose valid values depend on shapes
  for (const TensorSpec* tensor : call.Tensors()) {
    if (tensor->data != nullptr) DrawAnyContents(*tensor, random);
  }
  const std::vector<Before> before = ContentsOf(call);
  const Planned planned = PlanAnything(call);
  if (planned.status == 561003 || planned.status == 561002) return;
  if (planned.status != 0) Finding(call, "a call made from the schema was refused");
  const Workspace workspace(planned.bytes);
  const aclnnStatus status = entry.run(workspace.data, workspace.bytes, planned.executor, nullptr);
  constexpr aclnnStatus kRuntimeError = 361001;  // of an operator that waits for its results
  if (status != 0 && status != kRuntimeError) Finding(call, "phase 2 gave " + std::to_string(status));
  const aclError code = aclrtSynchronizeStream(nullptr);
  if (code != 0 && code != 507015) Finding(call, "synchronizing gave " + std::to_string(code));
  if ((status == 0 && code == 0) != (aclGetRecentErrMsg() == nullptr)) Finding(call, "a failure has a message");
  for (const Before& block : before) {
    if (call.schema().args[static_cast<size_t>(block.argument)].written()) CheckBetween(call, block);
  }
}

void RunForbidden(Random& random, const exec::OperatorEntry& entry) {
  static std::map<const exec::OperatorEntry*, std::vector<Violation>> known;
  std::vector<Violation>& violations = known[&entry];
  if (violations.empty()) violations = calls::ViolationsOf(entry);
  std::vector<const Violation*> chosen = {&random.Pick(violations)};
  if (random.Chance(0.5)) {
    const Violation& other = random.Pick(violations);
    const bool apart = other.argument != chosen[0]->argument && !other.changes_others && !chosen[0]->changes_others;
    if (apart) chosen.push_back(&other);
  }
  const auto comes_first = [](const Violation* a, const Violation* b) {
    return std::pair(a->step, a->place) < std::pair(b->step, b->place);
  };
  const Violation& first = **std::min_element(chosen.begin(), chosen.end(), comes_first);
  Call call = calls::MakeValidCall(entry);
  for (const Violation* violation : chosen) violation->apply(call);
  const Planned planned = PlanAnything(call);
  if (planned.status != first.status) {
    Finding(call, "expected " + std::to_string(first.status) + " for " + first.what + " of '" + first.name + "', got " +
                      std::to_string(planned.status));
  }
}

int64_t WildInteger(Random& random) {
  switch (random.Below(6)) {
    case 0:
      return random.Between(-3, 3);
    case 1:
      return static_cast<int64_t>(random.Bits());
    case 2:
      return std::numeric_limits<int64_t>::max() - random.Below(2);
    case 3:
      return std::numeric_limits<int64_t>::min() + random.Below(2);
    case 4:
      return int64_t{1} << random.Below(63);
    default:
      return random.Below(100);
  }
}

void MakeWild(TensorSpec& tensor, Random& random) {
  if (random.Chance(0.1)) tensor.null = true;
  if (random.Chance(0.3)) tensor.dtype = static_cast<aclDataType>(random.Between(-2, 45));
  if (random.Chance(0.2)) tensor.format = static_cast<aclFormat>(random.Between(-2, 60));
  if (random.Chance(0.3)) tensor.shape.resize(static_cast<size_t>(random.Below(12)), 1);
  for (int64_t& size : tensor.shape) {
    if (random.Chance(0.2)) size = WildInteger(random);
  }
  tensor.strides.reset();
  if (random.Chance(0.4)) {
    tensor.strides.emplace(tensor.shape.size());
    for (int64_t& stride : *tensor.strides) stride = WildInteger(random);
  }
  if (random.Chance(0.2)) tensor.offset = WildInteger(random);
}

// These calls must only not crash. Their data addresses are null or point into a small block, so that an accepted call
// would access memory outside of it.
void RunWild(Random& random, const exec::OperatorEntry& entry) {
  Call call = calls::MakeValidCall(entry, &random);
  call.AllocateData();
  for (ArgumentSpec& argument : call.arguments()) {
    if (random.Chance(0.1)) argument.null = true;
    if (random.Chance(0.5)) argument.integer = WildInteger(random);
    for (TensorSpec& tensor : argument.tensors) {
      if (random.Chance(0.5)) MakeWild(tensor, random);
      if (random.Chance(0.3)) tensor.data = nullptr;
    }
  }
  call.null_executor = random.Chance(0.05);
  call.null_workspace_size = random.Chance(0.05);
  const Planned planned = PlanAnything(call);
  if (planned.status != 0) return;
  const Workspace workspace(std::min<uint64_t>(planned.bytes, 1 << 24));
  void* data = random.Chance(0.1) ? nullptr : workspace.data;
  const uint64_t bytes = random.Chance(0.2) ? static_cast<uint64_t>(random.Below(100)) : workspace.bytes;
  const aclnnStatus status = entry.run(data, bytes, planned.executor, nullptr);
  if (std::find(std::begin(kDocumented), std::end(kDocumented), status) == std::end(kDocumented)) {
    Finding(call, "phase 2 gave the undocumented status " + std::to_string(status));
  }
  if (entry.run(data, bytes, planned.executor, nullptr) != 561000) Finding(call, "an executor was not consumed");
  aclrtSynchronizeDevice();
}

const exec::OperatorEntry& OperatorToFuzz(Random& random) {
  static const char* const wanted = std::getenv("PORTACL_FUZZ_OPERATOR");
  const exec::OperatorEntry& drawn = *random.Pick(Operators());
  if (wanted == nullptr) return drawn;
  for (const exec::OperatorEntry* entry : Operators()) {
    if (std::strcmp(entry->schema->api, wanted) == 0) return *entry;
  }
  std::fprintf(stderr, "PORTACL_FUZZ_OPERATOR: there is no operator '%s'\n", wanted);
  std::exit(2);
}

}  // namespace
}  // namespace portacl::fuzz

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::fprintf(stderr, "PORTACL_TARGET=%s\n", portacl::TargetName(portacl::ActiveTarget()));
  return aclrtSetDevice(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  portacl::calls::Random random(data, size);
  const portacl::exec::OperatorEntry& entry = portacl::fuzz::OperatorToFuzz(random);
  switch (random.Below(4)) {
    case 0:
      portacl::fuzz::RunForbidden(random, entry);
      break;
    case 1:
      if (random.Chance(0.5))
        portacl::fuzz::RunWild(random, entry);
      else
        portacl::fuzz::RunAnyContents(random, entry);
      break;
    default:
      portacl::fuzz::RunValid(random, entry);
      break;
  }
  return 0;
}
