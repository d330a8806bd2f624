// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "propose/llm/assembly.h"
#include "propose/llm/prose.h"
#include "propose/llm/quoted.h"
#include "propose/llm/reply.h"
#include "task/task.h"

namespace kp::propose {
namespace {

constexpr std::size_t kMostReply = 8u << 20;  // bytes; twice the largest source
constexpr std::size_t kLongestFault = 600;    // bytes
constexpr std::size_t kLongestAction = 60;    // bytes

/// Whether the braces outside of comments and literals are balanced: a source that was not cut off.
bool is_balanced(std::string_view source) {
  int depth = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::string_view rest = source.substr(i);
    if (rest.starts_with("//")) {
      i = std::min(source.find('\n', i), source.size());
    } else if (rest.starts_with("/*")) {
      i = std::min(source.find("*/", i + 2), source.size() - 1);
      i += 1;
    } else if (source[i] == '"') {
      while (++i < source.size() && source[i] != '"') i += source[i] == '\\';
    }
    if (i < source.size()) depth += (source[i] == '{') - (source[i] == '}');
  }
  return depth == 0;
}

std::string idea_of(const Draft& draft) {
  const Piece& piece = *draft.piece;
  std::string idea = first_sentence(piece.idea);
  if (idea.empty()) idea = labelled(piece.before, "idea");
  if (idea.empty()) idea = labelled(draft.source, "idea");
  if (idea.empty()) idea = first_sentence(piece.before);
  if (idea.empty() && piece.kind != PieceKind::kDiff) idea = first_comment(draft.source);
  return idea.empty() ? "a version that was sent without a word" : idea;
}

std::string key_of(std::string_view text) {
  std::string key = on_one_line(text, kLongestAction);
  const auto begin = key.find_first_not_of(" `[\"'(");
  if (begin == std::string::npos) return "";
  key = key.substr(begin, key.find_first_of(" `]\"'),.;", begin) - begin);
  std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) {
    return c == '_' ? '-' : static_cast<char>(std::tolower(c));
  });
  return key;
}

void attribute(Proposal& proposal, const std::string& follows, const Diagnosis* diagnosis) {
  if (!diagnosis || follows.empty()) return;
  for (const Finding& finding : diagnosis->findings) {
    const bool names_tool = key_of(finding.tool) == follows;
    for (const Prescription& prescription : finding.prescriptions) {
      if (!names_tool && key_of(prescription.action) != follows) continue;
      proposal.tool = finding.tool;
      proposal.action = prescription.action;
      proposal.predicted = finding.gain;
      return;
    }
  }
}

std::string follows_of(const Draft& draft) {
  std::string follows = draft.piece->follows;
  if (follows.empty()) follows = labelled(draft.piece->before, "follows");
  if (follows.empty()) follows = labelled(draft.source, "follows");
  return key_of(follows);
}

std::optional<Fault> fault_of(const Draft& draft, const ReplyTo& to) {
  if (!draft.piece->complete && !is_balanced(draft.source)) {
    return Fault{"the reply ended inside a code block: send a shorter one that is whole"};
  }
  const auto candidate = task::make_candidate(to.task, draft.source, "reply.cu", draft.piece->tune);
  if (candidate) return std::nullopt;
  return Fault{"the plan cannot be used: " + on_one_line(candidate.error().text(), kLongestFault)};
}

Proposal proposal_of(Draft draft, const ReplyTo& to) {
  Proposal proposal;
  proposal.tune = draft.piece->tune;
  proposal.idea = idea_of(draft);
  attribute(proposal, follows_of(draft), to.diagnosis);
  proposal.source = std::move(draft.source);
  return proposal;
}

bool holds(const std::vector<Proposal>& proposals, const Draft& draft) {
  return std::any_of(proposals.begin(), proposals.end(), [&](const Proposal& proposal) {
    return proposal.source == draft.source && proposal.tune == draft.piece->tune;
  });
}

Fault nothing_in(std::string_view text) {
  if (trim(text).empty()) return {"the reply is empty"};
  return {"the reply has no code block with a CUDA kernel: send one whole .cu file in a fence"};
}

}  // namespace

ParsedReply parse_reply(std::string_view text, const ReplyTo& to) {
  if (text.size() > kMostReply) {
    return Fault{
        fmt::format("the reply has {} bytes; at most {} are read", text.size(), kMostReply)};
  }
  const std::vector<Piece> pieces = read_pieces(text);
  Assembly assembly = assemble(pieces, to);
  std::vector<Proposal> proposals;
  for (Draft& draft : assembly.drafts) {
    if (static_cast<int>(proposals.size()) >= to.most || holds(proposals, draft)) continue;
    if (auto fault = fault_of(draft, to)) {
      assembly.faults.push_back(*std::move(fault));
    } else {
      proposals.push_back(proposal_of(std::move(draft), to));
    }
  }
  if (!proposals.empty()) return proposals;
  if (assembly.faults.empty()) return nothing_in(text);
  return assembly.faults.front();
}

}  // namespace kp::propose
