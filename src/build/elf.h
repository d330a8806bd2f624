// SPDX-License-Identifier: Apache-2.0
// Sections and symbols of a cubin. Reads foreign bytes: every offset is checked, sizes are bounded.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kp::build {

struct ElfSection {
  std::string name;
  std::uint64_t bytes = 0;  // in memory
};

struct ElfSymbol {
  std::string name;
  bool undefined = false;
  bool function = false;
  bool object = false;
  bool global = false;
  bool weak = false;
  bool entry = false;  // a kernel (STO_CUDA_ENTRY)
  std::uint64_t bytes = 0;
  std::uint32_t section = 0;  // index in Elf::sections, 0 when undefined or special
};

struct Elf {
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
};

/// kCorrupt when `bytes` is no little-endian 64-bit ELF file or an offset leaves it.
Result<Elf> read_elf(std::string_view bytes);

}  // namespace kp::build
