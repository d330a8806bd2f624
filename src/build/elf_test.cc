// SPDX-License-Identifier: Apache-2.0
#include "build/elf.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/file.h"
#include "base/random.h"

namespace kp::build {
namespace {

std::string own_program() { return *read_file("/proc/self/exe"); }

TEST(ElfTest, ReadsSectionsAndSymbols) {
  const auto elf = read_elf(own_program());
  ASSERT_TRUE(elf.has_value()) << elf.error().text();
  bool text = false;
  for (const ElfSection& section : elf->sections)
    text |= section.name == ".text" && section.bytes > 0;
  EXPECT_TRUE(text);
}

TEST(ElfTest, RefusesWhatIsNoElf) {
  EXPECT_FALSE(read_elf("").has_value());
  EXPECT_FALSE(read_elf("\177ELF").has_value());
  EXPECT_FALSE(read_elf(std::string(4096, 'x')).has_value());
}

TEST(ElfTest, CutOrChangedBytesNeverCrash) {
  // The headers and section table of a small file; random changes hit every field.
  std::string small(sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr) + 64, '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_shoff = sizeof header;
  header.e_shnum = 4;
  header.e_shstrndx = 1;
  std::memcpy(small.data(), &header, sizeof header);
  Elf64_Shdr symbols{.sh_type = SHT_SYMTAB, .sh_offset = 64, .sh_size = 48, .sh_link = 1};
  std::memcpy(small.data() + sizeof header + 2 * sizeof symbols, &symbols, sizeof symbols);
  ASSERT_TRUE(read_elf(small).has_value());
  Random random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string changed = small;
    for (int j = 0; j < 3; ++j)
      changed[random.below(changed.size())] = static_cast<char>(random.bits32());
    static_cast<void>(read_elf(changed).has_value());
    static_cast<void>(read_elf(changed.substr(0, random.below(changed.size()))).has_value());
  }
}

}  // namespace
}  // namespace kp::build
