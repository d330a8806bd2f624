// SPDX-License-Identifier: Apache-2.0
#include "harness/referee.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "harness/convert.h"
#include "harness/fixed_input.h"
#include "harness/referee_kernels.h"
#include "harness/value_sets.h"

namespace kp::harness {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint64_t kElementsPerBlock = 1024;
constexpr std::uint64_t kMostBlocks = 132 * 16;  // a few waves of a large GPU; kernels stride
constexpr double kDeadlineSeconds = 60;
constexpr std::uint64_t kLeastRoom = 1u << 16;  // bytes

static_assert(static_cast<int>(Structure::Form::kUpper) == referee::kFormUpper &&
              static_cast<int>(Structure::Form::kLower) == referee::kFormLower &&
              static_cast<int>(Structure::Form::kSymmetric) == referee::kFormSymmetric &&
              static_cast<int>(Structure::Form::kDiagonal) == referee::kFormDiagonal &&
              static_cast<int>(Structure::Form::kAscending) == referee::kFormAscending);

std::uint32_t blocks_for(std::uint64_t elements) {
  const std::uint64_t blocks = (elements + kElementsPerBlock - 1) / kElementsPerBlock;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, kMostBlocks));
}

template <class Arguments>
device::BoundStep launch(const char* kernel, std::uint32_t blocks, const Arguments& arguments) {
  static_assert(std::is_trivially_copyable_v<Arguments>);
  device::BoundLaunch bound{.kernel = kernel};
  bound.shape.grid[0] = blocks;
  bound.shape.block[0] = kThreads;
  bound.parameters.resize(sizeof arguments);
  std::memcpy(bound.parameters.data(), &arguments, sizeof arguments);
  return bound;
}

referee::FillArguments arguments_of(const Filling& filling) {
  const DType storage = filling.storage.value_or(filling.dtype);
  const auto two = filling.structure.two.value_or(Structure::TwoValues{});
  return {.address = filling.address,
          .first = filling.first,
          .count = filling.count,
          .kind = static_cast<kp_word>(filling.kind),
          .key = filling.key,
          .stream = filling.stream,
          .low = filling.low,
          .high = filling.high,
          .dtype = static_cast<kp_word>(filling.dtype),
          .storage = static_cast<kp_word>(storage),
          .nudge = is_floating(filling.dtype) ? filling.nudge : 0,
          .least = is_floating(filling.dtype) ? smallest_normal_of(filling.dtype) : 0,
          .source = filling.source,
          .form = static_cast<kp_word>(filling.structure.form),
          .rows = filling.extents.rows,
          .columns = filling.extents.columns,
          .two = filling.structure.two ? kp_word{1} : kp_word{0},
          .two_low = two.low,
          .two_high = two.high,
          .share = two.share};
}

referee::CompareArguments arguments_of(const Comparison& comparison, std::uint64_t records,
                                       std::uint64_t result) {
  return {.got = comparison.got,
          .expected = comparison.expected,
          .nudged = comparison.nudged,
          .count = comparison.count,
          .dtype = static_cast<kp_word>(comparison.gate.dtype),
          .expected_dtype = static_cast<kp_word>(comparison.expected_dtype),
          .records = records,
          .result = result,
          .gate = gate_of(comparison.gate)};
}

std::optional<std::size_t> known(kp_word index) {
  return index == ~kp_word{0} ? std::nullopt : std::optional<std::size_t>(index);
}

OutputFacts facts_of(const referee::CompareResult& result) {
  OutputFacts facts{.special = known(result.whole.first_special),
                    .inexact = known(result.whole.first_inexact),
                    .whole = result.whole.sums,
                    .worst = result.whole.worst};
  if (const auto tile = known(result.first_bad_tile)) facts.bad_tile = *tile * rules::kTile;
  return facts;
}

}  // namespace

Filling filling_for(const Distribution& distribution, DType dtype) {
  Filling filling{.dtype = dtype, .kind = referee::kFillNormal};
  if (distribution.kind == Distribution::Kind::kUniform) filling.kind = referee::kFillUniform;
  if (distribution.kind == Distribution::Kind::kInteger) filling.kind = referee::kFillInteger;
  filling.low = distribution.low;
  filling.high = distribution.high;
  return filling;
}

