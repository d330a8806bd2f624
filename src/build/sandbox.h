// SPDX-License-Identifier: Apache-2.0
// Compilers read untrusted source, and a preprocessor reads files: they see only what they need.
// Uses bubblewrap where it works; without it the limits of base/child.h remain.
#pragma once
#include <string>
#include <vector>

#include "base/child.h"
#include "base/file.h"

namespace kp::build {

struct Jail {
  Path folder;                 // the only writable folder; the working folder
  std::vector<Path> readable;  // beside the system's programs and libraries
};

/// Whether bubblewrap is installed and user namespaces are allowed; tried once.
bool sandbox_works();

/// "bubblewrap", or what its absence means, with a hint on a second line.
std::string sandbox_level();

/// `child` confined to `jail`: its command is wrapped, folder and environment are set.
ChildSpec confined(ChildSpec child, const Jail& jail);

}  // namespace kp::build
