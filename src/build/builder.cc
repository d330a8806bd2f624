// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <mutex>

#include "base/text.h"
#include "build/binary_gate.h"
#include "build/build.h"
#include "build/build_cache.h"
#include "build/compile.h"
#include "build/header_roots.h"
#include "build/ptxas_log.h"
#include "ptx/parse.h"

namespace kp::build {
namespace {

constexpr std::size_t kMostLogBytes = 64u << 10;  // a page of errors helps, a megabyte does not

template <class Item>
const Item* find_kernel(const std::vector<Item>& items, std::string_view kernel) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [kernel](const Item& item) { return item.kernel == kernel; });
  return found == items.end() ? nullptr : &*found;
}

/// A file name that every tool takes: the last part of `file`, letters, digits, `.`, `_` and `-`.
std::string plain_name(const std::string& file) {
  std::string name = Path(file).filename().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_') c = '_';
  }
  return name.ends_with(".cu") ? name : name + ".cu";
}

/// The line of the first `name(12): error: ...`.
SourceSpot first_error(std::string_view log, const std::string& name, const std::string& file) {
  for (const std::string_view line : split_lines(log)) {
    // `c.cu(12): error` of NVIDIA's front end, `c.cu:12:3: error` of the host's preprocessor.
    const bool names_file = line.starts_with(name + "(") || line.starts_with(name + ":");
    if (!names_file || line.find("error") == std::string_view::npos) continue;
    const std::string_view rest = line.substr(name.size() + 1);
    if (const auto number = parse_integer(rest.substr(0, rest.find_first_of("):"))))
      return {file, static_cast<int>(*number), 0};
  }
  return {file, 0, 0};
}

constexpr std::string_view kNoHeaders =
    "hint: level cute and cutlass need the headers of CUTLASS, which nobody named: give "
    "--code-root DIR\n      or set KERNELPRO_CUTLASS to a checkout, or write `level raw` and do "
    "without them\n";

std::string_view hint_for(std::string_view log, bool lacks_headers) {
  if (log.find("too much shared data") != std::string_view::npos)
    return "hint: more than 48 KiB must be dynamic: declare `extern __shared__` and give the bytes "
           "in the "
           "launch\n";
  if (log.find("open source file") != std::string_view::npos ||
      log.find("No such file or directory") != std::string_view::npos)
    return lacks_headers ? kNoHeaders
                         : "hint: a candidate may include CUDA's own headers, and those that its "
                           "`level` opens\n";
  return "";
}

BuildFailed refused(const Compiled& compiled, const CompileRequest& request,
                    const Candidate& candidate) {
  const bool lacks_headers =
      candidate.plan.level != IncludeLevel::kRaw && request.include_roots.empty();
  std::string log = without_ptxas_lines(compiled.log);
  if (log.size() > kMostLogBytes) log = log.substr(0, kMostLogBytes) + "\n[cut]\n";
  log += hint_for(compiled.log, lacks_headers);
  return {std::move(log), first_error(compiled.log, request.name, candidate.file)};
}

std::vector<const Launch*> launches_of(const Plan& plan) {
  std::vector<const Launch*> launches;
  for (const auto* steps : {&plan.prepare, &plan.steps, &plan.oracle}) {
    for (const Step& step : *steps) {
      if (const auto* launch = std::get_if<Launch>(&step)) launches.push_back(launch);
    }
  }
  return launches;
}

BuildFailed failed(const Error& error) { return {error.text(), error.spot}; }

/// The first launch whose kernel the binary lacks, as an error.
std::optional<BuildFailed> missing_kernel(const Plan& plan,
                                          const std::vector<std::string>& kernels) {
  for (const Launch* launch : launches_of(plan)) {
    if (std::binary_search(kernels.begin(), kernels.end(), launch->kernel)) continue;
    const std::string mangled = fmt::format("_Z{}{}", launch->kernel.size(), launch->kernel);
    const bool is_mangled =
        std::any_of(kernels.begin(), kernels.end(),
                    [&](const std::string& name) { return name.starts_with(mangled); });
    std::string hint = "write it as `extern \"C\" __global__ void " + launch->kernel + "(...)`";
    if (is_mangled)
      hint = "it is there with a C++ name; put `extern \"C\"` in front of `__global__`";
    else if (const auto near = nearest(launch->kernel, kernels))
      hint = fmt::format("did you mean `{}`?", *near);
    return failed(fail_at(launch->spot,
                          fmt::format("the plan launches `{}`, which the source does not define",
                                      launch->kernel),
                          hint)
                      .value());
  }
  return {};
}

}  // namespace

