// SPDX-License-Identifier: Apache-2.0
#include "llm/recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "llm/chat_json.h"
#include "model/json.h"
#include "model/json_reader.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kLargest = 4ull << 30;  // bytes of a recording that is read

tl::unexpected<Error> io_failure(const Path& file, const char* what) {
  return fail(
      ErrorCode::kIo,
      fmt::format("cannot {} the recording {}: {}", what, file.string(), std::strerror(errno)),
      "check the folder, its permissions and the free space");
}

Result<void> write_all(const Path& file, int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return io_failure(file, "add to");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

constexpr std::string_view kLineStart = "{\"key\":";  // as one_line() orders the members

/// Where the last whole line ends. kCorrupt when what stands after it is no line that was torn.
Result<std::size_t> end_of_lines(const Path& file) {
  KP_TRY(const std::string text, read_file(file, kLargest));
  const std::size_t found = text.rfind('\n');
  const std::size_t end = found == std::string::npos ? 0 : found + 1;
  const std::string_view torn = std::string_view(text).substr(end, kLineStart.size());
  if (kLineStart.starts_with(torn)) return end;
  return fail(ErrorCode::kCorrupt, fmt::format("{} is no recording", file.string()),
              "name a file that does not exist yet");
}

}  // namespace

Result<std::shared_ptr<Recording>> Recording::append(const Path& file) {
  Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!descriptor.open()) return io_failure(file, "open");
  KP_TRY_VOID(read(file));  // nothing is cut off what is no recording
  KP_TRY(const std::size_t end, end_of_lines(file));
  if (::ftruncate(descriptor.number(), static_cast<off_t>(end)) != 0) {
    return io_failure(file, "mend");
  }
  return std::shared_ptr<Recording>(new Recording(file, std::move(descriptor)));
}

Result<std::shared_ptr<Recording>> Recording::read(const Path& file) {
  KP_TRY(const std::string text, read_file(file, kLargest));
  std::shared_ptr<Recording> recording(new Recording(file, Descriptor()));
  std::size_t number = 0;
  for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos;
       at = end + 1) {
    KP_TRY_VOID(recording->take_line(std::string_view(text).substr(at, end - at), ++number));
  }
  return recording;
}

Result<void> Recording::take_line(std::string_view line, std::size_t number) {
  const auto corrupt = [&](const std::string& why) {
    return tl::unexpected(Error{ErrorCode::kCorrupt,
                                "the recording cannot be read: " + why,
                                "use an unchanged copy of it",
                                {file_.string(), static_cast<int>(number), 0},
                                {}});
  };
  auto json = parse_json(line);
  if (!json) return corrupt(json.error().message);
  JsonReader::Fault fault;
  const JsonReader reader(*json, "line", fault);
  const auto name = std::make_pair(reader.text("kind"), reader.text("key"));
  if (!fault && !json->contains("value")) reader.wrong("value", "a value");
  if (fault) return corrupt(fault->message);
  values_[name].list.push_back(std::move((*json)["value"]));
  return {};
}

Result<void> Recording::add(std::string_view kind, std::string_view key, const Json& value) {
  const std::string line = one_line({{"kind", kind}, {"key", key}, {"value", value}}) + "\n";
  const std::lock_guard lock(mutex_);
  return write_all(file_, descriptor_.number(), line);
}

Result<Json> Recording::next(std::string_view kind, std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find({std::string(kind), std::string(key)});
  if (found != values_.end() && found->second.given < found->second.list.size()) {
    return found->second.list[found->second.given++];
  }
  return fail(ErrorCode::kCorrupt,
              fmt::format("the run took another path: the {} {} is {} in {}", kind, key,
                          found == values_.end() ? "not" : "not once more", file_.string()),
              "replay with the version, task, device, seed and options of the recorded run");
}

std::size_t Recording::left(std::string_view kind) const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [name, values] : values_) {
    if (name.first == kind) count += values.list.size() - values.given;
  }
  return count;
}

}  // namespace kp::llm
