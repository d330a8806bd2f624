// SPDX-License-Identifier: Apache-2.0
// What a call costs beside the model: a turn against tests/llm_server on this machine, whose own
// time is in the wall time, and the bookkeeping around a call without any server.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "base/check.h"
#include "llm/catalog.h"
#include "llm/chat_json.h"
#include "llm/dialect.h"
#include "llm/events.h"
#include "llm/local_server.h"

namespace {

using namespace kp;
using namespace kp::llm;

/// About 6,000 tokens: the most that a prompt of this program is to have.
Prompt usual_prompt() {
  Prompt prompt;
  prompt.system = std::string(8'000, 's');
  prompt.messages = {{.speaker = Speaker::kUser, .text = std::string(16'000, 'u')}};
  return prompt;
}

void turn(benchmark::State& state, const char* spec, std::string_view script) {
  const LocalServer server(nlohmann::json::parse(script), {"--repeat"});
  const auto chat = make_chat(std::string(spec) + server.address() + "/v1");
  KP_CHECK(chat.has_value(), "the client is in the catalogue");
  const Prompt prompt = usual_prompt();
  const StopFlag stop;
  for (auto _ : state) {
    const auto reply = (*chat)->complete(prompt, stop);
    KP_CHECK(reply.has_value(), "the server answers");
    benchmark::DoNotOptimize(reply->message.text);
  }
}

void digest(benchmark::State& state) {
  const Prompt prompt = usual_prompt();
  for (auto _ : state) benchmark::DoNotOptimize(digest_of(prompt));
}

void read_megabyte(benchmark::State& state) {
  const std::string event = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" +
                            std::string(16, 'x') + "\"}}]}\n\n";
  for (auto _ : state) {
    const auto reader = make_openai_reader();
    EventStream events([&](const std::string& data) { return !reader->take(data); });
    for (int i = 0; i < (1 << 20) / 16; ++i) events.feed(event);
    benchmark::DoNotOptimize(reader->reply());
  }
}

constexpr const char* kShort = R"([{"text": "0123456789abcdef", "times": 250}])";
constexpr const char* kLong = R"([{"text": "0123456789abcdef", "times": 131072}])";

}  // namespace

int main(int argc, char** argv) {
  ::setenv("OPENAI_API_KEY", "", 1);
  ::setenv("ANTHROPIC_API_KEY", "", 1);
  const auto add = [](const char* name, const char* spec, const char* script) {
    benchmark::RegisterBenchmark(name, [spec, script](benchmark::State& state) {
      turn(state, spec, script);
    })->Unit(benchmark::kMillisecond);
  };
  add("turn/openai/4kB", "openai:m@", kShort);
  add("turn/anthropic/4kB", "anthropic:m@", kShort);
  add("turn/openai/2MB", "openai:m@", kLong);
  benchmark::RegisterBenchmark("digest/24kB", digest)->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("read/1MB_in_65536_events", read_megabyte)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
