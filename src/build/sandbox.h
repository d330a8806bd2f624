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
  Path folder;                 // the only writable folder, and the working folder; empty: /tmp,
                               // which is empty and goes with the process
  std::vector<Path> readable;  // beside the system's programs and libraries
  std::vector<Path> devices;   // nodes under /dev, read and written; those that exist
};

/// The command that confines what follows it to `jail`, whether or not it works here.
std::vector<std::string> jail_command(const Jail& jail);

/// Whether bubblewrap is installed and user namespaces are allowed; tried once.
bool sandbox_works();

/// "bubblewrap", or what its absence means, with a hint on a second line.
std::string sandbox_level();

/// `child` confined to `jail`: its command is wrapped, folder and environment are set.
ChildSpec confined(ChildSpec child, const Jail& jail);

}  // namespace kp::build
