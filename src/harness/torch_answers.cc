// SPDX-License-Identifier: Apache-2.0
#include "harness/torch_answers.h"

#include <fmt/format.h>

#include "base/text.h"
#include "harness/convert.h"

namespace kp::harness {
namespace {

using Use = ArraySpec::Use;

// Of the GPU's memory: each process that uses it has a context of some hundred megabytes beside.
constexpr double kUsableShare = 0.9;
// Of arrays in a round, at least: the candidate's and the baseline's.
constexpr std::uint64_t kSets = 2;
constexpr std::uint64_t kTrialKey = 1;

bool is_input(const Tensor& tensor) { return tensor.role != TensorRole::kOutput; }

DType widened(DType dtype) { return is_floating(dtype) ? DType::kF64 : dtype; }

/// The arrays among the task's tensors for which `wanted` holds, in order of declaration.
Result<std::vector<ArraySpec>> specs_of(const TorchAnswersRequest& request,
                                        bool (*wanted)(const Tensor&), Use use) {
  std::vector<ArraySpec> specs;
  for (const Tensor& tensor : request.task.declaration.tensors) {
    if (tensor.shape.empty() || !wanted(tensor)) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, request.workload.axes));
    specs.push_back({tensor.name, widened(tensor.dtype), count, use, false});
  }
  return specs;
}

Result<std::map<std::string, double>> numbers_of(const TorchAnswersRequest& request) {
  std::map<std::string, double> numbers;
  for (const Tensor& tensor : request.task.declaration.tensors) {
    if (!tensor.shape.empty()) continue;
    KP_TRY(const double value, scalar_value(tensor, request.workload));
    numbers[tensor.name] = is_floating(tensor.dtype) ? rounded(tensor.dtype, value) : value;
  }
  return numbers;
}

std::uint64_t bytes_of(const std::vector<ArraySpec>& specs) {
  std::uint64_t sum = 0;
  for (const ArraySpec& spec : specs) sum += spec.bytes();
  return sum;
}

/// Of one set of arrays as a candidate sees them.
Result<std::uint64_t> native_bytes(const TorchAnswersRequest& request) {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : request.task.declaration.tensors) {
    if (tensor.shape.empty()) continue;
    KP_TRY(const std::uint64_t count, element_count(tensor.shape, request.workload.axes));
    sum += count * size_of(tensor.dtype);
  }
  return sum;
}

/// The same elements as those of `of`, in double where it has floats, in array `index` of `block`.
Filling placed(Filling of, const SharedBlock& block, std::size_t index) {
  of.address = block.address(index);
  of.storage = block.specs()[index].dtype;
  return of;
}

}  // namespace

Result<std::unique_ptr<TorchAnswers>> TorchAnswers::open(const TorchAnswersRequest& request) {
  KP_TRY(auto inputs, specs_of(request, is_input, Use::kRead));
  KP_TRY(auto outputs, specs_of(request, is_output, Use::kWritten));
  KP_TRY(auto numbers, numbers_of(request));
  std::unique_ptr<TorchAnswers> answers(new TorchAnswers(request, std::move(numbers)));
  KP_TRY_VOID(answers->check_room(bytes_of(inputs) + bytes_of(outputs)));
  KP_TRY(answers->inputs_, SharedBlock::make(request.hardware, inputs, "inputs in double"));
  KP_TRY(answers->plain_, SharedBlock::make(request.hardware, outputs, "expected outputs"));
  return answers;
}

TorchAnswers::~TorchAnswers() {
  if (kept_ > 0) static_cast<void>(request_.torch.worker->arbiter().release());
}

std::uint64_t TorchAnswers::bytes() const {
  std::uint64_t sum = kept_;
  for (const auto* block : {&inputs_, &plain_, &nudged_}) {
    if (*block) sum += bytes_of((*block)->specs());
  }
  return sum;
}

/// For `more` bytes beside what is held and the least that a contest needs.
Result<void> TorchAnswers::check_room(std::uint64_t more) const {
  KP_TRY(const std::uint64_t set, native_bytes(request_));
  const double wanted = static_cast<double>(bytes() + more + kSets * set);
  const auto memory = static_cast<double>(request_.hardware.trusted().describe().spec.memory_bytes);
  if (wanted <= kUsableShare * memory) return {};
  return fail(ErrorCode::kLimit,
              fmt::format("in double it needs {} of the GPU's {}", format_bytes(wanted),
                          format_bytes(memory)),
              "use smaller workloads");
}

