// SPDX-License-Identifier: Apache-2.0
// Data that other processes may send to the ranks of a communicator: any bytes as frames, to the server of a root, as a
// root info, in the memory that ranks of a host share, and as small messages. The first byte selects the kind.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "hccl/hccl.h"
#include "hccl/memory_link.h"
#include "hccl/socket_link.h"
#include "hccl/wire.h"

namespace {

using namespace portacl::hccl;

constexpr size_t kAddressBytes = 64;
constexpr size_t kPortPlace = 96;

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  template <class T>
  T Take() {
    T value = {};
    const size_t bytes = std::min(sizeof(value), size_);
    if (bytes != 0) std::memcpy(&value, data_, bytes);
    Skip(bytes);
    return value;
  }
  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }
  void Skip(size_t bytes) { data_ += bytes, size_ -= bytes; }

 private:
  const uint8_t* data_;
  size_t size_;
};

void Check(bool holds) {
  if (!holds) std::abort();
}

const HcclRootInfo& TheRoot() {
  static const HcclRootInfo root = [] {
    HcclRootInfo made;
    Check(HcclGetRootInfo(&made) == HCCL_SUCCESS);
    return made;
  }();
  return root;
}

// Adds a valid header, so that bodies are reached, or none.
std::string WithHeader(Bytes& bytes) {
  std::string text;
  if (bytes.Take<uint8_t>() % 4 != 0) {
    const auto kind = static_cast<FrameKind>(bytes.Take<uint8_t>() % 12);
    const FrameHeader header = {0x46434150, kind, 0, bytes.Take<uint8_t>(), static_cast<uint32_t>(bytes.size())};
    text.assign(reinterpret_cast<const char*>(&header), sizeof(header));
  }
  return text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void AsFrames(Bytes bytes) {
  constexpr size_t kMostBytes = 64;
  int ends[2];
  Check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  FrameStream stream(ends[0], kMostBytes);
  const std::string text = WithHeader(bytes);
  Check(send(ends[1], text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  close(ends[1]);
  Frame frame;
  FrameStream::Got got;
  while ((got = stream.Next(&frame)) == FrameStream::Got::kFrame) {
    Check(frame.body.size() <= kMostBytes && frame.kind < FrameKind::kCount);
  }
  Check(got == FrameStream::Got::kEnd);
}

// The server is a thread of this process. If the bytes have the key, a rank joins, and the rest is sent as a member.
void ToTheServer(Bytes bytes) {
  const HcclRootInfo& root = TheRoot();
  uint32_t port = 0;
  std::memcpy(&port, root.internal + kPortPlace, sizeof(port));
  int fd = -1;
  // After thousands of connections per second, the system still holds their ports.
  while ((fd = ConnectTo(root.internal, static_cast<uint16_t>(port), std::nullopt)) < 0 && errno == EADDRNOTAVAIL)
    usleep(1000);
  if (fd < 0) std::perror("connect");
  Check(fd >= 0);
  std::string text;
  if (bytes.Take<uint8_t>() % 2 == 0) {
    JoinRequest request = {kJoinVersion, 2, bytes.Take<uint8_t>() % 3u, 0, {}, {}, 0};
    std::memcpy(request.key.data(), root.internal + kAddressBytes + 16, request.key.size());
    const FrameHeader header = {0x46434150, FrameKind::kJoin, 0, 0, sizeof(request)};
    text.append(reinterpret_cast<const char*>(&header), sizeof(header));
    text.append(reinterpret_cast<const char*>(&request), sizeof(request));
  }
  text += WithHeader(bytes);
  send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  // Waits until the server has read all: it then closes the connection, or does not answer.
  shutdown(fd, SHUT_WR);
  char answer[4096];
  ssize_t got = 0;
  while ((got = recv(fd, answer, sizeof(answer), 0)) > 0 || (got < 0 && errno == EAGAIN)) usleep(10);
  close(fd);
}

// Changes the bytes of a root info of this process. Its address is kept, so that no other host is contacted.
void AsRootInfo(Bytes bytes) {
  HcclRootInfo root = TheRoot();
  while (bytes.size() > 2) {
    const size_t place = kAddressBytes + bytes.Take<uint8_t>() % 36;
    root.internal[place] = static_cast<char>(bytes.Take<uint8_t>());
  }
  if (std::memcmp(root.internal + kPortPlace, TheRoot().internal + kPortPlace, sizeof(uint32_t)) != 0)
    std::memset(root.internal + kPortPlace, 0, sizeof(uint32_t));
  if (std::memcmp(&root, &TheRoot(), sizeof(root)) == 0) return;  // the root info would be used up
  HcclComm comm = nullptr;
  Check(HcclCommInitRootInfo(1, &root, 0, &comm) != HCCL_SUCCESS && comm == nullptr);
}

// Rank 0 waits for messages while another process writes arbitrary data in the place of rank 1.
void InSharedMemory(Bytes bytes) {
  std::unique_ptr<Inbox> own = Inbox::Make(2);
  std::unique_ptr<Inbox> others = Inbox::Make(2);
  Check(own != nullptr && others != nullptr);
  Inbox& inbox = *own;
  InboxSlot& back = others->slot(0);
  std::vector<std::unique_ptr<Inbox>> inboxes(2);
  inboxes[0] = std::move(own), inboxes[1] = std::move(others);
  MemoryLink link({0, 1}, 2, 0, std::move(inboxes));
  // Separate blocks, so that an access beyond their end is detected.
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::vector<std::unique_ptr<MemoryLink::Message>> messages;
  uint64_t written = 0;
  while (bytes.size() != 0 && messages.size() < 8) {
    switch (bytes.Take<uint8_t>() % 5) {
      case 0: {
        const size_t size = bytes.Take<uint8_t>();
        blocks.push_back(std::make_unique<std::byte[]>(size));
        const bool sends = bytes.Take<uint8_t>() % 2 == 0;
        messages.push_back(std::make_unique<MemoryLink::Message>(
            MemoryLink::Message{sends, 1, bytes.Take<uint8_t>() % 4u, blocks.back().get(), size}));
        link.Begin(*messages.back());
        break;
      }
      case 1: {
        const struct {
          uint64_t tag, bytes;
        } header = {bytes.Take<uint8_t>() % 4u, bytes.Take<uint8_t>()};
        std::memcpy(inbox.ring(1) + written / 16 * 16 % inbox.ring_bytes(), &header, sizeof(header));
        written += sizeof(header) + (header.bytes + 15) / 16 * 16;
        inbox.slot(1).written = written;
        break;
      }
      case 2: {
        std::byte* const place = inbox.ring(1) + bytes.Take<uint16_t>() % (inbox.ring_bytes() - 64);
        const size_t size = std::min<size_t>(bytes.size(), 64);
        if (size != 0) std::memcpy(place, bytes.data(), size);
        bytes.Skip(size);
        break;
      }
      case 3:
        inbox.slot(1).written = written = bytes.Take<uint64_t>();
        break;
      default:
        back.read = bytes.Take<uint64_t>();
        inbox.slot(1).state = static_cast<RankState>(bytes.Take<uint8_t>() % 8);
        inbox.slot(1).reason_bytes = bytes.Take<uint32_t>();
        break;
    }
    for (const auto& message : messages) link.Wait(*message, std::chrono::steady_clock::time_point{});
  }
  for (const auto& message : messages) link.TakeBack(*message);
  Check(link.Reason().size() <= kMostReasonBytes);
}

// Rank 0 waits for messages while another process sends arbitrary data in the place of rank 1.
void AsSmallMessages(Bytes bytes) {
  int ends[2];
  Check(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  SocketLink link({-1, ends[0]}, std::chrono::microseconds(0));
  std::vector<std::unique_ptr<std::byte[]>> blocks;
  std::vector<std::unique_ptr<SocketLink::Message>> messages;
  while (bytes.size() != 0 && messages.size() < 8) {
    if (bytes.Take<uint8_t>() % 2 == 0) {
      const size_t size = bytes.Take<uint8_t>();
      const bool sends = bytes.Take<uint8_t>() % 2 == 0;
      blocks.push_back(std::make_unique<std::byte[]>(size));
      messages.push_back(std::make_unique<SocketLink::Message>(
          SocketLink::Message{sends, 1, bytes.Take<uint8_t>() % 4u, blocks.back().get(), size}));
      link.Begin(*messages.back());
    } else {
      const struct {
        uint64_t tag;
        uint32_t magic, bytes;
      } header = {bytes.Take<uint8_t>() % 4u, 0x4d434150u + (bytes.Take<uint8_t>() == 0), bytes.Take<uint16_t>()};
      const size_t size = std::min<size_t>(bytes.size(), header.bytes);
      send(ends[1], &header, sizeof(header), MSG_NOSIGNAL);
      if (size != 0) send(ends[1], bytes.data(), size, MSG_NOSIGNAL);
      bytes.Skip(size / 2);
    }
    for (const auto& message : messages) link.Wait(*message, std::chrono::steady_clock::time_point{});
  }
  for (const auto& message : messages) link.TakeBack(*message);
  link.Close();
  close(ends[1]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  switch (bytes.Take<uint8_t>() % 5) {
    case 0:
      AsFrames(bytes);
      break;
    case 1:
      ToTheServer(bytes);
      break;
    case 2:
      AsRootInfo(bytes);
      break;
    case 3:
      InSharedMemory(bytes);
      break;
    default:
      AsSmallMessages(bytes);
      break;
  }
  return 0;
}
