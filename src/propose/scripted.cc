// SPDX-License-Identifier: Apache-2.0
// Hands out the proposals of a file in order, whatever it is asked: for tests and demonstrations.
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "model/json.h"
#include "propose/catalog.h"

namespace kp::propose {
namespace {

class Scripted final : public Proposer {
 public:
  explicit Scripted(std::vector<Proposal> proposals) : proposals_(std::move(proposals)) {}
  std::string_view name() const override { return "scripted"; }

  Result<std::vector<Proposal>> propose(const Request& request) override {
    // The run's own count of candidates says where the script stands, so that a resumed run goes
    // on.
    const bool has_baseline = request.task.baseline.has_value();
    const std::size_t next = request.known.size() - (has_baseline ? 1 : 0);
    if (next >= proposals_.size()) return std::vector<Proposal>{};
    return std::vector<Proposal>{proposals_[next]};
  }

 private:
  std::vector<Proposal> proposals_;
};

Result<Proposal> proposal_from(const nlohmann::json& entry, const std::string& file) {
  const auto text = [&entry](const char* key) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (!entry.is_object() || text("source").empty()) {
    return fail(ErrorCode::kInvalidInput, file + ": each proposal needs a \"source\"",
                "write [{\"source\": \"...\", \"idea\": \"...\"}, ...]");
  }
  return Proposal{text("source"), {}, text("idea"), text("tool"), text("action"), {}};
}

}  // namespace

Result<std::unique_ptr<Proposer>> make_scripted(const std::string& file) {
  KP_TRY(const std::string text, read_text(file));
  KP_TRY(const auto parsed, parse_json(text).within(file));
  if (!parsed.is_array()) {
    return fail(ErrorCode::kInvalidInput, file + " is not a list of proposals",
                "write [{\"source\": \"...\", \"idea\": \"...\"}, ...]");
  }
  std::vector<Proposal> proposals;
  for (const auto& entry : parsed) {
    KP_TRY(auto proposal, proposal_from(entry, file));
    proposals.push_back(std::move(proposal));
  }
  return std::make_unique<Scripted>(std::move(proposals));
}

}  // namespace kp::propose