Result<void> TorchAnswers::answer(const SharedBlock& into) {
  KP_TRY(kept_,
         request_.torch.worker->arbiter().answer({.problem = request_.torch.problem.number,
                                                  .constants = request_.workload.constants,
                                                  .memory = {inputs_->memory(), into.memory()},
                                                  .inputs = inputs_->arrays(0),
                                                  .outputs = into.arrays(1),
                                                  .numbers = numbers_}));
  return {};
}

/// Inputs as in a contest, for nobody.
Result<std::vector<Filling>> TorchAnswers::drawn(Referee& referee) const {
  std::vector<Filling> fillings;
  for (std::size_t i = 0; i < inputs_->specs().size(); ++i) {
    const ArraySpec& spec = inputs_->specs()[i];
    const Tensor& tensor = *request_.task.declaration.find(spec.name);
    KP_TRY(Filling filling, filling_for(tensor, request_.workload));
    filling.count = spec.count;
    filling.key = kTrialKey;
    filling.stream = i;
    if (const auto data = request_.workload.data.find(spec.name);
        data != request_.workload.data.end()) {
      filling.kind = referee::kFillCopy;
      KP_TRY(filling.source, referee.hold(data->second));
    }
    fillings.push_back(placed(filling, *inputs_, i));
  }
  return fillings;
}

Result<void> TorchAnswers::prepare(Referee& referee, Precision precision) {
  KP_TRY(const auto fillings, drawn(referee));
  KP_TRY_VOID(referee.fill(fillings));
  KP_TRY_VOID(answer(*plain_));
  KP_TRY_VOID(check_room(0));
  nudge_ = rounding_error_of(precision);
  if (!check_room(bytes_of(plain_->specs()))) return {};
  auto second = SharedBlock::make(request_.hardware, plain_->specs(), "expected outputs, nudged");
  if (second)
    nudged_ = *std::move(second);
  else if (second.error().code != ErrorCode::kLimit)
    return tl::unexpected<Error>(std::move(second).error());
  return {};
}

Result<void> TorchAnswers::compute(const ArraySet& set, Referee& referee) {
  for (const SharedBlock* into : {plain_.get(), nudged_.get()}) {
    if (into == nullptr) continue;
    std::vector<Filling> fillings;
    for (std::size_t i = 0; i < inputs_->specs().size(); ++i) {
      fillings.push_back(placed(*set.input(inputs_->specs()[i].name), *inputs_, i));
      if (into == nudged_.get()) fillings.back().nudge = nudge_;
    }
    KP_TRY_VOID(referee.fill(fillings));
    // It has answered before: what is wrong now is neither the model nor the candidate.
    if (const auto answered = answer(*into); !answered)
      return fail(ErrorCode::kBusy,
                  "PyTorch ceased to answer for timed outputs: " + answered.error().message,
                  "repeat; see what else uses the GPU");
  }
  return {};
}

Answers::Expected TorchAnswers::expected(const Tensor& output) const {
  Expected expected{.dtype = widened(output.dtype)};
  for (std::size_t i = 0; i < plain_->specs().size(); ++i) {
    if (plain_->specs()[i].name != output.name) continue;
    expected.address = plain_->address(i);
    if (nudged_) expected.nudged = nudged_->address(i);
  }
  return expected;
}

Result<TensorValues> TorchAnswers::outputs(const TensorValues& inputs) {
  device::Buffers& buffers = request_.hardware.trusted().buffers();
  for (std::size_t i = 0; i < inputs_->specs().size(); ++i) {
    const ArraySpec& spec = inputs_->specs()[i];
    Bytes bytes(spec.bytes());
    encode(spec.dtype, inputs.at(spec.name), bytes);
    KP_TRY_VOID(buffers.write(inputs_->address(i), bytes));
  }
  KP_TRY_VOID(answer(*plain_));
  TensorValues values;
  for (std::size_t i = 0; i < plain_->specs().size(); ++i) {
    const ArraySpec& spec = plain_->specs()[i];
    Bytes bytes(spec.bytes());
    KP_TRY_VOID(buffers.read(plain_->address(i), bytes));
    values[spec.name].resize(spec.count);
    decode(spec.dtype, bytes, values[spec.name]);
  }
  return values;
}

}  // namespace kp::harness
