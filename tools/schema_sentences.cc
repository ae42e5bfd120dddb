// SPDX-License-Identifier: Apache-2.0
#include "schema_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "base/dtype.h"
#include "base/soc.h"
#include "calls/word_calls.h"

namespace portacl {
namespace {

using exec::Arg;
using exec::Schema;
using exec::Step;
using exec::ValueKind;
using exec::Word;

bool Names(const Step& step, const Arg& arg) {
  return std::any_of(step.refs.begin(), step.refs.end(),
                     [&](const exec::Ref& ref) { return std::string_view(ref.name) == arg.name; });
}

std::vector<std::string> NamesIn(const Step& step) {
  std::vector<std::string> names;
  for (const exec::Ref& ref : step.refs) names.emplace_back(ref.name);
  return names;
}

const Step* FindStep(const Schema& schema, Word word, const Arg& arg) {
  for (const Step& step : schema.steps) {
    if (step.word == word && Names(step, arg)) return &step;
  }
  return nullptr;
}

// Whether a step lists the dtypes of the public page; those missing there are refused with the status for "not yet".
bool IsNotYet(const Step& step) { return step.word == Word::kDtypeOneOf && step.status == exec::kNoKernel; }

// Appends a clause, after "; " unless the text is empty.
void Add(std::string& text, const std::string& clause) {
  if (clause.empty()) return;
  if (!text.empty()) text += "; ";
  text += clause;
}

std::string RankText(const Schema& schema, const Arg& arg) {
  const Step* const rank = FindStep(schema, Word::kRank, arg);
  if (rank == nullptr) return "";
  const exec::Limits& limits = rank->limits[0];
  return limits.low == limits.high ? fmt::format("rank {}", limits.low)
                                   : fmt::format("rank {}..{}", limits.low, limits.high);
}

// The first argument whose dtype `arg` must have; null when there is none.
const Arg* SameDtypeAs(const Schema& schema, const Arg& arg) {
  const Step* const same = FindStep(schema, Word::kSameDtype, arg);
  if (same == nullptr || std::string_view(same->refs[0].name) == arg.name) return nullptr;
  return &schema.args[static_cast<size_t>(same->refs[0].index)];
}

const Step* ShapeStep(const Schema& schema, const Arg& arg) {
  for (const Step& step : schema.steps) {
    if (step.word == Word::kShapeIs && std::string_view(step.refs[0].name) == arg.name) return &step;
  }
  return nullptr;
}

// For example "format NCHW or NHWC"; empty if every format is accepted that only labels the axes.
std::string FormatText(const Schema& schema, const Arg& arg) {
  const Step* const step = FindStep(schema, Word::kFormatOneOf, arg);
  if (step == nullptr) return "";
  if (std::string_view(step->refs[0].name) != arg.name) return fmt::format("format of {}", step->refs[0].name);
  const std::string sentence = calls::StepText(schema, *step, SocFamily::kAscend910B);
  return sentence.substr(sentence.find(": ") + 2, sentence.rfind(", ") - sentence.find(": ") - 2);
}

// Whether the operator writes to one of its own broadcast operands: the others are then broadcast to its shape.
bool IsBroadcastInPlace(const Schema& schema, const Step& step) {
  return step.word == Word::kShapeIs && step.shape == exec::ShapeWord::kBroadcastOf &&
         schema.args[static_cast<size_t>(step.refs[0].index)].role == exec::Role::kInOut;
}

std::string ShapeText(const Schema& schema, const Arg& arg) {
  const Step* const step = ShapeStep(schema, arg);
  if (step != nullptr && !IsBroadcastInPlace(schema, *step)) {
    const std::string text = calls::ShapeText(schema, *step, SocFamily::kAscend910B);
    return text.starts_with("that of ") ? "shape of " + text.substr(8) : "shape: " + text;
  }
  for (const Step& other : schema.steps) {
    if (other.word != Word::kShapeIs || other.shape != exec::ShapeWord::kBroadcastOf) continue;
    for (int place = 2; place < other.refs.count; ++place) {
      if (std::string_view(other.refs[place].name) == arg.name)
        return fmt::format("a shape that broadcasts {} that of {}", IsBroadcastInPlace(schema, other) ? "to" : "with",
                           other.refs[1].name);
    }
  }
  return RankText(schema, arg);
}

std::string DtypesText(const Schema& schema, const Arg& arg) {
  const DtypesBySoc dtypes = DtypesOf(schema, arg);
  std::string text = fmt::format("{}", fmt::join(SortedNames(dtypes.everywhere), ", "));
  const std::string socs = ListText(SocNames(schema, dtypes.without));
  if (!dtypes.some.empty()) Add(text, fmt::format("{} not on {}", ListText(SortedNames(dtypes.some)), socs));
  if (!dtypes.more.empty()) Add(text, fmt::format("{} only on {}", ListText(SortedNames(dtypes.more)), socs));
  if (!dtypes.not_yet.empty()) Add(text, fmt::format("{} not computed yet", ListText(SortedNames(dtypes.not_yet))));
  return text;
}

std::string AliasText(const Schema& schema, const Arg& out) {
  std::vector<std::string> inputs;
  for (const Arg& arg : schema.args) {
    if (exec::IsTensor(arg.kind) && arg.name != out.name && arg.role != exec::Role::kOutput)
      inputs.emplace_back(arg.name);
  }
  if (inputs.empty()) return "";
  if (inputs.size() == 1 && out.kind == ValueKind::kTensor && out.role == exec::Role::kOutput)
    return fmt::format("may be {}, or overlap it", inputs.front());
  return fmt::format("may overlap {}", ListText(inputs));
}

std::string TensorText(const Schema& schema, const Arg& arg) {
  const Arg* const like = SameDtypeAs(schema, arg);
  const Step* const shape = ShapeStep(schema, arg);
  const bool has_both = like != nullptr && shape != nullptr && shape->shape == exec::ShapeWord::kSameShapeAs &&
                        shape->refs[1].index == schema.Find(like->name);
  std::string text;
  if (arg.kind == ValueKind::kTensorList) Add(text, "tensors");
  if (has_both)
    Add(text, fmt::format("dtype and shape of {}", like->name));
  else if (like != nullptr)
    Add(text, fmt::format("dtype of {}; {}", like->name, ShapeText(schema, arg)));
  else
    Add(text, ShapeText(schema, arg));
  const bool is_contiguous = FindStep(schema, Word::kContiguous, arg) != nullptr;
  text += fmt::format("{} {}", text.starts_with("rank") ? "," : ";", is_contiguous ? "contiguous" : "any strides");
  if (arg.data_dependent) Add(text, "with room for the result; phase 2 sets its shape");
  Add(text, FormatText(schema, arg));
  if (arg.written()) Add(text, AliasText(schema, arg));
  if (arg.odd_const) Add(text, "written although it is const");
  if (arg.optional) Add(text, "may be null");
  text += ".";
  const std::string dtypes = like == nullptr ? DtypesText(schema, arg) : "";
  for (const Arg& before : schema.args) {
    if (&before == &arg || dtypes.empty()) break;
    if (exec::IsTensor(before.kind) && SameDtypeAs(schema, before) == nullptr && DtypesText(schema, before) == dtypes)
      return fmt::format("{} Dtypes as for {}.", text, before.name);
  }
  return dtypes.empty() ? text : fmt::format("{} {}.", text, dtypes);
}

std::string KindText(ValueKind kind) {
  switch (kind) {
    case ValueKind::kScalarList:
      return "scalars";
    case ValueKind::kIntArray:
      return "int64 values";
    case ValueKind::kFloatArray:
      return "float values";
    case ValueKind::kBoolArray:
      return "bool values";
    case ValueKind::kDouble:
      return "any double";
    case ValueKind::kFloat:
      return "any float";
    case ValueKind::kInt64:
      return "any int64";
    case ValueKind::kUInt64:
      return "any uint64";
    case ValueKind::kInt32:
      return "any int32";
    case ValueKind::kInt8:
      return "any int8";
    case ValueKind::kBool:
      return "true or false";
    case ValueKind::kString:
      return "a string";
    default:
      return "a value";
  }
}

std::string AttributeText(const Schema& schema, const Arg& arg) {
  std::string text;
  if (arg.kind == ValueKind::kScalar || arg.kind == ValueKind::kScalarList) {
    const exec::DtypeSet dtypes = DtypesOf(schema, arg).everywhere;
    const bool is_any = SortedNames(dtypes).size() > 9;
    text = !is_any ? "a number" : dtypes.Holds(ACL_COMPLEX64) ? "a number of any dtype" : "a real number of any dtype";
    if (!is_any && !dtypes.empty()) text = DtypesText(schema, arg);
  } else if (arg.kind == ValueKind::kDtype) {
    text = DtypesText(schema, arg);
  }
  for (const Step& step : schema.steps) {
    if (!Names(step, arg) || !text.empty()) continue;
    const std::string sentence = calls::StepText(schema, step, SocFamily::kAscend910B);
    const bool is_about_values = step.word == Word::kValueOneOf || step.word == Word::kValueAtLeast ||
                                 step.word == Word::kAttributeIs || step.word == Word::kDimInRange;
    if (is_about_values) text = sentence.substr(sentence.find(": ") + 2);
    if (step.word == Word::kDimInRange) text += ", -rank..rank-1";
  }
  if (text.empty()) text = KindText(arg.kind);
  if (arg.optional) Add(text, "may be null");
  return text + ".";
}

struct Cause {
  aclnnStatus status;
  std::vector<std::string> texts;
};

void AddCause(std::vector<Cause>& causes, aclnnStatus status, const std::string& text) {
  for (const Cause& cause : causes) {
    if (cause.status == status && std::ranges::find(cause.texts, text) != cause.texts.end()) return;
  }
  if (causes.empty() || causes.back().status != status) causes.push_back({status, {}});
  causes.back().texts.push_back(text);
}

// The text for the steps from `step` on that require pointers; advances `step` past them.
std::string NullText(const Schema& schema, const Step*& step) {
  std::vector<std::string> names;
  for (; step != schema.steps.data() + schema.steps.size() && step->word == Word::kNotNull; ++step) {
    for (const std::string& name : NamesIn(*step)) names.push_back(name);
  }
  return fmt::format("{} is null{}", ListText(names, " or "), names.size() == 1 ? "" : ", tested in this order");
}

std::string CauseText(const Schema& schema, const Step& step) {
  if (IsNotYet(step)) return "a dtype that is not computed yet";
  const std::string text = calls::BrokenText(schema, step, SocFamily::kAscend910B);
  if (IsBroadcastInPlace(schema, step))
    return fmt::format("a shape that does not broadcast to that of {}", step.refs[0].name);
  if (step.word != Word::kOnSocs) return text;
  const std::vector<std::string> others = SocNames(schema, false);
  if (others.size() < 3) return fmt::format("{}: {}", text, ListText(others, " or "));
  return fmt::format("{}: it exists on {}", text, ListText(SocNames(schema, true)));
}

std::string EmptyText(const Schema& schema, const Step& step) {
  const std::string names = ListText(NamesIn(step), " or ");
  const bool is_last = &step == &schema.steps.back();
  return fmt::format("When {} has no elements {}.", names,
                     is_last ? "nothing is written" : "the call ends with 0 there, and nothing is written");
}

}  // namespace

std::string ListText(const std::vector<std::string>& names, const char* last) {
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{}{}{}", fmt::join(names.begin(), names.end() - 1, ", "), last, names.back());
}

DtypesBySoc DtypesOf(const Schema& schema, const Arg& arg) {
  DtypesBySoc dtypes;
  bool is_listed = false;
  for (const Step& step : schema.steps) {
    if (step.word != Word::kDtypeOneOf || !Names(step, arg)) continue;
    if (IsNotYet(step)) {
      dtypes.not_yet = (dtypes.everywhere | dtypes.some) - step.limits[0].dtypes;
      dtypes.everywhere = dtypes.everywhere & step.limits[0].dtypes;
      dtypes.some = dtypes.some & step.limits[0].dtypes;
      dtypes.more = dtypes.more & step.limits[0].dtypes;
    } else if (!is_listed) {
      is_listed = true;
      dtypes.everywhere = step.limits[0].dtypes;
      if (SocNames(schema, step.limits[1].socs).empty()) continue;
      dtypes.without = step.limits[1].socs;
      dtypes.everywhere = step.limits[0].dtypes & step.limits[1].dtypes;
      dtypes.some = step.limits[0].dtypes - step.limits[1].dtypes;
      dtypes.more = step.limits[1].dtypes - step.limits[0].dtypes;
    }
  }
  return dtypes;
}

std::vector<std::string> SortedNames(exec::DtypeSet dtypes) {
  constexpr aclDataType kFirst[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16,  ACL_DOUBLE, ACL_INT8,   ACL_INT16,
                                    ACL_INT32, ACL_INT64,   ACL_UINT8, ACL_UINT16, ACL_UINT32, ACL_UINT64};
  std::vector<std::string> names;
  for (const aclDataType dtype : kFirst) {
    if (dtypes.Holds(dtype)) names.emplace_back(DtypeName(dtype));
    dtypes = dtypes - exec::DtypeSet{dtype};
  }
  for (const std::string& name : calls::NamesIn(dtypes)) names.push_back(name);
  return names;
}

std::vector<std::string> SocNames(const Schema& schema, bool there) {
  std::vector<std::string> names;
  for (const Soc& soc : kSocs) {
    if (schema.socs.Holds(soc.family) == there) names.emplace_back(soc.family_name);
  }
  return names;
}

std::vector<std::string> SocNames(const Schema& schema, exec::SocSet among) {
  std::vector<std::string> names;
  for (const Soc& soc : kSocs) {
    if (schema.socs.Holds(soc.family) && among.Holds(soc.family)) names.emplace_back(soc.family_name);
  }
  return names;
}

const Schema* OutOfPlace(const Schema& schema, const std::vector<const Schema*>& schemas) {
  constexpr std::string_view kPrefix = "aclnnInplace";
  const std::string_view api = schema.api;
  if (!api.starts_with(kPrefix)) return nullptr;
  const std::string wanted = fmt::format("aclnn{}", api.substr(kPrefix.size()));
  const auto found = std::ranges::find_if(schemas, [&](const Schema* other) { return other->api == wanted; });
  return found == schemas.end() ? nullptr : *found;
}

std::string ArgumentText(const Schema& schema, const Arg& arg) {
  return exec::IsTensor(arg.kind) ? TensorText(schema, arg) : AttributeText(schema, arg);
}

std::string StatusText(const Schema& schema) {
  std::vector<Cause> causes;
  std::string empty;
  const Step* const end = schema.steps.data() + schema.steps.size();
  for (const Step* step = schema.steps.data(); step != end;) {
    if (step->word == Word::kNotNull) {
      const aclnnStatus status = step->status;
      AddCause(causes, status, NullText(schema, step));
      continue;
    }
    if (step->word == Word::kEmptySucceeds) empty = EmptyText(schema, *step);
    AddCause(causes, step->status, CauseText(schema, *step));
    ++step;
  }
  const bool empty_is_last = !causes.empty() && causes.back().status == exec::kSuccess;
  if (empty_is_last) causes.pop_back();
  std::string text = "0";
  for (const Cause& cause : causes) text += fmt::format("; {} ({})", cause.status, fmt::join(cause.texts, ", "));
  return empty.empty() ? text + "." : fmt::format("{}. {}", text, empty);
}

}  // namespace portacl
