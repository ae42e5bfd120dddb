#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_format.sh [--fix]: checks that clang-format leaves all C and C++ files unchanged. With --fix, formats them.
# Templates are excluded, because their placeholders are not C++.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then mode=(-i); fi
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' '*.cpp' '*.c' ':!tools/room_template' | xargs -0 clang-format-19 "${mode[@]}"
