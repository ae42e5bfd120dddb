// SPDX-License-Identifier: Apache-2.0
#include "hccl/routed_transport.h"

#include <string>
#include <utility>

namespace portacl::hccl {
namespace {

class RoutedTransport final : public Transport {
 public:
  RoutedTransport(std::vector<char> is_near, std::unique_ptr<Transport> near, std::unique_ptr<Transport> far)
      : is_near_(std::move(is_near)), near_(std::move(near)), far_(std::move(far)) {}

  std::unique_ptr<Transfer> Send(uint32_t to, uint64_t tag, const void* data, size_t bytes) override {
    return To(to).Send(to, tag, data, bytes);
  }
  std::unique_ptr<Transfer> Receive(uint32_t from, uint64_t tag, void* data, size_t bytes) override {
    return To(from).Receive(from, tag, data, bytes);
  }
  void Leave() noexcept override {
    near_->Leave();
    far_->Leave();
  }
  void Abort(const std::string& reason) override {
    near_->Abort(reason);
    far_->Abort(reason);
  }
  std::string Reason() override {
    const std::string reason = near_->Reason();
    return reason.empty() ? far_->Reason() : reason;
  }

 private:
  Transport& To(uint32_t rank) { return is_near_[rank] != 0 ? *near_ : *far_; }

  const std::vector<char> is_near_;
  const std::unique_ptr<Transport> near_;
  const std::unique_ptr<Transport> far_;
};

}  // namespace

std::unique_ptr<Transport> MakeRoutedTransport(std::vector<char> is_near, std::unique_ptr<Transport> near,
                                               std::unique_ptr<Transport> far) {
  return std::make_unique<RoutedTransport>(std::move(is_near), std::move(near), std::move(far));
}

}  // namespace portacl::hccl
