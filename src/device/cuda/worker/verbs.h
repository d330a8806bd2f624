// SPDX-License-Identifier: Apache-2.0
// What the process does for the judge: one function a verb of protocol.h.
#pragma once
#include "device/cuda/protocol.h"
#include "device/cuda/worker/driver_call.h"
#include "device/cuda/worker/executor.h"

namespace kp::device::cuda {

using Answer = Faulty<Frame>;
using Verb = Answer (*)(Executor&, const Frame& request);

/// The judge's range of addresses, before anybody else can take a part of it.
Faulty<void> reserve_addresses(const Driver& driver);

Answer open_gpu(Executor& executor, const Frame& request);
Answer allocate(Executor& executor, const Frame& request);
Answer map(Executor& executor, const Frame& request);
Answer unmap(Executor& executor, const Frame& request);
Answer write(Executor& executor, const Frame& request);
Answer read(Executor& executor, const Frame& request);
Answer load(Executor& executor, const Frame& request);
Answer unload(Executor& executor, const Frame& request);
Answer run(Executor& executor, const Frame& request);
Answer series(Executor& executor, const Frame& request);
Answer trace(Executor& executor, const Frame& request);
Answer times(Executor& executor, const Frame& request);
Answer probe(Executor& executor, const Frame& request);

}  // namespace kp::device::cuda
