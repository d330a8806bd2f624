// SPDX-License-Identifier: Apache-2.0
// Moves, and packing of vectors into registers and back. The names of packing forms are our own:
// alu.cc makes "mov.b64.pack2" of `mov.b64 %rd, {%r1, %r2}` and "mov.b64.unpack2" of the reverse.
#include "vgpu/alu/lanes.h"

namespace kp::vgpu::KP_ALU_LEVEL {
namespace {

template <class T>
T mov(T a) {
  return a;
}
bool mov_pred(bool a) { return a; }

template <class Whole, class Part>
constexpr unsigned kBits = 8 * sizeof(Part);
template <class Whole, class Part>
Whole join(Part a, Part b) {
  return static_cast<Whole>(static_cast<Whole>(a) | static_cast<Whole>(b) << kBits<Whole, Part>);
}
template <class Whole, class Part>
Whole join4(Part a, Part b, Part c, Part d) {
  constexpr unsigned n = kBits<Whole, Part>;
  return static_cast<Whole>(static_cast<Whole>(a) | static_cast<Whole>(b) << n |
                            static_cast<Whole>(c) << (2 * n) | static_cast<Whole>(d) << (3 * n));
}
template <class Whole, class Part>
Two<Part, Part> split(Whole a) {
  return {static_cast<Part>(a), static_cast<Part>(a >> kBits<Whole, Part>)};
}
/// The four parts go to four consecutive rows at dst.
template <class Whole, class Part>
void split4(std::byte* file, const Operands& op, u32 active) {
  const Source<Whole> a(file, op.a, 0);
  for (u32 part = 0; part < 4; ++part) {
    Target<Part> result(file, op.dst + part * kLanes * kStride<Part>, active);
    auto to = result.writer();
    for (unsigned lane = 0; lane < kLanes; ++lane)
      to.put(lane, static_cast<Part>(a[lane] >> (part * kBits<Whole, Part>)));
    result.finish(to);
  }
}
template <class Whole, class Part>
constexpr Entry unpack4(const char* form) {
  return {form,
          &split4<Whole, Part>,
          Class::kMove,
          {static_cast<u8>(4 * kStride<Part>), 0, lane_bytes<Whole>(), 0, 0, 0}};
}

#define KP_MOV(type, t) op<mov<t>>("mov." type, Class::kMove)
#define KP_PACK2(name, whole, part)                          \
  op<join<whole, part>>("mov." name ".pack2", Class::kMove), \
      op<split<whole, part>>("mov." name ".unpack2", Class::kMove)
#define KP_PACK4(name, whole, part)                           \
  op<join4<whole, part>>("mov." name ".pack4", Class::kMove), \
      unpack4<whole, part>("mov." name ".unpack4")

constexpr Entry kForms[] = {
    KP_MOV("b16", u16),
    KP_MOV("u16", u16),
    KP_MOV("s16", u16),
    KP_MOV("f16", u16),
    KP_MOV("bf16", u16),
    KP_MOV("b32", u32),
    KP_MOV("u32", u32),
    KP_MOV("s32", u32),
    KP_MOV("f32", u32),
    KP_MOV("f16x2", u32),
    KP_MOV("bf16x2", u32),
    KP_MOV("b64", u64),
    KP_MOV("u64", u64),
    KP_MOV("s64", u64),
    KP_MOV("f64", u64),
    KP_MOV("b128", u128),
    op<mov_pred>("mov.pred", Class::kPredicate),
    KP_PACK2("b16", u16, u8),
    KP_PACK2("b32", u32, u16),
    KP_PACK4("b32", u32, u8),
    KP_PACK2("b64", u64, u32),
    KP_PACK4("b64", u64, u16),
    KP_PACK2("b128", u128, u64),
    KP_PACK4("b128", u128, u32),
};

}  // namespace

KP_ALU_FORMS(move_forms)

}  // namespace kp::vgpu::KP_ALU_LEVEL
