// SPDX-License-Identifier: Apache-2.0
// Sees: a kernel without __launch_bounds__ whose residency is limited by registers.
// Does: tells the compiler the block size, and asks for one or two more resident blocks.
// Refuses: a kernel that has bounds already; a block size that is no literal.
#include <fmt/format.h>

#include "propose/catalog.h"
#include "propose/edit.h"
#include "propose/syntax.h"

namespace kp::propose {
namespace {

std::optional<std::int64_t> threads_of(const Launch& launch) {
  const auto x = literal(launch.block.x), y = literal(launch.block.y), z = literal(launch.block.z);
  if (!x || !y || !z) return std::nullopt;
  return *x * *y * *z;
}

class LaunchBounds final : public Rewrite {
 public:
  AboutRewrite about() const override {
    return {"launch_bounds", diagnose::action::kLaunchBounds,
            "adds __launch_bounds__ with the block size and a number of resident blocks",
            "a kernel without bounds that is launched once with a literal block size"};
  }

  RewriteResult apply(const Subject& subject) const override {
    std::vector<Rewritten> versions;
    for (const SyntaxNode& kernel : subject.tree.kernels()) add_versions(subject, kernel, versions);
    if (versions.empty()) return Refusal{"no kernel lacks bounds and has a literal block size"};
    return versions;
  }

 private:
  static void add_versions(const Subject& subject, const SyntaxNode& kernel,
                           std::vector<Rewritten>& versions) {
    const std::string name(name_of_kernel(kernel));
    const Launch* launch = only_launch(subject.candidate.plan, name);
    const auto threads = launch ? threads_of(*launch) : std::nullopt;
    if (!threads || !subject.tree.all(kernel, "launch_bounds").empty()) return;
    if (subject.finding && subject.finding->kernel != name) return;
    constexpr std::int64_t kThreadsPerSm = 2048;  // compute capability 9.0
    for (const std::int64_t share : {1, 2}) {
      const std::int64_t blocks = kThreadsPerSm / *threads / share;
      if (blocks < 1) continue;
      Edits edits;
      edits.insert(kernel.field("declarator").begin(),
                   fmt::format("__launch_bounds__({}, {}) ", *threads, blocks));
      versions.push_back(
          {edits.apply(subject.tree.source()),
           fmt::format("bounds the registers of {} for {} resident blocks", name, blocks)});
    }
  }
};

}  // namespace

std::unique_ptr<Rewrite> make_launch_bounds() { return std::make_unique<LaunchBounds>(); }

}  // namespace kp::propose
