// SPDX-License-Identifier: Apache-2.0
#include "harness/referee_kernels.h"

#include "assets/referee_arguments.h"
#include "assets/referee_compare.h"
#include "assets/referee_elements.h"
#include "assets/referee_fill.h"
#include "assets/referee_rules.h"
#include "build/build_cache.h"
#include "build/ptxas_log.h"
#include "ptx/parse.h"

namespace kp::harness {
namespace {

/// Text of one part without what only the host's compiler wants.
std::string part(std::string_view text) {
  std::string result(text);
  const std::string_view once = "#pragma once\n";
  if (const auto at = result.find(once); at != std::string::npos) result.erase(at, once.size());
  return result;
}

std::string source_text() {
  return part(assets::referee_rules) + part(assets::referee_arguments) +
         part(assets::referee_elements) + part(assets::referee_fill) +
         part(assets::referee_compare);
}

}  // namespace

tl::unexpected<Error> referee_broken(const std::string& what) {
  return fail(ErrorCode::kUnavailable, "the referee's kernels do not work here: " + what,
              "`kernelpro doctor` checks the compiler and the GPU; report this if both are well");
}

Result<build::Binary> compile_referee(const std::string& architecture,
                                      const build::Toolchain& toolchain, const Path& cache) {
  const build::CompileRequest request{
      .source = source_text(), .name = "referee.cu", .architecture = architecture};
  KP_TRY(auto outcome,
         build::compile_cached(request, toolchain, build::BuildCache(cache / "referee")));
  auto* compiled = std::get_if<build::Compiled>(&outcome);
  if (compiled == nullptr) return referee_broken("compiling them took too long");
  if (!compiled->ok) return referee_broken(compiled->log);
  build::Binary binary{.id = build::address_of(request, toolchain),
                       .ptx = std::move(compiled->ptx),
                       .cubin = std::move(compiled->cubin),
                       .resources = build::read_ptxas_log(compiled->log),
                       .compiler = std::move(compiled->compiler)};
  KP_TRY(const ptx::Module module, ptx::parse(binary.ptx, "referee.ptx"));
  binary.signatures = build::read_signatures(request.source, request.name, module);
  return binary;
}

}  // namespace kp::harness
