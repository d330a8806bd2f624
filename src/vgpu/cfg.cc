// SPDX-License-Identifier: Apache-2.0
#include "vgpu/cfg.h"

#include <algorithm>

namespace kp::vgpu {
namespace {

using Nodes = std::vector<int>;

/// A part of the graph still to be ordered; edges into `header` do not count in a loop.
struct Region {
  Nodes nodes;
  int header = 0;
  bool loop = false;
};

/// Strongly connected parts of one region in topological order (Tarjan, 1972), without recursion
/// because foreign code may hold any number of blocks.
class Components {
 public:
  explicit Components(const Graph& graph) : graph_(graph) {}
  std::vector<Nodes> of(const Region& region);

 private:
  struct Visit {
    int index = -1, low = 0;
    bool inside = false, stacked = false;
  };
  struct Frame {
    int node;
    std::size_t next = 0;
  };
  bool counts(const Region& region, int to) const {
    return visits_[static_cast<std::size_t>(to)].inside && !(region.loop && to == region.header);
  }
  Visit& visit(int node) { return visits_[static_cast<std::size_t>(node)]; }
  void open(int node);
  void close(int node);

  const Graph& graph_;
  std::vector<Visit> visits_;
  std::vector<Frame> frames_;
  Nodes stack_;
  std::vector<Nodes> found_;
  int index_ = 0;
};

void Components::open(int node) {
  visit(node).index = visit(node).low = index_++;
  visit(node).stacked = true;
  stack_.push_back(node);
  frames_.push_back({node});
}

void Components::close(int node) {
  if (visit(node).low != visit(node).index) return;
  const auto begin = std::find(stack_.rbegin(), stack_.rend(), node).base() - 1;
  found_.emplace_back(begin, stack_.end());
  for (auto it = begin; it != stack_.end(); ++it) visit(*it).stacked = false;
  stack_.erase(begin, stack_.end());
}

std::vector<Nodes> Components::of(const Region& region) {
  visits_.resize(graph_.successors.size());
  for (const int node : region.nodes) visit(node) = {-1, 0, true, false};
  index_ = 0;
  found_.clear();
  open(region.header);
  while (!frames_.empty()) {
    auto& frame = frames_.back();
    const int node = frame.node;
    const auto& successors = graph_.successors[static_cast<std::size_t>(node)];
    if (frame.next == successors.size()) {
      frames_.pop_back();
      close(node);
      if (!frames_.empty())
        visit(frames_.back().node).low = std::min(visit(frames_.back().node).low, visit(node).low);
      continue;
    }
    const int to = successors[frame.next++];
    if (!counts(region, to)) continue;
    if (visit(to).index < 0) {
      open(to);
    } else if (visit(to).stacked) {
      visit(node).low = std::min(visit(node).low, visit(to).index);
    }
  }
  for (const int node : region.nodes) visit(node).inside = false;
  std::reverse(found_.begin(), found_.end());
  return std::move(found_);
}

bool is_loop(const Graph& graph, const Nodes& part) {
  const auto& successors = graph.successors[static_cast<std::size_t>(part[0])];
  return part.size() > 1 ||
         std::find(successors.begin(), successors.end(), part[0]) != successors.end();
}

/// The loop as a region, its edges back to the header led through one latch.
Region loop_region(Graph& graph, Nodes nodes) {
  const int header = nodes[0];  // where the search entered the part
  std::vector<int*> back;
  for (const int node : nodes) {
    for (int& to : graph.successors[static_cast<std::size_t>(node)]) {
      if (to == header) back.push_back(&to);
    }
  }
  if (back.size() > 1) {
    const int latch = static_cast<int>(graph.successors.size());
    for (int* to : back) *to = latch;
    graph.successors.push_back({header});
    nodes.push_back(latch);
  }
  return {std::move(nodes), header, true};
}

}  // namespace

std::vector<int> layout(Graph& graph) {
  Nodes order;
  Region whole{Nodes(graph.successors.size()), 0, false};
  for (std::size_t i = 0; i < whole.nodes.size(); ++i) whole.nodes[i] = static_cast<int>(i);
  Components components(graph);
  std::vector<Region> pending{std::move(whole)};
  while (!pending.empty()) {
    Region region = std::move(pending.back());
    pending.pop_back();
    if (region.nodes.size() == 1) {
      order.push_back(region.header);
      continue;
    }
    auto parts = components.of(region);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
      const int first = part->front();
      pending.push_back(is_loop(graph, *part) &&
                                !(region.loop && part->size() == 1 && first == region.header)
                            ? loop_region(graph, std::move(*part))
                            : Region{{first}, first, false});
    }
  }
  return order;
}

}  // namespace kp::vgpu
