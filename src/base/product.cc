// SPDX-License-Identifier: Apache-2.0
#include "base/product.h"

#include <algorithm>
#include <atomic>

#include "acl/acl_rt.h"
#include "base/environment.h"
#include "base/target.h"

namespace portacl {
namespace {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsNamePart(char c) { return IsDigit(c) || IsUpper(c) || IsLower(c) || c == '_' || c == '-'; }

// What may follow the family name: a number (910B2C, 910_9391, 310P3), for the two families without a letter of their
// own a variant in letters (910A, 910ProB, 950PR_9599). The variants of 910 exclude the letters that name other
// families.
bool IsVariant(Family family, std::string_view rest) noexcept {
  if (!std::all_of(rest.begin(), rest.end(), IsNamePart)) return false;
  if (family == Family::kAscend950) return IsUpper(rest.front());
  if (family == Family::kAscend910) return rest == "A" || rest.starts_with("Pro") || rest.starts_with("Premium");
  return IsDigit(rest.front());
}

constinit std::atomic<const Product*> test_product{nullptr};

Product ReadProduct() noexcept {
  Product product = kProducts[0];
  const char* name = VariableText(Variable::kSoc);
  if (name != nullptr && !ParseProduct(name, &product)) {
    RejectVariable(
        Variable::kSoc,
        "Ascend910B, Ascend910_93, Ascend910, Ascend310P, Ascend310B, Ascend950 or a full name such as Ascend910B1");
  }
  return product;
}

}  // namespace

bool ParseProduct(std::string_view name, Product* product) noexcept {
  const Product* family = nullptr;
  size_t longest = 0;
  for (const Product& candidate : kProducts) {
    const std::string_view prefix = candidate.family_name;
    // Ascend910 begins the names of two other families, so the longest match counts.
    if (prefix.size() > longest && name.starts_with(prefix)) {
      family = &candidate;
      longest = prefix.size();
    }
  }
  if (family == nullptr) return false;
  const std::string_view rest = name.substr(longest);
  if (!rest.empty() && (name.size() >= sizeof(product->full_name) || !IsVariant(family->family, rest))) return false;
  Product result = *family;
  if (!rest.empty()) *std::copy(name.begin(), name.end(), result.full_name) = '\0';
  *product = result;
  return true;
}

inline namespace v1 {

const Product& CurrentProduct() noexcept {
  static const Product from_environment = ReadProduct();
  const Product* from_test = test_product.load(std::memory_order_relaxed);
  return from_test == nullptr ? from_environment : *from_test;
}

}  // namespace v1

void SetCurrentProductForTest(const Product* product) noexcept {
  test_product.store(product, std::memory_order_relaxed);
  settings_version.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace portacl

const char* aclrtGetSocName() { return portacl::CurrentProduct().full_name; }
