// SPDX-License-Identifier: Apache-2.0
#include "tool/schema_json.h"

#include "calls/word_calls.h"
#include "ops/operators.h"
#include "tool/schema_text.h"

namespace portacl::tool {
namespace {

// What an operator asks on one product; null where it does not exist.
Json LimitsAsJson(const exec::Schema& schema, Family family) {
  if (!schema.products.Holds(family)) return nullptr;
  Json checks = Json::array();
  for (const exec::Step& step : schema.steps) {
    checks.push_back({{"status", step.status}, {"rule", calls::StepText(schema, step, family)}});
  }
  return {{"dtypes", DtypesOn(schema, family)}, {"checks", checks}};
}

}  // namespace

Json AsJson(const exec::Schema& schema, bool one_product) {
  Json arguments = Json::array();
  for (const exec::Arg& arg : schema.args) {
    arguments.push_back(
        {{"name", arg.name}, {"kind", KindText(arg.kind)}, {"role", RoleText(arg.role)}, {"optional", arg.optional}});
  }
  Json products = Json::object();
  for (const Product& product : kProducts) {
    if (one_product && product.family != CurrentProduct().family) continue;
    products[product.family_name] = LimitsAsJson(schema, product.family);
  }
  return {{"operator", schema.api},  {"library", schema.library},   {"formula", schema.formula},
          {"source", schema.source}, {"accuracy", schema.accuracy}, {"arguments", arguments},
          {"products", products}};
}

Json OperatorsAsJson() {
  Json json = Json::array();
  for (const exec::OperatorEntry* entry : Operators()) json.push_back(AsJson(*entry->schema, false));
  return json;
}

}  // namespace portacl::tool
