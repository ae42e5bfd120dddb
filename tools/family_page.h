// SPDX-License-Identifier: Apache-2.0
// The page docs/families/<family>.md, and the same page in Chinese: the operators of a family.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "exec/schema.h"

namespace portacl {

// The rooms of one family, with their operators.
using FamilySchemas = std::map<std::string, std::vector<const exec::Schema*>>;

enum class Language { kEnglish, kChinese };

std::string FamilyPage(const std::string& family, const FamilySchemas& rooms, Language language);

}  // namespace portacl
