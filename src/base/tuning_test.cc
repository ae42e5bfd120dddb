// SPDX-License-Identifier: Apache-2.0
#include "base/tuning.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "base/environment.h"

namespace portacl {
namespace {

TEST(Tuning, HasPositiveNumbers) {
  const Tuning& tuning = CurrentTuning();
  EXPECT_GT(std::strlen(tuning.microarchitecture), 0u);
  EXPECT_GT(tuning.core_bytes_per_ns, 0);
  EXPECT_GT(tuning.product_ns, 0);
  EXPECT_GT(tuning.second_level_bytes, 0);
  EXPECT_EQ(&tuning, &CurrentTuning());
}

TEST(Tuning, NumbersAreReplacedByName) {
  Tuning tuning = CurrentTuning();
  EXPECT_TRUE(ReplaceNumbers("", &tuning));
  EXPECT_EQ(tuning.sort_ns, CurrentTuning().sort_ns);
  EXPECT_TRUE(ReplaceNumbers("product_ns=0.5,elementwise_prefetch_bytes=4096,sort_ns=7", &tuning));
  EXPECT_EQ(tuning.product_ns, 0.5);
  EXPECT_EQ(tuning.elementwise_prefetch_bytes, 4096);
  EXPECT_EQ(tuning.sort_ns, 7);
  EXPECT_EQ(tuning.scan_ns, CurrentTuning().scan_ns);
  EXPECT_TRUE(ReplaceNumbers("in_place_prefetch_bytes=0", &tuning));
  EXPECT_EQ(tuning.in_place_prefetch_bytes, 0);
}

TEST(Tuning, ATextThatIsNotUnderstoodReplacesNothing) {
  for (const char* text :
       {"product_ns=0.5,unknown=1", "product_ns=0.5,sort_ns", "product_ns=0.5,sort_ns=", "product_ns=", "product_ns=-1",
        "product_ns=0", "product_ns=nan", "product_ns=inf", "product_ns=1e10", "product_ns=0.5x",
        "product_ns=0.5,,sort_ns=1", "microarchitecture=1", "=1", ","}) {
    Tuning tuning = CurrentTuning();
    EXPECT_FALSE(ReplaceNumbers(text, &tuning)) << text;
    EXPECT_EQ(std::memcmp(&tuning.core_bytes_per_ns, &CurrentTuning().core_bytes_per_ns,
                          sizeof(Tuning) - offsetof(Tuning, core_bytes_per_ns)),
              0)
        << text;
  }
}

}  // namespace
}  // namespace portacl
