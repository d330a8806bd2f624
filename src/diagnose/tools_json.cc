// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tools_json.h"

#include <nlohmann/json.hpp>

#include "diagnose/lua_tool.h"

namespace kp::diagnose {

nlohmann::json to_json(const Tool& tool, std::string_view origin) {
  const About about = tool.about();
  nlohmann::json classes = nlohmann::json::array(), needs = nlohmann::json::array();
  for (const Boundness boundness : {Boundness::kMemory, Boundness::kCompute, Boundness::kLatency,
                                    Boundness::kMixed, Boundness::kLaunch}) {
    if (tool.relevant(boundness)) classes.push_back(name_of(boundness));
  }
  for (const MetricKey& key : tool.needs()) needs.push_back(key.name);
  return {{"name", about.name},
          {"sees", about.sees},
          {"costs", about.costs},
          {"tries", about.tries},
          {"misleads", about.misleads},
          {"source", about.source},
          {"speaks_about", std::move(classes)},
          {"needs", std::move(needs)},
          {"origin", origin}};
}

nlohmann::json tools_json() {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& tool : tools()) all.push_back(to_json(*tool, kBuiltIn));
  for (const auto& user : used_tools()) all.push_back(to_json(*user.tool, user.origin.string()));
  return all;
}

}  // namespace kp::diagnose
