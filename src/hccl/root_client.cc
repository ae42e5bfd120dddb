// SPDX-License-Identifier: Apache-2.0
#include "hccl/root_client.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace portacl::hccl {
namespace {

constexpr size_t kMostFrameBytes = size_t{1} << 20;
constexpr const char* kRootHasEnded = "the process of the root has ended, or the connection with it";
// How long after its own limit a rank still waits for the names of the missing ranks.
constexpr std::chrono::seconds kAnswerLimit{2};

}  // namespace

RootClient::RootClient(int fd, Deadline deadline)
    : stream_(std::make_unique<FrameStream>(fd, kMostFrameBytes)), deadline_(deadline) {}

HcclResult RootClient::Enter(const JoinRequest& request, bool* is_one_host, std::string* why) {
  std::string body(sizeof(request), '\0');
  std::memcpy(body.data(), &request, sizeof(request));
  stream_->Send(FrameKind::kJoin, 0, body);
  Frame answer;
  // When the limit passes, the root names the missing ranks.
  const Deadline patience = deadline_ ? Deadline(*deadline_ + kAnswerLimit) : deadline_;
  if (!WaitForFrame(*stream_, &answer, patience)) {
    const bool passed = HasPassed();
    *why = passed ? "timed out (HCCL_CONNECT_TIMEOUT) waiting for the other ranks" : kRootHasEnded;
    return passed ? HCCL_E_TIMEOUT : HCCL_E_TCP_CONNECT;
  }
  *is_one_host = answer.argument == 1;
  if (answer.kind == FrameKind::kReady) return HCCL_SUCCESS;
  *why = answer.kind == FrameKind::kRefused ? answer.body : "the root sent an invalid answer";
  const bool is_result = answer.kind == FrameKind::kRefused && answer.argument < HCCL_E_OOM;
  return is_result ? static_cast<HcclResult>(answer.argument) : HCCL_E_TCP_TRANSFER;
}

bool RootClient::Set(std::string_view key, std::string_view value) {
  std::string body(key);
  body.push_back('\0');
  body.append(value);
  const bool fits = body.size() <= kMostFrameBytes;
  if (fits && stream_->Send(FrameKind::kSet, 0, body)) return true;
  reason_ = fits ? std::string(kRootHasEnded)
                 : fmt::format("a value of {} bytes, the root takes {}", value.size(), kMostFrameBytes);
  return false;
}

const std::string* RootClient::Get(std::string_view key) {
  Frame frame;
  bool more = stream_->Send(FrameKind::kGet, 0, key);
  while (more && WaitForFrame(*stream_, &frame, deadline_)) {
    if (frame.kind == FrameKind::kValue) {
      value_ = std::move(frame.body);
      return &value_;
    }
    more = !IsEnd(frame);
  }
  if (more || reason_.empty()) NoteSilence(HasPassed());
  return nullptr;
}

bool RootClient::Look() {
  Frame frame;
  FrameStream::Got got;
  while ((got = stream_->Next(&frame)) == FrameStream::Got::kFrame) {
    if (IsEnd(frame)) return false;
  }
  if (got == FrameStream::Got::kNothing) return true;
  NoteSilence(false);
  return false;
}

bool RootClient::AwaitReason(std::chrono::milliseconds limit) {
  const Deadline end = std::chrono::steady_clock::now() + limit;
  Frame frame;
  while (WaitForFrame(*stream_, &frame, end)) {
    if (IsEnd(frame)) return true;
  }
  return false;
}

void RootClient::Abort(uint32_t rank, const std::string& why) {
  if (stream_ != nullptr) stream_->Send(FrameKind::kNotJoined, rank, fmt::format("rank {}: {}", rank, why));
}

// Other frames are kept for later: a rank that has advanced further may have failed already, or left.
bool RootClient::IsEnd(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kEnded:
      reason_ = fmt::format("the process of rank {} has ended, or its connection with the root", frame.argument);
      return true;
    case FrameKind::kNotJoined:
      reason_ = frame.body;
      return true;
    default:
      early_.push_back(frame);
      return false;
  }
}

void RootClient::NoteSilence(bool has_passed) {
  reason_ = has_passed ? "timed out (HCCL_CONNECT_TIMEOUT) waiting for one of them" : kRootHasEnded;
}

std::unique_ptr<FrameStream> RootClient::Release(std::vector<Frame>* early) {
  *early = std::move(early_);
  return std::move(stream_);
}

}  // namespace portacl::hccl
