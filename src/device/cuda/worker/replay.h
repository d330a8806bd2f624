// SPDX-License-Identifier: Apache-2.0
// kernelpro-gpu replay FILE: the steps in FILE once, over fresh arrays, for a tool that watches.
#pragma once

namespace kp::device::cuda {

/// FILE is a map in CBOR: device, cubin, arrays [{address, bytes, (contents)}], steps. Each array
/// is an allocation of its own with exactly these bytes, followed by memory that nobody may touch;
/// addresses in the steps follow it there. Contents that are
/// shorter than their array are repeated. Returns the exit status: 0 when all steps ended.
int replay(const char* file);

}  // namespace kp::device::cuda
