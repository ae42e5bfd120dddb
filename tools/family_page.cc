// SPDX-License-Identifier: Apache-2.0
#include "family_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

#include "schema_sentences.h"
#include "tool/accuracy_text.h"

namespace portacl {
namespace {

using exec::Arg;
using exec::Schema;

// In the order of SortedNames().
constexpr exec::DtypeSet kIntegers = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64, ACL_UINT8};
constexpr int kIntegerCount = 5;
constexpr exec::DtypeSet kBfloat16 = {ACL_BF16};

struct Words {
  const char* columns;
  const char* integers;
  const char* not_on;
  const char* only_on;
  const char* not_yet;
  const char* separator;
};
constexpr Words kWords[] = {
    {"| operator | result | dtypes | not on | largest error | in place |", "integers", "{} not on {}", "{} only on {}",
     "{} not computed yet", "; "},
    {"| 算子 | 结果 | 数据类型 | 不支持 | 最大误差 | 原地形式 |", "整数", "{} 不支持 {}", "{} 仅 {}", "{} 尚未支持",
     "；"},
};
const Words& WordsOf(Language language) { return kWords[language == Language::kChinese ? 1 : 0]; }

// A bar or a line end would end the cell.
std::string Cell(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex("\\|"), "\\|"), std::regex("\n *"), "<br>");
}

// "aclnnElu(self, alpha, scale, inputScale, out)"
std::string CallText(const Schema& schema) {
  std::vector<std::string> names;
  for (const Arg& arg : schema.args) names.emplace_back(arg.name);
  return fmt::format("{}({})", schema.api, fmt::join(names, ", "));
}

