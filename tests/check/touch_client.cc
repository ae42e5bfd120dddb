// SPDX-License-Identifier: Apache-2.0
// touch_client CASE faulty|right: the host accesses memory through its address.
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "check_client.h"

namespace check_client {
namespace {

volatile float g_sum;
volatile char g_byte;

void DeviceRead(bool right) {
  Block device;
  // there device-read
  Expect(aclrtMalloc(&device.data, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  float host[kCount];
  if (right) {
    Expect(aclrtMemcpy(host, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
    g_sum = host[7];
  } else {
    // here device-read
    g_sum = static_cast<const volatile float*>(device.data)[7];
  }
}

void DeviceWritten(bool right) {
  Block device;
  // there device-written
  Expect(aclrtMalloc(&device.data, 16 * kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  float host[kCount] = {};
  if (right) {
    Expect(aclrtMemcpy(device.data, kBytes, host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  } else {
    auto* const numbers = static_cast<volatile float*>(device.data);
    for (int i = 0; i < kCount; ++i) {
      // here device-written
      numbers[i] = host[i];
    }
  }
}

// Accessed in a function of the C library, after a kernel had opened the pages.
void DeviceCopied(bool right) {
  Block x;
  // there device-copied
  Expect(aclrtMalloc(&x.data, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  const Memory y;
  const Stream stream;
  Expect(aclrtMemset(x.data, kBytes, 0, kBytes));
  aclTensor* const in = MakeTensor(x.data);
  aclTensor* const out = MakeTensor(y.data);
  Expect(aclnnAdd(nullptr, 0, PlanAdd(in, out), stream.handle));
  aclDestroyTensor(in);
  aclDestroyTensor(out);
  Expect(aclrtSynchronizeStream(stream.handle));
  static char host[kBytes];
  volatile size_t bytes = kBytes;  // volatile, or the compiler would copy without a call
  if (right) {
    Expect(aclrtMemcpy(host, bytes, x.data, bytes, ACL_MEMCPY_DEVICE_TO_HOST));
  } else {
    // here device-copied
    std::memcpy(host, x.data, bytes);
  }
  g_byte = host[5];
}

struct Download {
  Download() { Expect(aclrtMemset(device.data, kBytes, 0, kBytes)); }

  void Queue() const {
    // there target-read
    Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  }

  const Memory device;
  const PinnedMemory host;
  const Stream stream;
};

void TargetRead(bool right) {
  const Download download;
  download.Queue();
  if (right) Expect(aclrtSynchronizeStream(download.stream.handle));
  // here target-read
  g_sum = static_cast<const volatile float*>(download.host.data)[kCount - 1];
  Expect(aclrtSynchronizeStream(download.stream.handle));
  g_sum = static_cast<const volatile float*>(download.host.data)[kCount - 1];
}

// Two copies, and a wait for the event of the first one.
void TargetWritten(bool right) {
  const Download download;
  const PinnedMemory other;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateEvent(&event));
  download.Queue();
  if (!right) Expect(aclrtRecordEvent(event, download.stream.handle));
  // there target-written
  Expect(aclrtMemcpyAsync(other.data, kBytes, download.device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST,
                          download.stream.handle));
  if (right) Expect(aclrtRecordEvent(event, download.stream.handle));
  Expect(aclrtSynchronizeEvent(event));
  g_sum = static_cast<const volatile float*>(download.host.data)[3];
  // here target-written
  static_cast<volatile float*>(other.data)[0] = 1;
  Expect(aclrtSynchronizeStream(download.stream.handle));
  Expect(aclrtDestroyEvent(event));
}

// Correct programs that resemble the mistakes. ------------------------------------------------------------------------

// Accesses another part of the block, and the source of a copy.
void OtherParts() {
  constexpr size_t kBig = size_t{1} << 20;
  const Memory device(kBig);
  const Stream stream;
  void* host = nullptr;
  Expect(aclrtMallocHost(&host, kBig));
  auto* const bytes = static_cast<char*>(host);
  std::memset(bytes, 1, kBig);
  Expect(aclrtMemcpyAsync(device.data, kBig, host, kBig, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle));
  g_byte = bytes[kBig / 2];
  Expect(aclrtMemcpyAsync(bytes + 64, kBig, device.data, kBig / 2, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  g_byte = bytes[0];
  g_byte = bytes[64 + kBig / 2];
  Expect(aclrtSynchronizeStream(stream.handle));
  std::memset(bytes, 2, kBig);
  Expect(aclrtFreeHost(host));
}

// Downloads and uploads through one buffer, in the order of one stream.
void ThereAndBack() {
  const Download download;
  const Memory copy;
  std::memset(download.host.data, 1, kBytes);
  download.Queue();
  Expect(aclrtMemcpyAsync(copy.data, kBytes, download.host.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE,
                          download.stream.handle));
  Expect(aclrtSynchronizeStream(download.stream.handle));
  g_sum = static_cast<const volatile float*>(download.host.data)[0];
}

// The host changes the source of a copy after it has waited for the copy's event, but before it waits for the stream.
void SourceAfterEvent() {
  const Memory device;
  const PinnedMemory host;
  const Stream stream;
  aclrtEvent event = nullptr;
  Expect(aclrtCreateEvent(&event));
  std::memset(host.data, 1, kBytes);
  Expect(aclrtMemcpyAsync(device.data, kBytes, host.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle));
  Expect(aclrtRecordEvent(event, stream.handle));
  Expect(aclrtSynchronizeEvent(event));
  std::memset(host.data, 2, kBytes);
  Expect(aclrtSynchronizeStream(stream.handle));
  Expect(aclrtDestroyEvent(event));
}

// Values in memory that a thread of the library reads while its stream waits.
void Signals() {
  const Memory number;
  const Stream first, second;
  Expect(aclrtMemset(number.data, kBytes, 0, kBytes));
  Expect(aclrtValueWait(number.data, 1, 0, second.handle));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Expect(aclrtValueWrite(number.data, 1, 0, first.handle));
  Expect(aclrtSynchronizeStream(second.handle));
  Expect(aclrtSynchronizeStream(first.handle));
}

// The host waits for one stream, which waits for the other one.
void ToldByNotify() {
  const Download download;
  const Stream other;
  aclrtNotify notify = nullptr;
  Expect(aclrtCreateNotify(&notify, 0));
  download.Queue();
  Expect(aclrtRecordNotify(notify, download.stream.handle));
  Expect(aclrtWaitAndResetNotify(notify, other.handle, 0));
  Expect(aclrtSynchronizeStream(other.handle));
  g_sum = static_cast<const volatile float*>(download.host.data)[0];
  Expect(aclrtDestroyNotify(notify));
}

// A function that the stream calls signals the host.
void ToldByFunction() {
  const Download download;
  static std::atomic<bool> over;
  download.Queue();
  Expect(aclrtLaunchHostFunc(
      download.stream.handle,
      [](void* data) {
        g_sum = static_cast<const volatile float*>(data)[0];
        over.store(true);
      },
      download.host.data));
  while (!over.load()) std::this_thread::yield();
  g_sum = static_cast<const volatile float*>(download.host.data)[1];
}

// A child of fork() may access the memory of its parent.
void Forks() {
  const Download download;
  download.Queue();
  const pid_t child = fork();
  if (child == 0) {
    g_sum = static_cast<const volatile float*>(download.host.data)[0];
    g_sum = static_cast<const volatile float*>(download.device.data)[0];
    _exit(7);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) Expect(1);
}

char* g_closed = nullptr;

// A program's own faults are still handled by the program.
void OwnFault(bool handled) {
  const Memory device;
  Expect(aclrtMemset(device.data, kBytes, 0, kBytes));
  g_closed = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  g_byte = g_closed[0];
  if (!handled || g_closed[0] != 0) Expect(1);
  munmap(g_closed, 4096);
}

void OpenOwn(int) { mprotect(g_closed, 4096, PROT_READ); }

// More blocks than can be guarded, freed in another order and allocated again.
void ManyBlocks() {
  constexpr size_t kMany = 9000;
  static void* blocks[kMany];
  for (int round = 0; round < 2; ++round) {
    for (void*& block : blocks) Expect(aclrtMalloc(&block, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    for (void* block : blocks) Expect(aclrtMemset(block, 100, 0, 100));
    std::reverse(std::begin(blocks), std::end(blocks));
    for (void* block : blocks) Expect(aclrtFree(block));
  }
}

constexpr Case kCases[] = {
    {"device-read", DeviceRead}, {"device-written", DeviceWritten}, {"device-copied", DeviceCopied},
    {"target-read", TargetRead}, {"target-written", TargetWritten},
};

constexpr struct {
  const char* name;
  void (*run)();
} kRight[] = {
    {"other-parts", OtherParts},
    {"there-and-back", ThereAndBack},
    {"source-after-event", SourceAfterEvent},
    {"signals", Signals},
    {"told-by-function", ToldByFunction},
    {"told-by-notify", ToldByNotify},
    {"forks", Forks},
    {"many-blocks", ManyBlocks},
    {"own-fault", [] { OwnFault(true); }},
};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) {
  using namespace check_client;
  if (argc != 3) return 2;
  if (std::strcmp(argv[1], "own-fault") == 0) signal(SIGSEGV, &OpenOwn);
  Expect(aclrtSetDevice(0));
  for (const auto& each : kCases) {
    if (std::strcmp(each.name, argv[1]) == 0) each.run(std::strcmp(argv[2], "right") == 0);
  }
  for (const auto& each : kRight) {
    if (std::strcmp(each.name, argv[1]) == 0) each.run();
  }
  if (std::strcmp(argv[1], "own-end") == 0) OwnFault(false);
  Expect(aclrtResetDevice(0));
  return 0;
}
