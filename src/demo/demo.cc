// SPDX-License-Identifier: Apache-2.0
// Runs operators on 1,797 images of handwritten digits in every dtype that they support: measures their time relative
// to a copy of the same size, compares the results with the float64 reference, and draws them.
//
//   demo <digits.npy> <folder>       writes <folder>/digits.svg; exit status 0 if every error is within its
//   bound
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string_view>

#include "demo/picture.h"
#include "demo/scene.h"
#include "tool/accuracy_text.h"
#include "tool/elements.h"
#include "tool/progress.h"
#include "tool/schema_text.h"
#include "tool/stream_ceiling.h"
#include "tool/text.h"
#include "tool/timing.h"
#include "tool/verify.h"

namespace portacl::demo {
namespace {

constexpr double kTimedSeconds = 0.05;

// Bytes per second of a copy of `bytes`, measured once for each size.
double CopySpeed(size_t bytes) {
  static std::map<size_t, double> measured;
  double& speed = measured[bytes];
  if (speed == 0) speed = tool::StreamCeiling(bytes, kTimedSeconds);
  return speed;
}

// The text of the errors in the table, and whether all of them are within their bounds.
struct Judgement {
  std::string text;
  bool good = true;
};

Judgement Judge(const std::vector<tool::WorstElement>& outputs) {
  Judgement result;
  for (const tool::WorstElement& worst : outputs) {
    if (!worst.deviation) continue;
    result.text +=
        fmt::format("{}{:.2f} {} of {:g}{}", result.text.empty() ? "" : ", ", worst.deviation->error,
                    tool::UnitText(*worst.deviation->bound), worst.deviation->limit, worst.good() ? "" : "  WRONG");
    result.good = result.good && worst.good();
  }
  return result;
}

// The arguments with DTYPE replaced by the dtype's name: used in names of files that one scene writes and another
// reads.
std::vector<std::string> WordsFor(const Scene& scene, const std::string& dtype) {
  constexpr std::string_view kPlaceholder = "DTYPE";
  std::vector<std::string> words = scene.words;
  for (std::string& word : words) {
    const size_t at = word.find(kPlaceholder);
    if (at != std::string::npos) word.replace(at, kPlaceholder.size(), dtype);
  }
  return words;
}

PictureRow MakeRow(const Picture& picture, const std::vector<int64_t>& shape, const std::vector<float>& values) {
  const auto size_of = [&](int axis) { return static_cast<size_t>(shape.end()[axis]); };
  const auto stride_of = [&](int axis) {
    size_t stride = 1;
    for (int inner = -1; inner > axis; --inner) stride *= size_of(inner);
    return stride;
  };
  const size_t rows = size_of(picture.row_axis);
  const size_t columns = size_of(picture.column_axis);
  PictureRow result{picture.caption, static_cast<int>(rows), static_cast<int>(columns), {}, picture.is_signed};
  for (size_t first = 0; first < values.size(); ++first) {
    const auto is_at_zero = [&](int axis) { return first / stride_of(axis) % size_of(axis) == 0; };
    if (!is_at_zero(picture.row_axis) || !is_at_zero(picture.column_axis)) continue;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column)
        result.values.push_back(
            values[first + row * stride_of(picture.row_axis) + column * stride_of(picture.column_axis)]);
    }
  }
  return result;
}

void AddPictures(const Scene& scene, tool::PreparedCall& call, std::vector<PictureRow>& rows) {
  for (const Picture& picture : scene.pictures) {
    if (!picture.values.empty()) rows.push_back(MakeRow(picture, picture.shape, picture.values));
    for (const tool::HostTensor& tensor : call.tensors()) {
      if (tensor.name != picture.argument) continue;
      const calls::TensorSpec& spec = call.spec(tensor);
      const std::vector<double> values = tool::ToDouble(spec.dtype, tensor.bytes);
      rows.push_back(MakeRow(picture, spec.shape, {values.begin(), values.end()}));
    }
  }
}

