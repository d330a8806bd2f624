// SPDX-License-Identifier: Apache-2.0
#include "propose/llm/assembly.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "build/signature.h"
#include "propose/llm/parent_plan.h"
#include "propose/llm/unified_diff.h"
#include "task/task.h"

namespace kp::propose {
namespace {

constexpr int kDeepestInclude = 8;
constexpr std::size_t kMostSource = 4u << 20;  // bytes; the limit of docs/candidate.md

std::string base_name(std::string_view name) {
  const auto slash = name.rfind('/');
  return std::string(slash == std::string_view::npos ? name : name.substr(slash + 1));
}

/// The x.cuh of `#include "x.cuh"`; empty for any other line.
std::string included(std::string_view line) {
  line = trim(line);
  if (!line.starts_with("#")) return "";
  line = trim(line.substr(1));
  if (!starts_with_word(line, "include")) return "";
  const auto open = line.find('"'), close = line.rfind('"');
  return open < close && close != std::string_view::npos
             ? base_name(line.substr(open + 1, close - open - 1))
             : "";
}

/// Puts other files of the reply where they are included.
class Includes {
 public:
  explicit Includes(const std::vector<Piece>& pieces) : pieces_(pieces) {}

  std::string expand(const Piece& piece) {
    std::set<const Piece*> once{&piece};
    std::string out;
    append(piece, 0, once, out);
    return out;
  }
  bool was_included(const Piece& piece) const { return used_.contains(&piece); }

 private:
  const Piece* find(const std::string& name) const {
    for (const Piece& piece : pieces_) {
      if (!name.empty() && base_name(piece.name) == name) return &piece;
    }
    return nullptr;
  }

  void append(const Piece& piece, int depth, std::set<const Piece*>& once, std::string& out) {
    for (const std::string_view line : split_lines(piece.text)) {
      const Piece* other = depth < kDeepestInclude ? find(included(line)) : nullptr;
      if (!other) {
        (out += line) += '\n';
      } else if (once.insert(other).second) {
        used_.insert(other);
        append(*other, depth + 1, once, out);
      }
    }
  }

  const std::vector<Piece>& pieces_;
  std::set<const Piece*> used_;
};

std::set<std::string> kernels_of(const std::string& source) {
  std::set<std::string> names;
  for (const auto& signature : build::declared_signatures(source, "reply.cu")) {
    names.insert(signature.kernel);
  }
  return names;
}

/// Whether all kernels that a plan launches stand in the source; a plan that cannot be read says so
/// itself later.
bool launches_only(const std::string& plan, const std::string& source) {
  const auto parsed = task::parse_plan(plan, "reply.cu");
  if (!parsed) return true;
  const auto kernels = kernels_of(source);
  return std::all_of(parsed->plan.steps.begin(), parsed->plan.steps.end(), [&](const Step& step) {
    const auto* launch = std::get_if<Launch>(&step);
    return !launch || kernels.contains(launch->kernel);
  });
}

class Assembler {
 public:
  Assembler(const std::vector<Piece>& pieces, const ReplyTo& to)
      : pieces_(pieces), to_(to), includes_(pieces) {}

  Assembly run() {
    for (const Piece& piece : pieces_) expand(piece);
    for (const Piece& piece : pieces_) {
      if (piece.kind == PieceKind::kDiff) patch(piece);
      if (piece.kind == PieceKind::kKernels && !includes_.was_included(piece)) add(piece);
    }
    join_what_is_left();
    return std::move(out_);
  }

 private:
  struct Planless {
    const Piece* piece;
    std::string source;
  };

  void expand(const Piece& piece) {
    if (piece.kind == PieceKind::kPlan) plans_.push_back(piece.text);
    if (piece.kind == PieceKind::kKernels) sources_.push_back({&piece, includes_.expand(piece)});
  }

  void patch(const Piece& piece) {
    if (!to_.parent) return fault("a diff needs a parent, and there is none: send the whole file");
    auto patched = apply_diff(to_.parent->source, piece.text);
    if (auto* refusal = std::get_if<Fault>(&patched)) return fault(std::move(refusal->sentence));
    take(std::get<std::string>(std::move(patched)), piece);
  }

  void add(const Piece& piece) {
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const Planless& entry) { return entry.piece == &piece; });
    std::string& source = found->source;
    if (source.size() > kMostSource) {
      return fault(
          fmt::format("a source has {} bytes; at most {} are read", source.size(), kMostSource));
    }
    if (task::find_plan(source, "reply.cu")) return take(std::move(source), piece);
    for (const std::string& plan : plans_) {
      if (launches_only(plan, source)) return take(plan + source, piece);
    }
    planless_.push_back({&piece, std::move(source)});
  }

  /// Kernels of one candidate may stand in several blocks, with one plan for all.
  void join_what_is_left() {
    if (planless_.empty()) return;
    std::string all;
    for (const Planless& entry : planless_) all += entry.source;
    for (const std::string& plan : plans_) {
      if (launches_only(plan, all)) return take(plan + all, *planless_.front().piece);
    }
    for (Planless& entry : planless_) {
      auto source = with_plan_of_parent(to_.parent, entry.source);
      if (source) {
        take(*std::move(source), *entry.piece);
      } else {
        fault(
            "the code has no plan: put a block comment that starts with `kernelpro` in front of "
            "the kernels, with a `launch` line for each of them");
      }
    }
  }

  void take(std::string source, const Piece& piece) {
    out_.drafts.push_back({std::move(source), &piece});
  }
  void fault(std::string sentence) { out_.faults.push_back({std::move(sentence)}); }

  const std::vector<Piece>& pieces_;
  const ReplyTo& to_;
  Includes includes_;
  std::vector<std::string> plans_;
  std::vector<Planless> sources_, planless_;
  Assembly out_;
};

}  // namespace

Assembly assemble(const std::vector<Piece>& pieces, const ReplyTo& to) {
  return Assembler(pieces, to).run();
}

}  // namespace kp::propose
