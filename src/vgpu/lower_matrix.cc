// SPDX-License-Identifier: Apache-2.0
// ldmatrix and stmatrix.
#include "vgpu/lower_access.h"

namespace kp::vgpu {

Result<void> lower_matrix(Lowering& low) {
  const bool load = low.at->opcode == "ldmatrix";
  const auto& list = low.at->operands;
  KP_TRY(Access access, access_from_modifiers(low));
  if (!low.at->has("m8n8") || access.type != ptx::Type::kB16) return low.unsupported_form();
  if (list.size() != 2) return low.malformed_form("it needs registers and an address");
  const auto parts = elements_of(list[load ? 0 : 1]);
  const std::size_t matrices = low.at->has("x4") ? 4 : low.at->has("x2") ? 2 : 1;
  if (parts.size() != matrices) return low.malformed_form("one register for each matrix is needed");
  access.elements = static_cast<std::uint8_t>(matrices);
  Operands op;
  op.imm = low.at->has("trans") ? 1 : 0;
  KP_TRY(op.a, address_of(low, list[load ? 1 : 0], access));
  for (std::size_t i = 0; i < matrices; ++i) {
    KP_TRY(access.registers[i], low.source(parts[i], 4));
  }
  low.emit(load ? Kind::kMatrixLoad : Kind::kMatrixStore, Class::kMemory, op).extra =
      low.access(access);
  return {};
}

}  // namespace kp::vgpu