std::string SetText(exec::DtypeSet dtypes, Language language) {
  std::vector<std::string> names = SortedNames(dtypes);
  if ((dtypes & kIntegers) == kIntegers) {
    const auto first = std::ranges::find(names, "INT8");
    *first = WordsOf(language).integers;
    names.erase(first + 1, first + kIntegerCount);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// Omits the exceptions that the beginning of the page already states.
std::string DtypesText(const Schema& schema, const Arg& arg, Language language) {
  const Words& words = WordsOf(language);
  DtypesBySoc dtypes = DtypesOf(schema, arg);
  if ((dtypes.some & kBfloat16) == kBfloat16) {
    dtypes.some = dtypes.some - kBfloat16;
    dtypes.everywhere = dtypes.everywhere | kBfloat16;
  }
  const std::string socs = fmt::format("{}", fmt::join(SocNames(schema, dtypes.without), ", "));
  std::vector<std::string> clauses = {SetText(dtypes.everywhere, language)};
  const auto add = [&](const char* format, exec::DtypeSet set, const std::string& more) {
    if (!set.empty()) clauses.push_back(fmt::format(fmt::runtime(format), SetText(set, language), more));
  };
  add(words.not_on, dtypes.some, socs);
  add(words.only_on, dtypes.more, socs);
  add(words.not_yet, dtypes.not_yet, "");
  if (clauses.front().empty()) clauses.erase(clauses.begin());
  return fmt::format("{}", fmt::join(clauses, words.separator));
}

// The dtypes of tensors, where tensors with the same dtypes are grouped: "self: FLOAT; out: FLOAT, DOUBLE".
std::string AllDtypesText(const Schema& schema, Language language) {
  std::vector<std::pair<std::string, std::string>> texts;  // names, dtypes
  for (const Arg& arg : schema.args) {
    if (!exec::IsTensor(arg.kind)) continue;
    const std::string dtypes = DtypesText(schema, arg, language);
    if (dtypes.empty()) continue;
    const auto same = std::ranges::find_if(texts, [&](const auto& text) { return text.second == dtypes; });
    if (same != texts.end())
      same->first += fmt::format(", {}", arg.name);
    else
      texts.emplace_back(arg.name, dtypes);
  }
  if (texts.size() == 1) return texts.front().second;
  std::vector<std::string> clauses;
  for (const auto& [names, dtypes] : texts) clauses.push_back(fmt::format("{}: {}", names, dtypes));
  return fmt::format("{}", fmt::join(clauses, "<br>"));
}

std::string InChinese(std::string text) {
  const std::pair<const char*, const char*> phrases[] = {
      {" \\(([0-9.]+) without fused multiply-add\\)", "（无融合乘加时 $1）"},
      {",? ?(each)? of the larger of the result and ", "，以结果与后者中较大的一个计："},
      {"exact, or rounded once", "精确，或只舍入一次"},
      {"exact", "精确"},
      {"integers", "整数"},
      {" where ([a-zA-Z]+) is ", "，$1 为 "},
      {"; 0 may stand for (.*) subnormals", "；$1 的次正规数可为 0"},
      {" and ", "、"},
      {" or ", " 或 "},
      {" of FLOAT", "（按 FLOAT 计）"},
  };
  for (const auto& [from, to] : phrases) text = std::regex_replace(text, std::regex(from), to);
  return text;
}

std::string ErrorText(const Schema& schema, Language language) {
  const std::string text = tool::AccuracyText(schema);
  return language == Language::kChinese ? InChinese(text) : text;
}

// Replaces the operators of code by mathematical signs: "1 / (1 + e^-self)" has a superscript on a page.
std::string InSigns(std::string text) {
  static const std::pair<std::regex, const char*> signs[] = {
      {std::regex(" \\* "), " · "},
      {std::regex(" - "), " − "},
      {std::regex("<="), "≤"},
      {std::regex(">="), "≥"},
      {std::regex("\\bsqrt(?=\\()|\\bsqrt (?=[0-9])"), "√"},
      {std::regex("\\bpi\\b"), "π"},
      {std::regex("\\^\\(([^()]*)\\)|\\^(-?[A-Za-z0-9]+)"), "<sup>$1$2</sup>"},
  };
  for (const auto& [code, sign] : signs) text = std::regex_replace(text, code, sign);
  return text;
}

std::string ResultText(const Schema& schema) {
  return InSigns(*schema.special == '\0' ? schema.formula : fmt::format("{}. {}", schema.formula, schema.special));
}

const Schema* InPlace(const Schema& schema, const std::vector<const Schema*>& schemas) {
  const auto found =
      std::ranges::find_if(schemas, [&](const Schema* other) { return OutOfPlace(*other, schemas) == &schema; });
  return found == schemas.end() ? nullptr : *found;
}

// The differences from the corresponding operator that is not in place.
std::string InPlaceText(const Schema& schema, const Schema* in_place, Language language) {
  if (in_place == nullptr) return "";
  const std::string dtypes = AllDtypesText(*in_place, language);
  const std::string call = fmt::format("`{}`", CallText(*in_place));
  return dtypes == AllDtypesText(schema, language) ? call : fmt::format("{}: {}", call, dtypes);
}

std::string RoomTable(const std::string& folder, const std::vector<const Schema*>& schemas, Language language) {
  std::string table = std::string(WordsOf(language).columns) + "\n|---|---|---|---|---|---|\n";
  for (const Schema* schema : schemas) {
    if (OutOfPlace(*schema, schemas) != nullptr) continue;
    table += fmt::format("| [`{}`](../../src/ops/{}/{}_spec.h) | {} | {} | {} | {} | {} |\n", CallText(*schema), folder,
                         folder.substr(folder.find('/') + 1), Cell(ResultText(*schema)),
                         AllDtypesText(*schema, language), fmt::join(SocNames(*schema, false), ", "),
                         Cell(ErrorText(*schema, language)), InPlaceText(*schema, InPlace(*schema, schemas), language));
  }
  return table;
}

}  // namespace

std::string FamilyPage(const std::string& family, const FamilySchemas& rooms, Language language) {
  size_t count = 0;
  for (const auto& [folder, schemas] : rooms) count += schemas.size();
  std::string title = family;
  title.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(title.front())));
  std::string page;
  if (language == Language::kEnglish) {
    page = fmt::format(
        "# {0} operators\n\n[中文]({1}.zh-CN.md)\n\n"
        "<!-- written by tools/operator_table -->\n"
        "{2} operators, those in place included. Each name leads to its row in the sources; the header that the build\n"
        "makes of it says all that a caller must know, and [numerics.md](../numerics.md) says what holds for every "
        "result.\n"
        "*Integers* are INT8, INT16, INT32, INT64 and UINT8. BFLOAT16 is refused on Ascend910, Ascend310P and "
        "Ascend310B.\n"
        "*Not on* names the SoCs that lack the operator. What is not computed yet is refused with 561003.\n",
        title, family, count);
  } else {
    page = fmt::format(
        "# {0} 类算子\n\n[English]({0}.md)\n\n"
        "<!-- written by tools/operator_table -->\n"
        "共 {1} "
        "个算子（含原地形式）。名称链接到源码中的对应行；构建由此生成的头文件写明调用者须知的一切，所有结果的共同承诺见"
        "\n"
        "[numerics.md](../numerics.md)（英文）。“整数”指 INT8、INT16、INT32、INT64 和 UINT8。Ascend910、Ascend310P 和\n"
        "Ascend310B 不支持 BFLOAT16。“不支持”列出没有该算子的产品；\n"
        "尚未支持的类型返回 561003。公式与特殊值用英文书写。\n",
        family, count);
  }
  for (const auto& [folder, schemas] : rooms) {
    if (rooms.size() > 1) page += fmt::format("\n## {}\n", folder.substr(folder.rfind('/') + 1));
    page += "\n" + RoomTable(folder, schemas, language);
  }
  return page;
}

}  // namespace portacl
