// SPDX-License-Identifier: Apache-2.0
#include "llm/catalog.h"
#include "llm/chat_json.h"
#include "llm/recorded.h"

namespace kp::llm {
namespace {

class Replay final : public Chat {
 public:
  explicit Replay(std::shared_ptr<Recording> from)
      : name_("replay:" + from->file().string()), from_(std::move(from)) {}
  std::string_view name() const override { return name_; }

  Result<Reply> complete(const Prompt& prompt, const StopFlag&) override {
    KP_TRY(const auto value, from_->next("chat", digest_of(prompt)));
    return reply_from_json(value).within(name_);
  }

 private:
  std::string name_;
  std::shared_ptr<Recording> from_;
};

}  // namespace

std::unique_ptr<Chat> replay(std::shared_ptr<Recording> from) {
  return std::make_unique<Replay>(std::move(from));
}

Result<std::unique_ptr<Chat>> make_replay(const std::string& file, const ChatOptions&) {
  KP_TRY(auto recording, Recording::read(file));
  return replay(std::move(recording));
}

}  // namespace kp::llm
