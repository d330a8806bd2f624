-- SPDX-License-Identifier: Apache-2.0
-- Memory fences that a kernel waits for longer than for its barriers: usually a flag protocol
-- between blocks that fences each element instead of each piece.
local LEAST = 0.10 -- of a warp's time

return {
  name = "fence_heavy",
  sees = "warps wait 10 % of their time or more for memory fences",
  costs = "a fence waits until all stores of the thread are visible to the whole device",
  tries = "one fence for each piece of work instead of each element; release and acquire",
  misleads = "the fences protect a lock that is contended: then the lock is the fault",
  source = "PTX ISA, memory consistency model",
  needs = { "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio" },
  examine = function(e)
    local stalls = e.stalls
    if not stalls or not stalls.membar then
      return e:not_applicable("stalls are unknown")
    end
    if stalls.membar < LEAST then return nil end
    -- What is left of the latency when most of the fences go.
    local share = e:share_won { latency = 1 - 0.8 * stalls.membar }
    if not share then return e:not_applicable("throughputs are unknown") end
    return e:finding {
      share = share,
      cap = 4,
      saw = string.format("Warps wait %.0f %% of their time for memory fences.",
                          100 * stalls.membar),
      costs = "Each fence holds its warp until all of its stores have arrived.",
      actions = {
        {
          action = "narrow-scope",
          text = "Fence once for each piece of work, before its flag is set, and by a release of " ..
            "that flag instead of a full fence.",
          code = "cuda::atomic_ref<int>(flag).store(1, cuda::memory_order_release);",
        },
      },
    }
  end,
}
