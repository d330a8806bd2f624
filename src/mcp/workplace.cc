// SPDX-License-Identifier: Apache-2.0
#include "mcp/workplace.h"

#include <algorithm>

namespace kp::mcp {
namespace {

constexpr std::size_t kMostPlaces = 4;  // runs whose inputs and references stay on a device

}  // namespace

Workplace::Shift::Shift(Workplace& place, Call& call) : place_(place), call_(call) {
  // The address stays: it is what the devices know.
  place_.stop_.emplace();
  call_.also_stop(&*place_.stop_);
}

Workplace::Shift::~Shift() {
  call_.also_stop(nullptr);
  if (!place_.stop_->requested()) return;
  place_.places_.clear();
  place_.benches_.clear();
}

Result<loop::Bench> Workplace::bench(const std::string& device) {
  const std::string wanted = device.empty() ? setup_.device : device;
  if (const auto known = benches_.find(wanted); known != benches_.end()) return known->second;
  KP_TRY(auto opened, loop::open_bench(wanted, *stop_, setup_.code_roots));
  // The same device may have several names.
  const auto [kept, is_new] = benches_.try_emplace(opened.device->describe().name, opened);
  benches_.insert_or_assign(wanted, kept->second);
  return benches_.at(wanted);
}

loop::Workshop* Workplace::find(const std::string& key) {
  const auto found = std::find_if(places_.begin(), places_.end(),
                                  [&key](const Place& place) { return place.key == key; });
  if (found == places_.end()) return nullptr;
  places_.splice(places_.begin(), places_, found);
  return &places_.front().shop;
}

loop::Workshop* Workplace::keep(std::string key, loop::Workshop shop) {
  places_.push_front({std::move(key), std::move(shop)});
  if (places_.size() > kMostPlaces) places_.pop_back();
  return &places_.front().shop;
}

Result<loop::Workshop*> Workplace::for_run(loop::StoredRun& stored) {
  KP_TRY(const auto meta, stored.store.meta());
  // A folder may be given to another run.
  const auto digest = meta.find("task_digest");
  const std::string key =
      stored.store.folder().string() + "\n" + (digest == meta.end() ? "" : digest->second);
  if (auto* known = find(key)) return known;
  KP_TRY(const auto with, bench(loop::device_of(meta)));
  KP_TRY(auto shop, loop::open_workshop(stored, with));
  return keep(key, std::move(shop));
}

Result<loop::Workshop*> Workplace::for_task(Task task, const std::string& device) {
  KP_TRY(const std::string digest, loop::digest_of(task));
  const std::string key = device + "\n" + digest;
  if (auto* known = find(key)) return known;
  KP_TRY(const auto with, bench(device));
  KP_TRY(auto shop, loop::open_workshop(std::move(task), with, harness::HarnessOptions{}));
  return keep(key, std::move(shop));
}

Result<std::unique_ptr<Sitting>> Sitting::open(Workplace& place, loop::StoredRun stored,
                                               Call& call) {
  KP_TRY(loop::Workshop* const shop, place.for_run(stored));
  KP_TRY(auto run, loop::LiveRun::open(std::move(stored.store), stored.settings, shop->task()));
  return std::unique_ptr<Sitting>(new Sitting(std::move(run), *shop, call));
}

}  // namespace kp::mcp
