// SPDX-License-Identifier: Apache-2.0
#include "tool/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "tool/elements.h"
#include "tool/error.h"
#include "tool/name_search.h"

namespace portacl::tool {
namespace {

using exec::ValueKind;

bool ParseBool(const std::string& text, int64_t* value) {
  const bool yes = text == "true" || text == "True" || text == "1";
  const bool no = text == "false" || text == "False" || text == "0";
  *value = yes;
  return yes || no;
}

// An integer that the C parameter can hold.
template <class T>
bool ParseIntegerOf(const std::string& text, int64_t* value) {
  return ParseInteger(text, value) && *value >= std::numeric_limits<T>::min() &&
         *value <= std::numeric_limits<T>::max();
}

// A scalar written without a point or an exponent is an integer, as in Python.
bool ParseScalar(const std::string& text, calls::ArgumentSpec* spec) {
  int64_t integer = 0;
  if (!ParseInteger(text, &integer)) spec->number = ACL_FLOAT;
  return ParseReal(text, &spec->real);
}

bool Parse(ValueKind kind, const std::string& text, calls::ArgumentSpec* spec) {
  switch (kind) {
    case ValueKind::kDouble:
    case ValueKind::kFloat:
      return ParseReal(text, &spec->real);
    case ValueKind::kInt64:
      return ParseInteger(text, &spec->integer);
    case ValueKind::kUInt64:
      return ParseInteger(text, &spec->integer) && spec->integer >= 0;
    case ValueKind::kInt32:
      return ParseIntegerOf<int32_t>(text, &spec->integer);
    case ValueKind::kInt8:
      return ParseIntegerOf<int8_t>(text, &spec->integer);
    case ValueKind::kBool:
      return ParseBool(text, &spec->integer);
    case ValueKind::kDtype:
      spec->integer = DtypeOf(text);
      return spec->integer != ACL_DT_UNDEFINED;
    case ValueKind::kString:
      spec->text = text;
      return true;
    case ValueKind::kScalar:
      spec->number = ACL_INT64;
      return ParseScalar(text, spec);
    default:
      break;
  }
  spec->number = ACL_INT64;
  for (const std::string& part : SplitList(text)) {
    const bool real = kind == ValueKind::kFloatArray || kind == ValueKind::kScalarList;
    int64_t integer = 0;
    const bool good = real                            ? ParseScalar(part, spec)
                      : kind == ValueKind::kBoolArray ? ParseBool(part, &integer)
                                                      : ParseInteger(part, &integer);
    if (!good) return false;
    spec->integers.push_back(integer);
    spec->reals.push_back(spec->real);
  }
  return true;
}

}  // namespace

const char* ExpectedText(ValueKind kind) {
  switch (kind) {
    case ValueKind::kDouble:
    case ValueKind::kFloat:
    case ValueKind::kScalar:
      return "a number";
    case ValueKind::kInt64:
      return "an integer";
    case ValueKind::kUInt64:
      return "an integer from 0 to 2^63 - 1";
    case ValueKind::kInt32:
      return "an integer of 32 bits";
    case ValueKind::kInt8:
      return "an integer of 8 bits";
    case ValueKind::kBool:
      return "true or false";
    case ValueKind::kDtype:
      return "a dtype";
    case ValueKind::kString:
      return "a text";
    case ValueKind::kScalarList:
    case ValueKind::kFloatArray:
      return "numbers such as 1,2.5";
    case ValueKind::kIntArray:
      return "integers such as 1,2";
    case ValueKind::kBoolArray:
      return "a list such as true,false";
    case ValueKind::kTensor:
      return "a .npy file or random:SIZES";
    case ValueKind::kTensorList:
      return ".npy files such as a.npy,b.npy";
  }
  return "a value";
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

bool ParseInteger(std::string_view text, int64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseReal(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);  // accepts inf and nan, and no comma in the C locale
  return !text.empty() && text[0] != ' ' && *end == '\0';
}

void ReadAttribute(const exec::Arg& arg, const std::string& text, calls::ArgumentSpec* spec) {
  if (Parse(arg.kind, text, spec)) return;
  const std::string hint = arg.kind == ValueKind::kDtype ? DidYouMean(text, DtypeNames()) : "";
  throw UsageError(fmt::format("argument '{}': expected {}, got '{}'{}", arg.name, ExpectedText(arg.kind), text, hint));
}

}  // namespace portacl::tool
