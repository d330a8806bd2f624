// SPDX-License-Identifier: Apache-2.0
// Any text as a suite file: reading it must end soon and without a crash, and an error must name a
// place. Texts that name tasks are left out, for these are looked for on the disk.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "suite/suite.h"

namespace {

using namespace kp;  // NOLINT

void check_text(const std::string& text) {
  if (text.find("tasks") != std::string::npos || text.find('\\') != std::string::npos) return;
  const auto suite = suite::parse_suite(text, "/nowhere/suite.toml");
  KP_CHECK(!suite, "a suite without tasks is none");
  KP_CHECK(!suite.error().message.empty(), "an error must say something");
  KP_CHECK(suite.error().spot.file == "/nowhere/suite.toml", "an error must name the file");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  check_text(text);
  check_text("[run]\n" + text);
  check_text("[[arm]]\nname = \"a\"\n" + text);
  (void)suite::fits(text, "matmul_f16");
  return 0;
}
