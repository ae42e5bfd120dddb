// SPDX-License-Identifier: Apache-2.0
// The data that a schema consists of: arguments, and steps that refer to them. The words that make steps are in
// words/words.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "acl/acl_base_rt.h"
#include "aclnn/acl_meta.h"
#include "aclnn/opdev/op_errno.h"
#include "base/dtype.h"
#include "base/soc.h"
#include "exec/value.h"
#include "exec/words/list.h"
#include "tensor/view.h"

namespace portacl::exec {

inline constexpr aclnnStatus kSuccess = ACLNN_SUCCESS;
inline constexpr aclnnStatus kNullPointer = ACLNN_ERR_PARAM_NULLPTR;
inline constexpr aclnnStatus kInvalid = ACLNN_ERR_PARAM_INVALID;
inline constexpr aclnnStatus kRuntimeError = ACLNN_ERR_RUNTIME_ERROR;
inline constexpr aclnnStatus kInternal = ACLNN_ERR_INNER;
inline constexpr aclnnStatus kNoPlan = ACLNN_ERR_INNER_TILING_ERROR;
inline constexpr aclnnStatus kNoKernel = ACLNN_ERR_INNER_FIND_KERNEL_ERROR;
inline constexpr aclnnStatus kNoExecutor = ACLNN_ERR_INNER_CREATE_EXECUTOR;
inline constexpr aclnnStatus kInternalNull = ACLNN_ERR_INNER_NULLPTR;

class DtypeSet {
 public:
  constexpr DtypeSet() = default;
  constexpr DtypeSet(std::initializer_list<aclDataType> dtypes) {
    for (aclDataType dtype : dtypes) bits_ |= uint64_t{1} << dtype;
  }
  constexpr bool Holds(aclDataType dtype) const {
    const int value = dtype;  // clients can pass any value
    return value >= 0 && value < 64 && ((bits_ >> value) & 1) != 0;
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr DtypeSet operator|(DtypeSet other) const {
    other.bits_ |= bits_;
    return other;
  }
  constexpr DtypeSet operator&(DtypeSet other) const {
    other.bits_ &= bits_;
    return other;
  }
  constexpr DtypeSet operator-(DtypeSet other) const {
    other.bits_ = bits_ & ~other.bits_;
    return other;
  }
  constexpr bool operator==(const DtypeSet&) const = default;

 private:
  uint64_t bits_ = 0;
};

class SocSet {
 public:
  constexpr SocSet() = default;
  constexpr SocSet(std::initializer_list<SocFamily> families) {
    for (SocFamily family : families) bits_ |= 1U << static_cast<int>(family);
  }
  static constexpr SocSet All() {
    SocSet all;
    all.bits_ = (1U << kSocFamilies) - 1;
    return all;
  }
  constexpr SocSet Without(SocSet others) const {
    others.bits_ = bits_ & ~others.bits_;
    return others;
  }
  constexpr bool Holds(SocFamily family) const { return ((bits_ >> static_cast<int>(family)) & 1) != 0; }
  constexpr bool operator==(const SocSet&) const = default;

 private:
  uint32_t bits_ = 0;
};

enum class Role : uint8_t { kInput, kOutput, kInOut, kAttribute };

// One parameter of the C function, with its name in the prototype.
struct Arg {
  const char* name;
  ValueKind kind;
  Role role;
  bool optional = false;
  int place = -1;               // for tensors and lists: position among the inputs or the outputs, in signature order
  bool odd_const = false;       // the prototype has const where the role has none, or the reverse
  bool only_written = false;    // an in-out tensor whose elements are all written before they are read
  bool data_dependent = false;  // an output whose shape depends on the data: phase 2 waits for it and sets it

  constexpr bool written() const { return role == Role::kOutput || role == Role::kInOut; }
  constexpr bool read() const { return role == Role::kInput || (role == Role::kInOut && !only_written); }
  // Whether the prototype takes a pointer to const.
  constexpr bool IsConst() const { return written() == odd_const; }
};

constexpr Arg In(const char* name) { return {name, ValueKind::kTensor, Role::kInput}; }
constexpr Arg OptionalIn(const char* name) { return {name, ValueKind::kTensor, Role::kInput, true}; }
constexpr Arg InList(const char* name) { return {name, ValueKind::kTensorList, Role::kInput}; }
constexpr Arg Out(const char* name) { return {name, ValueKind::kTensor, Role::kOutput}; }
constexpr Arg OptionalOut(const char* name) { return {name, ValueKind::kTensor, Role::kOutput, true}; }
constexpr Arg OutList(const char* name) { return {name, ValueKind::kTensorList, Role::kOutput}; }
constexpr Arg InOut(const char* name) { return {name, ValueKind::kTensor, Role::kInOut}; }
constexpr Arg Scalar(const char* name) { return {name, ValueKind::kScalar, Role::kAttribute}; }
constexpr Arg OptionalScalar(const char* name) { return {name, ValueKind::kScalar, Role::kAttribute, true}; }
// An argument of any other kind: Attribute("eps", ValueKind::kDouble), Attribute("inputLengths", ValueKind::kIntArray)
// ...
constexpr Arg Attribute(const char* name, ValueKind kind) { return {name, kind, Role::kAttribute}; }
constexpr Arg OptionalAttribute(const char* name, ValueKind kind) { return {name, kind, Role::kAttribute, true}; }

// A written argument that the prototype declares const, and a read one that it does not: Const(Out("out")).
constexpr Arg Const(Arg written) { return written.odd_const = true, written; }
constexpr Arg NotConst(Arg read) { return read.odd_const = true, read; }

// An argument that is overwritten, or changed where an index says, and not read: OnlyWritten(InOut("selfRef")).
constexpr Arg OnlyWritten(Arg in_out) { return in_out.only_written = true, in_out; }

// An output whose shape the run finds. Phase 1 takes a tensor with room for the largest result; phase 2 waits for the
// stream and then sets the tensor's shape.
constexpr Arg DataDependent(Arg output) { return output.data_dependent = true, output; }

inline constexpr int kWorkspaceSizeArg = -2;  // the two result pointers of phase 1
inline constexpr int kExecutorArg = -3;

inline constexpr int kWholeArgument = std::numeric_limits<int>::max();
inline constexpr int kArrayLength = kWholeArgument - 1;

// What a step refers to: an argument, one of its axes (negative: from the end), or the length of an array or list.
struct Ref {
  const char* name = nullptr;
  int index = -1;  // into Schema::args; filled when the schema is defined
  int axis = kWholeArgument;

