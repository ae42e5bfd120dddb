// SPDX-License-Identifier: Apache-2.0
// Starts strict mode while the library is loaded, if PORTACL_CHECK requests it.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/environment.h"
#include "base/never_destroyed.h"
#include "base/soc_variable.h"
#include "check/checker.h"

namespace portacl::check {
namespace {

constexpr int kFoundSomething = 99;

pid_t g_process = 0;
bool g_ends_with_error = false;

Checker& TheChecker() noexcept {
  static NeverDestroyed<Checker> checker;
  return *checker;
}

void EndCheck() {
  // A forked child that did not call exec has the parent's reports.
  if (getpid() != g_process) return;
  const char* const json = VariableText(Variable::kCheckReport);
  std::fflush(stdout);  // the program's own output comes before the summary
  Checker& checker = TheChecker();
  checker.guard().End();
  checker.ReportLeaks();
  if (!checker.reports().Finish(json == nullptr ? "" : json, checker.guard().undeclared()) || !g_ends_with_error)
    return;
  std::fflush(nullptr);
  _exit(kFoundSomething);
}

bool BeginCheck() noexcept {
  const char* const text = VariableText(Variable::kCheck);
  if (text == nullptr || std::string_view(text) == "0") return false;
  g_ends_with_error = std::string_view(text) == "error";
  if (!g_ends_with_error && std::string_view(text) != "1") {
    RejectVariable(Variable::kCheck, "0, 1 or error");
    return false;
  }
  g_process = getpid();
  if (const char* const list = VariableText(Variable::kCheckSuppress)) TheChecker().reports().Suppress(list);
  const char* const socs = VariableText(Variable::kSocReport);
  if (socs != nullptr && !TheChecker().AskAbout(socs)) RejectSoc(Variable::kSocReport, "no SoC is asked about");
  AddObserver(TheChecker());
  std::atexit(&EndCheck);
  return true;
}

[[maybe_unused]] const bool g_check_begun = BeginCheck();

}  // namespace
}  // namespace portacl::check
