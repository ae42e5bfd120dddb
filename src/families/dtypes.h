// SPDX-License-Identifier: Apache-2.0
// Sets of dtypes and of SoCs that several operator pages share.
#pragma once

#include "acl/acl_base_rt.h"
#include "base/soc.h"
#include "exec/words/words.h"

namespace portacl::families {

inline constexpr exec::DtypeSet kNarrow = {ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kFloats3 = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};
inline constexpr exec::DtypeSet kFloats4 = kFloats3 | exec::DtypeSet{ACL_DOUBLE};
inline constexpr exec::DtypeSet kSigned = {ACL_INT8, ACL_INT16, ACL_INT32, ACL_INT64};
inline constexpr exec::DtypeSet kIntegers = kSigned | exec::DtypeSet{ACL_UINT8};
inline constexpr exec::DtypeSet kWideUnsigned = {ACL_UINT16, ACL_UINT32, ACL_UINT64};
inline constexpr exec::DtypeSet kBool = {ACL_BOOL};
inline constexpr exec::DtypeSet kComplex = {ACL_COMPLEX64, ACL_COMPLEX128};
inline constexpr exec::DtypeSet kReal = kFloats4 | kIntegers | kBool;
inline constexpr exec::DtypeSet kAll = kReal | kComplex | kWideUnsigned;
inline constexpr exec::DtypeSet kCastable = kFloats4 | kIntegers | kComplex;  // dtypes in which numbers may be stored

// All dtypes that are neither floating nor complex.
inline constexpr exec::DtypeSet kWhole = kIntegers | kWideUnsigned | kBool;

// The SoCs that support most operators of families, and variants with fewer or more. All include new SoCs.
inline constexpr exec::SocSet kMost = exec::SocSet::All().Without({SocFamily::kAscend310B});
inline constexpr exec::SocSet kNot310P = kMost.Without({SocFamily::kAscend310P});
inline constexpr exec::SocSet kNot910 = kMost.Without({SocFamily::kAscend910});
inline constexpr exec::SocSet kNot950 = kMost.Without({SocFamily::kAscend950});
inline constexpr exec::SocSet kNewer = kMost.Without({SocFamily::kAscend910, SocFamily::kAscend310P});
inline constexpr exec::SocSet kAllBut310P = exec::SocSet::All().Without({SocFamily::kAscend310P});
inline constexpr exec::SocSet kAllBut950 = exec::SocSet::All().Without({SocFamily::kAscend950});
inline constexpr exec::SocSet kWithoutBfloat16 = {SocFamily::kAscend910, SocFamily::kAscend310P,
                                                  SocFamily::kAscend310B};

// DtypeOneOf, without BFLOAT16 on the SoCs that lack it.
consteval exec::Step Dtypes(exec::Refs refs, exec::DtypeSet dtypes) {
  return exec::DtypeOneOf(refs, dtypes).On(kWithoutBfloat16, dtypes - exec::DtypeSet{ACL_BF16});
}
// Among the dtypes that pages list, those that every row computes.
inline constexpr exec::DtypeSet kComputed = kReal | kWideUnsigned;

// Dtypes that are listed but not computed yet return 561003, unlike those that no page lists.
consteval exec::Step ComputedDtypes(exec::Refs refs, exec::DtypeSet listed, exec::DtypeSet computed = kComputed) {
  return exec::DtypeOneOf(refs, listed & computed).Status(exec::kNoKernel).If((listed & computed) != listed);
}

}  // namespace portacl::families
