#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# check_format.sh [--fix]: are all C and C++ files as clang-format leaves them? With --fix, makes them so. Templates, whose
# placeholders are no C++, are left out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then mode=(-i); fi
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.cc' '*.cpp' '*.c' ':!tools/room_template' | xargs -0 clang-format-19 "${mode[@]}"
