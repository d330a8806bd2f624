// SPDX-License-Identifier: Apache-2.0
// What bench shows while it works: a line for each run, and a bar on a terminal.
#pragma once
#include <map>
#include <string>

#include "cli/terminal.h"
#include "suite/campaign.h"

namespace kp::cli {

class BenchProgress final : public suite::Spectator {
 public:
  BenchProgress(Terminal& terminal, int runs) : terminal_(terminal), runs_(runs) {}
  void begun(const suite::RunKey& key, const std::string& device) override;
  void judged(const suite::RunKey& key, const store::NodeRecord& node) override;
  void ended(const suite::RunResult& result) override;
  void failed(const suite::RunKey& key, const Error& error) override;

 private:
  void show();
  Terminal& terminal_;
  int runs_, ended_ = 0;
  std::map<suite::RunKey, int> judged_;  // of the runs that are going
};

}  // namespace kp::cli
