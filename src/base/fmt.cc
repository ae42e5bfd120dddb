// SPDX-License-Identifier: Apache-2.0
// The functions of fmt's library, compiled once: with FMT_HEADER_ONLY each file that formats takes four seconds longer.
#include <fmt/format-inl.h>

template auto fmt::detail::thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template auto fmt::detail::decimal_point_impl(locale_ref) -> char;
