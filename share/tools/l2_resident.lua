-- SPDX-License-Identifier: Apache-2.0
-- Inputs that fit into the L2 and come from DRAM again and again: a hint to keep them there.
local FITS = 0.5    -- of the L2, for inputs that can stay
local AGAIN = 1.5   -- times the compulsory bytes, read from DRAM

return {
  name = "l2_resident",
  sees = "a task whose bytes fit into half of the L2, while DRAM delivers 1.5 times as many",
  costs = "the L2 is several times as fast as DRAM, and streams push what is used again out of it",
  tries = "loads that bypass the L2 for what is used once, a persisting window for the rest",
  misleads = "the caches were flushed before each launch, as profilers do: a cold start reads once",
  source = "CUDA C++ Programming Guide, L2 access management",
  relevant = { "memory", "mixed", "latency" },
  needs = { "dram__bytes_read.sum" },
  examine = function(e)
    local bytes = e.task.bytes
    if not bytes then return e:not_applicable("the task states no bytes") end
    local read = e:get("dram__bytes_read.sum")
    if bytes > FITS * e.device.l2_bytes or read < AGAIN * bytes then return nil end
    local share = e:share_won { dram = bytes / read }
    if not share then return e:not_applicable("throughputs are unknown") end
    return e:finding {
      share = share,
      saw = string.format("%.0f MB come from DRAM, and all of the task's %.0f MB fit into the L2.",
                          read / 1e6, bytes / 1e6),
      costs = "What the L2 could hold is read from DRAM again.",
      actions = {
        {
          action = "block-order",
          text = "Load what is used once with __ldcs, and let blocks that share data run together.",
          code = "const float once = __ldcs(&stream[i]);",
        },
      },
    }
  end,
}
