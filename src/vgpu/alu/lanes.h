// SPDX-License-Identifier: Apache-2.0
// The loop over the lanes of a warp. Every family file writes plain functions of one lane's values,
// such as `u32 add(u32 a, u32 b)`, and `Map<add>::run` makes the `Alu` of instruction.h from it:
// operand types and places follow from the function's signature. Used by the family files only.
//
// The family files are compiled once for each host level, in namespace KP_ALU_LEVEL. Nothing here
// may instantiate or call inline functions of other namespaces (std included): the linker would
// keep one copy, which could be the one with instructions that the host lacks. Hence the builtins.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "vgpu/alu/forms.h"
#include "vgpu/instruction.h"

namespace kp::vgpu::KP_ALU_LEVEL {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using u128 = unsigned __int128;
using s128 = __int128;

inline constexpr u32 kAllLanes = 0xffff'ffff;

/// A parameter of this type receives Operands::imm instead of a register.
struct Imm {
  u32 bits;
};

/// Two results: dst and dst2.
template <class A, class B>
struct Two {
  A first;
  B second;
};

/// Bytes between the lanes of a register that holds a T; narrow values take a whole word.
template <class T>
inline constexpr unsigned kStride = sizeof(T) < 4 ? 4 : sizeof(T);

template <unsigned kBytes>
struct WordOf {
  using type = u32;
};
template <>
struct WordOf<8> {
  using type = u64;
};
template <>
struct WordOf<16> {
  using type = u128;
};

/// Reads the lanes of a source. A register of n bits gives its low bits; a predicate gives a bool.
template <class T>
class Source {
 public:
  Source(const std::byte* file, u32 offset, u32) : row_(file + offset) {}
  T operator[](unsigned lane) const {
    typename WordOf<kStride<T>>::type word;
    __builtin_memcpy(&word, row_ + lane * kStride<T>, kStride<T>);
    if constexpr (sizeof(T) >= 4) {
      return __builtin_bit_cast(T, word);
    } else if constexpr (sizeof(T) == 2) {
      return __builtin_bit_cast(T, static_cast<u16>(word));
    } else {
      return __builtin_bit_cast(T, static_cast<u8>(word));
    }
  }

 private:
  const std::byte* row_;
};

template <>
class Source<bool> {
 public:
  Source(const std::byte* file, u32 offset, u32) { __builtin_memcpy(&mask_, file + offset, 4); }
  bool operator[](unsigned lane) const { return ((mask_ >> lane) & 1) != 0; }

 private:
  u32 mask_;
};

template <>
class Source<Imm> {
 public:
  Source(const std::byte*, u32, u32 imm) : imm_{imm} {}
  Imm operator[](unsigned) const { return imm_; }

 private:
  Imm imm_;
};

/// A result. writer() takes the lanes one by one: with all lanes active straight into the register
/// file, otherwise (or when nobody wants the result) into a row of its own, of which finish()
/// copies the active ones. The writer is a value apart, so that the compiler sees its pointer as
/// loop-invariant.
template <class T>
class Target {
  using Word = typename WordOf<kStride<T>>::type;

 public:
  struct Writer {
    std::byte* out;
    void put(unsigned lane, T value) {
      Word word;
      if constexpr (sizeof(T) >= 4) {
        word = __builtin_bit_cast(Word, value);
      } else {
        word = static_cast<Word>(value);
      }
      __builtin_memcpy(out + lane * kStride<T>, &word, kStride<T>);
    }
  };
  Target(std::byte* file, u32 offset, u32 active)
      : row_(offset == kNone ? nullptr : file + offset), active_(active) {}
  Writer writer() { return {row_ != nullptr && active_ == kAllLanes ? row_ : kept_}; }
  void finish(const Writer& writer) {
    if (row_ == nullptr || writer.out == row_) return;
    std::byte* const row = row_;
    const std::byte* const kept = kept_;
    const u32 active = active_;
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      Word before, after;
      __builtin_memcpy(&before, row + lane * kStride<T>, kStride<T>);
      __builtin_memcpy(&after, kept + lane * kStride<T>, kStride<T>);
      const Word chosen = Word{0} - static_cast<Word>((active >> lane) & 1);
      const Word word = (after & chosen) | (before & ~chosen);
      __builtin_memcpy(row + lane * kStride<T>, &word, kStride<T>);
    }
  }

