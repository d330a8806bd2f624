// SPDX-License-Identifier: Apache-2.0
// The replies of a file in order: for tests and demonstrations.
#include <fmt/format.h>

#include <array>
#include <mutex>

#include "base/file.h"
#include "llm/catalog.h"
#include "llm/chat_json.h"
#include "model/json.h"

namespace kp::llm {
namespace {

constexpr const char* kForm =
    "write [{\"text\": \"...\", \"calls\": [{\"name\": \"...\", \"arguments\": {}}]}, ...]; every "
    "member may be missing (docs/llm.md)";

struct Failure {
  std::string_view name;
  ErrorCode code;
};
constexpr std::array kFailures{
    Failure{"timeout", ErrorCode::kTimeout},
    Failure{"unavailable", ErrorCode::kUnavailable},
    Failure{"invalid_input", ErrorCode::kInvalidInput},
    Failure{"limit", ErrorCode::kLimit},
};

class Scripted final : public Chat {
 public:
  Scripted(std::string file, std::vector<Result<Reply>> replies, std::size_t next)
      : name_("scripted:" + file), replies_(std::move(replies)), next_(next) {}
  std::string_view name() const override { return name_; }

  Result<Reply> complete(const Prompt&, const StopFlag&) override {
    const std::lock_guard lock(mutex_);
    if (next_ < replies_.size()) return replies_[next_++];
    return fail(ErrorCode::kLimit,
                fmt::format("{} has no more than {} replies", name_, replies_.size()),
                "add replies to the script");
  }

 private:
  std::string name_;
  std::vector<Result<Reply>> replies_;
  std::mutex mutex_;
  std::size_t next_;
};

Result<Result<Reply>> outcome_from(const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("fails")) {
    KP_TRY(Reply reply, reply_from_json(entry));
    return Result<Reply>(std::move(reply));
  }
  const nlohmann::json text = entry.value("text", nlohmann::json("the script lets it fail"));
  for (const Failure& failure : kFailures) {
    if (entry["fails"] == failure.name && text.is_string()) {
      return Result<Reply>(fail(failure.code, text.get<std::string>()));
    }
  }
  return fail(ErrorCode::kCorrupt, "`fails` is no known failure, or its `text` no text");
}

tl::unexpected<Error> bad_script(const std::string& file, const std::string& why) {
  return fail(ErrorCode::kInvalidInput, fmt::format("{} is no script of replies: {}", file, why),
              kForm);
}

}  // namespace

Result<std::unique_ptr<Chat>> make_scripted(const std::string& file, const ChatOptions& options) {
  KP_TRY(const std::string text, read_text(file));
  const auto script = parse_json(text);
  if (!script) return bad_script(file, script.error().text());
  if (!script->is_array()) return bad_script(file, "it is not a list");
  std::vector<Result<Reply>> replies;
  for (const auto& entry : *script) {
    auto outcome = outcome_from(entry);
    if (!outcome) {
      return bad_script(file, fmt::format("entry {}: {}", replies.size(), outcome.error().text()));
    }
    replies.push_back(*std::move(outcome));
  }
  return std::make_unique<Scripted>(file, std::move(replies), options.replies_before);
}

}  // namespace kp::llm
