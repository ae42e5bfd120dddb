// SPDX-License-Identifier: Apache-2.0
// Handles, plans and failures: checks that do not depend on the contents of memory.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>

#include "check/checker.h"
#include "check/thread_state.h"

namespace portacl::check {
namespace {

constexpr size_t kEndedKept = 8192;

const char* NameOfHandle(HandleKind kind) noexcept {
  constexpr const char* kNames[] = {"stream", "event",  "context", "notify", "executor",
                                    "tensor", "scalar", "array",   "list"};
  return kNames[static_cast<size_t>(kind)];
}

const char* Function() noexcept { return t_checked.function == nullptr ? "the library" : t_checked.function; }

bool Meet(const ViewBytes& a, const std::byte* a_begin, const ViewBytes& b, const std::byte* b_begin) {
  // Views of few axes usually have few runs, so every pair is compared; with too many pairs, nothing is reported.
  if (a.runs.size() * b.runs.size() > 4096) return false;
  return std::any_of(a.runs.begin(), a.runs.end(), [&](const Run& mine) {
    return std::any_of(b.runs.begin(), b.runs.end(), [&](const Run& other) {
      const std::byte* const first = a_begin + mine.begin;
      const std::byte* const second = b_begin + other.begin;
      return first < second + other.bytes && second < first + mine.bytes;
    });
  });
}

}  // namespace

void Checker::CallBegan(const char* function) noexcept {
  t_checked.function = function;
  if (t_checked.holds_open) guard_.CloseOfThread();
}

void Checker::CallEnded(const char*) noexcept {
  t_checked.function = nullptr;
  t_checked.claimed = nullptr;
  if (t_checked.holds_open) guard_.CloseOfThread();
}

void Checker::Planned(const PlanNote& note) noexcept {
  const CallSiteId here = call_sites_.Here();
  t_checked.failed_code = 0;
  try {
    Plan plan{note.operator_name, note.handle, here, {}};
    for (const OperandNote& operand : note.operands) {
      ViewBytes view;
      if (operand.bytes != 0) view = BytesOf(operand);
      plan.operands.push_back({operand.argument, operand.written,
                               static_cast<const std::byte*>(operand.data) + operand.begin, std::move(view),
                               LayoutOf(operand)});
    }
    const std::scoped_lock lock(mutex_);
    live_[static_cast<size_t>(HandleKind::kExecutor)][note.handle] = here;
    plans_.insert_or_assign(note.executor, std::move(plan));
    executors_[note.handle] = note.executor;
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::PlanCopied(const void* from, const void* to) noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    const auto found = plans_.find(from);
    if (found == plans_.end()) return;
    Plan copy = found->second;
    // A repeatable executor, which is not destroyed by running it.
    live_[static_cast<size_t>(HandleKind::kExecutor)][copy.handle] = copy.site;
    repeatable_.insert(copy.handle);
    ended_.erase(copy.handle);
    copy.handle = 0;
    plans_.insert_or_assign(to, std::move(copy));
    t_checked.claimed = to;
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::ReportOverlaps(const Plan& plan, const std::vector<Touch>& touches, CallSiteId site) {
  const auto view_of = [&](const Touch& touch) { return &plan.operands[static_cast<size_t>(touch.operand)]; };
  const auto is_operand = [&](const Touch& touch) {
    return touch.operand >= 0 && static_cast<size_t>(touch.operand) < plan.operands.size();
  };
  for (const Touch& output : touches) {
    if (!output.written || !is_operand(output)) continue;
    for (const Touch& input : touches) {
      if (input.written || !is_operand(input) || input.operand == output.operand) continue;
      const Operand* const in = view_of(input);
      const Operand* const out = view_of(output);
      const bool same_bytes = input.begin == output.begin && input.width == output.width;
      if (same_bytes && in->layout == out->layout) continue;
      if (!in->view.exact || !out->view.exact || !Meet(in->view, input.begin, out->view, output.begin)) continue;
      reports_.Add(Kind::kOverlap,
                   fmt::format("{}: '{}' overlaps '{}' {}; on a card the result is undefined", plan.name, out->argument,
                               in->argument, same_bytes ? "in another order" : "in part"),
                   site, "planned", plan.site);
    }
  }
}

// Marks the outputs of a call that failed.
void Checker::MarkFailed(const Plan& plan) {
  for (const Operand& operand : plan.operands) {
    uintptr_t begin = 0;
    Block* const block = operand.written ? FindBlock(operand.begin, &begin) : nullptr;
    if (block == nullptr) continue;
    const size_t from = reinterpret_cast<uintptr_t>(operand.begin) - begin;
    for (const Run& run : operand.view.runs) {
      Bytes failed{Bytes::Content::kFailed, {}, {}};
      failed.write.name = plan.name;
      failed.write.site = plan.site;
      block->shadow.Set(from + run.begin, from + run.begin + run.bytes, failed);
    }
  }
}

void Checker::Failed(int32_t code, std::string_view text) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    if (const auto claimed = plans_.find(t_checked.claimed); claimed != plans_.end()) {
      MarkFailed(claimed->second);
      executors_.erase(claimed->second.handle);
      plans_.erase(claimed);
    } else if (t_checked.function != nullptr && std::string_view(t_checked.function).starts_with("aclnn")) {
      t_checked.failed_code = code;
      t_checked.failed_name = t_checked.function;
      t_checked.failed_site = here;
    }
    if (text.find("argument 'workspace") != std::string_view::npos)
      reports_.Add(Kind::kWorkspace, std::string(text), here, "", 0);
    if (text.find(" live block") == std::string_view::npos) return;
    constexpr std::string_view kGot = ", got 0x";
    const size_t got = text.find(kGot);
    if (got == std::string_view::npos) return;
    uintptr_t address = 0;
    const char* const digits = text.data() + got + kGot.size();
    std::from_chars(digits, text.data() + text.size(), address, 16);
    for (auto block = freed_.rbegin(); block != freed_.rend(); ++block) {
      if (address - block->begin >= block->bytes) continue;
      reports_.Add(Kind::kFreed, std::string(text), here, "freed", block->freed);
      return;
    }
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

bool Checker::AskAbout(std::string_view socs) noexcept {
  bool asked[kSocFamilies] = {};
  while (!socs.empty()) {
    const size_t comma = std::min(socs.find(','), socs.size());
    Soc soc;
    if (!ParseSoc(socs.substr(0, comma), &soc)) return false;
    asked[static_cast<size_t>(soc.family)] = true;
    socs.remove_prefix(std::min(comma + 1, socs.size()));
  }
  std::copy(std::begin(asked), std::end(asked), asked_);
  return true;
}

void Checker::RefusedOn(const Soc& soc, int32_t code, std::string_view text) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    reports_.Add(Kind::kProduct, fmt::format("{} refuses this call with {}: {}", soc.family_name, code, text), here, "",
                 0, fmt::format("{} {}", Function(), soc.family_name));
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::HandleMade(HandleKind kind, uint64_t handle) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    live_[static_cast<size_t>(kind)][handle] = here;
    ended_.erase(handle);
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::HandleEnded(HandleKind kind, uint64_t handle) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    live_[static_cast<size_t>(kind)].erase(handle);
    if (kind == HandleKind::kExecutor) repeatable_.erase(handle);
    if (ended_.insert_or_assign(handle, here).second) {
      ended_order_.push_back(handle);
      if (ended_order_.size() > kEndedKept) {
        ended_.erase(ended_order_.front());
        ended_order_.pop_front();
      }
    }
    if (kind == HandleKind::kExecutor) {
      const auto found = executors_.find(handle);
      t_checked.claimed = found == executors_.end() ? nullptr : found->second;
    }
    if (kind == HandleKind::kStream) {
      const auto found = streams_.find(handle);
      if (found == streams_.end()) return;
      HostIsAfter(found->second);
      spare_agents_.push_back(found->second);
      streams_.erase(found);
    }
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::HandleDead(HandleKind kind, uint64_t handle) noexcept {
  const CallSiteId here = call_sites_.Here();
  try {
    const std::scoped_lock lock(mutex_);
    reports_.NextCall();
    const auto found = ended_.find(handle);
    if (found != ended_.end()) {
      const bool run = kind == HandleKind::kExecutor;
      reports_.Add(
          Kind::kDestroyed,
          fmt::format("{} uses {} that was {} before", Function(),
                      kind == HandleKind::kTensor ? "an object" : fmt::format("a handle ({})", NameOfHandle(kind)),
                      run ? "run or destroyed" : "destroyed"),
          here, run ? "run or destroyed" : "destroyed", found->second);
      return;
    }
    if (kind != HandleKind::kExecutor || t_checked.failed_code == 0 || t_checked.failed_name == nullptr) return;
    reports_.Add(Kind::kStatus,
                 fmt::format("{} is called although its phase 1 failed with {}", Function(), t_checked.failed_code),
                 here, "failed", t_checked.failed_site);
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

void Checker::ReportLeaks() noexcept {
  try {
    const std::scoped_lock lock(mutex_);
    for (const auto& [begin, block] : blocks_) {
      if (block.of_plug_in) continue;
      reports_.Add(
          Kind::kLeak,
          fmt::format("{} bytes of {} memory were never freed", block.bytes, block.device ? "device" : "page-locked"),
          block.made, "", 0);
    }
    // The plug-in keeps streams until the process ends, and also tensors of calls that it refuses.
    if (UnderPlugIn()) return;
    for (size_t kind = 0; kind < std::size(live_); ++kind) {
      const bool executor = kind == static_cast<size_t>(HandleKind::kExecutor);
      for (const auto& [handle, site] : live_[kind]) {
        reports_.Add(
            Kind::kLeak,
            executor ? repeatable_.contains(handle) ? "a repeatable executor was never destroyed"
                                                    : "an executor was neither run nor destroyed"
                     : fmt::format("a handle ({}) was never destroyed", NameOfHandle(static_cast<HandleKind>(kind))),
            site, "", 0);
      }
    }
  } catch (...) {
    // When memory is exhausted, fewer mistakes are found.
  }
}

}  // namespace portacl::check
