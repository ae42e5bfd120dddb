// SPDX-License-Identifier: Apache-2.0
// The meaning of a schema's words for calls as data: their sentences, how a generated call satisfies them, and how a
// call violates them. src/exec/words/*_calls.cc define this for each word, next to its check.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "calls/call.h"
#include "calls/violation.h"
#include "exec/words/required.h"

namespace portacl::calls {

// To generate a call, the steps of a schema are processed pass by pass.
enum class Pass : uint8_t {
  kPresence,  // which optional arguments are given
  kDtypes,
  kAttributes,
  kLimits,      // limits of the one shape that all free tensors have
  kSizes,       // sizes of single axes; twice, as limits may follow a comparison of these sizes
  kAxes,        // attributes that name an axis
  kBroadcasts,  // operands that may be smaller than others
  kShapes,      // shapes that follow from other arguments
};

// A call that is being generated.
struct Drawing {
  Drawing(const exec::OperatorEntry& entry, Random* drawn_from);

  bool IsTensor(int index) const;
  bool Chance(double probability) const { return random != nullptr && random->Chance(probability); }
  template <class T>
  T Pick(const std::vector<T>& values) const {
    return random == nullptr ? values.front() : random->Pick(values);
  }
  void SetDtype(int index, aclDataType dtype);  // sets the dtype of tensors, or the value of a dtype attribute

  Call call;
  const exec::Schema& schema;
  SocFamily family;
  Random* random;  // null: always generates the same call
  aclDataType wanted_dtype = ACL_DT_UNDEFINED;

  // for kLimits
  int64_t low_rank = 0;
  int64_t high_rank = kMaxRank;
  int64_t divisor = 2;  // even sizes satisfy rules that halve an axis
  bool may_be_empty = true;
};

// The mistakes found so far.
struct Violations {
  explicit Violations(const exec::OperatorEntry& entry) : schema(*entry.schema), valid(MakeValidCall(entry)) {}

  bool IsTensor(int index) const;
  void Add(const exec::Step& step, int place, std::string what, std::function<void(Call&)> apply);
  // A change to the tensor, or to the integer attribute, that refs[place] names.
  void AddTensor(const exec::Step& step, int place, std::string what, std::function<void(TensorSpec&)> change);
  void AddInteger(const exec::Step& step, int place, int64_t value);

  const exec::Schema& schema;
  Call valid;
  std::vector<Violation> found;
};

// A text with placeholders that a step fills, such as {refs}; an unknown placeholder does not compile.
class Sentence {
 public:
  static constexpr std::string_view kPlaces[] = {"refs",     "sources", "operand", "target", "dtypes",
                                                 "formats",  "socs",    "values",  "range",  "low",
                                                 "real_low", "rule",    "shape",   "any"};

  consteval Sentence(const char* text) : text_(text) {  // NOLINT(google-explicit-constructor): a table names it
    for (std::string_view rest = text_; rest.find('{') != rest.npos; rest.remove_prefix(rest.find('}') + 1)) {
      const size_t begin = rest.find('{') + 1;
      if (std::ranges::find(kPlaces, rest.substr(begin, rest.find('}') - begin)) == std::end(kPlaces))
        throw "no place of that name";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct WordCalls {
  Sentence text;
  Sentence broken;  // the property of a call that violates the step
  // Makes the call satisfy the step. Called once per pass.
  exec::Required<void(Drawing& drawing, const exec::Step& step, Pass pass)> draw;
  // Adds changes that violate the step through the operand refs[place].
  exec::Required<void(Violations& violations, const exec::Step& step, int place)> violate;
};

// The same for a rule about shapes; the sentence is its condition for the operand.
struct RuleCalls {
  Sentence text;
  exec::Required<void(Drawing& drawing, const exec::Step& step, Pass pass)> draw;
  exec::Required<void(Violations& violations, const exec::Step& step, int place)> violate;
};

// For words that every generated call satisfies.
inline void DrawNothing(Drawing&, const exec::Step&, Pass) {}
// For words whose violation another free argument could undo, or whose violations the room tests.
inline void ViolateNothing(Violations&, const exec::Step&, int) {}

// kNotNullCalls and so on, kSameShapeAsRuleCalls and so on.
#define PORTACL_DECLARE_WORD(name, traits) extern const WordCalls k##name##Calls;
#define PORTACL_DECLARE_RULE(name, traits) extern const RuleCalls k##name##RuleCalls;
PORTACL_WORDS(PORTACL_DECLARE_WORD)
PORTACL_SHAPE_RULES(PORTACL_DECLARE_RULE)
#undef PORTACL_DECLARE_WORD
#undef PORTACL_DECLARE_RULE

const WordCalls& CallsOf(exec::Word word);
const RuleCalls& CallsOf(exec::ShapeWord rule);

// The step as a sentence: "x, dy, out: dtype FLOAT, FLOAT16, BFLOAT16".
std::string StepText(const exec::Schema& schema, const exec::Step& step, SocFamily family);
// The property of a call that violates the step: "another shape of out".
std::string BrokenText(const exec::Schema& schema, const exec::Step& step, SocFamily family);
// The shape that a ShapeIs step requires of its operand: "the broadcast of self, other".
std::string ShapeText(const exec::Schema& schema, const exec::Step& step, SocFamily family);
std::vector<std::string> NamesIn(const exec::DtypeSet& dtypes);

// Gives the tensor the shape that its step requires, if the arguments of the rule are compatible.
void ComputeShapeOf(Call& call, int index);

}  // namespace portacl::calls
