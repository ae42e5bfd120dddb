// SPDX-License-Identifier: Apache-2.0
#include "hccl/watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "base/never_destroyed.h"
#include "runtime/parallel/threads.h"

namespace portacl::hccl {
namespace {

using WatchedList = std::vector<std::shared_ptr<Watched>>;

struct Watcher {
  std::mutex mutex;  // guards all members below
  int wake = -1;     // an eventfd, once the thread runs
  WatchedList added;
};

Watcher& TheWatcher() {
  static NeverDestroyed<Watcher> watcher;
  return *watcher;
}

int MillisecondsUntil(Deadline limit) {
  if (!limit) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*limit - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, INT_MAX));
}

// Returns false when it need not be watched any more, also when memory is exhausted.
bool LookAfter(Watched& watched, bool is_ready) noexcept {
  try {
    if (is_ready && !watched.Ready()) return false;
    const Deadline limit = watched.NextLimit();
    return !limit || *limit > std::chrono::steady_clock::now() || watched.Passed();
  } catch (const std::exception&) {
    return false;
  }
}

// Waits once for an event or a limit, and handles it.
void WatchOnce(int wake, WatchedList& all) {
  {
    Watcher& watcher = TheWatcher();
    const std::scoped_lock lock(watcher.mutex);
    for (std::shared_ptr<Watched>& each : std::exchange(watcher.added, {})) all.push_back(std::move(each));
  }
  std::vector<pollfd> sockets = {{wake, POLLIN, 0}};
  Deadline first;
  for (const std::shared_ptr<Watched>& each : all) {
    const short events = each->WantsToSend() ? POLLIN | POLLOUT : POLLIN;
    sockets.push_back({each->fd(), events, 0});
    const Deadline limit = each->NextLimit();
    if (limit && (!first || *limit < *first)) first = limit;
  }
  if (poll(sockets.data(), sockets.size(), MillisecondsUntil(first)) < 0) return;
  if (sockets[0].revents != 0) {
    eventfd_t count;
    eventfd_read(wake, &count);
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (LookAfter(*all[i], sockets[i + 1].revents != 0)) std::swap(all[kept++], all[i]);
  }
  all.resize(kept);
}

void* WatchForEver(void*) {
  const int wake = TheWatcher().wake;
  WatchedList all;
  for (;;) {
    try {
      WatchOnce(wake, all);
    } catch (const std::exception&) {
      usleep(10'000);  // memory is exhausted
    }
  }
}

}  // namespace

bool Watch(std::shared_ptr<Watched> watched) {
  Watcher& watcher = TheWatcher();
  const std::scoped_lock lock(watcher.mutex);
  watcher.added.push_back(std::move(watched));
  if (watcher.wake < 0) {
    watcher.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watcher.wake >= 0 && !parallel::StartBackgroundThread(&WatchForEver, nullptr)) {
      close(watcher.wake);
      watcher.wake = -1;
    }
  }
  if (watcher.wake < 0) {
    watcher.added.pop_back();
    return false;
  }
  eventfd_write(watcher.wake, 1);
  return true;
}

void WakeWatcher() noexcept {
  Watcher& watcher = TheWatcher();
  const std::scoped_lock lock(watcher.mutex);
  if (watcher.wake >= 0) eventfd_write(watcher.wake, 1);
}

}  // namespace portacl::hccl
