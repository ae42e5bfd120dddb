// SPDX-License-Identifier: Apache-2.0
// A list that is linked through its entries (Node::next), so that adding an entry allocates nothing.
#pragma once

#include <cstddef>

namespace portacl {

// Trivial to copy and to destroy: it may be constant-initialised, and used while a thread or the process ends.
template <class Node>
class LinkedQueue {
 public:
  constexpr LinkedQueue() = default;

  size_t count() const noexcept { return count_; }
  bool empty() const noexcept { return first_ == nullptr; }
  Node* front() const noexcept { return first_; }  // null: the list is empty

  void PushBack(Node* node) noexcept {
    node->next = nullptr;
    if (first_ == nullptr) {
      first_ = node;
    } else {
      last_->next = node;
    }
    last_ = node;
    ++count_;
  }

  void PushFront(Node* node) noexcept {
    if (first_ == nullptr) last_ = node;
    node->next = first_;
    first_ = node;
    ++count_;
  }

  // Returns null when the list is empty.
  Node* PopFront() noexcept {
    Node* node = first_;
    if (node == nullptr) return nullptr;
    first_ = static_cast<Node*>(node->next);
    --count_;
    return node;
  }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;  // valid only if there is a first entry
  size_t count_ = 0;
};

}  // namespace portacl
