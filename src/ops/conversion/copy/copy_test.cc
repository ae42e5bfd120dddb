// SPDX-License-Identifier: Apache-2.0
//
// aclnnInplaceCopy and aclnnCast: the promises that follow from schemas and oracle, accepted arguments, and documented
// results.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "aclnnop/aclnn_cast.h"
#include "base/soc.h"
#include "ops/conversion/copy/copy_test_support.h"
#include "testing/operator_contract.h"

OP_CONTRACT_TESTS(InplaceCopy, copy, 0);
OP_CONTRACT_TESTS(Cast, copy, 1);
OP_CONTRACT_TESTS(ForeachCopy, copy, 2);

namespace portacl::ops::copy {
namespace {

using calls::TensorHandle;
using testing::ForEachTarget;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class InplaceCopy : public DeviceTest {};

struct Example {
  const char* name;
  aclDataType from;
  std::vector<double> src;
  aclDataType to;
  std::vector<double> self;
};

TEST_F(InplaceCopy, GivesTheDocumentedResults) {
  const Example examples[] = {
      {"truncated and limited",
       ACL_FLOAT,
       {1.5, -1.5, 0x1p31, -kInfinity, kNan, 0.99},
       ACL_INT32,
       {1, -1, 2147483647, -2147483648.0, 0, 0}},
      {"modulo", ACL_INT32, {300, -1, 256}, ACL_UINT8, {44, 255, 0}},
      {"low bits", ACL_FLOAT, {300, 200.9, -1.5, -300}, ACL_UINT8, {44, 200, 255, 212}},
      {"low bits of INT8", ACL_FLOAT16, {200, 300, -200, 127.9}, ACL_INT8, {-56, 44, 56, 127}},
      {"low bits of INT16", ACL_DOUBLE, {40000, -40000, 65536}, ACL_INT16, {-25536, 25536, 0}},
      {"limited to INT32", ACL_FLOAT, {3e9, kInfinity, -3e9, -kInfinity, kNan}, ACL_INT8, {-1, -1, 0, 0, 0}},
      {"limited", ACL_FLOAT, {70000, -1, 65534.9}, ACL_UINT16, {65535, 0, 65534}},
      {"rounded once", ACL_DOUBLE, {1 + 0x1p-11 + 0x1p-40}, ACL_FLOAT16, {1 + 0x1p-10}},
      {"overflow", ACL_FLOAT, {65519.99, 65520}, ACL_FLOAT16, {65504, kInfinity}},
      {"to nearest even", ACL_INT64, {0x1p24 + 1}, ACL_FLOAT, {0x1p24}},
      {"of both parts", ACL_COMPLEX64, {3.5}, ACL_DOUBLE, {3.5}},
      {"no imaginary part", ACL_INT8, {-3}, ACL_COMPLEX128, {-3}},
      {"zero", ACL_DOUBLE, {-0.0, kNan, 1e-300}, ACL_BOOL, {0, 1, 1}},
  };
  ForEachTarget([&] {
    for (const Example& e : examples) {
      const Elements got = Converted(e.from, calls::Encode(e.from, e.src), e.to);
      ExpectSameElements(e.from, calls::Encode(e.from, e.src), e.to, calls::Encode(e.to, e.self), got);
      if (HasFailure()) ADD_FAILURE() << e.name;
    }
  });
}

TEST_F(InplaceCopy, TakesAnyByteForTrue) {
  ForEachTarget([&] {
    const Elements bytes = BytesOf<uint8_t>({0, 1, 7});
    EXPECT_EQ(Converted(ACL_BOOL, bytes, ACL_FLOAT), BytesOf<float>({0, 1, 1}));
    EXPECT_EQ(Converted(ACL_BOOL, bytes, ACL_UINT8), BytesOf<uint8_t>({0, 1, 1}));
    EXPECT_EQ(Converted(ACL_BOOL, bytes, ACL_BOOL), bytes) << "the same dtype keeps its bits";
  });
}

TEST_F(InplaceCopy, KeepsEveryBitOfTheSameDtype) {
  std::vector<uint8_t> all(4096);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint8_t>(i * 167 + (i >> 8));
  const Elements elements = BytesOf(all);
  ForEachTarget([&] {
    for (const aclDataType dtype : kAllDtypes) EXPECT_EQ(Converted(dtype, elements, dtype), elements) << dtype;
  });
}

TEST_F(InplaceCopy, BothPartsOfAComplexNumberCountForTruth) {
  const std::vector<float> values = {0, 0, -0.0f, 0, 1, 0, 0, 1, 0, std::nanf(""), -0.0f, -0.0f};
  const Elements want = BytesOf<uint8_t>({0, 0, 1, 1, 1, 0});
  ForEachTarget([&] {
    EXPECT_EQ(Converted(ACL_COMPLEX64, BytesOf(values), ACL_BOOL), want);
    EXPECT_EQ(Converted(ACL_COMPLEX128, BytesOf(std::vector<double>(values.begin(), values.end())), ACL_BOOL), want);
  });
}

TEST_F(InplaceCopy, BroadcastsTheDocumentedColumn) {
  ForEachTarget([] {
    const DeviceArray<float> src({1, 2, 3});
    const DeviceArray<float> self(12);
    RunInplaceCopy(TensorBuilder(ACL_FLOAT, {2, 3, 2}).Strides({1, 4, 2}).Data(self.data()).Build().get(),
                   TensorBuilder(ACL_FLOAT, {3, 1}).Data(src.data()).Build().get());
    EXPECT_EQ(self.ToHost(), std::vector<float>({1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3}));
  });
}

TEST_F(InplaceCopy, TakesTheDtypesOfTheProduct) {
  for (const Soc& soc : kSocs) {
    SetCurrentSocForTest(&soc);
    const bool lacks = soc.family == SocFamily::kAscend910 || soc.family == SocFamily::kAscend310P ||
                       soc.family == SocFamily::kAscend310B;
    const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
    for (const aclDataType dtype : kAllDtypes) {
      const TensorHandle tensor = TensorBuilder(dtype, {2}).Build();
      const aclnnStatus want = lacks && dtype == ACL_BF16 ? 161002 : 0;
      EXPECT_EQ(InplaceCopyPhase1(tensor.get(), f.get()), want) << soc.full_name << dtype;
      EXPECT_EQ(InplaceCopyPhase1(f.get(), tensor.get()), want) << soc.full_name << dtype;
    }
  }
  SetCurrentSocForTest(nullptr);
  const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
  for (const aclDataType dtype : {ACL_STRING, ACL_COMPLEX32, ACL_INT4, ACL_DT_UNDEFINED}) {
    EXPECT_EQ(InplaceCopyPhase1(f.get(), TensorBuilder(dtype, {2}).Build().get()), 161002) << dtype;
  }
}

TEST_F(InplaceCopy, BroadcastsSrcAndNeverItself) {
  const auto status = [](const Dims& self, const Dims& src) {
    return InplaceCopyPhase1(TensorBuilder(ACL_FLOAT, self).Build().get(), TensorBuilder(ACL_INT8, src).Build().get());
  };
  EXPECT_EQ(status({2, 3}, {2, 3}), 0);
  EXPECT_EQ(status({2, 3}, {3}), 0);
  EXPECT_EQ(status({2, 3}, {2, 1}), 0);
  EXPECT_EQ(status({2, 3}, {1}), 0);
  EXPECT_EQ(status({2, 3}, {}), 0);
  EXPECT_EQ(status({0, 3}, {1, 3}), 0);
  EXPECT_EQ(status({0}, {}), 0);
  EXPECT_EQ(status({0}, {0}), 0);
  EXPECT_EQ(status({}, {}), 0);
  EXPECT_EQ(status({}, {1}), 161002) << "a rank above";
  EXPECT_EQ(status({3}, {1, 3}), 161002);
  EXPECT_EQ(status({1, 3}, {2, 3}), 161002);
  EXPECT_EQ(status({2, 3}, {2}), 161002);
  EXPECT_EQ(status({1}, {0}), 161002);
  EXPECT_EQ(status({2}, {0}), 161002);
  EXPECT_EQ(status({0}, {2}), 161002);
  EXPECT_EQ(status(Dims(9, 1), {1}), 161002);
  EXPECT_EQ(status({1}, Dims(9, 1)), 161002);
}

// Several mistakes at once: the message shows which check came first.
TEST_F(InplaceCopy, ChecksInItsOrder) {
  const auto message = [](aclDataType self_dtype, aclDataType src_dtype, aclFormat format, const Dims& src) {
    const TensorHandle self = TensorBuilder(self_dtype, {2}).Format(format).Build();
    const TensorHandle source = TensorBuilder(src_dtype, src).Format(ACL_FORMAT_FRACTAL_NZ).Build();
    const auto refused = testing::TryPhaseOne(aclnnInplaceCopyGetWorkspaceSize, self.get(), source.get());
    EXPECT_EQ(refused.status, 161002);
    return refused.message;
  };
  EXPECT_NE(message(ACL_STRING, ACL_STRING, ACL_FORMAT_UNDEFINED, {3}).find("'selfRef': expected one of"),
            std::string::npos);
  EXPECT_NE(message(ACL_BOOL, ACL_STRING, ACL_FORMAT_UNDEFINED, {3}).find("'src': expected one of"), std::string::npos);
  EXPECT_NE(message(ACL_BOOL, ACL_BOOL, ACL_FORMAT_UNDEFINED, {3}).find("'selfRef': expected format"),
            std::string::npos);
  EXPECT_NE(message(ACL_BOOL, ACL_BOOL, ACL_FORMAT_ND, {3}).find("'src': expected format"), std::string::npos);
}

TEST_F(InplaceCopy, WritesNothingIntoAnEmptyTensor) {
  const DeviceArray<float> block({1, 2});
  RunInplaceCopy(TensorBuilder(ACL_FLOAT, {2, 0}).Data(block.data()).Build().get(),
                 TensorBuilder(ACL_FLOAT, {1}).Data(block.data() + 1).Build().get());
  EXPECT_EQ(block.ToHost(), std::vector<float>({1, 2}));
}

class Cast : public DeviceTest {
 protected:
  static aclnnStatus Phase1(const aclTensor* self, aclDataType dtype, aclTensor* out) {
    return testing::PhaseOne(aclnnCastGetWorkspaceSize, self, dtype, out);
  }

