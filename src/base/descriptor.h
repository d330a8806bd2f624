// SPDX-License-Identifier: Apache-2.0
// A file descriptor that closes itself. Used wherever the operating system is called directly.
#pragma once
#include <unistd.h>

#include <utility>

namespace kp {

class Descriptor {
 public:
  Descriptor() = default;
  /// Owns `number`; a negative number means "none".
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool open() const { return number_ >= 0; }
  /// False, with errno, when the system reports a late write error.
  bool close() { return !open() || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

}  // namespace kp
