# SPDX-License-Identifier: Apache-2.0
"""A decoder of the kind `llama`, in PyTorch, and the file in which llama.cpp reads it."""

import dataclasses

import gguf
import numpy as np
import torch
from torch import nn
from torch.nn import functional

import words

EPSILON = 1e-5
ROPE_BASE = 10000.0


@dataclasses.dataclass(frozen=True)
class Size:
    """The sizes of a model; the names are those of llama.cpp's keys."""

    vocabulary: int
    context: int = 256
    embedding: int = 192
    blocks: int = 4
    feed_forward: int = 512
    heads: int = 6
    key_heads: int = 3

    @property
    def head(self):
        return self.embedding // self.heads


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * self.weight


def rotate(x, cos, sin):
    """Rotates adjacent pairs of the last axis of x [N, heads, T, head] by the angles of their position; cos, sin: [T, head / 2]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        keys = size.key_heads * size.head
        self.attn_norm, self.ffn_norm = Norm(size.embedding), Norm(size.embedding)
        self.attn_q = nn.Linear(size.embedding, size.embedding, bias=False)
        self.attn_k = nn.Linear(size.embedding, keys, bias=False)
        self.attn_v = nn.Linear(size.embedding, keys, bias=False)
        self.attn_output = nn.Linear(size.embedding, size.embedding, bias=False)
        self.ffn_gate = nn.Linear(size.embedding, size.feed_forward, bias=False)
        self.ffn_up = nn.Linear(size.embedding, size.feed_forward, bias=False)
        self.ffn_down = nn.Linear(size.feed_forward, size.embedding, bias=False)

    def forward(self, x, cos, sin, mask):
        batch, steps, _ = x.shape
        y = self.attn_norm(x)
        query, key, value = (linear(y).view(batch, steps, -1, self.size.head).transpose(1, 2)
                             for linear in (self.attn_q, self.attn_k, self.attn_v))
        shared = self.size.heads // self.size.key_heads
        key = rotate(key, cos, sin).repeat_interleave(shared, 1)
        value = value.repeat_interleave(shared, 1)
        scores = rotate(query, cos, sin) @ key.transpose(2, 3) * self.size.head**-0.5 + mask
        x = x + self.attn_output((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, steps, -1))
        y = self.ffn_norm(x)
        return x + self.ffn_down(functional.silu(self.ffn_gate(y)) * self.ffn_up(y))


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.token_embd = nn.Embedding(size.vocabulary, size.embedding)
        self.blk = nn.ModuleList(Block(size) for _ in range(size.blocks))
        self.output_norm = Norm(size.embedding)
        self.output = nn.Linear(size.embedding, size.vocabulary, bias=False)
        angles = torch.outer(torch.arange(size.context), ROPE_BASE ** (-torch.arange(0, size.head, 2) / size.head))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        self.register_buffer("mask", torch.full((size.context, size.context), -torch.inf).triu(1), persistent=False)
        for name, parameter in self.named_parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02 if "embd" in name else parameter.shape[1] ** -0.5)

    def forward(self, tokens):
        """Logits [N, T, vocabulary] of the token that follows each of tokens [N, T]."""
        steps = tokens.shape[1]
        x = self.token_embd(tokens)
        for block in self.blk:
            x = block(x, self.cos[:steps], self.sin[:steps], self.mask[:steps, :steps])
        return self.output(self.output_norm(x))


def tensor_shapes(size):
    """{name in the file: shape}, in the order of Model's parameters."""
    with torch.device("meta"):
        return {name: tuple(parameter.shape) for name, parameter in Model(size).named_parameters()}


def write(path, size, tokens, tensors, kind):
    """Writes a model; tensors: pairs of name and float32 array; kind: F32, F16, Q8_0 or Q4_0, of the matrices."""
    file = gguf.GGUFWriter(path, "llama")
    file.add_name("riddles")
    file.add_context_length(size.context)
    file.add_embedding_length(size.embedding)
    file.add_block_count(size.blocks)
    file.add_feed_forward_length(size.feed_forward)
    file.add_head_count(size.heads)
    file.add_head_count_kv(size.key_heads)
    file.add_layer_norm_rms_eps(EPSILON)
    file.add_rope_dimension_count(size.head)
    file.add_rope_freq_base(ROPE_BASE)
    file.add_vocab_size(size.vocabulary)
    texts, scores, types = zip(*tokens.table())
    file.add_tokenizer_model("llama")
    file.add_tokenizer_pre("default")
    file.add_token_list(texts)
    file.add_token_scores(scores)
    file.add_token_types(types)
    file.add_bos_token_id(words.BEGIN)
    file.add_eos_token_id(words.END)
    file.add_unk_token_id(words.UNKNOWN)
    file.add_add_bos_token(True)
    for name, values in tensors:
        if values.ndim == 1 or kind == "F32":
            file.add_tensor(name, values)
        elif kind == "F16":
            file.add_tensor(name, values.astype(np.float16))
        else:
            quantised = gguf.GGMLQuantizationType[kind]
            file.add_tensor(name, gguf.quants.quantize(values, quantised), raw_dtype=quantised)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