  static void Run(const aclTensor* self, aclDataType dtype, aclTensor* out) {
    testing::RunPhases(aclnnCastGetWorkspaceSize, aclnnCast, self, dtype, out);
  }
};

TEST_F(Cast, TurnsATransposedTensor) {
  const DeviceArray<float> self({1.5F, 2.5F, -3.5F, 4.5F, 5.5F, 1e10F});
  const DeviceArray<int32_t> out(6);
  Run(TensorBuilder(ACL_FLOAT, {3, 2}).Strides({1, 3}).Data(self.data()).Build().get(), ACL_INT32,
      TensorBuilder(ACL_INT32, {3, 2}).Data(out.data()).Build().get());
  EXPECT_EQ(out.ToHost(), std::vector<int32_t>({1, 4, 2, 5, -3, 2147483647}));
}

TEST_F(Cast, OutIsOfTheDtypeAndOfTheShape) {
  const TensorHandle self = TensorBuilder(ACL_FLOAT, {2, 3}).Build();
  const auto status = [&](aclDataType dtype, aclDataType out, const Dims& shape) {
    return Phase1(self.get(), dtype, TensorBuilder(out, shape).Build().get());
  };
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {2, 3}), 0);
  EXPECT_EQ(status(ACL_INT64, ACL_INT32, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_COMPLEX32, ACL_COMPLEX32, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_STRING, ACL_STRING, {2, 3}), 161002);
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {3}), 161002) << "nothing is broadcast";
  EXPECT_EQ(status(ACL_INT64, ACL_INT64, {1, 2, 3}), 161002);
}

TEST_F(Cast, TakesTheDtypesOfTheProduct) {
  for (const Soc& soc : kSocs) {
    SetCurrentSocForTest(&soc);
    const bool exists = soc.family != SocFamily::kAscend310B;
    const bool has_bfloat16 = soc.family != SocFamily::kAscend910 && soc.family != SocFamily::kAscend310P;
    const TensorHandle f = TensorBuilder(ACL_FLOAT, {2}).Build();
    for (const aclDataType dtype : kAllDtypes) {
      const TensorHandle tensor = TensorBuilder(dtype, {2}).Build();
      const aclnnStatus want = !exists ? 561003 : dtype == ACL_BF16 && !has_bfloat16 ? 161002 : 0;
      EXPECT_EQ(Phase1(tensor.get(), ACL_FLOAT, f.get()), want) << soc.full_name << dtype;
      EXPECT_EQ(Phase1(f.get(), dtype, tensor.get()), want) << soc.full_name << dtype;
    }
    EXPECT_EQ(Phase1(nullptr, ACL_FLOAT, f.get()), 161001) << soc.full_name;
  }
  SetCurrentSocForTest(nullptr);
}

}  // namespace
}  // namespace portacl::ops::copy
