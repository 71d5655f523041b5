// SPDX-License-Identifier: Apache-2.0
#include "config/profile_schema.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "config/profile_fields.h"
#include "config/profile_reader.h"

namespace framegov {

namespace embedded {
/// config/profile.schema.json, compiled in: a frame that profile_schema() fills.
extern const std::string_view kProfileSchemaFrame;
}  // namespace embedded

namespace {

using SchemaJson = nlohmann::ordered_json;

SchemaJson number_schema(double low, double high) {
  return {{"type", "number"}, {"minimum", low}, {"maximum", high}};
}

SchemaJson rule_of(const FlagField& /*field*/) { return {{"type", "boolean"}}; }
SchemaJson rule_of(const ChoiceField& field) { return {{"enum", field.words()}}; }
SchemaJson rule_of(const RatesField& /*field*/) {
  const SchemaJson rates = {{"type", "array"},
                            {"minItems", 1},
                            {"maxItems", kMostRates},
                            {"items", number_schema(kLowestRate, kHighestRate)}};
  return {{"oneOf", SchemaJson::array({{{"const", "auto"}}, rates})}};
}
SchemaJson rule_of(const NumberField& field) {
  SchemaJson number = number_schema(field.low, field.high);
  if (!field.is_part) {
    return number;
  }
  const SchemaJson percent = {{"type", "string"}, {"pattern", "^[0-9.]+%$"}};
  return {{"oneOf", SchemaJson::array({number, percent})}};
}
SchemaJson rule_of(const LimitsField& /*field*/) { return {{"$ref", "#/definitions/limits"}}; }

}  // namespace

nlohmann::ordered_json profile_schema() {
  SchemaJson schema = SchemaJson::parse(embedded::kProfileSchemaFrame);
  SchemaJson& definitions = schema["definitions"];
  for_each_profile_field([&definitions](const auto& field) {
    const std::string name(field.name);
    SchemaJson rule = {{"description", field.what}};
    rule.update(rule_of(field));
    definitions["values"]["properties"][name] = rule;
    for (const char* place : {"mode", "kind", "app"}) {
      definitions[place]["properties"][name] = {
          {"$ref", "#/definitions/values/properties/" + name}};
    }
  });
  return schema;
}

}  // namespace framegov
