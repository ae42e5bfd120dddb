// SPDX-License-Identifier: Apache-2.0
#include "header_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

#include "schema_sentences.h"
#include "tool/accuracy_text.h"
#include "tool/schema_text.h"

namespace portacl {
namespace {

using exec::Arg;
using exec::Schema;
using exec::ValueKind;

constexpr size_t kColumns = 120;

// Breaks the text into lines of at most kColumns; those after the first begin with `indent`.
std::string Wrap(const std::string& first, const std::string& indent, const std::string& text) {
  std::string wrapped;
  std::string line = first;
  std::istringstream words(text);
  bool is_empty = true;
  for (std::string word; words >> word; is_empty = false) {
    if (!is_empty && line.size() + 1 + word.size() > kColumns) {
      wrapped += line + "\n";
      line = indent;
      is_empty = true;
    }
    line += (is_empty ? "" : " ") + word;
  }
  return wrapped + line + "\n";
}

std::string Paragraph(const std::string& text) { return Wrap("/// ", "/// ", text); }

// Lines that begin with two blanks are a table and are not changed; an empty line is put before and after it.
std::string Paragraphs(const std::string& text) {
  std::vector<std::string> blocks;
  std::istringstream lines(text);
  bool was_row = false;
  for (std::string line; std::getline(lines, line);) {
    const bool is_row = line.starts_with("  ");
    if (blocks.empty() || is_row != was_row) blocks.emplace_back();
    was_row = is_row;
    blocks.back() += is_row ? fmt::format("/// {}\n", line) : line + " ";
  }
  for (std::string& block : blocks) {
    if (!block.starts_with("/// ")) block = Paragraph(block);
  }
  return fmt::format("{}", fmt::join(blocks, "///\n"));
}

std::string TypeText(const Arg& arg) {
  const char* const pointer_const = exec::IsPointer(arg.kind) && arg.IsConst() ? "const " : "";
  const auto pointer = [&](const char* type) { return fmt::format("{}{}* {}", pointer_const, type, arg.name); };
  const auto value = [&](const char* type) { return fmt::format("{} {}", type, arg.name); };
  switch (arg.kind) {
    case ValueKind::kTensor:
      return pointer("aclTensor");
    case ValueKind::kTensorList:
      return pointer("aclTensorList");
    case ValueKind::kScalar:
      return pointer("aclScalar");
    case ValueKind::kScalarList:
      return pointer("aclScalarList");
    case ValueKind::kIntArray:
      return pointer("aclIntArray");
    case ValueKind::kFloatArray:
      return pointer("aclFloatArray");
    case ValueKind::kBoolArray:
      return pointer("aclBoolArray");
    case ValueKind::kString:
      return pointer("char");
    case ValueKind::kDouble:
      return value("double");
    case ValueKind::kFloat:
      return value("float");
    case ValueKind::kInt64:
      return value("int64_t");
    case ValueKind::kUInt64:
      return value("uint64_t");
    case ValueKind::kInt32:
      return value("int32_t");
    case ValueKind::kInt8:
      return value("int8_t");
    case ValueKind::kBool:
      return value("bool");
    case ValueKind::kDtype:
      return value("aclDataType");
  }
  return value("int64_t");
}

// Puts each parameter after the last one while the line is long enough; further lines begin with `indent` blanks.
std::vector<std::string> ParameterLines(std::string line, size_t indent, const std::vector<std::string>& parameters) {
  std::vector<std::string> lines;
  for (const std::string& parameter : parameters) {
    const bool begins_line = &parameter == &parameters.front();
    if (!begins_line && line.size() + 1 + parameter.size() > kColumns) {
      lines.push_back(line);
      line = std::string(indent, ' ') + parameter;
    } else {
      line += (begins_line ? "" : " ") + parameter;
    }
  }
  lines.push_back(line);
  return lines;
}

// Formatted like clang-format: parameters are aligned with the first one, unless that takes three lines more than four
// blanks.
std::string Prototype(const std::string& name, std::vector<std::string> parameters) {
  for (std::string& parameter : parameters) parameter += &parameter == &parameters.back() ? ");" : ",";
  const std::string head = fmt::format("ACLNN_API aclnnStatus {}(", name);
  std::vector<std::string> aligned = ParameterLines(head, head.size(), parameters);
  std::vector<std::string> indented = ParameterLines("    ", 4, parameters);
  indented.insert(indented.begin(), head);
  return fmt::format("{}\n", fmt::join(aligned.size() < indented.size() + 3 ? aligned : indented, "\n"));
}

std::string FirstName(const Schema& schema, exec::Role role) {
  const auto found =
      std::ranges::find_if(schema.args, [&](const Arg& arg) { return exec::IsTensor(arg.kind) && arg.role == role; });
  return found == schema.args.end() ? "" : found->name;
}

// "aclnnExp: out = e^self.", "aclnnInplaceExp: aclnnExp with selfRef as self and as out." A formula with several
// outputs names them itself.
std::string FormulaText(const Schema& schema, const Schema* out_of_place) {
  const std::string changed = FirstName(schema, exec::Role::kInOut);
  if (out_of_place == nullptr) {
    const std::string out = changed.empty() ? FirstName(schema, exec::Role::kOutput) : changed;
    const std::string result = fmt::format("{} = ", out);
    const bool names_it = std::string_view(schema.formula).starts_with(result);
    return fmt::format("Phase 1 of {}: {}{}.", schema.api, names_it ? "" : result, schema.formula);
  }
  const std::string in = FirstName(*out_of_place, exec::Role::kInput);
  return fmt::format("Phase 1 of {}: {} with {} {}as {}.", schema.api, out_of_place->api, changed,
                     in == changed ? "" : fmt::format("as {} and ", in), FirstName(*out_of_place, exec::Role::kOutput));
}

std::string ArgumentTable(const Schema& schema) {
  const bool has_in_out =
      std::ranges::any_of(schema.args, [](const Arg& arg) { return arg.role == exec::Role::kInOut; });
  size_t width = std::string_view("workspaceSize").size();
  for (const Arg& arg : schema.args) width = std::max(width, std::string_view(arg.name).size());
  const auto row = [&](std::string_view name, std::string_view role, const std::string& text) {
    const std::string first = fmt::format("/// {:<{}}  {:<{}}  ", name, width, role, has_in_out ? 7 : 3);
    return Wrap(first, "///" + std::string(first.size() - 3, ' '), text);
  };
  std::string table;
  for (const Arg& arg : schema.args) {
    const char* const role = arg.role == exec::Role::kInOut ? "in, out" : arg.written() ? "out" : "in";
    table += row(arg.name, role, ArgumentText(schema, arg));
  }
  table += row("workspaceSize", "out",
               fmt::format("bytes phase 2 needs; {}.", *schema.workspace == '\0' ? "always 0" : schema.workspace));
  return table + row("executor", "out", "plan for one phase-2 call, which consumes it.");
}

// The share of 16-bit results that may be adjacent to the nearest value, where one is promised.
std::string NearestText(const Schema& schema) {
  for (const exec::ErrorBound& bound : schema.accuracy) {
    if (!bound.dtypes.Holds(ACL_FLOAT16) || bound.unit == exec::ErrorUnit::kBits) continue;
    return fmt::format(" FLOAT16 and BFLOAT16 are the nearest value for {:g} % of random inputs.",
                       100 * (1 - bound.not_nearest));
  }
  return "";
}

std::string PromiseText(const Schema& schema, const Schema* out_of_place) {
  const std::string accuracy = tool::AccuracyText(schema);
  if (out_of_place != nullptr && accuracy == tool::AccuracyText(*out_of_place))
    return fmt::format("Accuracy, threads and source: those of {}.", out_of_place->api);
  const bool has_bits = std::all_of(schema.accuracy.begin(), schema.accuracy.end(),
                                    [](const exec::ErrorBound& bound) { return bound.unit == exec::ErrorUnit::kBits; });
  return fmt::format("Accuracy: {}.{} Same bits for any number of threads{}. Callable from any thread. Source: {}.",
                     accuracy, NearestText(schema), has_bits ? " and on every instruction set" : "",
                     tool::SourceText(schema));
}

std::string PhaseOne(const Schema& schema, const Schema* out_of_place) {
  const char* const special = out_of_place == nullptr ? schema.special : "";
  std::string text = Paragraphs(fmt::format("{} {}", FormulaText(schema, out_of_place), special));
  text += "///\n" + ArgumentTable(schema) + "///\n";
  text += Paragraph(fmt::format("Returns {} On failure nothing is written; aclGetRecentErrMsg() says what and why.",
                                StatusText(schema)));
  text += "///\n" + Paragraph(PromiseText(schema, out_of_place));
  std::vector<std::string> parameters;
  for (const Arg& arg : schema.args) parameters.push_back(TypeText(arg));
  parameters.emplace_back("uint64_t* workspaceSize");
  parameters.emplace_back("aclOpExecutor** executor");
  return text + Prototype(fmt::format("{}GetWorkspaceSize", schema.api), parameters);
}

std::string FullPhaseTwo(const Schema& schema) {
  const bool waits = schema.data_dependent != 0;
  return Paragraph(waits ? "Phase 2: hands the plan to `stream` (null: the default stream) and waits for it: after "
                           "that the result may be read. It lies at the front of its tensor, which has its shape if it "
                           "has not been destroyed; what is behind it does not change."
                         : "Phase 2: hands the plan to `stream` (null: the default stream). The result may be read "
                           "after the stream is synchronized.") +
         "///\n" +
         Paragraph(fmt::format(
             "Returns 0; 161001 (executor is null; workspace is null although workspaceSize is not 0; a tensor with "
             "elements has no address); 561000 (executor unknown, already used, or of another operator); 161002 ({}a "
             "tensor leaves its block of device memory); 361001 (the stream is not usable{}).",
             *schema.workspace == '\0' ? "" : "the workspace is smaller than phase 1 said; ",
             waits ? "; a task of it has failed; the result has no room: then nothing is written, and the next "
                     "synchronization reports 507015"
                   : ""));
}

std::string PhaseTwo(const Schema& schema, const Schema& first) {
  const std::string comment =
      &schema == &first ? FullPhaseTwo(schema) : Paragraph(fmt::format("Phase 2, as that of {}.", first.api));
  return comment + Prototype(schema.api, {"void* workspace", "uint64_t workspaceSize", "aclOpExecutor* executor",
                                          "aclrtStream stream"});
}

// The name without "aclnn": "Neg" for aclnnNeg.
std::string_view NameOf(const Schema& schema) {
  return std::string_view(schema.api).substr(std::string_view("aclnn").size());
}

// An operator in place, or of lists, uses the plan of the operator that it is named after.
std::string PlanName(const Schema& schema) {
  std::string_view name = NameOf(schema);
  if (name.starts_with("Inplace")) name.remove_prefix(std::string_view("Inplace").size());
  if (name.starts_with("Foreach")) {
    name.remove_prefix(std::string_view("Foreach").size());
    for (const std::string_view form : {"V2", "List"}) {
      if (name.ends_with(form)) name.remove_suffix(form.size());
    }
  }
  return fmt::format("Plan{}", name);
}

}  // namespace

std::string HeaderText(const std::vector<const Schema*>& schemas) {
  std::vector<std::string> names;
  for (const Schema* schema : schemas) names.emplace_back(schema->api);
  std::string guard = "ACLNNOP_";
  for (const char letter : std::string_view(schemas.front()->header))
    guard += letter == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  guard += '_';

  std::string text = "// SPDX-License-Identifier: Apache-2.0\n";
  text += Wrap("// ", "// ", ListText(names) + ". Written by tools/operator_headers.");
  text += fmt::format(
      "#ifndef {0}\n#define {0}\n\n#include \"aclnn/acl_meta.h\"\n#include \"aclnn/aclnn_base.h\"\n"
      "#include \"aclnnop/aclnn_util.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      guard);
  for (const Schema* schema : schemas) {
    text += PhaseOne(*schema, OutOfPlace(*schema, schemas)) + "\n";
    text += PhaseTwo(*schema, *schemas.front()) + "\n" + schema->functions;
  }
  return text + fmt::format("#ifdef __cplusplus\n}}\n#endif\n\n#endif  // {}\n", guard);
}

std::string FunctionText(const std::string& folder, const std::vector<const Schema*>& rows) {
  const std::string room = folder.substr(folder.find('/') + 1);
  const std::string scope = "portacl::ops::" + room;
  std::set<std::string_view> headers;
  for (const Schema* row : rows) headers.insert(row->header);
  std::string text = fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Written by tools/operator_headers: the C functions of the rows in {0}_spec.h, for the end of {0}.cc.\n"
      "#include <span>\n\n#include \"exec/bind.h\"\n#include \"exec/define_operator.h\"\n",
      room);
  for (const std::string_view header : headers) text += fmt::format("#include \"aclnnop/{}\"\n", header);
  std::string entries;
  for (const Schema* row : rows) {
    const std::string_view name = NameOf(*row);
    entries += fmt::format("      exec::Bind<&{0}GetWorkspaceSize, &{0}>(k{1}),\n", row->api, name);
    if (row->by_hand) continue;
    std::vector<std::string> parameters;
    std::vector<std::string> names;
    for (const Arg& arg : row->args) {
      parameters.push_back(TypeText(arg));
      names.emplace_back(arg.name);
    }
    text += fmt::format("\nPORTACL_DEFINE_OPERATOR({0}, {1}::k{2}, {1}::{3},\n  ({4}),\n  {5})\n", row->api, scope,
                        name, PlanName(*row), fmt::join(parameters, ", "), fmt::join(names, ", "));
  }
  return text + fmt::format(
                    "\nnamespace {0} {{\n\nstd::span<const exec::OperatorEntry> Operators() {{\n"
                    "  static constexpr exec::OperatorEntry kOperators[] = {{\n{1}  }};\n  return kOperators;\n}}\n\n"
                    "}}  // namespace {0}\n",
                    scope, entries);
}

}  // namespace portacl
