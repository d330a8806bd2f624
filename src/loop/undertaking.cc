// SPDX-License-Identifier: Apache-2.0
#include "loop/undertaking.h"

#include <fmt/format.h>

#include "loop/memory.h"
#include "loop/recorded_workshop.h"
#include "loop/session.h"
#include "loop/spending.h"

namespace kp::loop {
namespace {

/// A run that is interrupted in its first evaluation has no ending yet, but can go on.
Result<Session> start(const Settings& settings, const Rooms& rooms, const Path& folder,
                      const StopFlag& stop) {
  auto session = Session::start(settings, rooms, folder);
  if (session || !stop.requested()) return session;
  Error error = std::move(session).error();
  error.hint = fmt::format("`kernelpro resume {}` goes on", folder.string());
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace

Result<Undertaking> Undertaking::begin(Settings settings, Task task, const std::string& written,
                                       const Bench& bench) {
  settings.task = std::filesystem::absolute(written).lexically_normal().string();
  KP_TRY(settings.proposer_options, propose::resolved(std::move(settings.proposer_options)));
  KP_TRY(const auto options, harness_options(settings, *bench.device));
  KP_TRY(auto shop, open_workshop(std::move(task), bench, options));
  settings.device = shop.device->describe().name;
  KP_TRY(auto proposer, propose::make_proposer(settings.proposer, settings.proposer_options));
  settings.environment = environment(shop, settings, written);
  return Undertaking(std::move(shop), std::move(settings), std::move(proposer));
}

Result<Undertaking> Undertaking::go_on(StoredRun stored, const Bench& bench) {
  KP_TRY(auto shop, open_workshop(stored, bench));
  const Settings& settings = stored.settings;
  KP_TRY(const auto past, read_past(stored.store, settings.proposer));
  KP_TRY(auto proposer, propose::make_proposer(settings.proposer, settings.proposer_options, past));
  Undertaking undertaking(std::move(shop), settings, std::move(proposer));
  undertaking.store_ = std::move(stored.store);
  return undertaking;
}

Result<Ending> Undertaking::run(const Path& folder, Watcher* watcher, const StopFlag& stop) {
  KP_TRY(auto judges, RecordedWorkshop::open(shop_, settings_.proposer_options.record));
  const Rooms rooms{judges.judge(), *proposer_, watcher, remembering()};
  if (!store_) KP_TRY_VOID(judges.begin(settings_));
  KP_TRY(auto session, store_ ? Session::resume(settings_, rooms, *std::exchange(store_, {}))
                              : start(settings_, rooms, folder, stop));
  KP_TRY(const auto ending, session.run(stop));
  KP_TRY_VOID(judges.end(ending));
  return ending;
}

}  // namespace kp::loop
