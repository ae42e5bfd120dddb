// SPDX-License-Identifier: Apache-2.0
// libportacl_gloo.so: the one place that knows Gloo.
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "hccl/gloo_table.h"

namespace portacl::hccl {
namespace {

using std::chrono::milliseconds;
using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

// No message of a communicator has this tag.
constexpr uint64_t kFlushTag = uint64_t{1} << 62;
// Gloo ends all connections of a mesh when a wait times out. So none does: end_wait() ends them.
constexpr milliseconds kForEver = std::chrono::hours(24 * 365);

class Store final : public gloo::rendezvous::Store {
 public:
  explicit Store(const GlooStore& store) : store_(store) {}

  void set(const std::string& key, const std::vector<char>& data) override {
    if (!store_.set(store_.self, key.c_str(), data.data(), data.size())) throw std::runtime_error("the root is gone");
  }
  std::vector<char> get(const std::string& key) override {
    size_t bytes = 0;
    const char* const data = store_.get(store_.self, key.c_str(), &bytes);
    if (data == nullptr) throw std::runtime_error("rank " + key + " has not come");
    return {data, data + bytes};
  }
  // get() waits.
  void wait(const std::vector<std::string>&) override {}
  void wait(const std::vector<std::string>&, const milliseconds&) override {}

 private:
  const GlooStore& store_;
};

// Gloo writes to sockets without MSG_NOSIGNAL: a client's thread must not get the signal of a peer that has gone. The
// threads of the library block all signals, so begin() does without.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() {
    const timespec at_once = {};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_;
};

// A device has a thread: communicators share those that are alive.
std::shared_ptr<gloo::transport::Device> DeviceOf(const std::string& address) {
  static auto* const mutex = new std::mutex;
  static auto* const devices = new std::map<std::string, std::weak_ptr<gloo::transport::Device>>;
  const std::lock_guard lock(*mutex);
  std::weak_ptr<gloo::transport::Device>& known = (*devices)[address];
  if (std::shared_ptr<gloo::transport::Device> alive = known.lock()) return alive;
  gloo::transport::tcp::attr attributes;
  attributes.hostname = address;
  // The thread takes no signals of the client.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::shared_ptr<gloo::transport::Device> made;
  std::exception_ptr failure;
  try {
    made = gloo::transport::tcp::CreateDevice(attributes);
  } catch (...) {
    failure = std::current_exception();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failure) std::rethrow_exception(failure);
  known = made;
  return made;
}

struct Mesh {
  std::shared_ptr<gloo::rendezvous::Context> context;
  char nothing[2] = {};
  // To each other rank, for its flush(): the thread of the device sends it when it has read all that came before.
  std::vector<Buffer> answers;
};

struct Transfer {
  Buffer buffer;
  bool sends;
};

void* Connect(const char* address, uint32_t rank, uint32_t ranks, int64_t limit_ms, const GlooStore* store, char* error,
              size_t error_bytes) {
  const NoBrokenPipe guard;
  try {
    auto mesh = std::make_unique<Mesh>();
    mesh->context = std::make_shared<gloo::rendezvous::Context>(static_cast<int>(rank), static_cast<int>(ranks));
    // Gloo allows a connection five times as long.
    mesh->context->setTimeout(milliseconds(std::max<int64_t>(limit_ms / 5, 100)));
    std::shared_ptr<gloo::transport::Device> device = DeviceOf(address);
    Store adapted(*store);
    mesh->context->connectFullMesh(adapted, device);
    for (uint32_t peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      mesh->answers.push_back(mesh->context->createUnboundBuffer(&mesh->nothing[0], 1));
      mesh->answers.back()->send(static_cast<int>(peer), kFlushTag);
    }
    return mesh.release();
  } catch (const std::exception& failure) {
    std::snprintf(error, error_bytes, "%s", failure.what());
  } catch (...) {
    std::snprintf(error, error_bytes, "unknown");
  }
  return nullptr;
}

void Flush(void* handle, int64_t limit_ms) {
  const NoBrokenPipe guard;
  auto* const mesh = static_cast<Mesh*>(handle);
  const auto end = std::chrono::steady_clock::now() + milliseconds(limit_ms);
  std::vector<Buffer> questions;
  for (int peer = 0; peer < mesh->context->size; ++peer) {
    if (peer == mesh->context->rank) continue;
    try {
      Buffer buffer = mesh->context->createUnboundBuffer(&mesh->nothing[1], 1);
      buffer->recv(peer, kFlushTag);
      questions.push_back(std::move(buffer));
    } catch (...) {
      // It has gone: there is nobody to wait for.
    }
  }
  for (const Buffer& buffer : questions) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    try {
      buffer->waitRecv(std::max(left, milliseconds(1)));
    } catch (...) {
      // As above.
    }
  }
}

void Close(void* mesh) {
  try {
    static_cast<Mesh*>(mesh)->context->closeConnections();
  } catch (...) {
    // They are closed when the mesh is released.
  }
}

void Release(void* mesh) { delete static_cast<Mesh*>(mesh); }

void* Begin(void* mesh, bool sends, uint32_t peer, uint64_t tag, void* data, size_t bytes) {
  try {
    auto transfer = std::make_unique<Transfer>();
    transfer->sends = sends;
    transfer->buffer = static_cast<Mesh*>(mesh)->context->createUnboundBuffer(data, bytes);
    if (sends)
      transfer->buffer->send(static_cast<int>(peer), tag);
    else
      transfer->buffer->recv(static_cast<int>(peer), tag);
    return transfer.release();
  } catch (...) {
    return nullptr;
  }
}

GlooEnd Wait(void* handle) {
  auto* const transfer = static_cast<Transfer*>(handle);
  try {
    const bool done = transfer->sends ? transfer->buffer->waitSend(kForEver) : transfer->buffer->waitRecv(kForEver);
    return done ? GlooEnd::kDone : GlooEnd::kEnded;
  } catch (...) {
    return GlooEnd::kLost;
  }
}

void EndWait(void* handle) {
  auto* const transfer = static_cast<Transfer*>(handle);
  if (transfer->sends)
    transfer->buffer->abortWaitSend();
  else
    transfer->buffer->abortWaitRecv();
}

void ReleaseTransfer(void* transfer) { delete static_cast<Transfer*>(transfer); }

}  // namespace
}  // namespace portacl::hccl

__attribute__((visibility("default"))) const portacl::hccl::GlooTable* PortaclGlooTable(void) {
  using namespace portacl::hccl;
  static constexpr GlooTable kTable = {kGlooTableVersion, Connect,        Flush, Close, Release, Begin, Wait,
                                       EndWait,           ReleaseTransfer};
  return &kTable;
}
