// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/protocol.h"

#include "base/frame.h"
#include "device/cuda/cbor.h"

namespace kp::device::cuda {

Result<void> send_frame(int socket, std::uint64_t nonce, const nlohmann::json& body,
                        std::span<const int> descriptors) {
  auto sent = send_bytes(socket, nonce, nlohmann::json::to_cbor(body), descriptors);
  if (!sent && sent.error().code == ErrorCode::kLimit)
    sent.error().hint = "use a smaller kernel binary or fewer steps";
  return sent;
}

Result<Frame> receive_frame(int socket, std::uint64_t nonce, std::chrono::milliseconds deadline,
                            const StopFlag* stop) {
  KP_TRY(ByteFrame bytes, receive_bytes(socket, nonce, deadline, stop));
  KP_TRY(nlohmann::json body, read_cbor(bytes.body));
  return Frame{std::move(body), std::move(bytes.descriptors)};
}

}  // namespace kp::device::cuda
