// SPDX-License-Identifier: Apache-2.0
// The table of tensor formats. Plain formats only label the dims; private ones are blocked layouts that no operator of
// this library reads.
#pragma once

#include <cstdint>

#include "acl/acl_base_rt.h"

namespace portacl {

struct FormatInfo {
  aclFormat format;
  const char* name;  // "NCHW"
  bool plain;
};

/// All public formats, in the order of their values.
inline constexpr FormatInfo kFormats[] = {
    {ACL_FORMAT_UNDEFINED, "UNDEFINED", false},
    {ACL_FORMAT_NCHW, "NCHW", true},
    {ACL_FORMAT_NHWC, "NHWC", true},
    {ACL_FORMAT_ND, "ND", true},
    {ACL_FORMAT_NC1HWC0, "NC1HWC0", false},
    {ACL_FORMAT_FRACTAL_Z, "FRACTAL_Z", false},
    {ACL_FORMAT_NC1HWC0_C04, "NC1HWC0_C04", false},
    {ACL_FORMAT_HWCN, "HWCN", true},
    {ACL_FORMAT_NDHWC, "NDHWC", true},
    {ACL_FORMAT_FRACTAL_NZ, "FRACTAL_NZ", false},
    {ACL_FORMAT_NCDHW, "NCDHW", true},
    {ACL_FORMAT_NDC1HWC0, "NDC1HWC0", false},
    {ACL_FRACTAL_Z_3D, "FRACTAL_Z_3D", false},
    {ACL_FORMAT_NC, "NC", true},
    {ACL_FORMAT_NCL, "NCL", true},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, "FRACTAL_NZ_C0_16", false},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, "FRACTAL_NZ_C0_32", false},
    {ACL_FORMAT_FRACTAL_NZ_C0_2, "FRACTAL_NZ_C0_2", false},
    {ACL_FORMAT_FRACTAL_NZ_C0_4, "FRACTAL_NZ_C0_4", false},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, "FRACTAL_NZ_C0_8", false},
};

/// True for ND and the formats treated like it; false for private formats and for values that are not public.
constexpr bool IsPlainFormat(aclFormat format) noexcept {
  // Called for every tensor that is created: one shift instead of a search in the table.
  constexpr uint64_t kPlain = [] {
    uint64_t bits = 0;
    for (const FormatInfo& info : kFormats) {
      if (info.plain) bits |= uint64_t{1} << info.format;
    }
    return bits;
  }();
  const int value = format;  // clients can pass any value
  return value >= 0 && value < 64 && ((kPlain >> value) & 1) != 0;
}

/// The name for messages; "UNKNOWN" for a value that is not public.
constexpr const char* FormatName(aclFormat format) noexcept {
  for (const FormatInfo& info : kFormats) {
    if (info.format == format) return info.name;
  }
  return "UNKNOWN";
}

}  // namespace portacl
