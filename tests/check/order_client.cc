// SPDX-License-Identifier: Apache-2.0
// order_client CASE faulty|right: functions of the host, callbacks, notifies, and the tasks after them. Each step waits
// for the one before, so that every run is the same.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "check_client.h"

namespace check_client {
namespace {

volatile char g_byte;

class Gate {
 public:
  void Open() { is_open_.store(true); }
  void Wait() const {
    while (!is_open_.load()) std::this_thread::yield();
  }

 private:
  std::atomic<bool> is_open_{false};
};

// A function that signals when it runs, and waits for a signal before it returns.
struct Stop {
  Gate runs, goes_on;
  void Queue(const Stream& stream) {
    Expect(aclrtLaunchHostFunc(
        stream.handle,
        [](void* data) {
          auto* const self = static_cast<Stop*>(data);
          self->runs.Open();
          self->goes_on.Wait();
        },
        this));
  }
};

// A stream that is blocked in its second function, which begins only after all tasks were queued.
struct Halted {
  void Queue() {
    first.Queue(stream);
    second.Queue(stream);
  }
  void Halt() {
    first.goes_on.Open();
    second.runs.Wait();
  }
  void GoOn() {
    second.goes_on.Open();
    Expect(aclrtSynchronizeStream(stream.handle));
  }
  Stream stream;
  Stop first, second;
};

void FreedBehindFunction(bool right) {
  Memory device;
  Halted halted;
  halted.Queue();
  // there freed-behind-function
  Expect(aclrtMemsetAsync(device.data, kBytes, 1, kBytes, halted.stream.handle));
  halted.Halt();
  if (right) halted.GoOn();
  // here freed-behind-function
  Expect(aclrtFree(device.data));
  device.data = nullptr;
  if (!right) halted.GoOn();
}

void ReadBehindFunction(bool right) {
  const Memory device;
  Halted halted;
  halted.Queue();
  // there read-behind-function
  Expect(aclrtMemsetAsync(device.data, kBytes, 1, kBytes, halted.stream.handle));
  halted.Halt();
  if (right) halted.GoOn();
  char host[kBytes];
  // here read-behind-function
  Expect(aclrtMemcpy(host, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
  if (!right) halted.GoOn();
}

void TargetBehindFunction(bool right) {
  const Memory device;
  const PinnedMemory host;
  Halted halted;
  Expect(aclrtMemset(device.data, kBytes, 1, kBytes));
  halted.Queue();
  // there target-behind-function
  Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, halted.stream.handle));
  halted.Halt();
  if (right) halted.GoOn();
  // here target-behind-function
  g_byte = static_cast<const volatile char*>(host.data)[5];
  if (!right) halted.GoOn();
}

void SourceBehindFunction(bool right) {
  const Memory device;
  const PinnedMemory host;
  Halted halted;
  std::memset(host.data, 1, kBytes);
  halted.Queue();
  // there source-behind-function
  Expect(aclrtMemcpyAsync(device.data, kBytes, host.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, halted.stream.handle));
  halted.Halt();
  if (right) halted.GoOn();
  // here source-behind-function
  static_cast<volatile char*>(host.data)[5] = 2;
  if (!right) halted.GoOn();
}

// A function fills the source of the copy after it.
void FilledByFunction(bool) {
  const Memory device;
  const PinnedMemory host;
  Halted halted;
  std::memset(host.data, 1, kBytes);
  halted.Queue();
  Expect(aclrtLaunchHostFunc(halted.stream.handle, [](void* data) { std::memset(data, 2, kBytes); }, host.data));
  Expect(aclrtMemcpyAsync(device.data, kBytes, host.data, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, halted.stream.handle));
  halted.Halt();
  halted.GoOn();
  unsigned char byte = 0;
  Expect(aclrtMemcpy(&byte, 1, device.data, 1, ACL_MEMCPY_DEVICE_TO_HOST));
  if (byte != 2) Expect(1);
}

// A thread that runs the callbacks of streams.
class CallbackThread {
 public:
  explicit CallbackThread(const Stream& stream, bool functions) : stream_(stream), functions_(functions) {
    thread_ = std::thread([this] {
      Expect(aclrtSetDevice(0));
      goes_.Wait();
      while (!ends_.load()) {
        if (functions_)
          static_cast<void>(aclrtProcessHostFunc(10));
        else
          static_cast<void>(aclrtProcessReport(10));
      }
    });
    number_ = static_cast<uint64_t>(thread_.native_handle());
    Expect(functions ? aclrtSubscribeHostFunc(number_, stream.handle) : aclrtSubscribeReport(number_, stream.handle));
  }
  ~CallbackThread() {
    Expect(functions_ ? aclrtUnSubscribeHostFunc(number_, stream_.handle)
                      : aclrtUnSubscribeReport(number_, stream_.handle));
    ends_.store(true);
    thread_.join();
  }
  CallbackThread(const CallbackThread&) = delete;
  CallbackThread& operator=(const CallbackThread&) = delete;

  void Queue(aclrtCallback function, void* data) const {
    Expect(functions_ ? aclrtLaunchHostFunc(stream_.handle, function, data)
                      : aclrtLaunchCallback(function, data, ACL_CALLBACK_BLOCK, stream_.handle));
  }
  void Go() { goes_.Open(); }

