// SPDX-License-Identifier: Apache-2.0
#include "check/shadow.h"

#include <algorithm>
#include <iterator>

namespace portacl::check {

uint64_t Clocks::Advance(uint32_t agent) {
  if (agent >= counts_.size()) counts_.resize(agent + 1);
  return ++counts_[agent];
}

void Clocks::Join(const Clocks& other) {
  if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
  for (size_t i = 0; i < other.counts_.size(); ++i) counts_[i] = std::max(counts_[i], other.counts_[i]);
}

void Clocks::Reach(uint32_t agent, uint64_t clock) {
  if (agent >= counts_.size()) counts_.resize(agent + 1);
  counts_[agent] = std::max(counts_[agent], clock);
}

void Shadow::Split(size_t at) {
  if (at >= end_) return;
  const auto before = std::prev(ranges_.upper_bound(at));
  if (before->first != at) ranges_.emplace_hint(std::next(before), at, before->second);
}

void Shadow::Set(size_t begin, size_t end, const Bytes& bytes) {
  end = std::min(end, end_);
  if (begin >= end) return;
  Split(begin);
  Split(end);
  const auto first = ranges_.find(begin);
  first->second = bytes;
  ranges_.erase(std::next(first), ranges_.lower_bound(end));
}

}  // namespace portacl::check