const KernelResources* Binary::find_resources(std::string_view kernel) const {
  return find_kernel(resources, kernel);
}

const KernelSignature* Binary::find_signature(std::string_view kernel) const {
  return find_kernel(signatures, kernel);
}

struct Builder::State {
  State(BuildOptions wanted, Toolchain found, Path folder)
      : options(std::move(wanted)),
        toolchain(std::move(found)),
        cache(std::move(folder)),
        header_roots(find_header_roots(options.code_roots)) {}

  BuildOptions options;
  Toolchain toolchain;
  BuildCache cache;
  std::vector<Path> header_roots;
  std::once_flag identified;
  Result<std::string> headers;  // identity_of_headers(header_roots), once somebody needs it

  Result<CompileRequest> request_for(const Candidate& candidate) {
    CompileRequest request{.source = candidate.source,
                           .name = plain_name(candidate.file),
                           .architecture = options.architecture,
                           .deadline = options.deadline};
    for (const auto& [name, value] : candidate.tune)
      request.defines.push_back(fmt::format("{}={}", name, value));
    if (candidate.plan.level == IncludeLevel::kRaw) return request;
    std::call_once(identified, [this] { headers = identity_of_headers(header_roots); });
    KP_TRY(request.headers, headers);
    request.include_roots = header_roots;
    return request;
  }

  Result<BuildOutcome> judge(const Task& task, const Candidate& candidate, const Compiled& compiled,
                             Binary binary) const;
};

Result<BuildOutcome> Builder::State::judge(const Task& task, const Candidate& candidate,
                                           const Compiled& compiled, Binary binary) const {
  KP_TRY(const std::vector<std::string> kernels, kernels_of(compiled.cubin));
  if (auto missing = missing_kernel(candidate.plan, kernels))
    return BuildOutcome(*std::move(missing));
  GateRequest gate{compiled.cubin, compiled.ptx, candidate.source, {}};
  for (const Launch* launch : launches_of(candidate.plan)) gate.kernels.insert(launch->kernel);
  KP_TRY(auto rejected, check_binary(gate));
  if (rejected) return BuildOutcome(*std::move(rejected));
  const auto module = ptx::parse(compiled.ptx, "kernel.ptx");
  if (!module) return BuildOutcome(failed(module.error()));
  binary.signatures = read_signatures(candidate.source, candidate.file, *module);
  const auto checked = check_arguments(task, candidate, binary.signatures);
  if (!checked) return BuildOutcome(failed(checked.error()));
  binary.resources = read_ptxas_log(compiled.log);
  binary.log = without_ptxas_lines(compiled.log);
  binary.ptx = compiled.ptx;
  binary.cubin = compiled.cubin;
  binary.compiler = compiled.compiler;
  return BuildOutcome(std::move(binary));
}

Builder::Builder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Builder::Builder(Builder&&) noexcept = default;
Builder::~Builder() = default;

Result<Builder> Builder::open(BuildOptions options) {
  KP_TRY(Toolchain toolchain, find_toolchain());
  const Path folder = options.cache.empty() ? cache_folder() / "build" : options.cache;
  auto state = std::make_unique<State>(std::move(options), std::move(toolchain), folder);
  return Builder(std::move(state));
}

Result<BuildOutcome> Builder::build(const Task& task, const Candidate& candidate) {
  KP_TRY(const CompileRequest request, state_->request_for(candidate));
  const std::string address = address_of(request, state_->toolchain);
  KP_TRY(auto outcome, compile_cached(request, state_->toolchain, state_->cache));
  if (auto* late = std::get_if<TimedOut>(&outcome)) return BuildOutcome(std::move(*late));
  const Compiled& compiled = std::get<Compiled>(outcome);
  if (!compiled.ok) return BuildOutcome(refused(compiled, request, candidate));
  return state_->judge(task, candidate, compiled, Binary{.id = address});
}

const Toolchain& Builder::toolchain() const { return state_->toolchain; }

}  // namespace kp::build
