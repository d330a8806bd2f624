// SPDX-License-Identifier: Apache-2.0
#include "propose/stencil.h"

#include <fmt/format.h>

#include <algorithm>

#include "propose/effects.h"
#include "propose/launches.h"
#include "propose/locals.h"
#include "propose/pointees.h"

namespace kp::propose {
namespace {

constexpr std::size_t kFewestNeighbours = 3;

class Matcher {
 public:
  Matcher(const Subject& subject, const SyntaxNode& kernel)
      : subject_(subject), tree_(subject.tree), body_(kernel.field("body")), locals_(subject.tree) {
    stencil_.kernel = kernel;
  }

  std::variant<Stencil, Refusal> match() {
    if (match_indices() && match_rest() && match_array() && match_neighbours()) return stencil_;
    return Refusal{why_};
  }

 private:
  bool no(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool match_indices() {
    for (const LocalVariable& local : initialised_locals(tree_, body_)) {
      const char axis = thread_index_axis(local.value);
      const bool top = local.declaration.parent() == body_;
      const bool plain = local.declaration.field("type").text() == "int";
      if (axis == 'x' && top && plain) stencil_.column = local;
      if (axis == 'y' && top && plain) stencil_.row = local;
    }
    if (stencil_.row.name.empty() || stencil_.column.name.empty())
      return no("it has no two indices of type int");
    for (const std::string& name : {stencil_.row.name, stencil_.column.name}) {
      if (may_change(tree_, body_, name) || !declared_once(tree_, stencil_.kernel, name)) {
        return no("'" + name + "' changes or is declared twice");
      }
    }
    return true;
  }

  bool match_rest() {
    auto& statements = stencil_.statements;
    statements = body_.children();
    std::erase_if(statements, [this](const SyntaxNode& statement) {
      return statement == stencil_.row.declaration || statement == stencil_.column.declaration;
    });
    if (communicates(tree_, body_) || tree_.source().find("__shared__") != std::string::npos) {
      return no("its threads talk to each other");
    }
    if (statements.empty()) return no("it does nothing");
    const std::size_t indices_end =
        std::max(stencil_.row.declaration.end(), stencil_.column.declaration.end());
    if (statements.front().begin() < indices_end) return no("something stands before its indices");
    for (const SyntaxNode& field : tree_.all(body_, "field_expression")) {
      const std::string_view text = field.text();
      const bool thread = text.starts_with("threadIdx") || text.starts_with("blockDim") ||
                          text.starts_with("gridDim") || text == "blockIdx.x" ||
                          text == "blockIdx.y";
      if (thread && field.begin() >= indices_end) {
        return no("it uses " + std::string(text) + " for more than its indices");
      }
    }
    return true;
  }

  /// Locals whose value stays, for subscripts that go through them.
  void read_locals() {
    for (const SyntaxNode& declaration : tree_.all(body_, "declaration")) {
      Locals one(tree_);
      const bool stays = one.read(declaration) &&
                         std::all_of(one.all().begin(), one.all().end(), [&](const Local& local) {
                           return !may_change(tree_, body_, local.name) &&
                                  declared_once(tree_, stencil_.kernel, local.name);
                         });
      if (stays) locals_.read(declaration);
    }
  }

  /// The array that is loaded most often, and the number of its elements.
  bool match_array() {
    read_locals();
    std::size_t most = 0;
    for (const PointerParameter& pointer : pointer_parameters(tree_, stencil_.kernel)) {
      const std::size_t uses = mentions_of(tree_, body_, pointer.name).size();
      const bool read =
          pointer.constant || pointers_if_only_read(tree_, stencil_.kernel, pointer.name);
      if (!read || uses <= most) continue;
      most = uses;
      stencil_.array = pointer;
    }
    if (most < kFewestNeighbours) return no("no array is read at several places");
    const Launch* launch = only_launch(subject_.candidate.plan, name_of_kernel(stencil_.kernel));
    if (!launch || !is_passed_once(tree_, stencil_.kernel, *launch, stencil_.array.name)) {
      return no("'" + stencil_.array.name + "' may be stored to under another name");
    }
    const auto count = count_of_elements(*launch);
    if (!count) return no("the kernel does not know the extent of '" + stencil_.array.name + "'");
    stencil_.count = *count;
    return true;
  }

  std::optional<std::string> count_of_elements(const Launch& launch) const {
    const Argument* argument = argument_for(tree_, stencil_.kernel, launch, stencil_.array.name);
    const auto* name = argument ? std::get_if<std::string>(&argument->value) : nullptr;
    const Tensor* tensor = name ? subject_.task.declaration.find(*name) : nullptr;
    if (!tensor || tensor->shape.empty()) return std::nullopt;
    std::vector<std::string> factors;
    for (const Expr& extent : tensor->shape) {
      const auto value = literal(extent);
      const std::string factor = value ? std::to_string(*value) : parameter_with(launch, extent);
      if (factor.empty()) return std::nullopt;
      factors.push_back(factor);
    }
    return fmt::format("{}", fmt::join(factors, " * "));
  }

  /// The integer parameter that gets `extent`; empty when there is none.
  std::string parameter_with(const Launch& launch, const Expr& extent) const {
    const SyntaxNode list = stencil_.kernel.field("declarator").field("parameters");
    for (const SyntaxNode& parameter : tree_.all(list, "parameter_declaration")) {
      const SyntaxNode name = parameter.field("declarator");
      if (!name.valid() || name.type() != "identifier") continue;
      const Argument* argument = argument_for(tree_, stencil_.kernel, launch, name.text());
      const auto* expr = argument ? std::get_if<Expr>(&argument->value) : nullptr;
      const auto* axis = argument ? std::get_if<std::string>(&argument->value) : nullptr;
      const bool same = (expr && *expr == extent) || (axis && *axis == extent.text());
      if (same && !may_change(tree_, body_, name.text())) return std::string(name.text());
    }
    return "";
  }

  bool match_neighbours() {
    for (const SyntaxNode& mention : mentions_of(tree_, body_, stencil_.array.name)) {
      const SyntaxNode load = mention.parent();
      const bool plain = load.type() == "subscript_expression" &&
                         load.field("argument") == mention &&
                         load.parent().type() != "pointer_expression";
      if (!plain || !add_neighbour(load)) {
        return no("'" + stencil_.array.name + "' is read at other than constant distances");
      }
    }
    if (stencil_.columns.empty()) return no("no array is read at several places");
    const bool shares =
        std::any_of(stencil_.columns.begin(), stencil_.columns.end(),
                    [](const auto& column) { return column.second.high > column.second.low; });
    return shares || no("points of a column share no neighbours");
  }

  bool add_neighbour(const SyntaxNode& load) {
    const auto element = element_of(load, locals_, {stencil_.row.name, stencil_.column.name});
    if (!element || element->pointer != stencil_.array.name) return false;
    const auto down = element->index.step(stencil_.row.name),
               right = element->index.step(stencil_.column.name);
    if (!down || !right || right->value() != 1 || down->has(stencil_.column.name) ||
        *down == IndexForm()) {
      return false;
    }
    const IndexForm base = down->times(IndexForm::name(stencil_.row.name))
                               .plus(IndexForm::name(stencil_.column.name), 1);
    const bool first = stencil_.neighbours.empty();
    if (!first && !(base == stencil_.base)) return false;
    stencil_.base = base;
    const auto away = distance(element->index.plus(base, -1), *down);
    if (!away) return false;
    const auto [dy, dx] = *away;
    auto [column, added] = stencil_.columns.try_emplace(dx, Stencil::Column{dy, dy});
    column->second.low = std::min(column->second.low, dy);
    column->second.high = std::max(column->second.high, dy);
    stencil_.neighbours.push_back({load, dy, dx});
    return true;
  }

  /// dy and dx with away = dy * pitch + dx.
  static std::optional<std::pair<std::int64_t, std::int64_t>> distance(const IndexForm& away,
                                                                       const IndexForm& pitch) {
    for (std::int64_t dy = -kFarthestNeighbour; dy <= kFarthestNeighbour; ++dy) {
      const auto dx = away.plus(pitch, -dy).value();
      if (dx && std::abs(*dx) <= kFarthestNeighbour) return std::pair(dy, *dx);
    }
    return std::nullopt;
  }

  const Subject& subject_;
  const SourceTree& tree_;
  SyntaxNode body_;
  Locals locals_;
  Stencil stencil_;
  std::string why_;
};

}  // namespace

std::variant<Stencil, Refusal> match_stencil(const Subject& subject, const SyntaxNode& kernel) {
  return Matcher(subject, kernel).match();
}

}  // namespace kp::propose
