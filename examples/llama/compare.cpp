// SPDX-License-Identifier: Apache-2.0
// Compares the output of a model on the NPU with that on llama.cpp's CPU backend.
//
//     compare <model.gguf> <prompt> <tokens> <most NMSE of logits> [same] [fa]
//
// Both continue the prompt, always with the token that has the highest probability on the CPU. Prints the text, how
// often both chose the same token, and the largest NMSE of logits, sum((npu - cpu)^2) / sum(cpu^2). Fails if that is
// above the limit, and with `same` also if a token differs, because the NPU alone would then have continued
// differently. `fa`: with flash attention.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "language_model.h"

namespace {

double Nmse(const std::vector<float>& got, const std::vector<float>& want) {
  double difference = 0;
  double square = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    difference += (double{got[i]} - want[i]) * (double{got[i]} - want[i]);
    square += double{want[i]} * want[i];
  }
  return difference / square;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "compare <model.gguf> <prompt> <tokens> <most NMSE of logits> [same] [fa]\n");
    return 2;
  }
  const int count = std::atoi(argv[3]);
  const double limit = std::atof(argv[4]);
  bool must_be_same = false;
  bool flash_attention = false;
  for (int i = 5; i < argc; ++i) {
    must_be_same |= std::strcmp(argv[i], "same") == 0;
    flash_attention |= std::strcmp(argv[i], "fa") == 0;
  }
  Begin();
  const int length = static_cast<int>(std::strlen(argv[2])) + 2 + count;
  Model cpu(argv[1], nullptr, length, flash_attention);
  Model npu(argv[1], "CANN0", length, flash_attention);

  std::vector<llama_token> next = Tokens(cpu.vocabulary(), argv[2]);
  std::string text = argv[2];
  double largest = 0;
  int same = 0;
  for (int i = 0; i < count; ++i) {
    const std::vector<float> want = cpu.Read(next);
    const std::vector<float> got = npu.Read(next);
    largest = std::max(largest, Nmse(got, want));
    same += Likeliest(got) == Likeliest(want);
    next = {Likeliest(want)};
    text += Text(cpu.vocabulary(), next[0]);
  }
  std::printf("%s\n%d of %d tokens the same, largest NMSE of logits %.2g (at most %g)\n", text.c_str(), same, count,
              largest, limit);
  return largest <= limit && (!must_be_same || same == count) ? 0 : 1;
}
