// SPDX-License-Identifier: Apache-2.0
#include "build/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace kp::build {
namespace {

constexpr std::uint64_t kMostSections = 1u << 16;
constexpr std::uint64_t kMostSymbols = 1u << 20;
constexpr unsigned char kCudaEntry = 0x10;  // in st_other

tl::unexpected<Error> corrupt(std::string_view what) {
  return fail(ErrorCode::kCorrupt, fmt::format("the cubin is not a readable ELF file: {}", what),
              "remove the build cache and compile again");
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  Result<Elf> read() {
    KP_TRY_VOID(read_sections());
    for (const Elf64_Shdr& header : headers_) {
      if (header.sh_type == SHT_SYMTAB) KP_TRY_VOID(read_symbols(header));
    }
    return std::move(elf_);
  }

 private:
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return {};
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  /// The zero-terminated text at `offset` of a string table.
  std::string text(const Elf64_Shdr& table, std::uint64_t offset) const {
    if (table.sh_offset > bytes_.size() || offset >= table.sh_size) return {};
    const std::string_view rest = bytes_.substr(table.sh_offset, table.sh_size);
    if (offset >= rest.size()) return {};
    const std::string_view tail = rest.substr(offset);
    return std::string(tail.substr(0, tail.find('\0')));
  }

  Result<void> read_sections() {
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
      return corrupt("it has no ELF header");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
      return corrupt("it is not 64-bit little-endian");
    const auto first = at<Elf64_Shdr>(header->e_shoff);
    if (!first) return corrupt("its section table is outside the file");
    const std::uint64_t count = header->e_shnum != 0 ? header->e_shnum : first->sh_size;
    if (count > kMostSections) return corrupt("it has too many sections");
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto section = at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return corrupt("its section table is cut off");
      headers_.push_back(*section);
    }
    const std::uint64_t names =
        header->e_shstrndx == SHN_XINDEX ? first->sh_link : header->e_shstrndx;
    if (names >= headers_.size()) return corrupt("it has no section names");
    for (const Elf64_Shdr& section : headers_)
      elf_.sections.push_back({text(headers_[names], section.sh_name), section.sh_size});
    return {};
  }

  Result<void> read_symbols(const Elf64_Shdr& table) {
    const std::uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    if (table.sh_link >= headers_.size()) return corrupt("its symbols have no names");
    if (count > kMostSymbols) return corrupt("it has too many symbols");
    for (std::uint64_t i = 1; i < count; ++i) {
      const auto symbol = at<Elf64_Sym>(table.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return corrupt("its symbol table is cut off");
      elf_.symbols.push_back(convert(*symbol, headers_[table.sh_link]));
    }
    return {};
  }

  ElfSymbol convert(const Elf64_Sym& symbol, const Elf64_Shdr& names) const {
    const auto type = ELF64_ST_TYPE(symbol.st_info);
    const auto binding = ELF64_ST_BIND(symbol.st_info);
    return {.name = text(names, symbol.st_name),
            .undefined = symbol.st_shndx == SHN_UNDEF,
            .function = type == STT_FUNC,
            .object = type == STT_OBJECT,
            .global = binding == STB_GLOBAL,
            .weak = binding == STB_WEAK,
            .entry = (symbol.st_other & kCudaEntry) != 0,
            .bytes = symbol.st_size,
            .section = symbol.st_shndx < elf_.sections.size() ? symbol.st_shndx : 0u};
  }

  std::string_view bytes_;
  std::vector<Elf64_Shdr> headers_;
  Elf elf_;
};

}  // namespace

Result<Elf> read_elf(std::string_view bytes) { return Reader(bytes).read(); }

}  // namespace kp::build
