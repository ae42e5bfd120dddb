// SPDX-License-Identifier: Apache-2.0
// The arguments with which ./demo runs an operator, and the tensors that it draws. Dtypes, shapes of outputs, the
// reference and the promised error come from the schema.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace portacl::demo {

// A tensor of the FLOAT call as a row of images over two of its axes.
struct Picture {
  std::string argument;
  std::string caption;
  bool is_signed;     // blue below 0, white, red above; otherwise white at 0, black at the largest value
  int row_axis = -2;  // vertical; counted from the end of the shape
  int column_axis = -1;
  // If not empty, this shape is shown instead of a tensor's.
  std::vector<int64_t> shape = {};
  std::vector<float> values = {};
};

struct Scene {
  std::string api;
  std::vector<std::string> words;        // NAME=VALUE, as portacl run takes them; DTYPE in it is the dtype's name
  std::vector<std::string> shapes = {};  // NAME=2,3: the shape of an output that no rule determines
  std::vector<Picture> pictures = {};
  bool is_large = false;                 // as large as in a real model: only measured, not compared with the reference
  std::vector<std::string> dtypes = {};  // dtypes of the inputs; empty: all of the schema
};

// Arrays for the scenes, stored in .npy files.
class Materials {
 public:
  // `digits`: a .npy file of images of 8 x 8 with values from 0 to 16. Writes files into `folder`. Throws
  // std::runtime_error.
  Materials(const std::string& digits, std::string folder);

  int64_t count() const { return static_cast<int64_t>(ink_.size()) / 64; }
  // The images, [count, 8, 8] float32 inside (0, 1): (pixel + 0.5) / 17.
  const std::vector<float>& ink() const { return ink_; }
  const std::string& ink_file() const { return ink_file_; }
  // A gradient that pulls each pixel towards its mean over all images.
  const std::string& pull_file() const { return pull_file_; }

  // The name of a file of the scenes; the file may not exist yet.
  std::string File(const std::string& name) const { return folder_ + "/" + name + ".npy"; }

  // Writes float32, int64 or, for bytes, BOOL; returns the file's name.
  std::string Save(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) const;
  std::string Save(const std::string& name, const std::vector<int64_t>& shape,
                   const std::vector<int64_t>& values) const;
  std::string Save(const std::string& name, const std::vector<int64_t>& shape,
                   const std::vector<uint8_t>& values) const;

 private:
  const std::string folder_;
  std::vector<float> ink_;
  std::string ink_file_;
  std::string pull_file_;
};

// All scenes, in the order of the picture.
std::vector<Scene> AllScenes(Materials& materials);

}  // namespace portacl::demo
