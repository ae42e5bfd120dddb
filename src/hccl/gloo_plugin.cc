// SPDX-License-Identifier: Apache-2.0
// libportacl_gloo.so: the only part of the library that uses Gloo.
#include <dirent.h>
#include <fcntl.h>
#include <gloo/context.h>
#include <gloo/transport/context.h>
#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hccl/gloo_table.h"

namespace portacl::hccl {
namespace {

namespace tcp = gloo::transport::tcp;
using std::chrono::milliseconds;
using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

// No message of a communicator has this tag.
constexpr uint64_t kFlushTag = uint64_t{1} << 62;
// Gloo ends all connections of a mesh when a wait times out. So no wait has a limit: end_wait() ends them.
constexpr milliseconds kForEver = std::chrono::hours(24 * 365);

// Gloo writes to sockets without MSG_NOSIGNAL: a client's thread must not get the signal when a peer is gone. The
// threads of the library block all signals, so begin() does not need this class.
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

// A device has a thread; all communicators share one device while there are any. Gloo listens at its address for each
// pair only while OwnEnd() runs, and no other process can connect to it.
std::shared_ptr<gloo::transport::Device> TheDevice() {
  static auto* const mutex = new std::mutex;
  static auto* const known = new std::weak_ptr<gloo::transport::Device>;
  const std::lock_guard lock(*mutex);
  if (std::shared_ptr<gloo::transport::Device> alive = known->lock()) return alive;
  // The thread takes no signals of the client.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::shared_ptr<gloo::transport::Device> made;
  std::exception_ptr failure;
  for (const char* const loopback : {"127.0.0.1", "::1"}) {
    try {
      tcp::attr attributes;
      attributes.hostname = loopback;
      made = tcp::CreateDevice(attributes);
      break;
    } catch (...) {
      failure = std::current_exception();
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (made == nullptr) std::rethrow_exception(failure);
  *known = made;
  return made;
}

bool SameAddress(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family) return false;
  const auto& a4 = reinterpret_cast<const sockaddr_in&>(a);
  const auto& b4 = reinterpret_cast<const sockaddr_in&>(b);
  if (a.ss_family == AF_INET) return a4.sin_port == b4.sin_port && a4.sin_addr.s_addr == b4.sin_addr.s_addr;
  const auto& a6 = reinterpret_cast<const sockaddr_in6&>(a);
  const auto& b6 = reinterpret_cast<const sockaddr_in6&>(b);
  return a6.sin6_port == b6.sin6_port && std::memcmp(&a6.sin6_addr, &b6.sin6_addr, sizeof(a6.sin6_addr)) == 0;
}

// Returns true if the two sockets are the ends of one connection.
bool AreTwoEnds(int a, int b) {
  for (int turn = 0; turn < 2; ++turn, std::swap(a, b)) {
    sockaddr_storage own = {};
    sockaddr_storage other = {};
    socklen_t own_bytes = sizeof(own);
    socklen_t other_bytes = sizeof(other);
    if (getsockname(a, reinterpret_cast<sockaddr*>(&own), &own_bytes) != 0 ||
        getpeername(b, reinterpret_cast<sockaddr*>(&other), &other_bytes) != 0 || !SameAddress(own, other))
      return false;
  }
  return true;
}

// Returns a descriptor of this process for which the predicate holds; -1 when there is none.
template <class Predicate>
int FindDescriptor(const Predicate& is_like_that) {
  const std::unique_ptr<DIR, int (*)(DIR*)> descriptors(opendir("/proc/self/fd"), &closedir);
  while (const dirent* const entry = descriptors == nullptr ? nullptr : readdir(descriptors.get())) {
    const int fd = std::atoi(entry->d_name);
    if (is_like_that(fd)) return fd;
  }
  return -1;
}

int FindListener(const sockaddr_storage& at) {
  return FindDescriptor([&at](int fd) {
    int listens = 0;
    sockaddr_storage own = {};
    socklen_t bytes = sizeof(listens);
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0) return false;
    bytes = sizeof(own);
    return getsockname(fd, reinterpret_cast<sockaddr*>(&own), &bytes) == 0 && SameAddress(own, at);
  });
}

// Stops the thread of the device while an object of this class lives.
class Pause final : public tcp::Handler {
 public:
  explicit Pause(tcp::Device& device) : device_(device), fd_(eventfd(1, EFD_CLOEXEC)) {
    if (fd_ < 0) throw std::runtime_error("the system refused a file descriptor (ulimit -n limits them)");
    device_.registerDescriptor(fd_, EPOLLIN, this);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stands_; });
  }
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() override {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    device_.unregisterDescriptor(fd_, this);
    ::close(fd_);
    // The device has left handleEvents(). The lock proves that to tools that cannot see Gloo's locks.
    const std::lock_guard lock(mutex_);
  }

  void handleEvents(int) override {
    std::unique_lock lock(mutex_);
    stands_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_over_; });
  }

 private:
  tcp::Device& device_;
  const int fd_;
  std::mutex mutex_;  // guards all members below
  std::condition_variable changed_;
  bool stands_ = false;
  bool is_over_ = false;
};

// Binds the socket to a free port of that address.
bool BindBeside(const sockaddr_storage& address, int socket, sockaddr_storage* bound) {
  *bound = address;
  reinterpret_cast<sockaddr_in*>(bound)->sin_port = 0;  // is at the same offset in IPv6
  socklen_t bytes = sizeof(*bound);
  return bind(socket, reinterpret_cast<const sockaddr*>(bound), sizeof(*bound)) == 0 &&
         getsockname(socket, reinterpret_cast<sockaddr*>(bound), &bytes) == 0;
}

