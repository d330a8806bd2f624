// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/child.h"
#include "profile/program_runs.h"
#include "profile/recorder.h"
#include "profile/sass.h"

namespace kp::profile {
namespace {

constexpr const char* kLibrary = "libkernelpro-inject.so";
constexpr std::uint64_t kLargestRecord = 512ull << 20;  // bytes; the library writes less
constexpr std::size_t kShownOutput = 400;               // bytes of the program's last words

struct Recorder {
  const ProgramRequest& request;
  Path library;
  TemporaryFolder folder;

  ChildSpec spec() const {
    ChildSpec spec;
    spec.command = request.command;
    spec.environment = {"CUDA_INJECTION64_PATH=" + library.string(),
                        "KERNELPRO_RECORD=" + folder.path().string()};
    spec.inherit_environment = true;
    spec.deadline = request.deadline;
    spec.file_bytes = kAnyFile;
    return spec;
  }
};

/// The first run: what the program says is its user's.
Result<ChildExit> run_open(const Recorder& recorder) {
  ChildSpec spec = recorder.spec();
  KP_TRY(const Path program, find_program(spec.command.front()));
  spec.command.front() = program.string();
  spec.command.insert(spec.command.begin(),
                      {"/bin/sh", "-c", "exec \"$@\" >&3 2>&4 3>&- 4>&-", "sh"});
  spec.descriptors = {recorder.request.to_standard_error ? 2 : 1, 2};
  return run_child(spec);
}

/// Text of each file KIND.PID that the library left.
Result<std::vector<std::string>> records(const Path& folder, std::string_view kind) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with(kind)) continue;
    KP_TRY(found.emplace_back(), read_file(entry.path(), kLargestRecord));
  }
  return found;
}

double gpu_time(const Trace& trace) {
  double time = 0;
  for (const TracedLaunch& launch : trace.launches) time += launch.when.end - launch.when.start;
  return time;
}

/// The process that used the GPU most; a note tells of others.
Result<std::optional<Trace>> main_trace(const Path& folder) {
  KP_TRY(const auto texts, records(folder, "trace."));
  std::optional<Trace> chosen;
  int others = -1;
  for (const std::string& text : texts) {
    KP_TRY(Trace trace, parse_trace(text, "the recording"));
    others += trace.launches.empty() ? 0 : 1;
    if (!chosen || gpu_time(trace) > gpu_time(*chosen)) chosen = std::move(trace);
  }
  if (others > 0) {
    chosen->notes.push_back(
        fmt::format("{} other processes of the program used a GPU and were left out", others));
  }
  return chosen;
}

std::string how_it_ended(const ChildExit& end, const ProgramRequest& request) {
  if (end.timed_out) {
    return fmt::format("the program was ended after {} s", request.deadline.count());
  }
  if (end.signal != 0) return fmt::format("the program was killed by signal {}", end.signal);
  return end.code == 0 ? "" : fmt::format("the program ended with exit status {}", end.code);
}

tl::unexpected<Error> nothing(const std::optional<Trace>& trace, const std::string& end) {
  if (trace && !trace->notes.empty()) {
    return fail(ErrorCode::kUnavailable, "the program could not be recorded: " + trace->notes[0],
                "kernelpro doctor says what is missing");
  }
  if (!end.empty()) {
    return fail(ErrorCode::kInvalidInput, end + " before it launched a kernel",
                "run it alone first: its own message is above");
  }
  return fail(ErrorCode::kUnavailable,
              trace ? "the program launched no kernel" : "the program did not start CUDA",
              "see that it uses the GPU; programs that are not started by it, such as servers, are "
              "not seen");
}

/// Functions of all modules that the second run left, as far as they can be read.
std::vector<SassFunction> functions_in(const Path& folder, Recording& recording) {
  std::vector<SassFunction> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with("module.")) continue;
    auto functions = disassemble(entry.path());
    if (functions) {
      std::ranges::move(*functions, std::back_inserter(all));
    } else if (const std::string note = "machine code is unknown: " + functions.error().message;
               std::ranges::find(recording.notes, note) == recording.notes.end()) {
      recording.notes.push_back(note);
    }
  }
  return all;
}

/// The second run; what the program says is not shown again. A program that cannot be counted is
/// still timed. Whether anything was counted.
Result<bool> count(const Recorder& recorder, const Trace& trace, Recording& recording) {
  const std::string request = count_request(trace);
  if (request.empty()) {
    recording.notes.emplace_back("no counters: kernels that graphs launch are not counted");
    return false;
  }
  KP_TRY_VOID(write_file(recorder.folder.path() / "request", request));
  KP_TRY(const ChildExit end, run_child(recorder.spec()));
  if (const std::string how = how_it_ended(end, recorder.request); !how.empty()) {
    const std::size_t from =
        end.error_output.size() - std::min(end.error_output.size(), kShownOutput);
    recording.notes.push_back(
        fmt::format("while counting, {}: {}", how, end.error_output.substr(from)));
  }
  KP_TRY(const auto texts, records(recorder.folder.path(), "counts."));
  Counts all;
  for (const std::string& text : texts) {
    KP_TRY(Counts counts, parse_counts(text, "the counts"));
    all.launches.merge(counts.launches);
    all.notes.insert(all.notes.end(), counts.notes.begin(), counts.notes.end());
  }
  add_counts(trace, all, recording);
  add_code(trace, functions_in(recorder.folder.path(), recording), recording);
  return !all.launches.empty();
}

}  // namespace

Result<Injected> record_by_injection(const ProgramRequest& request) {
  KP_TRY(Path library, find_own_program(kLibrary, "device"));
  KP_TRY(auto folder, TemporaryFolder::make("kernelpro-record"));
  const Recorder recorder{request, std::filesystem::absolute(library), std::move(folder)};
  KP_TRY(const ChildExit end, run_open(recorder));
  KP_TRY(const std::optional<Trace> trace, main_trace(recorder.folder.path()));
  const std::string how = how_it_ended(end, request);
  if (!trace || trace->launches.empty()) return nothing(trace, how);
  Injected injected{recording_of(*trace)};
  if (!how.empty()) injected.recording.notes.push_back(how);
  KP_TRY(injected.counted, count(recorder, *trace, injected.recording));
  return injected;
}

}  // namespace kp::profile
