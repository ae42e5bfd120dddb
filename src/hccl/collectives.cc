// SPDX-License-Identifier: Apache-2.0
#include "hccl/collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "acl/error_codes/rt_error_codes.h"
#include "hccl/reduce.h"

namespace portacl::hccl {
namespace {

// Reductions of up to this many bytes for each rank are exchanged at once. Longer ones are exchanged in pieces of this
// size: one piece is transferred while the previous one is reduced.
constexpr size_t kPieceBytes = size_t{1} << 20;
// Below this size, every rank gets all data and reduces it by itself: one step instead of two.
constexpr size_t kSmallBytes = size_t{64} << 10;

struct Range {
  const std::byte* begin;
  size_t bytes;
};

bool Overlap(const Range& a, const Range& b) {
  return a.bytes != 0 && b.bytes != 0 && a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
}

// One call of an operation on one rank.
class Run {
 public:
  Run(Communicator& communicator, const Call& call)
      : communicator_(communicator),
        call_(call),
        deadline_(communicator.LimitFromNow()),
        rank_(communicator.rank()),
        ranks_(communicator.ranks()),
        element_(ElementBytes(call.type)),
        send_(call.send) {}

  Failure Go() {
    switch (call_.kind) {
      case Kind::kAllReduce:
        return AllReduce();
      case Kind::kReduceScatter:
        return ReduceParts(EvenSlices(call_.count), call_.receive);
      case Kind::kReduceScatterV:
        return ReduceParts(GivenSlices(), call_.receive);
      case Kind::kReduce:
        return ReduceToRoot();
      case Kind::kMessage:
        return Messages();
      default:
        return Move();
    }
  }

 private:
  // The elements that one rank reduces, in every rank's send buffer.
  struct Slice {
    size_t begin;
    size_t count;
  };
  using Slices = std::vector<Slice>;

  Signature Agreed() const {
    const bool varies = call_.kind == Kind::kAllGatherV || call_.kind == Kind::kReduceScatterV ||
                        call_.kind == Kind::kAlltoAllV || call_.kind == Kind::kAlltoAllVC;
    return {call_.kind, static_cast<uint8_t>(call_.type), static_cast<uint8_t>(call_.op), 0,
            call_.root, varies ? 0 : call_.count};
  }
  Part PartWith(uint32_t peer) const { return {peer, OperationTag(call_.number, 0), Agreed()}; }
  template <class Fill>
  std::vector<Part> PartsWithAll(const Fill& fill) const {
    std::vector<Part> parts;
    parts.reserve(ranks_);
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      if (peer == rank_) continue;
      parts.push_back(PartWith(peer));
      fill(parts.back());
    }
    return parts;
  }

  // Copies the send buffer, and reads from the copy from now on.
  void CopySend(size_t bytes) {
    copy_.resize(bytes);
    std::memcpy(copy_.data(), send_, bytes);
    send_ = copy_.data();
  }

