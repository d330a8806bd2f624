// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/inject/record_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace kp::inject {

bool RecordFile::open(const std::string& folder, const char* kind) {
  owner_ = static_cast<int>(::getpid());
  const std::string path = fmt::format("{}/{}.{}", folder, kind, owner_);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  return descriptor_ >= 0;
}

void RecordFile::flush() {
  const std::lock_guard held(mutex_);
  write_out();
}

void RecordFile::write_out() {
  if (descriptor_ >= 0 && ::getpid() == owner_) {
    for (std::size_t done = 0; done < text_.size();) {
      const ssize_t wrote = ::write(descriptor_, text_.data() + done, text_.size() - done);
      if (wrote <= 0) break;
      done += static_cast<std::size_t>(wrote);
    }
  }
  text_.clear();
}

}  // namespace kp::inject
