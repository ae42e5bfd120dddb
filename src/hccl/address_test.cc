// SPDX-License-Identifier: Apache-2.0
// Which of a host's addresses ranks use, and how data from a connection is read.
#include "hccl/address.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "hccl/wire.h"

namespace portacl::hccl {
namespace {

std::string Choose(const AddressWishes& wishes) {
  std::string why;
  const std::string address = ChooseAddress(wishes,
                                            {{"lo", "127.0.0.1", false},
                                             {"lo", "::1", true},
                                             {"eth1", "10.0.1.1", false},
                                             {"docker0", "172.17.0.1", false},
                                             {"eth0", "10.0.0.1", false},
                                             {"eth0", "fd00::1", true}},
                                            &why);
  EXPECT_EQ(address.empty(), !why.empty());
  return address;
}

TEST(Address, IsOfTheFirstInterfaceThatTheVariablesAllow) {
  const struct {
    AddressWishes wishes;
    const char* expected;
  } cases[] = {
      {{}, "10.0.0.1"},
      {{"192.0.2.7", "lo", "AF_INET6"}, "192.0.2.7"},
      {{"fd00::7", "", ""}, "fd00::7"},
      {{"a.host", "", ""}, ""},
      {{"", "", "AF_INET6"}, "fd00::1"},
      {{"", "eth1", ""}, "10.0.1.1"},
      {{"", "eth", ""}, "10.0.0.1"},
      {{"", "=eth", ""}, ""},
      {{"", "=eth1,lo", ""}, "10.0.1.1"},
      {{"", "^eth", ""}, "172.17.0.1"},
      {{"", "^eth,docker", ""}, "127.0.0.1"},
      {{"", "^=eth0,eth1", "AF_INET"}, "172.17.0.1"},
      {{"", "wlan,lo", "AF_INET6"}, "::1"},
      {{"", "eth1", "AF_INET6"}, ""},
  };
  for (const auto& each : cases)
    EXPECT_EQ(Choose(each.wishes), each.expected) << each.wishes.address << each.wishes.interfaces;
}

TEST(Address, IsOfDockersOrTheLoopbackWhereThereIsNoOther) {
  std::string why;
  EXPECT_EQ(ChooseAddress({}, {{"lo", "127.0.0.1", false}, {"docker0", "172.17.0.1", false}}, &why), "172.17.0.1");
  EXPECT_EQ(ChooseAddress({}, {{"lo", "127.0.0.1", false}}, &why), "127.0.0.1");
  EXPECT_EQ(ChooseAddress({}, {{"lo", "::1", true}}, &why), "::1");
  EXPECT_EQ(ChooseAddress({}, {}, &why), "");
}

struct Ends {
  Ends() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0); }
  int fds[2] = {-1, -1};
};

TEST(Frames, ArriveWholeHoweverTheirBytesCome) {
  Ends ends;
  FrameStream receiver(ends.fds[0], 1 << 20);
  {
    FrameStream sender(ends.fds[1], 0);
    ASSERT_TRUE(sender.Send(FrameKind::kSet, 7, std::string(10'000, 'x')));
    ASSERT_TRUE(sender.Send(FrameKind::kLeave, 8));
  }
  Frame frame;
  ASSERT_EQ(receiver.Next(&frame), FrameStream::Got::kFrame);
  EXPECT_EQ(frame.kind, FrameKind::kSet);
  EXPECT_EQ(frame.argument, 7u);
  EXPECT_EQ(frame.body, std::string(10'000, 'x'));
  ASSERT_EQ(receiver.Next(&frame), FrameStream::Got::kFrame);
  EXPECT_EQ(frame.kind, FrameKind::kLeave);
  EXPECT_EQ(receiver.Next(&frame), FrameStream::Got::kEnd);
}

TEST(Frames, OfAnotherKindOrLongerThanAllowedEndTheConnection) {
  FrameHeader good = {};
  {
    Ends ends;
    FrameStream sender(ends.fds[1], 0);
    ASSERT_TRUE(sender.Send(FrameKind::kLeave, 0));
    ASSERT_EQ(read(ends.fds[0], &good, sizeof(good)), static_cast<ssize_t>(sizeof(good)));
    close(ends.fds[0]);
  }
  FrameHeader magic = good, kind = good, length = good;
  magic.magic ^= 1;
  kind.kind = FrameKind::kCount;
  length.bytes = 101;
  for (const FrameHeader& header : {magic, kind, length}) {
    Ends ends;
    FrameStream receiver(ends.fds[0], 100);
    ASSERT_EQ(write(ends.fds[1], &header, sizeof(header)), static_cast<ssize_t>(sizeof(header)));
    Frame frame;
    EXPECT_EQ(receiver.Next(&frame), FrameStream::Got::kEnd);
    close(ends.fds[1]);
  }
}

TEST(Frames, AreWaitedForUntilTheLimit) {
  Ends ends;
  FrameStream receiver(ends.fds[0], 100);
  Frame frame;
  EXPECT_FALSE(WaitForFrame(receiver, &frame, std::chrono::steady_clock::now() + std::chrono::milliseconds(20)));
  close(ends.fds[1]);
  EXPECT_FALSE(WaitForFrame(receiver, &frame, std::nullopt));
}

}  // namespace
}  // namespace portacl::hccl