  // The operations that move data without a reduction.
  Failure Move() {
    const uint64_t bytes = call_.count * element_;
    const bool is_root = call_.root == rank_;
    std::byte* const receive = call_.receive;
    std::vector<Part> parts;
    Range own_from{nullptr, 0};
    std::byte* own_to = nullptr;
    switch (call_.kind) {
      case Kind::kBroadcast:
        if (is_root)
          parts = PartsWithAll([&](Part& part) { part.send = send_, part.send_bytes = bytes; });
        else
          parts = {PartWith(call_.root)}, parts[0].receive = receive, parts[0].receive_bytes = bytes;
        break;
      case Kind::kScatter:
        if (is_root) {
          if (Overlap({send_, bytes * ranks_}, {receive, bytes}) && receive != send_ + rank_ * bytes)
            CopySend(bytes * ranks_);
          parts = PartsWithAll([&](Part& part) { part.send = send_ + part.peer * bytes, part.send_bytes = bytes; });
          own_from = {send_ + rank_ * bytes, bytes}, own_to = receive;
        } else {
          parts = {PartWith(call_.root)}, parts[0].receive = receive, parts[0].receive_bytes = bytes;
        }
        break;
      case Kind::kAllGather:
        if (Overlap({send_, bytes}, {receive, bytes * ranks_}) && send_ != receive + rank_ * bytes) CopySend(bytes);
        parts = PartsWithAll([&](Part& part) {
          part.send = send_, part.send_bytes = bytes;
          part.receive = receive + part.peer * bytes, part.receive_bytes = bytes;
        });
        own_from = {send_, bytes}, own_to = receive + rank_ * bytes;
        break;
      case Kind::kAllGatherV:
        CopyWhereReceived(bytes);
        parts = PartsWithAll([&](Part& part) {
          part.send = send_, part.send_bytes = bytes;
          part.receive = ReceivedFrom(part.peer), part.receive_bytes = ReceivedBytes(part.peer);
        });
        own_from = {send_, bytes}, own_to = ReceivedFrom(rank_);
        break;
      case Kind::kBarrier:
        parts = PartsWithAll([](Part&) {});
        break;
      default:
        CopySentWhereReceived();
        parts = PartsWithAll([&](Part& part) {
          part.send = SentTo(part.peer), part.send_bytes = call_.send_counts[part.peer] * element_;
          part.receive = ReceivedFrom(part.peer), part.receive_bytes = ReceivedBytes(part.peer);
        });
        own_from = {SentTo(rank_), call_.send_counts[rank_] * element_}, own_to = ReceivedFrom(rank_);
        if (own_from.bytes != ReceivedBytes(rank_))
          return {ACL_ERROR_RT_AICPU_EXCEPTION, "EI0005: this rank sends itself another count than it expects"};
        break;
    }
    const Failure failure = Exchange(communicator_, parts, deadline_);
    if (failure.status == 0 && own_from.bytes != 0) std::memmove(own_to, own_from.begin, own_from.bytes);
    return failure;
  }

  const std::byte* SentTo(uint32_t peer) const { return send_ + call_.send_places[peer] * element_; }
  std::byte* ReceivedFrom(uint32_t peer) const { return call_.receive + call_.receive_places[peer] * element_; }
  size_t ReceivedBytes(uint32_t peer) const { return call_.receive_counts[peer] * element_; }

