// SPDX-License-Identifier: Apache-2.0
// Whether a model says the same on the NPU as on llama.cpp's CPU backend.
//
//     compare <model.gguf> <prompt> <tokens> <most NMSE of logits> [same] [fa]
//
// Both continue the prompt, always by the token that is likeliest on the CPU. Prints the text, how often both found the
// same token likeliest, and the largest NMSE of logits, sum((npu - cpu)^2) / sum(cpu^2). Fails where that is above the
// limit, and with `same` where a token differs: then the NPU alone would have gone another way. `fa`: with flash
// attention.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"

namespace {

class Model {
 public:
  // On the device of that name, or without one on the CPU.
  Model(const char* path, const char* device, int tokens, bool flash_attention) {
    ggml_backend_dev_t devices[] = {device == nullptr ? nullptr : ggml_backend_dev_by_name(device), nullptr};
    if (device != nullptr && devices[0] == nullptr) Fail("there is no such device:", device);
    llama_model_params model = llama_model_default_params();
    model.devices = devices;
    model.n_gpu_layers = device == nullptr ? 0 : 99;
    model.use_extra_bufts = false;  // those for AMX end in an illegal instruction on some virtual machines
    model_.reset(llama_model_load_from_file(path, model));
    if (model_ == nullptr) Fail("cannot load", path);
    llama_context_params context = llama_context_default_params();
    context.n_ctx = context.n_batch = static_cast<uint32_t>(tokens);
    context.flash_attn_type = flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    context.op_offload = device != nullptr;
    context.n_threads = context.n_threads_batch =
        1;  // they wait for each other busily, which takes minutes where cores are few
    context_.reset(llama_init_from_model(model_.get(), context));
    if (context_ == nullptr) Fail("no context for", path);
  }

  const llama_vocab* vocabulary() const { return llama_model_get_vocab(model_.get()); }

  // The logits behind the last of `tokens`.
  std::vector<float> Read(std::vector<llama_token> tokens) {
    if (llama_decode(context_.get(), llama_batch_get_one(tokens.data(), static_cast<int32_t>(tokens.size()))) != 0)
      Fail("decoding failed", "");
    const float* logits = llama_get_logits_ith(context_.get(), -1);
    return {logits, logits + llama_vocab_n_tokens(vocabulary())};
  }

  [[noreturn]] static void Fail(const char* what, const char* which) {
    std::fprintf(stderr, "compare: %s %s\n", what, which);
    std::exit(2);
  }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
};

llama_token Likeliest(const std::vector<float>& logits) {
  return static_cast<llama_token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double Nmse(const std::vector<float>& got, const std::vector<float>& want) {
  double difference = 0;
  double square = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    difference += (double{got[i]} - want[i]) * (double{got[i]} - want[i]);
    square += double{want[i]} * want[i];
  }
  return difference / square;
}

std::vector<llama_token> Tokens(const llama_vocab* vocabulary, const char* text) {
  const auto length = static_cast<int32_t>(std::strlen(text));
  std::vector<llama_token> tokens(length + 2);
  tokens.resize(llama_tokenize(vocabulary, text, length, tokens.data(), length + 2, true, true));
  return tokens;
}

std::string Text(const llama_vocab* vocabulary, llama_token token) {
  char text[256];
  return {text, static_cast<size_t>(std::max(0, llama_token_to_piece(vocabulary, token, text, sizeof text, 0, false)))};
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
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  ggml_backend_load_all();
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
