// SPDX-License-Identifier: Apache-2.0
// Checks that a model which runs for a long time on the NPU keeps its memory size and its answers.
//
//     soak <model.gguf> <prompt> <tokens> <minutes> <most MiB more>
//
// Loads the model repeatedly, alternating with and without flash attention, and lets each answer for five seconds.
// Every ten seconds it prints the memory of the process and the used device memory. Fails if an answer differs from the
// first one of its kind, or if memory has grown by more than the limit since the end of the first minute.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "language_model.h"

namespace {

constexpr double kMebibyte = 1 << 20;
constexpr double kWarmUpMinutes = 1;

struct Memory {
  double process;  // in MiB
  double device;
};

Memory MemoryNow() {
  long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%*d %ld", &pages) != 1) Fail("cannot read", "/proc/self/statm");
  std::fclose(file);
  size_t free = 0, total = 0;
  ggml_backend_dev_memory(ggml_backend_dev_by_name("CANN0"), &free, &total);
  return {static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / kMebibyte,
          static_cast<double>(total - free) / kMebibyte};
}

std::vector<llama_token> Answer(Model& model, const char* prompt, int count) {
  model.Clear();
  std::vector<llama_token> next = Tokens(model.vocabulary(), prompt);
  std::vector<llama_token> answer;
  for (int i = 0; i < count; ++i) {
    next = {Likeliest(model.Read(next))};
    answer.push_back(next[0]);
  }
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "soak <model.gguf> <prompt> <tokens> <minutes> <most MiB more>\n");
    return 2;
  }
  const char* const prompt = argv[2];
  const int count = std::atoi(argv[3]);
  const double end = std::atof(argv[4]);
  const double limit = std::atof(argv[5]);
  Begin();
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto minutes = [&] { return std::chrono::duration<double, std::ratio<60>>(Clock::now() - begin).count(); };

  const int length = static_cast<int>(std::strlen(prompt)) + 2 + count;
  std::vector<llama_token> first_answers[2];
  Memory first = {}, last = {};
  long answers = 0, different = 0;
  for (bool warm = false; minutes() < end || !warm;) {
    for (const bool flash_attention : {false, true}) {
      Model model(argv[1], "CANN0", length, flash_attention);
      for (const double until = minutes() + 5.0 / 60; minutes() < until; ++answers) {
        const std::vector<llama_token> answer = Answer(model, prompt, count);
        std::vector<llama_token>& of_first = first_answers[flash_attention];
        if (of_first.empty()) of_first = answer;
        different += answer != of_first;
      }
      if (flash_attention) last = MemoryNow();
    }
    std::printf("%6.1f min  %9ld tokens  process %8.1f MiB  device %8.1f MiB\n", minutes(), answers * count,
                last.process, last.device);
    std::fflush(stdout);
    if (!warm && (warm = minutes() >= std::min(kWarmUpMinutes, end))) first = last;
  }
  const double more = std::max(last.process - first.process, last.device - first.device);
  std::printf(
      "process %.1f MiB, then %.1f; device %.1f MiB, then %.1f: %+.1f (at most %g); %ld of %ld answers differ\n",
      first.process, last.process, first.device, last.device, more, limit, different, answers);
  return more <= limit && different == 0 ? 0 : 1;
}