  // For kAllGatherV: copies the send buffer if parts are received in it, unless it lies where this rank's own part is
  // received.
  void CopyWhereReceived(size_t bytes) {
    if (send_ == ReceivedFrom(rank_)) return;
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      if (Overlap({send_, bytes}, {ReceivedFrom(peer), ReceivedBytes(peer)})) return CopySend(bytes);
    }
  }
  void CopySentWhereReceived() {
    size_t bytes = 0;
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      if (call_.send_counts[peer] != 0)
        bytes = std::max<size_t>(bytes, (call_.send_places[peer] + call_.send_counts[peer]) * element_);
    }
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      if (Overlap({send_, bytes}, {ReceivedFrom(peer), ReceivedBytes(peer)})) return CopySend(bytes);
    }
  }

  Failure AllReduce() {
    const size_t bytes = call_.count * element_;
    if (send_ != call_.receive && Overlap({send_, bytes}, {call_.receive, bytes})) CopySend(bytes);
    if (bytes <= kSmallBytes) return ReduceAllOfAll(bytes);
    const size_t each = (call_.count + ranks_ - 1) / ranks_;
    Slices slices(ranks_);
    for (uint32_t owner = 0; owner < ranks_; ++owner) {
      const size_t begin = std::min<size_t>(owner * each, call_.count);
      slices[owner] = {begin, std::min<size_t>(each, call_.count - begin)};
    }
    return Pieces(slices, call_.receive + slices[rank_].begin * element_, true);
  }

  Failure ReduceAllOfAll(size_t bytes) {
    std::vector<std::byte> others(bytes * ranks_);
    const std::vector<Part> parts = PartsWithAll([&](Part& part) {
      part.send = send_, part.send_bytes = bytes;
      part.receive = others.data() + part.peer * bytes, part.receive_bytes = bytes;
    });
    const Failure failure = Exchange(communicator_, parts, deadline_);
    if (failure.status == 0) ReduceInto(call_.receive, send_, others.data(), bytes, call_.count);
    return failure;
  }

  // `own` is this rank's input; the input of rank i is at others + i * stride.
  void ReduceInto(std::byte* out, const std::byte* own, const std::byte* others, size_t stride, size_t count) const {
    std::vector<const void*> inputs(ranks_);
    for (uint32_t rank = 0; rank < ranks_; ++rank) inputs[rank] = rank == rank_ ? own : others + rank * stride;
    Reduce(call_.type, call_.op, inputs, out, count);
  }

  Slices EvenSlices(size_t count) const {
    Slices slices(ranks_);
    for (uint32_t owner = 0; owner < ranks_; ++owner) slices[owner] = {owner * count, count};
    return slices;
  }
  Slices GivenSlices() const {
    Slices slices(ranks_);
    for (uint32_t owner = 0; owner < ranks_; ++owner)
      slices[owner] = {call_.send_places[owner], call_.send_counts[owner]};
    return slices;
  }

  Failure ReduceToRoot() {
    Slices slices(ranks_);
    slices[call_.root].count = call_.count;
    return ReduceParts(slices, call_.receive);
  }

  // Each rank receives the reduction of its slice in `out`.
  Failure ReduceParts(const Slices& slices, std::byte* out) {
    size_t end = 0;
    for (const Slice& slice : slices) end = slice.count == 0 ? end : std::max(end, slice.begin + slice.count);
    const Slice& own = slices[rank_];
    if (out != send_ + own.begin * element_ && Overlap({send_, end * element_}, {out, own.count * element_}))
      CopySend(end * element_);
    const auto longest = std::max_element(slices.begin(), slices.end(),
                                          [](const Slice& a, const Slice& b) { return a.count < b.count; });
    if (longest->count * element_ > kPieceBytes) return Pieces(slices, out, false);
    const size_t bytes = own.count * element_;
    std::vector<std::byte> others(bytes * ranks_);
    const std::vector<Part> parts = PartsWithAll([&](Part& part) {
      const Slice& theirs = slices[part.peer];
      part.send = send_ + theirs.begin * element_, part.send_bytes = theirs.count * element_;
      part.receive = others.data() + part.peer * bytes, part.receive_bytes = bytes;
    });
    const Failure failure = Exchange(communicator_, parts, deadline_);
    if (failure.status == 0 && bytes != 0)
      ReduceInto(out, send_ + own.begin * element_, others.data(), bytes, own.count);
    return failure;
  }

  // Before any data moves, all ranks agree on the operation, and each pair of ranks on the sizes of their slices.
  Failure AgreeOnSlices(const Slices& slices) {
    std::vector<uint64_t> mine(ranks_);
    std::vector<uint64_t> theirs(ranks_);
    for (uint32_t owner = 0; owner < ranks_; ++owner) mine[owner] = slices[owner].count;
    const std::vector<Part> parts = PartsWithAll([&](Part& part) {
      part.send = reinterpret_cast<const std::byte*>(&mine[part.peer]), part.send_bytes = sizeof(uint64_t);
      part.receive = reinterpret_cast<std::byte*>(&theirs[part.peer]), part.receive_bytes = sizeof(uint64_t);
    });
    if (Failure failure = Exchange(communicator_, parts, deadline_); failure.status != 0) return failure;
    for (uint32_t peer = 0; peer < ranks_; ++peer) {
      if (peer != rank_ && theirs[peer] != mine[rank_])
        return Disagreement(
            communicator_, call_.kind, peer,
            fmt::format("sends {} elements to this rank, which expected {}", theirs[peer], mine[rank_]));
    }
    return {};
  }

  // Like ReduceParts(), in pieces. With `spread`, every rank gets the reductions of all slices.
  Failure Pieces(const Slices& slices, std::byte* out, bool spread) {
    if (Failure failure = AgreeOnSlices(slices); failure.status != 0) return failure;
    size_t longest = 0;
    for (const Slice& slice : slices) longest = std::max(longest, slice.count);
    const size_t elements = kPieceBytes / element_;
    const auto pieces = static_cast<uint32_t>((longest + elements - 1) / elements);
    const Slice& own = slices[rank_];
    const auto piece_of = [elements](const Slice& slice, uint32_t piece) {
      const size_t begin = std::min(slice.count, piece * elements);
      return Slice{slice.begin + begin, std::min(elements, slice.count - begin)};
    };
    const size_t stride = std::min(elements, own.count) * element_;
    std::vector<std::byte> scratch[2] = {std::vector<std::byte>(stride * ranks_),
                                         std::vector<std::byte>(stride * ranks_)};
    struct UnderWay {
      std::unique_ptr<Transfer> transfer;
      uint32_t peer;
    };
    std::vector<UnderWay> sends, results, receives[2];
    const auto wait = [&](std::vector<UnderWay>& transfers) {
      for (const UnderWay& each : transfers) {
        const Outcome outcome = each.transfer->Wait(deadline_);
        if (outcome != Outcome::kDone) return FailureOf(communicator_, call_.kind, each.peer, outcome);
      }
      transfers.clear();
      return Failure{};
    };
    Transport& transport = communicator_.transport();
    const auto begin = [&](uint32_t piece) {
      const uint64_t tag = OperationTag(call_.number, 2 + 2 * piece);
      for (uint32_t peer = 0; peer < ranks_; ++peer) {
        if (peer == rank_) continue;
        const Slice mine = piece_of(own, piece);
        const Slice theirs = piece_of(slices[peer], piece);
        std::byte* const to = scratch[piece % 2].data() + peer * stride;
        if (mine.count != 0)
          receives[piece % 2].push_back({transport.Receive(peer, tag, to, mine.count * element_), peer});
        if (theirs.count != 0)
          sends.push_back({transport.Send(peer, tag, send_ + theirs.begin * element_, theirs.count * element_), peer});
      }
    };
    // A result is received only after this rank's piece was sent, so both may use the same memory.
    const auto exchange_results = [&](uint32_t piece) {
      const uint64_t tag = OperationTag(call_.number, 3 + 2 * piece);
      for (uint32_t peer = 0; peer < ranks_; ++peer) {
        if (peer == rank_) continue;
        const Slice mine = piece_of(own, piece);
        const Slice theirs = piece_of(slices[peer], piece);
        if (theirs.count != 0)
          results.push_back(
              {transport.Receive(peer, tag, call_.receive + theirs.begin * element_, theirs.count * element_), peer});
        if (mine.count != 0)
          results.push_back(
              {transport.Send(peer, tag, call_.receive + mine.begin * element_, mine.count * element_), peer});
      }
    };
    begin(0);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
      if (piece + 1 < pieces) begin(piece + 1);
      if (Failure failure = wait(receives[piece % 2]); failure.status != 0) return failure;
      const Slice mine = piece_of(own, piece);
      if (mine.count != 0)
        ReduceInto(out + (mine.begin - own.begin) * element_, send_ + mine.begin * element_, scratch[piece % 2].data(),
                   stride, mine.count);
      if (!spread) continue;
      // The results of the previous piece were transferred while this piece was reduced.
      if (Failure failure = wait(results); failure.status != 0) return failure;
      exchange_results(piece);
    }
    if (Failure failure = wait(results); failure.status != 0) return failure;
    return wait(sends);
  }

  Failure Messages() {
    std::vector<Part> parts;
    parts.reserve(call_.messages.size());
    std::vector<const Message*> own_sends, own_receives;
    for (const Message& message : call_.messages) {
      if (message.peer == rank_) {
        (message.is_send ? own_sends : own_receives).push_back(&message);
        continue;
      }
      const bool upwards = message.is_send == (rank_ < message.peer);
      const size_t bytes = message.count * ElementBytes(message.type);
      Part part{message.peer,
                MessageTag(message.number, upwards),
                {Kind::kMessage, static_cast<uint8_t>(message.type), 0, 0, 0, message.count}};
      if (message.is_send)
        part.send = message.data, part.send_bytes = bytes;
      else
        part.receive = message.data, part.receive_bytes = bytes;
      parts.push_back(part);
    }
    const Failure failure = Exchange(communicator_, parts, deadline_);
    if (failure.status != 0) return failure;
    for (size_t i = 0; i < own_sends.size(); ++i)
      std::memmove(own_receives[i]->data, own_sends[i]->data, own_sends[i]->count * ElementBytes(own_sends[i]->type));
    return {};
  }

  Communicator& communicator_;
  const Call& call_;
  const Deadline deadline_;
  const uint32_t rank_;
  const uint32_t ranks_;
  const size_t element_;
  const std::byte* send_;
  std::vector<std::byte> copy_;
};

}  // namespace

Failure RunCall(Communicator& communicator, const Call& call) { return Run(communicator, call).Go(); }

}  // namespace portacl::hccl
