# SPDX-License-Identifier: Apache-2.0
"""A GPU that does nothing, and the time of a machine that does only what it is told."""


class Clock:
    def __init__(self):
        self.now, self.log = 0.0, []

    def __call__(self):
        return self.now


class FakeEvent:
    def __init__(self, clock):
        self.clock, self.at = clock, None

    def record(self):
        self.clock.now += 1e-6  # what an interval with nothing in it takes
        self.at = self.clock.now

    def elapsed_time(self, other):
        return (other.at - self.at) * 1e3


class FakeGpu:
    def __init__(self, clock):
        self.clock = clock

    def flush(self):
        self.clock.log.append("flush")
        self.clock.now += 1e-3

    def event(self):
        return FakeEvent(self.clock)

    def synchronize(self):
        self.clock.log.append("wait")
