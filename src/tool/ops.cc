// SPDX-License-Identifier: Apache-2.0
// portacl ops: lists operators, and describes one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "calls/word_calls.h"
#include "ops/operators.h"
#include "tool/accuracy_text.h"
#include "tool/commands.h"
#include "tool/schema_json.h"
#include "tool/schema_text.h"
#include "tool/text.h"

namespace portacl::tool {
namespace {

std::string DtypesText(const exec::Schema& schema, SocFamily family) {
  if (!schema.socs.Holds(family)) return "-";
  const std::vector<std::string> dtypes = DtypesOn(schema, family);
  return dtypes.empty() ? "any" : fmt::format("{}", fmt::join(dtypes, ", "));
}

void PrintOne(const exec::Schema& schema) {
  const Soc& soc = CurrentSoc();
  fmt::print("{}\n\n", schema.api);
  fmt::print("formula   {}\naccuracy  {}\nsource    {}\nlibrary   lib{}.so\nproduct   {}: {}\n\n", schema.formula,
             AccuracyText(schema), SourceText(schema), schema.library, soc.family_name, DtypesText(schema, soc.family));
  fmt::print("arguments\n");
  for (const exec::Arg& arg : schema.args) {
    fmt::print("  {:<20} {}, {}{}\n", arg.name, KindText(arg.kind), RoleText(arg.role),
               arg.optional ? ", optional" : "");
  }
  fmt::print("\nchecks on {}, in this order; the first that fails gives the status\n", soc.family_name);
  for (const exec::Step& step : schema.steps) {
    fmt::print("  {:<8} {}\n", step.status, calls::StepText(schema, step, soc.family));
  }
}

void PrintNames(bool is_one, const std::vector<const exec::OperatorEntry*>& entries) {
  if (is_one) {
    for (const std::string& name : ArgumentNames(*entries.front()->schema)) fmt::print("{}=\n", name);
  } else {
    for (const exec::OperatorEntry* entry : entries) fmt::print("{}\n", entry->schema->api);
  }
}

}  // namespace

int Ops(const Options& options) {
  ChooseSoc(options.soc);
  const std::vector<const exec::OperatorEntry*> entries = FindOperators(options.target);
  const bool is_one = !options.target.empty() && !IsFamily(options.target);
  if (options.names) {
    PrintNames(is_one, entries);
  } else if (options.json) {
    Json json = Json::array();
    for (const exec::OperatorEntry* entry : entries) json.push_back(AsJson(*entry->schema, !options.soc.empty()));
    Print(json);
  } else if (is_one) {
    PrintOne(*entries.front()->schema);
  } else {
    size_t width = 0;
    for (const exec::OperatorEntry* entry : entries)
      width = std::max(width, std::string_view(entry->schema->api).size());
    fmt::print("{:<{}}  dtypes on {} ({})\n", "operator", width, CurrentSoc().family_name, CurrentSoc().series);
    std::string_view family;
    for (const exec::OperatorEntry* entry : entries) {
      if (FamilyOf(*entry) != family) fmt::print("\n{}\n", FamilyOf(*entry));
      family = FamilyOf(*entry);
      fmt::print("{:<{}}  {}\n", entry->schema->api, width, DtypesText(*entry->schema, CurrentSoc().family));
    }
  }
  return 0;
}

}  // namespace portacl::tool
