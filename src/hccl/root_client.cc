// SPDX-License-Identifier: Apache-2.0
#include "hccl/root_client.h"

#include <cstring>
#include <utility>

namespace portacl::hccl {
namespace {

constexpr size_t kMostFrameBytes = size_t{1} << 20;

}  // namespace

RootClient::RootClient(int fd, Deadline deadline)
    : stream_(std::make_unique<FrameStream>(fd, kMostFrameBytes)), deadline_(deadline) {}

HcclResult RootClient::Enter(const JoinRequest& request, bool* is_one_host, std::string* why) {
  std::string body(sizeof(request), '\0');
  std::memcpy(body.data(), &request, sizeof(request));
  stream_->Send(FrameKind::kJoin, 0, body);
  Frame answer;
  if (!WaitForFrame(*stream_, &answer, deadline_)) {
    const bool passed = HasPassed();
    *why = passed ? "some ranks did not come within HCCL_CONNECT_TIMEOUT" : "the root closed the connection";
    return passed ? HCCL_E_TIMEOUT : HCCL_E_TCP_TRANSFER;
  }
  *is_one_host = answer.argument == 1;
  if (answer.kind == FrameKind::kReady) return HCCL_SUCCESS;
  *why = answer.kind == FrameKind::kRefused ? answer.body : "the root sent what is no answer";
  const bool is_result = answer.kind == FrameKind::kRefused && answer.argument < HCCL_E_OOM;
  return is_result ? static_cast<HcclResult>(answer.argument) : HCCL_E_TCP_TRANSFER;
}

bool RootClient::Set(std::string_view key, std::string_view value) {
  std::string body(key);
  body.push_back('\0');
  body.append(value);
  return stream_->Send(FrameKind::kSet, 0, body);
}

const std::string* RootClient::Get(std::string_view key) {
  if (!stream_->Send(FrameKind::kGet, 0, key)) return nullptr;
  Frame frame;
  while (WaitForFrame(*stream_, &frame, deadline_)) {
    if (frame.kind == FrameKind::kValue) {
      value_ = std::move(frame.body);
      return &value_;
    }
    if (frame.kind == FrameKind::kEnded) return nullptr;
    early_.push_back(frame);
  }
  return nullptr;
}

bool RootClient::Look() {
  Frame frame;
  FrameStream::Got got;
  while ((got = stream_->Next(&frame)) == FrameStream::Got::kFrame) {
    if (frame.kind == FrameKind::kEnded) return false;
    early_.push_back(frame);
  }
  return got == FrameStream::Got::kNothing;
}

std::unique_ptr<FrameStream> RootClient::Release(std::vector<Frame>* early) {
  *early = std::move(early_);
  return std::move(stream_);
}

}  // namespace portacl::hccl
