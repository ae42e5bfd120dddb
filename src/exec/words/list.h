// SPDX-License-Identifier: Apache-2.0
// The words of a schema, and the rules for shapes that one of them takes. Everything about a word is in this folder:
//
//   list.h                its name, and its traits for the schema
//   words.h               the function that makes a step of it
//   <subject>.cc          how the library checks it
//   <subject>_calls.cc    its sentence, and how generated calls satisfy or violate it
//
// The last ones are part of the layer calls, for the tool, fuzzers and tests; the library does not contain them.
//
// A listed word that lacks one of these parts does not build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace portacl::exec {

enum Trait : uint8_t {
  kNoTrait = 0,
  kReadsShape = 1,   // an earlier Rank step has checked each tensor that the word names
  kLimitsDtype = 2,  // an earlier Rank step leaves the check of dtypes to this word
  kTiesSizes = 4,    // sizes cannot be chosen freely
};
constexpr Trait operator|(Trait a, Trait b) { return static_cast<Trait>(static_cast<int>(a) | static_cast<int>(b)); }

// clang-format off
#define PORTACL_WORDS(WORD)                      \
  /* nulls */                                    \
  WORD(NotNull, kNoTrait)                        \
  WORD(NotAllNull, kNoTrait)                     \
  /* dtypes */                                   \
  WORD(DtypeOneOf, kLimitsDtype)                 \
  WORD(SameDtype, kLimitsDtype)                  \
  WORD(PromotesOneOf, kNoTrait)                  \
  WORD(PromotesTo, kNoTrait)                     \
  WORD(StoresTo, kNoTrait)                       \
  WORD(ScalarFits, kNoTrait)                     \
  WORD(PlainFormat, kNoTrait)                    \
  WORD(FormatOneOf, kNoTrait)                    \
  /* shapes */                                   \
  WORD(Rank, kNoTrait)                           \
  WORD(NotEmpty, kNoTrait)                       \
  WORD(NotEmptyAlong, kReadsShape)               \
  WORD(EmptySucceeds, kNoTrait)                  \
  WORD(Contiguous, kReadsShape)                  \
  WORD(ShapeIs, kReadsShape)                     \
  WORD(SizeInRange, kTiesSizes)                  \
  WORD(DivisibleAlong, kReadsShape | kTiesSizes) \
  WORD(SameSize, kTiesSizes)                     \
  WORD(SameSizeOrOne, kTiesSizes)                \
  /* values */                                   \
  WORD(DimInRange, kReadsShape)                  \
  WORD(AxesInRange, kReadsShape)                 \
  WORD(ValueOneOf, kNoTrait)                     \
  WORD(ValueAtLeast, kNoTrait)                   \
  WORD(AttributeIs, kNoTrait)                    \
  /* operators */                                \
  WORD(OnSocs, kNoTrait)                     \
  WORD(Custom, kTiesSizes)

#define PORTACL_SHAPE_RULES(RULE)                \
  RULE(SameShapeAs, kNoTrait)                    \
  RULE(BroadcastOf, kTiesSizes)                  \
  RULE(BroadcastsTo, kTiesSizes)                 \
  RULE(HalfAlong, kTiesSizes)                    \
  RULE(ConcatOf, kTiesSizes)                     \
  RULE(ReducedBroadcastOf, kTiesSizes)           \
  RULE(ReducedAlong, kTiesSizes)
// clang-format on

#define PORTACL_ENUMERATOR(name, traits) k##name,
enum class Word : uint8_t { PORTACL_WORDS(PORTACL_ENUMERATOR) };
enum class ShapeWord : uint8_t { PORTACL_SHAPE_RULES(PORTACL_ENUMERATOR) };
#undef PORTACL_ENUMERATOR

#define PORTACL_TRAITS(name, traits) traits,
inline constexpr Trait kWordTraits[] = {PORTACL_WORDS(PORTACL_TRAITS)};
inline constexpr Trait kShapeTraits[] = {PORTACL_SHAPE_RULES(PORTACL_TRAITS)};
#undef PORTACL_TRAITS

constexpr bool Has(Word word, Trait trait) { return (kWordTraits[static_cast<size_t>(word)] & trait) != 0; }
constexpr bool Has(ShapeWord word, Trait trait) { return (kShapeTraits[static_cast<size_t>(word)] & trait) != 0; }

}  // namespace portacl::exec
