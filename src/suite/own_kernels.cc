// SPDX-License-Identifier: Apache-2.0
#include "suite/own_kernels.h"

#include <algorithm>
#include <cctype>

namespace kp::suite {
namespace {

constexpr std::size_t kLongestName = 120;
// Characters from a mark to the name of its function; keeps files that are made of marks cheap.
constexpr std::size_t kWindow = 4000;

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Behind the parenthesis that closes the one at `open`, or npos.
std::size_t behind_parentheses(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

std::string name_before(std::string_view text, std::size_t parenthesis) {
  std::size_t end = parenthesis;
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  std::size_t begin = end;
  while (begin > 0 && in_name(text[begin - 1])) --begin;
  return std::string(text.substr(begin, end - begin));
}

/// The function that `text` declares: `__global__ void __launch_bounds__(256) name(...)`.
std::string cuda_kernel(std::string_view text) {
  std::size_t open = text.find('(');
  while (open != std::string_view::npos) {
    std::string name = name_before(text, open);
    if (name != "__launch_bounds__") return name;
    const std::size_t behind = behind_parentheses(text, open);
    open = behind == std::string_view::npos ? behind : text.find('(', behind);
  }
  return {};
}

std::string triton_kernel(std::string_view text) {
  const std::size_t def = text.find("\ndef ");
  const std::size_t open = def == std::string_view::npos ? def : text.find('(', def);
  return open == std::string_view::npos ? std::string() : name_before(text, open);
}

template <class Name>
void collect(std::string_view text, std::string_view mark, Name&& name_in,
             std::set<std::string>& names) {
  for (std::size_t at = text.find(mark); at != std::string_view::npos;
       at = text.find(mark, at + mark.size())) {
    if (std::string name = name_in(text.substr(at, kWindow)); !name.empty())
      names.insert(std::move(name));
  }
}

}  // namespace

std::set<std::string> kernels_defined_in(std::string_view text) {
  std::set<std::string> names;
  collect(text, "__global__", cuda_kernel, names);
  collect(text, "@triton.jit", triton_kernel, names);
  return names;
}

std::string base_name(std::string_view kernel) {
  constexpr std::string_view kNameless = "(anonymous namespace)";
  int depth = 0;  // of angle brackets
  std::size_t begin = 0, end = std::string_view::npos;
  for (std::size_t at = 0; at < kernel.size(); ++at) {
    if (kernel.substr(at).starts_with(kNameless)) at += kNameless.size();
    const char c = at < kernel.size() ? kernel[at] : ' ';
    if (depth == 0 && (c == '<' || c == '(')) end = std::min(end, at);
    if (depth == 0 && c == '(') break;
    if (depth == 0 && (c == ':' || c == ' ')) begin = at + 1, end = std::string_view::npos;
    if (c == '<') ++depth;
    if (c == '>') --depth;
  }
  return std::string(kernel.substr(std::min(begin, kernel.size()), end - begin));
}

void divide_kernels(const std::vector<torch::GuestKernel>& kernels,
                    const std::set<std::string>& own, Claim& claim) {
  double whole = 0, mine = 0;
  std::vector<std::pair<double, std::string>> others;
  for (const torch::GuestKernel& kernel : kernels) {
    const std::string name = base_name(kernel.name);
    whole += kernel.nanoseconds;
    if (own.contains(name))
      mine += kernel.nanoseconds;
    else
      others.emplace_back(kernel.nanoseconds, kernel.name.substr(0, kLongestName));
  }
  if (!(whole > 0)) return;
  claim.own_share = mine / whole;
  std::stable_sort(others.begin(), others.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (auto& [time, name] : others) claim.library_kernels.push_back(std::move(name));
}

}  // namespace kp::suite
