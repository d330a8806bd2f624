// SPDX-License-Identifier: Apache-2.0
// What the library that rides in somebody else's process writes: lines of text, each of one letter
// and numbers. profile/trace.h says what they mean.
#pragma once
#include <fmt/format.h>

#include <iterator>
#include <mutex>
#include <string>

namespace kp::inject {

class RecordFile {
 public:
  /// `folder`/`kind`.PID, of this process alone: a fork of it writes nothing.
  bool open(const std::string& folder, const char* kind);
  /// One line. Safe from any thread; a disk that is full loses lines, never the program.
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
    const std::lock_guard held(mutex_);
    fmt::format_to(std::back_inserter(text_), form, std::forward<Arguments>(arguments)...);
    text_ += '\n';
    if (text_.size() >= kChunk) write_out();
  }
  void flush();

 private:
  static constexpr std::size_t kChunk = 1u << 16;
  void write_out();

  std::mutex mutex_;
  std::string text_;
  int descriptor_ = -1;
  int owner_ = -1;  // process
};

}  // namespace kp::inject
