// SPDX-License-Identifier: Apache-2.0
// Functions that the programs of this folder need from llama.cpp: a model on one device, evaluated token by token.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "llama.h"

// Loads the backends, and prints only errors of llama.cpp.
inline void Begin() {
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  ggml_backend_load_all();
}

[[noreturn]] inline void Fail(const char* what, const char* which) {
  std::fprintf(stderr, "%s %s\n", what, which);
  std::exit(2);
}

class Model {
 public:
  // Runs on the device of that name; with no name, on the CPU.
  Model(const char* path, const char* device, int tokens, bool flash_attention) {
    ggml_backend_dev_t devices[] = {device == nullptr ? nullptr : ggml_backend_dev_by_name(device), nullptr};
    if (device != nullptr && devices[0] == nullptr) Fail("there is no such device:", device);
    llama_model_params model = llama_model_default_params();
    model.devices = devices;
    model.n_gpu_layers = device == nullptr ? 0 : 99;
    model.use_extra_bufts = false;  // buffers for AMX cause an illegal instruction on some virtual machines
    model_.reset(llama_model_load_from_file(path, model));
    if (model_ == nullptr) Fail("cannot load", path);
    llama_context_params context = llama_context_default_params();
    context.n_ctx = context.n_batch = static_cast<uint32_t>(tokens);
    context.flash_attn_type = flash_attention ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
    context.op_offload = device != nullptr;
    context.n_threads = context.n_threads_batch = 1;  // waiting threads spin, which takes minutes on few cores
    context_.reset(llama_init_from_model(model_.get(), context));
    if (context_ == nullptr) Fail("no context for", path);
  }

  const llama_vocab* vocabulary() const { return llama_model_get_vocab(model_.get()); }

  // Clears the tokens that were read.
  void Clear() { llama_memory_clear(llama_get_memory(context_.get()), true); }

  // Returns the logits after the last of `tokens`.
  std::vector<float> Read(std::vector<llama_token> tokens) {
    if (llama_decode(context_.get(), llama_batch_get_one(tokens.data(), static_cast<int32_t>(tokens.size()))) != 0)
      Fail("decoding failed", "");
    const float* logits = llama_get_logits_ith(context_.get(), -1);
    return {logits, logits + llama_vocab_n_tokens(vocabulary())};
  }

 private:
  struct Free {
    void operator()(llama_model* model) const { llama_model_free(model); }
    void operator()(llama_context* context) const { llama_free(context); }
  };
  std::unique_ptr<llama_model, Free> model_;
  std::unique_ptr<llama_context, Free> context_;
};

inline llama_token Likeliest(const std::vector<float>& logits) {
  return static_cast<llama_token>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

inline std::vector<llama_token> Tokens(const llama_vocab* vocabulary, const char* text) {
  const auto length = static_cast<int32_t>(std::strlen(text));
  std::vector<llama_token> tokens(length + 2);
  tokens.resize(llama_tokenize(vocabulary, text, length, tokens.data(), length + 2, true, true));
  return tokens;
}

inline std::string Text(const llama_vocab* vocabulary, llama_token token) {
  char text[256];
  return {text, static_cast<size_t>(std::max(0, llama_token_to_piece(vocabulary, token, text, sizeof text, 0, false)))};
}