 private:
  std::byte* row_;
  u32 active_;
  alignas(64) std::byte kept_[kLanes * kStride<T>];
};

template <>
class Target<bool> {
 public:
  struct Writer {
    u32 mask;
    void put(unsigned lane, bool value) { mask |= static_cast<u32>(value) << lane; }
  };
  Target(std::byte* file, u32 offset, u32 active)
      : row_(offset == kNone ? nullptr : file + offset), active_(active) {}
  Writer writer() { return {0}; }
  void finish(const Writer& writer) {
    if (row_ == nullptr) return;
    u32 before;
    __builtin_memcpy(&before, row_, 4);
    const u32 word = (before & ~active_) | (writer.mask & active_);
    __builtin_memcpy(row_, &word, 4);
  }

 private:
  std::byte* row_;
  u32 active_;
};

template <class A, class B>
class Target<Two<A, B>> {
 public:
  struct Writer {
    typename Target<A>::Writer first;
    typename Target<B>::Writer second;
    void put(unsigned lane, Two<A, B> value) {
      first.put(lane, value.first);
      second.put(lane, value.second);
    }
  };
  Target(std::byte* file, u32 offset, u32 offset2, u32 active)
      : first_(file, offset, active), second_(file, offset2, active) {}
  Writer writer() { return {first_.writer(), second_.writer()}; }
  void finish(const Writer& writer) {
    first_.finish(writer.first);
    second_.finish(writer.second);
  }

 private:
  Target<A> first_;
  Target<B> second_;
};

template <class T>
inline constexpr bool kIsTwo = false;
template <class A, class B>
inline constexpr bool kIsTwo<Two<A, B>> = true;

template <class T>
constexpr u8 lane_bytes() {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_same_v<T, Imm>) {
    return 0;
  } else {
    return sizeof(T) == 1 ? 2 : sizeof(T);
  }
}

template <class T>
struct ResultBytes {
  static constexpr u8 first = lane_bytes<T>(), second = 0;
};
template <class A, class B>
struct ResultBytes<Two<A, B>> {
  static constexpr u8 first = lane_bytes<A>(), second = lane_bytes<B>();
};

template <auto F>
struct Map;

/// R and the A are register types, bool (predicate), Imm (last) or, for R, Two of them.
template <class R, class... A, R (*F)(A...)>
struct Map<F> {
  static void run(std::byte* file, const Operands& op, u32 active) {
    run_at(file, op, active, std::index_sequence_for<A...>{});
  }
  static constexpr Entry entry(const char* form, Class cls) {
    using Result = ResultBytes<R>;
    Entry made{form, &run, cls, {Result::first, Result::second, 0, 0, 0, 0}};
    unsigned at = 2;
    ((lane_bytes<A>() != 0 ? static_cast<void>(made.lane_bytes[at++] = lane_bytes<A>()) : void()),
     ...);
    return made;
  }

 private:
  template <std::size_t... I>
  static void run_at(std::byte* file, const Operands& op, u32 active, std::index_sequence<I...>) {
    const u32 at[] = {op.a, op.b, op.c, op.d, kNone};
    loop(target(file, op, active), Source<A>(file, at[I], op.imm)...);
  }
  static Target<R> target(std::byte* file, const Operands& op, u32 active) {
    if constexpr (kIsTwo<R>) {
      return Target<R>(file, op.dst, op.dst2, active);
    } else {
      return Target<R>(file, op.dst, active);
    }
  }
  [[gnu::always_inline]] static inline void loop(Target<R>&& result, Source<A>... source) {
    typename Target<R>::Writer writer = result.writer();
    // A destination is either disjoint from a source or the same row, so lanes are independent.
#pragma GCC ivdep
    for (unsigned lane = 0; lane < kLanes; ++lane) writer.put(lane, F(source[lane]...));
    result.finish(writer);
  }
};

template <auto F>
constexpr Entry op(const char* form, Class cls) {
  return Map<F>::entry(form, cls);
}

}  // namespace kp::vgpu::KP_ALU_LEVEL

/// Defines the family's list of forms from the array `kForms`.
#define KP_ALU_FORMS(family) \
  Forms family() { return {kForms, sizeof(kForms) / sizeof(kForms[0])}; }
