// SPDX-License-Identifier: Apache-2.0
#include "llm/service.h"

#include <fmt/format.h>

#include <mutex>

#include "llm/chat_json.h"
#include "llm/events.h"
#include "llm/foreign_json.h"
#include "llm/refusal.h"
#include "llm/retries.h"

namespace kp::llm {
namespace {

using Json = nlohmann::json;

/// What one attempt came to.
struct Outcome {
  Attempt<Reply> reply;
  std::string refused = {};  // why the request itself was refused, empty if it was not
  Usage spent = {};          // by an attempt that broke off, as far as the server said
};

class Service final : public Chat {
 public:
  Service(std::unique_ptr<Dialect> dialect, Endpoint endpoint, Secret key,
          std::unique_ptr<Http> http, const ChatOptions& options)
      : dialect_(std::move(dialect)),
        endpoint_(std::move(endpoint)),
        key_(std::move(key)),
        http_(std::move(http)),
        limits_(options.limits),
        policy_(options.retries),
        clock_(options.clock ? options.clock : host_clock()) {
    const DialectFacts& facts = dialect_->facts();
    name_ = fmt::format("{}:{}", facts.client, endpoint_.model);
    if (endpoint_.url != facts.usual_url) name_ += "@" + endpoint_.url;
  }

  std::string_view name() const override { return name_; }
  Result<Reply> complete(const Prompt& prompt, const StopFlag& stop) override;

 private:
  Outcome attempt(const Json& body, const StopFlag& stop);
  Outcome read_answer(const Attempt<Answer>& answer, const ReplyReader& reader) const;
  bool do_without(const std::string& complaint, const Prompt& prompt);
  Json body_of(const Prompt& prompt) {
    const std::lock_guard lock(mutex_);
    return dialect_->request(prompt, endpoint_, dropped_);
  }
  Result<Reply> redacted(Reply reply) const;

  std::unique_ptr<Dialect> dialect_;
  Endpoint endpoint_;
  Secret key_;
  std::unique_ptr<Http> http_;
  TransferLimits limits_;
  RetryPolicy policy_;
  std::shared_ptr<Clock> clock_;
  std::string name_;
  std::mutex mutex_;
  Parameters dropped_;
};

void add(const Usage& from, Usage& to) {
  to.input += from.input;
  to.cache_read += from.cache_read;
  to.cache_written += from.cache_written;
  to.output += from.output;
}

Outcome Service::attempt(const Json& body, const StopFlag& stop) {
  Request request{dialect_->url(endpoint_), endpoint_.loopback, dialect_->headers(key_),
                  one_line(body)};
  request.headers.insert(
      request.headers.end(),
      {"Content-Type: application/json", "Accept: text/event-stream", "User-Agent: kernelpro"});
  const auto reader = dialect_->reader();
  std::optional<Trouble> trouble;
  EventStream events([&](const std::string& data) { return !(trouble = reader->take(data)); });
  const auto feed = [&](std::string_view bytes) { return events.feed(bytes); };
  const auto answer = http_->post(request, limits_, feed, stop);
  Outcome outcome = trouble && answer ? Outcome{tl::unexpected(*std::move(trouble))}
                                      : read_answer(answer, *reader);
  if (!outcome.reply) outcome.spent = reader->reply().usage;
  return outcome;
}

Outcome Service::read_answer(const Attempt<Answer>& answer, const ReplyReader& reader) const {
  // A connection that breaks after the reply was whole has broken nothing.
  if (reader.complete()) return {reader.reply()};
  if (!answer) return {tl::unexpected(answer.error())};
  if (answer->status / 100 == 2) {
    const bool stream = answer->content_type.starts_with("text/event-stream");
    return {tl::unexpected(malformed(
                stream ? "it ends too early"
                       : fmt::format("it is of type `{}`", answer->content_type.substr(0, 100)))),
            {}};
  }
  Trouble trouble = trouble_of(*answer, endpoint_, dialect_->facts().key);
  const std::string complaint = complaint_in(answer->body);
  if (!trouble.passing && is_filtered(answer->body)) {
    Reply reply{.stop = StopReason::kRefusal, .model = endpoint_.model};
    reply.message = {.speaker = Speaker::kAssistant, .text = complaint};
    return {std::move(reply)};
  }
  const bool of_request =
      (answer->status == 400 || answer->status == 422) && !is_overflow(complaint);
  return {tl::unexpected(std::move(trouble)), of_request ? complaint : ""};
}

/// Whether there is a parameter that the complaint names and that the request can do without.
bool Service::do_without(const std::string& complaint, const Prompt& prompt) {
  const std::lock_guard lock(mutex_);
  const Json before = dialect_->request(prompt, endpoint_, dropped_);
  for (const Complaint& known : dialect_->facts().complaints) {
    if (complaint.find(known.word) == std::string::npos) continue;
    Parameters fewer = dropped_;
    fewer.emplace(known.parameter);
    if (dialect_->request(prompt, endpoint_, fewer) == before) continue;
    dropped_ = std::move(fewer);
    return true;
  }
  return false;
}

Result<Reply> Service::redacted(Reply reply) const {
  const std::string text = one_line(to_json(reply));
  const std::string clean = key_.redact(text);
  if (clean == text) return reply;
  const auto json = parse_foreign(clean);
  if (json) return reply_from_json(*json);
  return fail(ErrorCode::kCorrupt, "the reply holds the key and cannot be read without it");
}

Result<Reply> Service::complete(const Prompt& prompt, const StopFlag& stop) {
  Retries retries(policy_, *clock_);
  Usage broken_off;
  for (;;) {
    Outcome outcome = attempt(body_of(prompt), stop);
    if (outcome.reply) {
      add(broken_off, outcome.reply->usage);
      return redacted(*std::move(outcome.reply));
    }
    add(outcome.spent, broken_off);
    if (!outcome.refused.empty() && do_without(outcome.refused, prompt)) continue;
    outcome.reply.error().error = key_.redact(std::move(outcome.reply.error().error));
    KP_TRY_VOID(retries.after(outcome.reply.error(), stop));
  }
}

}  // namespace

Result<std::unique_ptr<Chat>> open_service(std::unique_ptr<Dialect> dialect,
                                           const std::string& text, const ChatOptions& options) {
  const DialectFacts& facts = dialect->facts();
  KP_TRY(Endpoint endpoint, parse_endpoint(text, facts.usual_url));
  KP_TRY(Secret key, find_key(facts.key, endpoint));
  KP_TRY(auto http, Http::open());
  return std::make_unique<Service>(std::move(dialect), std::move(endpoint), std::move(key),
                                   std::move(http), options);
}

}  // namespace kp::llm
