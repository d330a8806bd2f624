# SPDX-License-Identifier: Apache-2.0
import types
import unittest

import torch
from torch.autograd import DeviceType

from kernelpro_torch import census


def event(name, start, end, device=DeviceType.CUDA, **more):
    interval = types.SimpleNamespace(elapsed_us=lambda: end - start)
    return types.SimpleNamespace(name=name, device_type=device, time_range=interval, **more)


class Census(unittest.TestCase):
    def test_adds_launches_of_a_name_and_puts_the_longest_first(self):
        found = census.counted([event("short", 0, 1.5), event("long", 2, 9), event("short", 10, 12)])
        self.assertEqual(found, [{"name": "long", "nanoseconds": 7000.0, "launches": 1},
                                 {"name": "short", "nanoseconds": 3500.0, "launches": 2}])

    def test_leaves_out_what_the_host_does_and_what_people_wrote(self):
        found = census.counted([event("cudaLaunchKernel", 0, 1, DeviceType.CPU),
                                event("a step", 0, 1, is_user_annotation=True),
                                event("kernel", 0, 1, is_user_annotation=False)])
        self.assertEqual([kernel["name"] for kernel in found], ["kernel"])

    def test_reads_what_the_profiler_gives(self):
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
            torch.ones(3).add_(1)
        self.assertTrue(any(each.name == "aten::add_" for each in seen.events()))
        self.assertEqual(census.counted(seen.events()), [])