Result<Filling> filling_for(const Tensor& tensor, const Workload& workload) {
  Distribution distribution = distribution_of(tensor, workload);
  // Values in order are spread over an interval; the normal ones reach this far, but for one in
  // 370.
  const bool ordered = tensor.structure.form == Structure::Form::kAscending;
  if (ordered && distribution.kind == Distribution::Kind::kNormal)
    distribution = {Distribution::Kind::kUniform, -3, 3};
  Filling filling = filling_for(distribution, tensor.dtype);
  filling.structure = tensor.structure;
  KP_TRY(filling.extents, matrix_of(tensor, workload.axes));
  return filling;
}

struct Referee::State {
  device::Device& device;
  std::unique_ptr<device::Loaded> loaded;
  /// Memory of the referee's own, grown when needed.
  struct Room {
    std::uint64_t address = 0, bytes = 0;
  };
  Room results, records;
  std::map<std::pair<Path, std::uint64_t>, Room> held;  // by file and offset

  Result<void> reserve(Room& room, std::uint64_t bytes);
  Result<void> run(std::span<const device::BoundStep> steps);
  template <class Item>
  Result<std::vector<Item>> run_with_results(std::size_t count,
                                             const std::vector<device::BoundStep>& steps);
  template <class Item>
  Result<std::uint64_t> fresh_results(std::size_t count);
};

Result<void> Referee::State::reserve(Room& room, std::uint64_t bytes) {
  if (room.bytes >= bytes) return {};
  if (room.bytes > 0) device.buffers().release(room.address);
  room = {};
  const std::uint64_t wanted = std::max(bytes, kLeastRoom);
  KP_TRY(room.address, device.buffers().allocate(wanted, "referee"));
  room.bytes = wanted;
  return {};
}

Result<void> Referee::State::run(std::span<const device::BoundStep> steps) {
  if (steps.empty()) return {};
  KP_TRY(const device::Mishap mishap,
         device.run(*loaded, {.steps = steps, .deadline_seconds = kDeadlineSeconds}));
  if (const auto* crashed = std::get_if<Crashed>(&mishap)) return referee_broken(crashed->message);
  if (const auto* late = std::get_if<TimedOut>(&mishap)) return referee_broken(late->detail);
  return {};
}

/// `count` results with their initial values.
template <class Item>
Result<std::uint64_t> Referee::State::fresh_results(std::size_t count) {
  KP_TRY_VOID(reserve(results, count * sizeof(Item)));
  const std::vector<Item> initial(count);
  KP_TRY_VOID(device.buffers().write(results.address, std::as_bytes(std::span(initial))));
  return results.address;
}

template <class Item>
Result<std::vector<Item>> Referee::State::run_with_results(
    std::size_t count, const std::vector<device::BoundStep>& steps) {
  KP_TRY_VOID(run(steps));
  std::vector<Item> items(count);
  KP_TRY_VOID(
      device.buffers().read(results.address, std::as_writable_bytes(std::span<Item>(items))));
  return items;
}

Referee::Referee(std::unique_ptr<State> state) : state_(std::move(state)) {}

Referee::~Referee() {
  for (const auto& [place, room] : state_->held) state_->device.buffers().release(room.address);
  for (const State::Room& room : {state_->results, state_->records}) {
    if (room.bytes > 0) state_->device.buffers().release(room.address);
  }
}

Result<std::unique_ptr<Referee>> Referee::open(device::Device& device,
                                               const build::Toolchain& toolchain,
                                               const Path& cache) {
  KP_TRY(const build::Binary binary,
         compile_referee(device.describe().spec.architecture, toolchain, cache));
  KP_TRY(auto loaded, device.load(binary));
  if (const auto* crashed = std::get_if<Crashed>(&loaded)) return referee_broken(crashed->message);
  auto state = std::make_unique<State>(
      State{device, std::get<std::unique_ptr<device::Loaded>>(std::move(loaded)), {}, {}, {}});
  return std::unique_ptr<Referee>(new Referee(std::move(state)));
}

Result<std::uint64_t> Referee::hold(const FixedInput& data) {
  State::Room& room = state_->held[{data.file, data.offset}];
  if (room.bytes > 0) return room.address;
  KP_TRY(const std::string bytes, fixed_bytes(data));
  KP_TRY_VOID(state_->reserve(room, bytes.size()));
  KP_TRY_VOID(state_->device.buffers().write(room.address, std::as_bytes(std::span(bytes))));
  return room.address;
}

