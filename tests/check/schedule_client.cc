// SPDX-License-Identifier: Apache-2.0
// schedule_client CASE: programs that lack a necessary order. Each prints its result, which is 1 if the tasks happen to
// run in the right order.
#include <cstdint>

#include "check_client.h"

namespace check_client {
namespace {

int FirstByte(const void* data) { return *static_cast<const volatile unsigned char*>(data); }

void Fill(const Memory& memory, int value, const Stream& stream) {
  Expect(aclrtMemsetAsync(memory.data, kBytes, value, kBytes, stream.handle));
}

void Copy(void* to, const void* from, const Stream& stream) {
  Expect(aclrtMemcpyAsync(to, kBytes, from, kBytes, ACL_MEMCPY_DEFAULT, stream.handle));
}

int FirstByteOf(const Memory& memory) {
  int result = 0;
  Expect(aclrtMemcpy(&result, 1, memory.data, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  return result;
}

// The host reads a result without waiting for it.
int ReadsTooEarly() {
  const Memory device;
  const PinnedMemory host;
  std::memset(host.data, 0, kBytes);
  const Stream stream;
  Fill(device, 1, stream);
  Copy(host.data, device.data, stream);
  return FirstByte(host.data);
}

// A stream reads memory that another stream writes.
int ForgetsTheEvent() {
  const Memory from, to;
  const Stream first, second;
  Expect(aclrtMemset(from.data, kBytes, 0, kBytes));
  Fill(from, 1, first);
  Copy(to.data, from.data, second);
  Expect(aclrtSynchronizeDevice());
  return FirstByteOf(to);
}

// The host overwrites its buffer while a copy may still read it.
int ReusesTheBuffer() {
  const Memory device;
  const PinnedMemory host;
  const Stream stream;
  std::memset(host.data, 1, kBytes);
  Copy(device.data, host.data, stream);
  std::memset(host.data, 2, kBytes);
  Expect(aclrtSynchronizeStream(stream.handle));
  return FirstByteOf(device);
}

// The event is recorded before the task that it should follow.
int RecordsTooEarly() {
  const Memory from, to;
  const Stream first, second;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateEvent(&event));
  Expect(aclrtMemset(from.data, kBytes, 0, kBytes));
  Expect(aclrtRecordEvent(event, first.handle));
  Fill(from, 1, first);
  Expect(aclrtStreamWaitEvent(second.handle, event));
  Copy(to.data, from.data, second);
  Expect(aclrtSynchronizeDevice());
  Expect(aclrtDestroyEvent(event));
  return FirstByteOf(to);
}

// One stream writes to memory that another one still reads.
int OverwritesTooEarly() {
  const Memory from, to;
  const Stream first, second;
  Expect(aclrtMemset(from.data, kBytes, 1, kBytes));
  Copy(to.data, from.data, first);
  Fill(from, 2, second);
  Expect(aclrtSynchronizeDevice());
  return FirstByteOf(to);
}

constexpr struct {
  const char* name;
  int (*run)();
} kCases[] = {{"reads-too-early", ReadsTooEarly},
              {"forgets-the-event", ForgetsTheEvent},
              {"reuses-the-buffer", ReusesTheBuffer},
              {"records-too-early", RecordsTooEarly},
              {"overwrites-too-early", OverwritesTooEarly}};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  check_client::Expect(aclrtSetDevice(0));
  for (const auto& each : check_client::kCases) {
    if (std::strcmp(each.name, argv[1]) == 0) std::printf("%d\n", each.run());
  }
  check_client::Expect(aclrtResetDevice(0));
  return 0;
}
