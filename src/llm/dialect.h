// SPDX-License-Identifier: Apache-2.0
// What differs between the protocols that servers of models speak. One file each; service.cc does
// the rest.
#pragma once
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "llm/chat.h"
#include "llm/endpoint.h"
#include "llm/keys.h"
#include "llm/trouble.h"

namespace kp::llm {

/// Puts a reply together from the events of one stream.
class ReplyReader {
 public:
  virtual ~ReplyReader() = default;
  /// The data of one event, whatever it is. A Trouble ends the attempt.
  virtual std::optional<Trouble> take(const std::string& data) = 0;
  /// Whether the server has said that this was all.
  virtual bool complete() const = 0;
  /// What has come so far; the whole reply when complete.
  virtual Reply reply() const = 0;
};

/// A server that complains with this word does without this parameter from then on.
struct Complaint {
  std::string_view word, parameter;
};
using Parameters = std::set<std::string, std::less<>>;

struct DialectFacts {
  std::string_view client;     // as the catalogue calls it
  std::string_view usual_url;  // where no URL is given
  KeyName key;
  std::span<const Complaint> complaints;  // the first that changes the request is heeded
};

class Dialect {
 public:
  virtual ~Dialect() = default;
  virtual const DialectFacts& facts() const = 0;
  virtual std::string url(const Endpoint& endpoint) const = 0;
  /// Authorization and version; none for an empty key.
  virtual std::vector<std::string> headers(const Secret& key) const = 0;
  virtual nlohmann::json request(const Prompt& prompt, const Endpoint& endpoint,
                                 const Parameters& dropped) const = 0;
  virtual std::unique_ptr<ReplyReader> reader() const = 0;
};

std::unique_ptr<Dialect> make_anthropic_dialect();
std::unique_ptr<Dialect> make_openai_dialect();

std::unique_ptr<ReplyReader> make_anthropic_reader();
std::unique_ptr<ReplyReader> make_openai_reader();

}  // namespace kp::llm
