// SPDX-License-Identifier: Apache-2.0
#include "model/finding.h"

namespace kp {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kCritical:
      return "critical";
  }
  return "info";
}

std::string_view name_of(Boundness boundness) {
  switch (boundness) {
    case Boundness::kMemory:
      return "memory";
    case Boundness::kCompute:
      return "compute";
    case Boundness::kLatency:
      return "latency";
    case Boundness::kMixed:
      return "mixed";
    case Boundness::kLaunch:
      return "launch";
  }
  return "mixed";
}

}  // namespace kp