// The shape of the largest tensor.
std::string ShapeOf(tool::PreparedCall& call) {
  const calls::TensorSpec* largest = nullptr;
  for (const calls::TensorSpec* tensor : call.call().Tensors()) {
    if (largest == nullptr || calls::ElementCount(tensor->shape) > calls::ElementCount(largest->shape))
      largest = tensor;
  }
  return fmt::format("{}", fmt::join(largest->shape, "x"));
}

// Runs one scene in one dtype, prints its row of the table, and draws it if the dtype is FLOAT. Returns whether the
// errors are within their bounds.
bool Show(const Scene& scene, const std::string& dtype, std::vector<PictureRow>& rows) {
  std::optional<tool::Progress> progress("demo");
  const auto stage = [&](const char* what, double part) {
    progress->Stage(fmt::format("{} {}: {}", scene.api, dtype, what), part);
  };
  stage("reading", 0);
  tool::PreparedCall call(tool::FindOperator(scene.api),
                          {.words = WordsFor(scene, dtype), .dtypes = {dtype}, .shapes = scene.shapes});
  call.Allocate();
  std::optional<tool::Verifier> verifier;
  if (!scene.is_large) verifier.emplace(call);
  stage("running", 0.25);
  tool::Timing timing;
  {
    tool::Launcher launcher(call.call());
    timing = tool::Measure(kTimedSeconds, 0, [&] { launcher.Run(); });
  }
  Judgement judgement{"timed only", true};
  if (verifier) {
    call.Fetch();
    call.Save();
    judgement = Judge(verifier->Compare([&](double part) { stage("comparing", 0.5 + part / 4); }));
    if (dtype == "FLOAT") AddPictures(scene, call, rows);
  }
  stage("copying the same number of bytes", 0.75);
  const double speed = static_cast<double>(call.Bytes()) / timing.median;
  const double of_copy = 100 * speed / CopySpeed(call.Bytes());
  progress.reset();  // removes the progress bar from the terminal
  fmt::print("{:<32} {:<9} {:<14} {:>9} {:>6.1f} {:>8.0f} %   {}\n", scene.api, dtype, ShapeOf(call),
             tool::SecondsText(timing.median), speed * 1e-9, of_copy, judgement.text);
  std::fflush(stdout);
  return judgement.good;
}

bool ShowAll(bool small, const std::string& digits, const std::string& folder) {
  tool::UseDevice();
  Materials materials(digits, folder);
  fmt::print("{} handwritten digits, device {}\n\n", materials.count(), CurrentSoc().full_name);
  fmt::print("{:<32} {:<9} {:<14} {:>9} {:>6} {:>10}   {}\n", "operator", "dtype", "shape", "time", "GB/s", "of a copy",
             "largest error");
  std::vector<PictureRow> rows = {{"input", 8, 8, materials.ink(), false}};
  bool good = true;
  for (const Scene& scene : AllScenes(materials)) {
    if (small && scene.is_large) continue;
    const exec::Schema& schema = *tool::FindOperator(scene.api).schema;
    const auto dtypes = scene.dtypes.empty() ? tool::DtypesOn(schema, CurrentSoc().family) : scene.dtypes;
    for (const std::string& dtype : dtypes) good = Show(scene, dtype, rows) && good;
  }
  WritePicture(folder + "/digits.svg", rows);
  fmt::print(
      "\nThe copy moves the same number of bytes in the same caches; an operator that reads more than it writes may be "
      "faster.\n{}\n",
      good ? "Every result agrees with the float64 reference."
           : "Some errors are larger than promised: the lines with WRONG.");
  return good;
}

}  // namespace
}  // namespace portacl::demo

int main(int argc, char** argv) {
  const bool small = argc > 1 && std::string_view(argv[1]) == "--small";
  if (argc != (small ? 4 : 3)) {
    fmt::print(stderr, "usage: {} [--small] <digits.npy> <folder>\n", argv[0]);
    return 2;
  }
  try {
    return portacl::demo::ShowAll(small, argv[argc - 2], argv[argc - 1]) ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }
}