// The other end of a connection that a pair of Gloo is about to accept; no other process can connect to that pair.
class OwnEnd {
 public:
  // The device is paused, so it has accepted no connection yet.
  OwnEnd(gloo::transport::Pair& pair, tcp::Device& device) {
    const sockaddr_storage gloos = tcp::Address(pair.address().bytes()).getSockaddr();
    const int place = FindListener(gloos);
    auto* const handler = dynamic_cast<tcp::Handler*>(&pair);
    if (place < 0 || handler == nullptr) throw std::runtime_error("Gloo is of another version");
    socket_ = ::socket(gloos.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int listener = ::socket(gloos.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_storage to = {};
    const bool done = Listen(listener, gloos, &to) && dup3(listener, place, O_CLOEXEC) >= 0;
    ::close(listener);
    if (done) device.registerDescriptor(place, EPOLLIN, handler);
    if (done && ::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0) return;
    ::close(socket_);
    throw std::runtime_error("this process cannot connect with itself");
  }
  OwnEnd(OwnEnd&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  OwnEnd& operator=(OwnEnd&&) = delete;
  ~OwnEnd() {
    if (socket_ >= 0) ::close(socket_);
  }

  int FindGloos() const {
    return FindDescriptor([this](int fd) { return AreTwoEnds(socket_, fd); });
  }

 private:
  // The filter accepts only segments from the port of socket_, and is set before any connection can be made.
  bool Listen(int listener, const sockaddr_storage& gloos, sockaddr_storage* to) {
    sockaddr_storage own = {};
    if (!BindBeside(gloos, socket_, &own) || !BindBeside(gloos, listener, to)) return false;
    sock_filter code[] = {{BPF_LD | BPF_H | BPF_ABS, 0, 0, 0},
                          {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, ntohs(reinterpret_cast<const sockaddr_in&>(own).sin_port)},
                          {BPF_RET | BPF_K, 0, 0, UINT32_MAX},
                          {BPF_RET | BPF_K, 0, 0, 0}};
    const sock_fprog filter = {4, code};
    return setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) == 0 && listen(listener, 1) == 0;
  }

  int socket_ = -1;
};

// Gloo treats the first connection as the peer, and trusts its data. So it first gets a connection of this process with
// itself, which is then replaced by the connection with the peer.
class MeshContext final : public gloo::Context {
 public:
  MeshContext(uint32_t self, uint32_t ranks, int* sockets)
      : gloo::Context(static_cast<int>(self), static_cast<int>(ranks)) {
    device_ = TheDevice();
    transportContext_ = device_->createContext(rank, size);
    transportContext_->setTimeout(getTimeout());  // not used, but Gloo does not set it by default
    std::vector<OwnEnd> ends;
    {
      auto& device = static_cast<tcp::Device&>(*device_);
      const Pause pause(device);
      for (int peer = 0; peer < size; ++peer) {
        if (peer != rank) ends.emplace_back(*transportContext_->createPair(peer), device);
      }
    }
    auto end = ends.begin();
    for (int peer = 0; peer < size; ++peer) {
      if (peer == rank) continue;
      Replace(*transportContext_->getPair(peer), *end++, sockets[peer]);
      ::close(std::exchange(sockets[peer], -1));
    }
  }

 private:
  void Replace(gloo::transport::Pair& pair, const OwnEnd& end, int socket) {
    // The pair with the lower address listens, and no address is above this one.
    sockaddr_storage above = tcp::Address(pair.address().bytes()).getSockaddr();
    if (above.ss_family == AF_INET)
      reinterpret_cast<sockaddr_in&>(above).sin_addr.s_addr = INADDR_BROADCAST;
    else
      std::memset(&reinterpret_cast<sockaddr_in6&>(above).sin6_addr, 0xff, sizeof(in6_addr));
    pair.connect(tcp::Address(above).bytes());  // waits until the device has accepted
    auto& device = static_cast<tcp::Device&>(*device_);
    auto* const handler = dynamic_cast<tcp::Handler*>(&pair);
    const int gloos = end.FindGloos();
    if (gloos < 0) throw std::runtime_error("Gloo is of another version");
    device.unregisterDescriptor(gloos, handler);
    const bool is_in_place = dup3(socket, gloos, O_CLOEXEC) >= 0;
    device.registerDescriptor(gloos, EPOLLIN, handler);
    if (!is_in_place) throw std::runtime_error("a socket cannot be copied");
  }
};

struct Mesh {
  std::shared_ptr<MeshContext> context;
  char nothing[2] = {};
  // One message to each other rank, which answers its flush(): the thread of the device sends it after it has read all
  // earlier messages.
  std::vector<Buffer> answers;
};

struct Transfer {
  Buffer buffer;
  bool sends;
};

void* Connect(uint32_t rank, uint32_t ranks, int* sockets, char* error, size_t error_bytes) {
  const NoBrokenPipe guard;
  try {
    auto mesh = std::make_unique<Mesh>();
    mesh->context = std::make_shared<MeshContext>(rank, ranks, sockets);
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
  for (uint32_t peer = 0; peer < ranks; ++peer) {
    if (sockets[peer] >= 0) ::close(std::exchange(sockets[peer], -1));
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
      // The rank is gone: there is no reader to wait for.
    }
  }
  for (const Buffer& buffer : questions) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
    try {
      buffer->waitRecv(std::max(left, milliseconds(1)));
    } catch (...) {
      // The rank is gone.
    }
  }
}

void Close(void* mesh) {
  try {
    static_cast<Mesh*>(mesh)->context->closeConnections();
  } catch (...) {
    // The connections are closed when the mesh is released.
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