Result<void> Referee::fill(std::span<const Filling> fillings) {
  std::vector<device::BoundStep> steps;
  for (const Filling& filling : fillings) {
    if (filling.count > 0)
      steps.push_back(launch("referee_fill", blocks_for(filling.count), arguments_of(filling)));
  }
  return state_->run(steps);
}

Result<std::vector<referee::RecallResult>> Referee::recall(std::span<const Filling> fillings) {
  using Item = referee::RecallResult;
  KP_TRY(const std::uint64_t results, state_->fresh_results<Item>(fillings.size()));
  std::vector<device::BoundStep> steps;
  for (std::size_t i = 0; i < fillings.size(); ++i) {
    const referee::RecallArguments arguments{arguments_of(fillings[i]), results + i * sizeof(Item)};
    steps.push_back(launch("referee_recall", blocks_for(fillings[i].count), arguments));
  }
  return state_->run_with_results<Item>(fillings.size(), steps);
}

Result<std::vector<Hash128>> Referee::fingerprint(std::span<const Region> regions,
                                                  std::uint64_t key) {
  KP_TRY(const std::uint64_t results, state_->fresh_results<Hash128>(regions.size()));
  const Hash128 keys = hash_bytes(std::as_bytes(std::span(&key, 1)));
  std::vector<device::BoundStep> steps;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const referee::FingerprintArguments arguments{.address = regions[i].address,
                                                  .bytes = regions[i].bytes,
                                                  .key_low = keys.low,
                                                  .key_high = keys.high,
                                                  .result = results + i * sizeof(Hash128)};
    steps.push_back(launch("referee_fingerprint", blocks_for(regions[i].bytes / 8), arguments));
  }
  return state_->run_with_results<Hash128>(regions.size(), steps);
}

Result<std::vector<GateVerdict>> Referee::compare(std::span<const Comparison> comparisons) {
  using Item = referee::CompareResult;
  KP_TRY(const std::uint64_t results, state_->fresh_results<Item>(comparisons.size()));
  std::uint64_t tiles = 0;
  for (const Comparison& comparison : comparisons)
    tiles = std::max<std::uint64_t>(tiles, rules::tile_count(comparison.count));
  KP_TRY_VOID(state_->reserve(state_->records, tiles * sizeof(referee::TileRecord)));
  std::vector<device::BoundStep> steps;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    // In order, so that all comparisons may use the same records.
    const auto arguments =
        arguments_of(comparisons[i], state_->records.address, results + i * sizeof(Item));
    const std::uint32_t blocks = blocks_for(comparisons[i].count);
    steps.push_back(launch("referee_tiles", blocks, arguments));
    steps.push_back(launch("referee_whole", 1, arguments));
    steps.push_back(launch("referee_gates", blocks, arguments));
  }
  KP_TRY(const auto items, state_->run_with_results<Item>(comparisons.size(), steps));
  std::vector<GateVerdict> verdicts;
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    KP_TRY(verdicts.emplace_back(), verdict_of(comparisons[i], facts_of(items[i])));
  }
  return verdicts;
}

Result<GateVerdict> Referee::verdict_of(const Comparison& comparison, const OutputFacts& facts) {
  std::optional<Error> failed;
  const auto read_range = [&](std::size_t begin, std::size_t end) {
    Elements elements{std::vector<double>(end - begin), std::vector<double>(end - begin), {}};
    const auto take = [&](std::uint64_t address, DType dtype, std::vector<double>& into) {
      auto values = read(address, dtype, begin, end);
      if (values)
        into = *std::move(values);
      else
        failed = std::move(values).error();
    };
    take(comparison.got, comparison.gate.dtype, elements.got);
    take(comparison.expected, comparison.expected_dtype, elements.expected);
    elements.nudged = elements.expected;
    if (comparison.nudged != 0) take(comparison.nudged, comparison.expected_dtype, elements.nudged);
    return elements;
  };
  GateVerdict verdict = decide(comparison.gate, comparison.count, facts, read_range);
  if (failed) return tl::unexpected<Error>(*std::move(failed));
  return verdict;
}

Result<std::vector<double>> Referee::read(std::uint64_t address, DType dtype, std::size_t begin,
                                          std::size_t end) {
  std::vector<std::byte> bytes((end - begin) * size_of(dtype));
  KP_TRY_VOID(state_->device.buffers().read(address + begin * size_of(dtype), bytes));
  std::vector<double> values(end - begin);
  decode(dtype, bytes, values);
  return values;
}

}  // namespace kp::harness
