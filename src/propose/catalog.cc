// SPDX-License-Identifier: Apache-2.0
// The only lists of proposers and rewrites.
#include "propose/catalog.h"

#include <optional>

#include "llm/catalog.h"
#include "llm/metered.h"
#include "llm/recorded.h"
#include "propose/llm/model_proposer.h"

namespace kp::propose {

namespace {

/// What follows the scheme, when `name` has it.
std::optional<std::string> after(const std::string& name, std::string_view scheme) {
  if (!name.starts_with(scheme)) return std::nullopt;
  return name.substr(scheme.size());
}

/// Without a limit in money a run does without prices: what it costs is then unknown.
Result<llm::Prices> open_prices(const ProposerOptions& options) {
  if (!options.prices.empty()) return llm::Prices::read(options.prices);
  auto shipped = llm::Prices::read_shipped();
  if (shipped || options.most_cost > 0) return shipped;
  return llm::Prices(std::vector<llm::Price>{});
}

/// With the budget of the run around it, and a recording where one is wanted.
Result<std::unique_ptr<llm::Metered>> open_chat(const std::string& spec,
                                                const ProposerOptions& options, const Past& past) {
  llm::ChatOptions chat_options;
  chat_options.replies_before = past.replies;
  KP_TRY(auto chat, llm::make_chat(spec, chat_options));
  if (!options.record.empty()) {
    KP_TRY(auto recording, llm::Recording::append(options.record));
    chat = llm::record(std::move(chat), std::move(recording));
  }
  llm::Budget budget;
  if (options.most_tokens > 0) budget.tokens = options.most_tokens;
  if (options.most_cost > 0) budget.dollars = options.most_cost;
  KP_TRY(auto prices, open_prices(options));
  return llm::Metered::make(std::move(chat), budget, std::move(prices), past.spent);
}

/// Errors: kNotFound when no chat client is called so either.
Result<std::unique_ptr<Proposer>> make_model(const std::string& name,
                                             const ProposerOptions& options, const Past& past) {
  const auto script = after(name, "scripted-chat:");
  KP_TRY(auto chat, open_chat(script ? "scripted:" + *script : name, options, past));
  KP_TRY(auto code, open_code_source(options.code_roots));
  const llm::Metered* meter = chat.get();
  return make_model_proposer(std::move(chat), std::move(code), options, meter);
}

}  // namespace

Result<std::unique_ptr<Proposer>> make_proposer(const std::string& name,
                                                const ProposerOptions& options, const Past& past) {
  if (name == "rewriter") return make_rewriter();
  if (const auto file = after(name, "scripted:")) return make_scripted(*file);
  if (const auto command = after(name, "command:")) {
    return make_command_proposer(*command, options);
  }
  if (name.find(':') != std::string::npos) return make_model(name, options, past);
  return fail(ErrorCode::kNotFound, "no proposer is called '" + name + "'",
              "use rewriter, anthropic:MODEL, openai:MODEL@URL, command:CMD, scripted:FILE or "
              "scripted-chat:FILE");
}

const std::vector<std::unique_ptr<Rewrite>>& rewrites() {
  static const auto all = [] {
    std::vector<std::unique_ptr<Rewrite>> list;
    list.push_back(make_aggregate_atomics());
    list.push_back(make_block_size());
    list.push_back(make_coarsen_stencil());
    list.push_back(make_constant_index());
    list.push_back(make_fast_math());
    list.push_back(make_float_literals());
    list.push_back(make_grid_stride());
    list.push_back(make_launch_bounds());
    list.push_back(make_longer_stretches());
    list.push_back(make_pad_shared());
    list.push_back(make_privatise());
    list.push_back(make_read_only_loads());
    list.push_back(make_row_per_warp());
    list.push_back(make_split_row());
    list.push_back(make_stage_rows());
    list.push_back(make_strength_reduce());
    list.push_back(make_swizzle_shared());
    list.push_back(make_table_to_shared());
    list.push_back(make_tensor_cores());
    list.push_back(make_tile_contraction());
    list.push_back(make_tile_through_shared());
    list.push_back(make_unroll());
    list.push_back(make_warp_scan());
    list.push_back(make_warp_shuffle());
    list.push_back(make_widen_access());
    return list;
  }();
  return all;
}

}  // namespace kp::propose
