// SPDX-License-Identifier: Apache-2.0
#include "exec/plan.h"

#include <memory>
#include <new>
#include <vector>

#include "base/float_mode.h"
#include "base/observer.h"
#include "base/status.h"
#include "exec/arguments.h"
#include "exec/executor.h"
#include "exec/executor_pool.h"
#include "exec/objects.h"
#include "exec/plan_cache.h"
#include "exec/refusal.h"
#include "runtime/contexts/submit.h"
#include "tensor/argument.h"

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

void NotifyOfPlan(const Arguments& arguments, const Executor& executor, const aclOpExecutor* handle) {
  const Schema& schema = arguments.schema();
  std::vector<OperandNote> notes;
  notes.reserve(static_cast<size_t>(arguments.operand_count()));
  for (const int number : schema.tensors) {
    const Arg& arg = schema.args[static_cast<size_t>(number)];
    int element = 0;
    for (const Operand& operand : arguments.Operands(number)) {
      const View& view = operand.view;
      notes.push_back({arg.name,
                       arg.kind == ValueKind::kTensor ? -1 : element,
                       view.dtype,
                       view.dims(),
                       {view.strides, static_cast<size_t>(view.rank)},
                       operand.bytes.begin,
                       operand.bytes.end - operand.bytes.begin,
                       view.data,
                       arg.written()});
      ++element;
    }
  }
  const PlanNote plan{&executor, reinterpret_cast<uintptr_t>(handle), schema.api, executor.workspace_size(), notes};
  ForEachObserver([&](Observer& each) { each.Planned(plan); });
}

// The first dead object, also among arguments that may be NULL, which no step checks.
void NotifyOfDeadArgument(const Schema& schema, std::span<const Value> call) {
  for (const Value& value : call) {
    const PooledObject* const object = ObjectOf(value);
    if (IsDead(object)) return NotifyOfDeadObject(schema.api, object);
    if (object != nullptr && value.kind() == ValueKind::kTensorList) {
      for (const aclTensor* element : value.As<const aclTensorList*>()->values()) {
        if (IsDead(element)) return NotifyOfDeadObject(schema.api, element);
      }
    }
  }
}

// Checks an accepted call for the other SoCs too, and reports refusals.
void CheckOtherSocs(const Schema& schema, std::span<const Value> call, uint64_t* workspaceSize,
                    aclOpExecutor** executor) {
  for (const Soc& soc : kSocs) {
    bool asked = false;
    ForEachObserver([&](const Observer& each) { asked = asked || each.AsksAbout(soc.family); });
    if (!asked) continue;
    const ReportCatcher caught;
    Arguments arguments(schema, call, workspaceSize, executor, soc);
    bool empty = false;
    const aclnnStatus status = CheckSteps(arguments, &empty);
    if (status != kSuccess) ForEachObserver([&](Observer& each) { each.RefusedOn(soc, status, caught.text()); });
  }
  TakeRefusal();  // the call itself was not refused
}

aclnnStatus CheckAndPlan(const Schema& schema, std::span<const Value> call, uint64_t* workspaceSize,
                         aclOpExecutor** executor, PlanFunction plan) {
  const DefaultFloatMode mode;  // attributes are converted, costs estimated, messages written
  if (!FitsSchema(schema, call)) return Failf(kInternal, "{}: the values are not those of the schema", schema.api);
  if (Observed()) [[unlikely]]
    NotifyOfDeadArgument(schema, call);
  Arguments arguments(schema, call, workspaceSize, executor);
  bool empty = false;
  if (const aclnnStatus status = CheckSteps(arguments, &empty)) return status;
  ExecutorPointer taken(TakeExecutor());
  taken->Begin(arguments);
  if (!empty) {
    PlanBuilder builder(schema, arguments, *taken);
    plan(builder);
  }
  if (schema.data_dependent == 0) KeepPlan(schema, plan, call, *taken);  // else it would keep the client's tensors
  *workspaceSize = taken->workspace_size();
  Executor* published = taken.release();
  *executor = Publish(published);
  if (Observed()) [[unlikely]] {
    NotifyOfPlan(arguments, *published, *executor);
    CheckOtherSocs(schema, call, workspaceSize, executor);
  }
  return kSuccess;
}

aclnnStatus RefuseStream(const Schema& schema, int32_t code) {
  return Failf(kRuntimeError, "{}: argument 'stream': expected one that takes the task, got runtime error {}",
               schema.api, code);
}

// Phase 2 of an operator that finds the shape of its output: the client reads the shape when it returns.
aclnnStatus RunAndWait(Executor& run, aclrtStream stream) {
  int32_t stream_error = 0;
  run.BeginWait();
  const int32_t code = contexts::SubmitAndWait(stream, &run, run.cost_ns(), &stream_error);
  run.EndWait();
  return code != 0 ? RefuseStream(run.schema(), code) : run.Conclude(stream_error);
}

// The part of phase 2 in which the client's executor no longer matters.
aclnnStatus Launch(const Schema& schema, ExecutorPointer run, void* workspace, uint64_t workspaceSize,
                   aclrtStream stream) {
  if (const aclnnStatus status = run->PrepareRun(workspace, workspaceSize)) return status;
  if (schema.data_dependent != 0) [[unlikely]]
    return RunAndWait(*run, stream);
  const int32_t code = contexts::Submit(stream, run.get(), run->cost_ns());
  if (code != 0) return RefuseStream(schema, code);
  static_cast<void>(run.release());  // the stream owns the executor now, and may have finished it already
  return kSuccess;
}

// The executor that one run consumes. For a repeatable one it is a copy, as several runs may be pending at once and
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
  NotifyObservers([&](Observer& each) { each.PlanCopied(claimed, copy.get()); });
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

void PlanBuilder::ForbidInPlace(int operand) { executor_.ForbidInPlace(operand); }

void PlanBuilder::Ignores(int operand) { executor_.ForbidRead(operand); }

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
  const ApiCall api_call(schema.api);
  const std::span<const Value> call(values.begin(), values.size());
  const auto phase1 = [&]() -> aclnnStatus {
    Executor* again = nullptr;
    if (workspaceSize != nullptr && executor != nullptr && call.size() == schema.args.size() && !Observed())
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
  const ApiCall api_call(schema.api);
  if (executor == nullptr) {
    NotifyObservers([](Observer& each) { each.HandleDead(HandleKind::kExecutor, 0); });
    return Failf(kNullPointer, "{}: argument 'executor': expected a pointer, got NULL", schema.api);
  }
  Executor* claimed = Claim(executor, &schema);
  if (claimed != nullptr)
    NotifyObservers(
        [=](Observer& each) { each.HandleEnded(HandleKind::kExecutor, reinterpret_cast<uintptr_t>(executor)); });
  if (claimed == nullptr) {
    const Schema* other = SchemaOfHandle(executor);
    NotifyObservers(
        [=](Observer& each) { each.HandleDead(HandleKind::kExecutor, reinterpret_cast<uintptr_t>(executor)); });
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
