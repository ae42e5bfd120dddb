// SPDX-License-Identifier: Apache-2.0
#include "exec/plan.h"

#include <memory>
#include <new>

#include "base/float_mode.h"
#include "base/status.h"
#include "exec/arguments.h"
#include "exec/executor.h"
#include "exec/executor_pool.h"
#include "exec/plan_cache.h"
#include "runtime/contexts/submit.h"

namespace portacl::exec {
namespace {

bool FitsSchema(const Schema& schema, std::span<const Value> values) {
  if (values.size() != schema.args.size()) return false;
  const Arg* arg = schema.args.data();
  for (const Value& value : values) {
    if (value.kind() != (arg++)->kind) return false;
  }
  return true;
}

aclnnStatus CheckAndPlan(const Schema& schema, std::span<const Value> call, uint64_t* workspaceSize,
                         aclOpExecutor** executor, PlanFunction plan) {
  const DefaultFloatMode mode;  // attributes are converted, costs estimated, messages written
  if (!FitsSchema(schema, call)) return Failf(kInternal, "{}: the values are not those of the schema", schema.api);
  Arguments arguments(schema, call, workspaceSize, executor);
  bool empty = false;
  if (const aclnnStatus status = CheckSteps(arguments, &empty)) return status;
  ExecutorPointer taken(TakeExecutor());
  taken->Begin(arguments);
  if (!empty) {
    PlanBuilder builder(schema, arguments, *taken);
    plan(builder);
  }
  KeepPlan(schema, plan, call, *taken);
  *workspaceSize = taken->workspace_size();
  *executor = Publish(taken.release());
  return kSuccess;
}

// Phase 2 from the moment on when the client's executor no longer matters.
aclnnStatus Launch(const Schema& schema, ExecutorPointer run, void* workspace, uint64_t workspaceSize,
                   aclrtStream stream) {
  if (const aclnnStatus status = run->PrepareRun(workspace, workspaceSize)) return status;
  const int32_t code = contexts::Submit(stream, run.get(), run->cost_ns());
  if (code != 0) {
    return Failf(kRuntimeError, "{}: argument 'stream': expected one that takes the task, got runtime error {}",
                 schema.api, code);
  }
  static_cast<void>(run.release());  // the stream's; perhaps finished already
  return kSuccess;
}

// The executor that one run consumes: of a repeatable one a copy, as several runs may be on their way at once, and
// addresses may change between them.
ExecutorPointer RunOf(Executor* claimed) {
  if (!claimed->repeatable) {
    Retire(claimed);
    return ExecutorPointer(claimed);
  }
  struct Releaser {
    Executor* executor;
    ~Releaser() { Release(executor); }
  } releaser{claimed};
  ExecutorPointer copy(TakeExecutor());
  copy->CopyPlan(*claimed);
  return copy;
}

}  // namespace

inline namespace v1 {

bool PlanBuilder::Has(int arg) const { return !arguments_.IsNull(arg); }
int PlanBuilder::Count(int arg) const { return arguments_.Count(arg); }
const View& PlanBuilder::Tensor(int arg, int element) const { return arguments_.Tensor(arg, element); }
const Value& PlanBuilder::Argument(int arg) const { return arguments_.value(arg); }
std::span<const int64_t> PlanBuilder::Ints(int arg) const { return arguments_.Ints(arg); }
int PlanBuilder::Operand(int arg, int element) const { return arguments_.First(arg) + element; }
int PlanBuilder::OperandCount() const { return arguments_.operand_count(); }
const View& PlanBuilder::OperandView(int operand) const { return arguments_.operand(operand).view; }

void PlanBuilder::ReadsLate(int operand) { executor_.ForbidInPlace(operand); }

void PlanBuilder::RunBytes(RunFunction run, const void* parameters, size_t bytes, int64_t cost_ns) {
  executor_.SetRun(run, parameters, bytes, cost_ns);
}

Region PlanBuilder::BookBytes(const char*, int64_t count, size_t element_bytes, size_t align) {
  uint64_t bytes = 0;
  if (count < 0 || __builtin_mul_overflow(static_cast<uint64_t>(count), element_bytes, &bytes))
    throw std::bad_array_new_length();
  return executor_.Book(bytes, align);
}

aclnnStatus MakePlan(const Schema& schema, std::initializer_list<Value> values, uint64_t* workspaceSize,
                     aclOpExecutor** executor, PlanFunction plan) noexcept {
  const std::span<const Value> call(values.begin(), values.size());
  const auto phase1 = [&]() -> aclnnStatus {
    Executor* again = nullptr;
    if (workspaceSize != nullptr && executor != nullptr && call.size() == schema.args.size())
      again = FindPlan(schema, plan, call);
    if (again == nullptr) return CheckAndPlan(schema, call, workspaceSize, executor, plan);
    *workspaceSize = again->workspace_size();
    *executor = Publish(again);
    return kSuccess;
  };
  return Guard(schema.api, phase1, kNoExecutor, kInternal);
}

aclnnStatus RunPlan(const Schema& schema, void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                    aclrtStream stream) noexcept {
  if (executor == nullptr)
    return Failf(kNullPointer, "{}: argument 'executor': expected a pointer, got NULL", schema.api);
  Executor* claimed = Claim(executor, &schema);
  if (claimed == nullptr) {
    const Schema* other = SchemaOfHandle(executor);
    if (other == nullptr) {
      return Failf(kInternal, "{}: argument 'executor': expected a live executor, got an unknown or consumed one",
                   schema.api);
    }
    return Failf(kInternal, "{0}: argument 'executor': expected one made by {0}GetWorkspaceSize, got one of {1}",
                 schema.api, other->api);
  }
  return Guard(
      schema.api, [&] { return Launch(schema, RunOf(claimed), workspace, workspaceSize, stream); }, kNoExecutor,
      kInternal);
}

}  // namespace v1
}  // namespace portacl::exec
