// SPDX-License-Identifier: Apache-2.0
#include "tool/schema_json.h"

#include "base/dtype.h"
#include "calls/word_calls.h"
#include "ops/operators.h"
#include "tool/accuracy_text.h"
#include "tool/schema_text.h"

namespace portacl::tool {
namespace {

// Dtypes and checks of an operator on one SoC; null if the SoC does not have it.
Json LimitsAsJson(const exec::Schema& schema, SocFamily family) {
  if (!schema.socs.Holds(family)) return nullptr;
  Json checks = Json::array();
  for (const exec::Step& step : schema.steps) {
    checks.push_back({{"status", step.status}, {"rule", calls::StepText(schema, step, family)}});
  }
  return {{"dtypes", DtypesOn(schema, family)}, {"checks", checks}};
}

Json AsJson(const exec::ErrorBound& bound) {
  Json json = {{"output", bound.output},
               {"dtypes", calls::NamesIn(bound.dtypes)},
               {"unit", bound.unit == exec::ErrorUnit::kBits ? "bits" : UnitText(bound)},
               {"limit", bound.fused},
               {"limit_without_fused_multiply_add", bound.unfused},
               {"zero_for_subnormals", calls::NamesIn(bound.zero_for_subnormals)}};
  if (bound.term != nullptr) json["term"] = bound.term;
  if (bound.part != nullptr) json["part"] = bound.part;
  if (bound.counted_in != ACL_DT_UNDEFINED) json["counted_in"] = DtypeName(bound.counted_in);
  if (bound.attribute == nullptr) return json;
  json["where"]["attribute"] = bound.attribute;
  for (int value = 0; value < 32; ++value) {
    if (bound.CoversValue(value)) json["where"]["values"].push_back(value);
  }
  return json;
}

}  // namespace

Json AsJson(const exec::Schema& schema, bool one_soc) {
  Json arguments = Json::array();
  for (const exec::Arg& arg : schema.args) {
    arguments.push_back(
        {{"name", arg.name}, {"kind", KindText(arg.kind)}, {"role", RoleText(arg.role)}, {"optional", arg.optional}});
  }
  Json products = Json::object();
  for (const Soc& soc : kSocs) {
    if (one_soc && soc.family != CurrentSoc().family) continue;
    products[soc.family_name] = LimitsAsJson(schema, soc.family);
  }
  Json bounds = Json::array();
  for (const exec::ErrorBound& bound : schema.accuracy) bounds.push_back(AsJson(bound));
  return {{"operator", schema.api},       {"library", schema.library},        {"formula", schema.formula},
          {"source", SourceText(schema)}, {"accuracy", AccuracyText(schema)}, {"accuracy_bounds", bounds},
          {"torch", schema.torch},        {"arguments", arguments},           {"products", products}};
}

Json OperatorsAsJson() {
  Json json = Json::array();
  for (const exec::OperatorEntry* entry : Operators()) json.push_back(AsJson(*entry->schema, false));
  return json;
}

}  // namespace portacl::tool