  constexpr Ref() = default;
  constexpr Ref(const char* argument) : name(argument) {}  // NOLINT(google-explicit-constructor): words take names
  constexpr Ref(const char* argument, int argument_axis) : name(argument), axis(argument_axis) {}
};

constexpr Ref Axis(const char* argument, int axis) { return {argument, axis}; }
constexpr Ref Length(const char* argument) { return {argument, kArrayLength}; }

inline constexpr int kMaxRefs = 12;

struct Refs {
  Ref items[kMaxRefs] = {};
  int count = 0;

  constexpr Refs() = default;
  constexpr Refs(std::initializer_list<Ref> list) {
    for (const Ref& ref : list) items[count++] = ref;
  }
  constexpr const Ref* begin() const { return items; }
  constexpr const Ref* end() const { return items + count; }
  constexpr const Ref& operator[](int i) const { return items[i]; }
};

// What may differ between SoCs.
struct Limits {
  SocSet socs = SocSet::All();
  DtypeSet dtypes = {};
  int64_t low = std::numeric_limits<int64_t>::min();
  int64_t high = std::numeric_limits<int64_t>::max();
};

inline namespace v1 {
class Arguments;
}
struct Step;

// A rule of a room: returns 0, or what Arguments::Refuse() returned.
using CustomCheck = aclnnStatus (*)(const Arguments& arguments, const Step& step);
// A shape that such a rule accepts; false when no shape fits the arguments. The arguments may have any rank.
using CustomShape = bool (*)(const Arguments& arguments, Shape* shape);

struct Step {
  Word word;
  aclnnStatus status = kInvalid;
  Refs refs = {};
  Ref target = {};
  ShapeWord shape = ShapeWord::kSameShapeAs;
  Limits limits[2] = {{}, {SocSet()}};  // the rule, and an exception for some SoCs
  double real_low = 0;
  int64_t values[8] = {};
  int value_count = 0;
  const char* custom_name = nullptr;
  CustomCheck custom = nullptr;
  CustomShape custom_shape = nullptr;
  // For kRank, one bit for each of refs: a later step checks the dtype, so that this one does not. Filled when the
  // schema is defined.
  uint32_t dtype_is_later = 0;
  bool skips_empty = false;  // for kDtypeOneOf: tensors without elements may have any dtype
  bool left_out = false;     // the recipe contains the step, the schema does not

  constexpr const Limits& LimitsOn(SocFamily family) const { return limits[limits[1].socs.Holds(family) ? 1 : 0]; }

  // For functions that make schemas of one kind: keeps the step only where it is wanted.
  consteval Step If(bool wanted) const {
    Step step = *this;
    step.left_out = !wanted;
    return step;
  }
  // The step for tensors that have elements.
  consteval Step UnlessEmpty(bool wanted = true) const {
    Step step = *this;
    step.skips_empty = wanted;
    return step;
  }
  // The step with a status other than the usual one of its word.
  consteval Step Status(aclnnStatus code) const {
    Step step = *this;
    step.status = code;
    return step;
  }
  // The step of a room that also provides a shape which it accepts for an output.
  consteval Step Accepts(Ref output, CustomShape output_shape) const {
    Step step = *this;
    step.target = output;
    step.custom_shape = output_shape;
    return step;
  }
  constexpr bool TiesSizes() const { return word == Word::kShapeIs ? Has(shape, kTiesSizes) : Has(word, kTiesSizes); }
  // Whether the step determines the shape of a tensor.
  constexpr bool TellsShapeOf(int arg) const {
    return word == Word::kShapeIs ? refs[0].index == arg : custom_shape != nullptr && target.index == arg;
  }
  // The step with other dtypes on some SoCs.
  consteval Step On(SocSet socs, DtypeSet dtypes) const {
    Step step = *this;
    step.limits[1] = {socs, dtypes, limits[0].low, limits[0].high};
    return step;
  }
  // The step with another range on some SoCs.
  consteval Step On(SocSet socs, int64_t low, int64_t high) const {
    Step step = *this;
    step.limits[1] = {socs, limits[0].dtypes, low, high};
    return step;
  }
};

}  // namespace portacl::exec
