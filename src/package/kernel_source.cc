// SPDX-License-Identifier: Apache-2.0
#include "package/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "build/signature.h"

namespace kp::package {
namespace {

/// Byte of a place that counts from line 1 and column 1.
std::size_t offset_of(std::string_view text, const SourceSpot& spot) {
  std::size_t at = 0;
  for (int line = 1; line < spot.line; ++line) at = text.find('\n', at) + 1;
  return at + static_cast<std::size_t>(spot.column) - 1;
}

std::set<std::string> launched_kernels(const Plan& plan) {
  std::set<std::string> kernels;
  for (const auto* steps : {&plan.prepare, &plan.steps}) {
    for (const Step& step : *steps) {
      if (const auto* launch = std::get_if<Launch>(&step)) kernels.insert(launch->kernel);
    }
  }
  return kernels;
}

/// Preprocessor directives with their lines, those that go on over line ends as one.
std::map<int, std::string> directives_of(const std::string& source) {
  std::map<int, std::string> directives;
  int number = 0, begin = 0;
  for (const std::string_view line : split_lines(source)) {
    ++number;
    if (begin == 0 && trim(line).starts_with('#')) begin = number;
    if (begin == 0) continue;
    directives[begin] += line;
    if (!line.ends_with('\\')) begin = 0;
  }
  return directives;
}

/// Names that only some compilers define. Kernels are verified as NVRTC compiles them; behind such
/// a name nvcc may see something else, host code among it.
Result<void> check_directives(const Candidate& candidate) {
  for (const auto& [line, text] : directives_of(candidate.source)) {
    for (const char* name : {"__CUDACC_RTC__", "__NVCC__", "__CUDACC__", "__GNUC__", "__clang__",
                             "_MSC_VER", "__STDC_HOSTED__", "__has_include", "__linux__"}) {
      if (text.find(name) == text.npos) continue;
      Error error{ErrorCode::kUnsupported,
                  fmt::format("a directive asks for `{}`: what nvcc compiles need not be what was "
                              "verified",
                              name),
                  "remove the condition from the candidate and judge it again",
                  {candidate.file, line, 1},
                  {}};
      return tl::unexpected<Error>(std::move(error));
    }
  }
  return {};
}

/// Function-like macros among them.
std::vector<std::string> defined_macros(const std::string& source) {
  std::vector<std::string> names;
  for (const auto& [line, text] : directives_of(source)) {
    std::string_view rest = trim(std::string_view(text).substr(text.find('#') + 1));
    if (!starts_with_word(rest, "define")) continue;
    rest = trim(rest.substr(std::string_view("define").size()));
    const auto end = std::find_if_not(
        rest.begin(), rest.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    names.emplace_back(rest.begin(), end);
  }
  return names;
}

/// Byte behind the last #include, outside of conditions: from there on all is the candidate's own.
std::size_t own_part(const std::string& source) {
  std::size_t at = 0, own = 0;
  int depth = 0;
  bool pending = false;  // an #include was seen since `own`
  for (const std::string_view line : split_lines(source)) {
    at = std::min(at + line.size() + 1, source.size());
    const std::string_view text = trim(line);
    if (!text.starts_with('#')) continue;
    const std::string_view word = trim(text.substr(1));
    if (word.starts_with("if")) ++depth;
    if (word.starts_with("endif")) --depth;
    pending |= starts_with_word(word, "include");
    if (!pending || depth > 0) continue;
    own = at;
    pending = false;
  }
  return own;
}

std::string renamed(const Candidate& candidate, const std::string& prefix,
                    const std::vector<build::KernelSignature>& kernels) {
  std::map<std::size_t, const std::string*, std::greater<>> places;  // the last first
  for (const build::KernelSignature& kernel : kernels)
    places[offset_of(candidate.source, kernel.spot)] = &kernel.kernel;
  std::string text = candidate.source;
  for (const auto& [at, name] : places)
    text.replace(at, name->size(), exported_name(prefix, *name));
  return text;
}

}  // namespace

std::string exported_name(const std::string& prefix, const std::string& kernel) {
  return fmt::format("{}_{}", prefix, kernel);
}

Result<KernelSource> kernel_source(const Candidate& candidate, const std::string& prefix) {
  KP_TRY_VOID(check_directives(candidate));
  const auto kernels = build::declared_signatures(candidate.source, candidate.file);
  for (const std::string& name : launched_kernels(candidate.plan)) {
    const bool written = std::any_of(kernels.begin(), kernels.end(),
                                     [&name](const auto& k) { return k.kernel == name; });
    if (!written) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("kernel `{}` of {} is not written out: a macro makes it", name,
                              candidate.file),
                  "write its definition without the macro");
    }
  }
  KernelSource source;
  for (const auto& [name, value] : candidate.tune) {
    source.text += fmt::format("#define {} {}\n", name, value);
    source.macros.push_back(name);
  }
  // Functions of both versions may share a name, and nvcc leaves a symbol of each in host code.
  std::string text = renamed(candidate, prefix, kernels);
  text.insert(own_part(text), fmt::format("namespace {} {{\n", prefix));
  if (!text.ends_with('\n')) text += '\n';
  source.text += text + fmt::format("}}  // namespace {}\n", prefix);
  for (std::string& name : defined_macros(candidate.source)) {
    const bool known =
        std::find(source.macros.begin(), source.macros.end(), name) != source.macros.end();
    if (!known) source.macros.push_back(std::move(name));
  }
  return source;
}

}  // namespace kp::package
