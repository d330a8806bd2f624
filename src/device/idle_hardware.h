// SPDX-License-Identifier: Apache-2.0
// Hardware for tests that does nothing and knows nothing; they override what they are about.
#pragma once
#include "base/check.h"
#include "device/hardware.h"

namespace kp::device {

class IdleHardware : public Hardware, public Observer {
 public:
  Device& trusted() override {
    KP_CHECK(none_ != nullptr, "a test that asks for no trusted device");
    return *none_;
  }
  Result<SeriesReport> series(Loaded&, const SeriesRequest&) override { return SeriesReport{}; }
  Observer& observer() override { return *this; }
  GpuState state() override { return {}; }
  std::string sandbox() const override { return "minimal"; }

  Result<CountReport> count(Loaded&, const CountRequest&) override { return CountReport{}; }
  Result<TraceReport> trace(Loaded&, const TraceRequest&) override {
    return fail(ErrorCode::kUnavailable, "nothing is traced here");
  }
  Result<std::string> rules(Loaded&, const RulesRequest&) override {
    return fail(ErrorCode::kUnavailable, "no rules here");
  }

 private:
  Device* none_ = nullptr;
};

}  // namespace kp::device