 private:
  const Stream& stream_;
  const bool functions_;
  Gate goes_;
  std::atomic<bool> ends_{false};
  uint64_t number_ = 0;
  std::thread thread_;
};

// Two copies into one buffer, each followed by a callback that reads the buffer: through its address, in a call, and in
// a system call.
void ReadInTurns(bool functions) {
  const Memory device, copy;
  const PinnedMemory host;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 1, kBytes));
  CallbackThread thread(stream, functions);
  for (int i = 0; i < 2; ++i) {
    Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
    thread.Queue(
        [](void* data) {
          g_byte = static_cast<const volatile char*>(data)[100];
          char mine[kBytes];
          Expect(aclrtMemcpy(mine, kBytes, data, kBytes, ACL_MEMCPY_HOST_TO_HOST));
          int ends[2];
          Expect(pipe(ends));
          if (write(ends[1], data, kBytes) != static_cast<ssize_t>(kBytes)) Expect(1);
          close(ends[0]);
          close(ends[1]);
        },
        host.data);
  }
  thread.Go();
  Expect(aclrtSynchronizeStream(stream.handle));
}

void CallbacksReadInTurns(bool) { ReadInTurns(false); }
void FunctionsReadInTurns(bool) { ReadInTurns(true); }

// A thread of the library reads the buffer, and the second copy is queued while the function runs.
void ReadWhileQueued(bool) {
  const Memory device;
  const Stream stream;
  Expect(aclrtMemset(device.data, kBytes, 1, kBytes));
  struct Reader {
    const PinnedMemory host;
    Stop stop;
  } reader;
  const auto copy = [&] {
    Expect(aclrtMemcpyAsync(reader.host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  };
  copy();
  Expect(aclrtLaunchHostFunc(
      stream.handle,
      [](void* data) {
        auto* const self = static_cast<Reader*>(data);
        self->stop.runs.Open();
        self->stop.goes_on.Wait();
        g_byte = static_cast<const volatile char*>(self->host.data)[100];
      },
      &reader));
  reader.stop.runs.Wait();
  copy();
  reader.stop.goes_on.Open();
  Expect(aclrtSynchronizeStream(stream.handle));
}

// The reader is queued first, after a wait; the writer is queued later, and ends the wait.
void ReaderBeforeWriter(bool right, bool by_number) {
  Memory device;
  const Memory number;
  const PinnedMemory host;
  const Stream writes, reads;
  aclrtNotify notify = nullptr;
  Expect(aclrtCreateNotify(&notify, 0));
  Expect(aclrtMemset(number.data, kBytes, 0, kBytes));
  if (by_number)
    Expect(aclrtValueWait(number.data, 1, 0, reads.handle));
  else
    Expect(aclrtWaitAndResetNotify(notify, reads.handle, 0));
  // here notify-of-nothing
  Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, reads.handle));
  // A write after the reader does not count.
  Expect(aclrtMemsetAsync(device.data, kBytes, 5, kBytes, reads.handle));
  // Without the second write, half of the block stays unwritten.
  Expect(aclrtMemsetAsync(device.data, kBytes / 2, 5, kBytes / 2, writes.handle));
  if (right) Expect(aclrtMemsetAsync(device.at(kBytes / 2), kBytes / 2, 5, kBytes / 2, writes.handle));
  if (by_number)
    Expect(aclrtValueWrite(number.data, 1, 0, writes.handle));
  else
    Expect(aclrtRecordNotify(notify, writes.handle));
  Expect(aclrtSynchronizeStream(reads.handle));
  Expect(aclrtSynchronizeStream(writes.handle));
  Expect(aclrtDestroyNotify(notify));
}

void NotifyOfNothing(bool right) { ReaderBeforeWriter(right, false); }
void NumberOfNothing(bool right) { ReaderBeforeWriter(right, true); }

// The wait never ends, and the tasks after it are dropped.
void DroppedReader(bool) {
  const Memory device;
  const PinnedMemory host;
  const Stream stream;
  aclrtNotify notify = nullptr;
  Expect(aclrtCreateNotify(&notify, 0));
  Expect(aclrtWaitAndResetNotify(notify, stream.handle, 0));
  Expect(aclrtMemcpyAsync(host.data, kBytes, device.data, kBytes, ACL_MEMCPY_DEVICE_TO_HOST, stream.handle));
  static_cast<void>(aclrtStreamAbort(stream.handle));
  static_cast<void>(aclrtSynchronizeStream(stream.handle));
  Expect(aclrtDestroyNotify(notify));
}

constexpr Case kCases[] = {
    {"freed-behind-function", FreedBehindFunction},
    {"read-behind-function", ReadBehindFunction},
    {"target-behind-function", TargetBehindFunction},
    {"source-behind-function", SourceBehindFunction},
    {"notify-of-nothing", NotifyOfNothing},
    {"number-of-nothing", NumberOfNothing},
    // Cases without a mistake:
    {"filled-by-function", FilledByFunction},
    {"callbacks-read-in-turns", CallbacksReadInTurns},
    {"functions-read-in-turns", FunctionsReadInTurns},
    {"read-while-queued", ReadWhileQueued},
    {"dropped-reader", DroppedReader},
};

}  // namespace
}  // namespace check_client

int main(int argc, char** argv) { return check_client::RunCase(check_client::kCases, argc, argv); }
