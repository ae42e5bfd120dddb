// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/dtype.h"
#include "families/pointwise_scalars.h"
#include "loops/elements/conversion.h"
#include "loops/tiles/elementwise_calls.h"

namespace portacl::families {
namespace {

using exec::ValueKind;

// A formula whose scalar is in memory: the last input.
struct ScalarInMemory {
  loops::LaneFunction run;
  void (*change_real)(double* values);
  void (*change_whole)(int64_t* values);
  int64_t offset;    // of the scalar, in bytes from element 0
  aclDataType from;  // dtype of the scalar
  bool is_whole;     // the formula takes integers
  int32_t operand;   // of the scalar
};

template <class T>
Scalars<T> LoadScalar(const ScalarInMemory& scalar, const std::byte* element, void (*change)(T* values)) {
  Scalars<T> scalars = {};
  constexpr aclDataType kTo = std::is_same_v<T, double> ? ACL_DOUBLE : ACL_INT64;
  std::memcpy(scalars.values, element, ElementBytes(scalar.from));
  const loops::Conversion& conversion = loops::ConversionOf(scalar.from, kTo);
  if (conversion.steps != 0) loops::Convert(conversion, element, reinterpret_cast<std::byte*>(scalars.values), 1);
  if (change != nullptr) change(scalars.values);
  return scalars;
}

void RunWithScalar(const loops::Tile& tile) {
  const auto& scalar = *static_cast<const ScalarInMemory*>(tile.parameters);
  const std::byte* const element = tile.operand[scalar.operand].base + scalar.offset;
  loops::Tile others = tile;
  others.operand[scalar.operand] = tile.operand[scalar.operand + 1];
  if (scalar.is_whole) {
    const Scalars<int64_t> whole = LoadScalar(scalar, element, scalar.change_whole);
    others.parameters = &whole;
    return scalar.run(others);
  }
  const Scalars<double> real = LoadScalar(scalar, element, scalar.change_real);
  Scalars<float> singles = {};
  std::ranges::transform(real.values, singles.values, [](double value) { return static_cast<float>(value); });
  others.parameters = &singles;
  scalar.run(others);
}

// The arguments of a call by their part in the formula.
struct Roles {
  explicit Roles(const exec::PlanBuilder& plan) {
    const exec::Schema& schema = plan.schema();
    for (const bool output : {false, true}) {
      for (int i = 0; i < static_cast<int>(schema.args.size()); ++i) {
        const exec::Arg& arg = schema.args[static_cast<size_t>(i)];
        const bool counts = output ? arg.written() : arg.role != exec::Role::kOutput;
        if (arg.kind == ValueKind::kTensorList && counts) lists.push_back(i);
        if (arg.kind == ValueKind::kTensor) scalar = i;
        if (arg.kind == ValueKind::kScalarList) has_scalar_list = true;
      }
    }
  }
  bool in_memory() const { return scalar >= 0; }

  std::vector<int> lists;  // the inputs, then the output
  int scalar = -1;         // the tensor that holds it
  bool has_scalar_list = false;
};

// Bytes from element 0 of a view to the element with this number, row-major.
int64_t OffsetOf(const View& view, int64_t element) {
  int64_t offset = 0;
  for (int axis = view.rank; axis-- > 0;) {
    offset += element % view.shape[axis] * view.strides[axis];
    element /= view.shape[axis];
  }
  return offset * static_cast<int64_t>(ElementBytes(view.dtype));
}

std::vector<int> OperandsOfLists(const exec::PlanBuilder& plan, const Roles& roles, int count) {
  std::vector<int> operands;
  for (int i = 0; i < count; ++i) {
    for (const int list : roles.lists) {
      if (list == roles.lists.back() && roles.in_memory()) operands.push_back(plan.Operand(roles.scalar));
      operands.push_back(plan.Operand(list, i));
    }
  }
  return operands;
}

}  // namespace

void PlanPointwiseOfLists(exec::PlanBuilder& plan, KernelFinder find, const ScalarChange& change) {
  const Roles roles(plan);
  const auto count = static_cast<size_t>(plan.Count(roles.lists.front()));
  const auto inputs = static_cast<int>(roles.lists.size()) - 1;
  aclDataType dtype = plan.Tensor(roles.lists.front()).dtype;
  PointwiseKernel kernel = find(dtype);
  while (kernel.run == nullptr) {
    dtype = NextWider(dtype);
    kernel = find(dtype);
  }
  loops::CallsKernel elementwise{{.run = kernel.run,
                                  .ns_per_element = kernel.ns_per_element,
                                  .repeated = kernel.repeats && inputs > 1 ? (uint32_t{1} << inputs) - 1 : 0,
                                  .dtype = dtype}};
  const int each = inputs + 1 + static_cast<int>(roles.in_memory());
  const std::vector<int> operands = OperandsOfLists(plan, roles, static_cast<int>(count));
  if (!roles.in_memory()) {
    std::vector<ScalarBlock> blocks;
    for (size_t i = 0; i < (roles.has_scalar_list ? count : 1); ++i)
      blocks.push_back(ScalarsFor(plan, dtype, true, change, i));
    return loops::ElementwiseCalls(plan, operands, each, elementwise,
                                   std::vector<loops::Parameters>(blocks.begin(), blocks.end()));
  }
  const View& view = plan.Tensor(roles.scalar);
  int64_t elements = 0;
  CountElements(view.dims(), &elements);
  std::vector<ScalarInMemory> scalars;
  for (int64_t i = 0; i < elements; ++i) {
    scalars.push_back({.run = kernel.run,
                       .change_real = change.real,
                       .change_whole = change.whole,
                       .offset = OffsetOf(view, i),
                       .from = view.dtype,
                       .is_whole = FindDtype(dtype)->kind < DtypeKind::kFloating,
                       .operand = inputs});
  }
  elementwise.run = RunWithScalar;
  elementwise.as_is = uint32_t{1} << inputs;
  plan.ForbidInPlace(plan.Operand(roles.scalar));
  loops::ElementwiseCalls(plan, operands, each, elementwise,
                          std::vector<loops::Parameters>(scalars.begin(), scalars.end()));
}

}  // namespace portacl::families
