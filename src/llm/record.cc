// SPDX-License-Identifier: Apache-2.0
#include "llm/chat_json.h"
#include "llm/recorded.h"

namespace kp::llm {
namespace {

class Recorder final : public Chat {
 public:
  Recorder(std::unique_ptr<Chat> chat, std::shared_ptr<Recording> into)
      : chat_(std::move(chat)), into_(std::move(into)) {}
  std::string_view name() const override { return chat_->name(); }

  Result<Reply> complete(const Prompt& prompt, const StopFlag& stop) override {
    KP_TRY(Reply reply, chat_->complete(prompt, stop));
    KP_TRY_VOID(into_->add("chat", digest_of(prompt), to_json(reply)));
    return reply;
  }

 private:
  std::unique_ptr<Chat> chat_;
  std::shared_ptr<Recording> into_;
};

}  // namespace

std::unique_ptr<Chat> record(std::unique_ptr<Chat> chat, std::shared_ptr<Recording> into) {
  return std::make_unique<Recorder>(std::move(chat), std::move(into));
}

}  // namespace kp::llm
