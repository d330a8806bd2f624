// SPDX-License-Identifier: Apache-2.0
// What is said to the process that holds PyTorch (share/torch/kernelpro_torch): one request, one
// answer, in turn, in frames (base/frame.h) whose body is an object in JSON. Numbers that are not
// finite are the strings "nan", "inf" and "-inf". A request has the member "do":
//   open     device ("cpu", "cuda:0")   -> python, python_version, torch_version, device, cuda,
//                                          compile; imports PyTorch, so it comes first
//   load     problem (key), file, text  -> constants {name: value}
//   probe    problem, constants {name: value}, values
//            -> inputs, weights, outputs [{name, dtype, shape, (number), (spread {least, most,
//            mean,
//               deviation})}], contraction_flops, other_flops (null: unknown), with values also
//               unused [name], random
//   draw     problem, constants, seed, arrays []    -> arrays
//   compute  problem, constants, arrays [{name, offset, count}]   -> arrays
//            Arrays are doubles in a memory file that travels beside the request, at byte offsets;
//            those of the answer stand behind those of the request.
//   answer   problem, constants, memory [bytes], inputs and outputs [{name, dtype, count, offset,
//            memory (index)}], numbers {name: value}   -> keeps (bytes of the GPU)
//            Memory is a GPU's: its shareable handles travel beside the request, in order.
//   free     -> nothing; what `answer` keeps is given back
//   time     problem, constants, modes [name], seed, warmups, runs, budget (s)
//            -> nanoseconds {mode: [ns]}, failures {mode: sentence}
//   compare  problem, constants, seed, redrawn [input], nudge, outputs [raw], a file beside it
//            -> outputs [OutputDistance's members, shape_differs]
//            raw: {name, dtype, shape, offset, bytes}
// A guest (guest.h) has open, load, and
//   adopt    candidate (key), problem, file, text -> {}
//   run      candidate, constants, seed, redrawn, a file beside it -> outputs [raw]
//   time     candidate, constants, seeds [usual, last], redrawn, warmups, runs, budget (s), a file
//            -> nanoseconds [ns], outputs [raw] of the last run
//   burst    candidate, constants, seed, redrawn, runs -> {}
//   kernels  candidate, constants, seed, redrawn -> kernels [{name, nanoseconds, launches}]
//   free     -> {}: gives back what it keeps of the GPU
// A key names a problem for good: the file's name and a hash of its text.
// Every answer has "ok"; where it is false: kind ("unsupported", "invalid", "memory",
// "unavailable", "failed"), message, hint.
#pragma once
#include <nlohmann/json.hpp>

#include "torch/guest.h"

namespace kp::torch {

inline constexpr int kSocketDescriptor = 3;

/// Of answers. kCorrupt names the member that is missing or of another type.
Result<Installation> installation_from(const nlohmann::json& body);
Result<Constants> constants_from(const nlohmann::json& body);
Result<Description> description_from(const nlohmann::json& body);
Result<Timed> timed_from(const nlohmann::json& body);
Result<std::vector<OutputDistance>> distances_from(const nlohmann::json& body);
/// Of guests (guest.h).
Result<std::vector<RawOutput>> raw_outputs_from(const nlohmann::json& body);
Result<std::vector<double>> nanoseconds_from(const nlohmann::json& body);
Result<std::vector<GuestKernel>> kernels_from(const nlohmann::json& body);
Result<std::uint64_t> kept_from(const nlohmann::json& body);
/// The error that an answer with "ok": false tells.
Error failure_from(const nlohmann::json& body);
/// The kind that such an error had where it tells something of the problem, else nothing.
std::string_view kind_of(ErrorCode code);

}  // namespace kp::torch
